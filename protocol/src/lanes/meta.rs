//! What an object keeps about itself: the rows of `cfw_meta` (`lanes.md` 2).

use super::bind::statement;
use crate::host::{Statement, Text, Value};
use crate::json::Json;
use crate::number::Number;
use crate::sql::Bound;

/// A key of `cfw_meta`. The empty text under a key means that nothing is there (`lanes.md` 2 and 19.16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub &'static str);

impl Key {
    /// The lane's stage; nothing means CREATED.
    pub const STAGE: Key = Key("replica_stage");
    /// The persisted commit sequence.
    pub const COMMIT_SEQUENCE: Key = Key("commit_seq");
    /// The generation applied in full.
    pub const APPLIED: Key = Key("repl_applied");
    /// The marker of an apply in several chunks: `from:to`.
    pub const INFLIGHT: Key = Key("repl_inflight");
    /// The generation at which the copy in progress began.
    pub const RESTORE_GENERATION: Key = Key("restore_generation");
    /// The tables that the copy's first chunk promised, joined by commas.
    pub const RESTORE_EXPECT: Key = Key("restore_expect");
    /// The tables of which a chunk has landed, joined by commas.
    pub const RESTORE_SEEN: Key = Key("restore_seen");
    /// The attempt that the copy in progress, or the last one, was of; where variants tell attempts apart.
    pub const RESTORE_ATTEMPT: Key = Key("restore_attempt");
    /// The page that landed last, with its attempt; where variants tell pages apart.
    pub const RESTORE_PAGE: Key = Key("restore_page");
    /// How often the lane asked for a new copy since the last first chunk.
    pub const READMIT_ASKS: Key = Key("readmit_asks");
    /// The primary's: the lanes that wait for another copy, joined by commas.
    pub const REPAIRS: Key = Key("lane_repair");
    /// The primary's: the cursor of the copy in progress.
    pub const COPY_CURSOR: Key = Key("lane_cursor");
    /// The primary's: the lane of that copy.
    pub const COPY_LANE: Key = Key("lane_in_flight");
    /// The primary's: the highest lane ever provisioned.
    pub const LANES: Key = Key("lanes_provisioned");
    /// The primary's: how often that number has grown.
    pub const LANES_EPOCH: Key = Key("lanes_epoch");
    /// The primary's: the windows of demand, as JSON.
    pub const DEMAND_WINDOWS: Key = Key("demand_windows");
    /// The site's origin, inherited from the copy's first chunk.
    pub const SITE_ORIGIN: Key = Key("site_origin");
    /// The site's hash salt, inherited from the copy's first chunk.
    pub const HASH_SALT: Key = Key("hash_salt");
}

/// One write of a transaction.
///
/// A row of `cfw_meta` is told apart from other statements, so that a model of the store can keep a map; on the
/// platform both are statements ([`Write::into_statement`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// `metaSet`: puts a text under a key, unless it is there already.
    Meta(Key, Text),
    /// Executes a statement of the wire. Its parameters become what SQL binds only then.
    Sql(Bound<Json>),
}

impl Write {
    /// Clears a key.
    pub fn clear(key: Key) -> Self {
        Write::Meta(key, Text::default())
    }

    /// Puts a number under a key, as JavaScript prints it.
    pub fn number(key: Key, value: Number) -> Self {
        Write::Meta(key, Text::from(value.to_string()))
    }

    /// The statement that this is on the platform.
    pub fn into_statement(self) -> Statement {
        match self {
            // The condition is metaSet's: no write where the stored text is equal already.
            Write::Meta(key, value) => Statement::new(
                "INSERT INTO cfw_meta (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v WHERE v <> excluded.v",
                [Value::text(key.0), Value::Text(value)],
            ),
            Write::Sql(bound) => statement(&bound),
        }
    }
}

/// What a key holds; nothing where it holds the empty text.
pub fn present(stored: Option<&str>) -> Option<&str> {
    stored.filter(|text| !text.is_empty())
}

/// The names in a list that is joined by commas; none in the empty text, for `''.split(',')` is not asked of it.
pub fn names(stored: Option<&str>) -> Vec<Text> {
    present(stored).map_or_else(Vec::new, |text| text.split(',').map(Text::new).collect())
}
