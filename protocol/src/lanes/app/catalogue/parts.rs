//! Fragments of render programs: one statement each, or the few that always come together.

use crate::host::{Millis, Text};
use crate::lanes::app::program::{
    Act, Arguments, Condition, Item, NewId, OnRefusal, Operand, Query, Register, RenderProgram, Step,
    Transaction, Write,
};
use crate::lanes::app::tables::find;
use crate::number::Number;

/// Zero seconds from now.
pub(super) const NOW: Operand = Operand::Now { plus: Number::ZERO };

/// So many seconds from now.
pub(super) fn in_seconds(seconds: i32) -> Operand {
    Operand::Now {
        plus: Number::from(seconds),
    }
}

/// A read whose parameters are by name.
pub(super) fn query<const N: usize>(sql: &'static str, params: [(&'static str, Operand); N]) -> Query {
    Query {
        sql: Text::new_static(sql),
        params: named(params),
        into: None,
    }
}

/// A write whose parameters are by name.
pub(super) fn write<const N: usize>(sql: &'static str, params: [(&'static str, Operand); N]) -> Write {
    Write {
        sql: Text::new_static(sql),
        params: named(params),
        new_id: None,
    }
}

fn named<const N: usize>(params: [(&'static str, Operand); N]) -> Arguments {
    if N == 0 {
        return Arguments::default();
    }
    Arguments::Named(
        params
            .into_iter()
            .map(|(name, value)| (Text::new_static(name), value))
            .collect(),
    )
}

/// An insert of one row: parameters by position, as the application binds inserts. Where the table has an id of its own
/// and the columns leave it out, it is left to the driver.
pub(super) fn insert<const N: usize>(table: &'static str, row: [(&'static str, Operand); N]) -> Write {
    let columns = row.each_ref().map(|(column, _)| *column).join(", ");
    let places = ["?"; N].join(", ");
    let id = find(table).and_then(|table| table.id);
    let new_id = id.filter(|id| row.iter().all(|(column, _)| column != id));
    Write {
        sql: Text::from(format!("INSERT INTO {table} ({columns}) VALUES ({places})")),
        params: Arguments::List(row.into_iter().map(|(_, value)| value).collect()),
        new_id: new_id.map(|column| NewId {
            table: Text::new_static(table),
            column: Text::new_static(column),
            into: None,
        }),
    }
}

impl Query {
    /// The same, with its first value put into a register.
    pub(super) fn keep(self, at: Register) -> Self {
        Query {
            into: Some(at),
            ..self
        }
    }
}

impl Write {
    /// The same, with the id of the new row put into a register.
    pub(super) fn id_into(mut self, at: Register) -> Self {
        if let Some(new_id) = &mut self.new_id {
            new_id.into = Some(at);
        }
        self
    }
}

impl From<Query> for Step {
    fn from(query: Query) -> Self {
        Act::Read(query).into()
    }
}

impl From<Write> for Step {
    fn from(write: Write) -> Self {
        Act::Write(write).into()
    }
}

impl From<Query> for Item {
    fn from(query: Query) -> Self {
        Item::Read(query)
    }
}

impl From<Write> for Item {
    fn from(write: Write) -> Self {
        Item::Write(write)
    }
}

/// A transaction that commits.
pub(super) fn transaction(items: Vec<Item>) -> Step {
    Act::Transaction(Transaction {
        items,
        rolls_back: false,
    })
    .into()
}

/// A render's own time on the thread.
pub(super) fn work(milliseconds: u32) -> Step {
    Act::Work(Millis(milliseconds.into())).into()
}

/// Goes on where the step is refused.
pub(super) fn ignored(step: impl Into<Step>) -> Step {
    step.into().on_refusal(OnRefusal::Ignore { told: None })
}

/// A configuration object.
pub(super) fn config(name: &str) -> Step {
    query(
        "SELECT name, data FROM config WHERE collection = :collection AND name = :name",
        [(":collection", "".into()), (":name", name.into())],
    )
    .into()
}

/// An entry of the key-value store.
pub(super) fn state(name: &str) -> Query {
    query(
        "SELECT value FROM key_value WHERE collection = :collection AND name = :name",
        [(":collection", "state".into()), (":name", name.into())],
    )
}

/// A page looks for something in the render cache.
pub(super) fn cached(cid: &str) -> Query {
    query(
        "SELECT data, created, expire, tags, checksum FROM cache_render WHERE cid = :cid",
        [(":cid", cid.into())],
    )
}

/// A page keeps something in the render cache. It loses nothing where that is refused.
pub(super) fn cache(cid: &str, data: impl Into<Operand>, tags: &str) -> Write {
    Write {
        sql: Text::new_static(
            "INSERT INTO cache_render (cid, data, created, tags) VALUES (?, ?, ?, ?) ON CONFLICT (cid) DO UPDATE SET data = excluded.data, created = excluded.created, tags = excluded.tags",
        ),
        params: Arguments::List(vec![cid.into(), data.into(), NOW, tags.into()]),
        new_id: None,
    }
}

/// Invalidates a cache tag: counts it up, or begins to count it. `at` is a register for the count.
pub(super) fn invalidate(tag: &str, at: Register) -> [Step; 3] {
    let count = query(
        "SELECT invalidations FROM cachetags WHERE tag = :tag",
        [(":tag", tag.into())],
    );
    let first = insert("cachetags", [("tag", tag.into()), ("invalidations", 1.into())]);
    let next = Write {
        sql: Text::new_static("UPDATE cachetags SET invalidations = invalidations + 1 WHERE tag = ?"),
        params: Arguments::List(vec![tag.into()]),
        new_id: None,
    };
    [
        count.keep(at).into(),
        Step::from(first).when(Condition::Missing(at)),
        Step::from(next).when(Condition::Present(at)),
    ]
}

/// A line in the site's log.
pub(super) fn log(kind: &'static str, message: &str, account: impl Into<Operand>) -> Step {
    insert(
        "watchdog",
        [
            ("uid", account.into()),
            ("type", kind.into()),
            ("message", message.into()),
            ("severity", 5.into()),
            ("timestamp", NOW),
        ],
    )
    .into()
}

impl RenderProgram {
    /// The same, by a visitor with a session, for whose account it looks first.
    pub(super) fn known_by(mut self, session: &str) -> Self {
        const ACCOUNT: Register = Register(u16::MAX);
        self.steps.insert(0, account_of(session, ACCOUNT));
        self.account = Some(ACCOUNT);
        self
    }
}

/// Looks for the account of a session.
pub(super) fn account_of(session: &str, at: Register) -> Step {
    query(
        "SELECT uid, session, timestamp FROM sessions WHERE sid = :sid",
        [(":sid", row_of(session).into())],
    )
    .keep(at)
    .into()
}

/// The key of a session's row.
pub(super) fn row_of(session: &str) -> Text {
    Text::from(crate::lanes::session::drupal_session_row_id(&session.into()))
}

/// A node with its title and the number of its edits.
pub(super) fn node(nid: impl Into<Operand>) -> Query {
    query(
        "SELECT edits, nid, vid, title, uid, status, changed FROM node_field_data WHERE nid = :nid",
        [(":nid", nid.into())],
    )
}

/// The text of a node.
pub(super) fn body(nid: impl Into<Operand>) -> Query {
    query(
        "SELECT body_value, revision_id FROM node__body WHERE entity_id = :nid",
        [(":nid", nid.into())],
    )
}

/// A definition, which the application runs when it finds a table missing.
pub(super) struct Ddl(pub Text);

impl From<Ddl> for Step {
    fn from(Ddl(sql): Ddl) -> Self {
        Act::Write(Write {
            sql,
            params: Arguments::default(),
            new_id: None,
        })
        .into()
    }
}

/// A write whose parameters are by position.
pub(super) fn positional(sql: &'static str, params: Vec<Operand>) -> Write {
    Write {
        sql: Text::new_static(sql),
        params: Arguments::List(params),
        new_id: None,
    }
}
