//! An object's database: one trait, two stores.
//!
//! [`sqlite`] is SQLite itself, in memory. [`model`] runs a closed list of statement shapes on plain tables, which are
//! cheap to clone and to hash; any other statement is [`StoreError::Unsupported`] there, which voids the run and is
//! never shown to the protocol. Where both answer, they answer alike.
//!
//! What does not depend on the store stands above both: [`limits`] refuses what is too large, [`guard`] also makes
//! statements meet errors of the storage, [`split`] takes a text of several statements apart.

pub mod digest;
pub mod guard;
pub mod limits;
pub mod model;
pub mod ran;
pub mod split;
pub mod sqlite;
mod texts;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Debug;

use protocol::host::{Millis, SqlError, Statement, Text, Value};

use guard::Guard;
use limits::Limits;
pub use ran::{Ran, Writes};

/// A point that a store can go back to: the number of marks that were set before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark(pub u32);

/// Why a statement has no rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StoreError {
    /// The database refused it: the protocol sees this.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// This store does not run such statements: the run ends, void.
    #[error("this store does not run the statement: {0}")]
    Unsupported(Text),
    /// The statement met an error that [breaks the object](protocol::host::SqlErrorKind::breaks_object) (`workerd.md`
    /// T11). The store itself is as it was before the statement.
    #[error("the statement broke the object ({0})")]
    Broken(SqlError),
    /// The statement rolled back the transaction around it, as `INSERT OR ROLLBACK` does on a conflict (`workerd.md` T9).
    /// The store itself is as it was before the statement: how far back it goes is the caller's to know.
    #[error("the statement rolled back the transaction around it ({0})")]
    RolledBack(SqlError),
}

impl StoreError {
    /// An error of the database: whether it breaks the object is its kind's to say.
    #[must_use]
    pub fn of(error: SqlError) -> Self {
        if error.kind.breaks_object() {
            StoreError::Broken(error)
        } else {
            StoreError::Sql(error)
        }
    }
}

/// All tables of a database: name to rows, each in the order of its key.
pub type Contents = BTreeMap<Text, Vec<Vec<Value>>>;

/// The table in which the platform keeps the alarm, from when one is set first: code sees that it is there, and no more.
/// Here the alarm is kept elsewhere, so that there is no such table in a store's contents.
const ALARM_TABLE: &str = "_cf_METADATA";
/// The text that made it, as the runtime shows it.
const ALARM_TABLE_SQL: &str =
    "CREATE TABLE _cf_METADATA (\n        key INTEGER PRIMARY KEY,\n        value BLOB\n      )";

/// What a statement may learn of the world besides the tables: the kernel sets it once an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Surroundings {
    /// What `datetime('now')` and `CURRENT_TIMESTAMP` tell.
    pub now: Millis,
    /// What `random()` and `randomblob()` are computed from. Each draw moves it on.
    pub entropy: u64,
}

/// One object's database.
///
/// Marks nest: going back to one drops those set after it, and only the newest can be dropped alone. A turn sets one,
/// so that a commit that fails or dies with its machine is taken back, and so does a transaction within it.
///
/// A store need not be [`Send`]: a prepared statement of SQLite lives and dies on the thread of its connection. A
/// sweep makes a world on the thread that runs it.
pub trait Store: Debug + Sized {
    /// What stores share: parsed statements, databases to be used again. Clones are one pool. It serves the runs of one
    /// thread, one after another; nothing in it can be seen in an answer.
    type Pool: Debug + Default + Clone;

    /// Whether a digest costs as much as what has changed, and not as much as there is.
    const DIGEST_IS_CHEAP: bool;

    /// An empty database.
    fn open(pool: &Self::Pool, limits: Limits) -> Self;

    /// The limits of this store, and the fault that its statements are to meet.
    fn guard(&mut self) -> &mut Guard;

    /// Runs a statement with every number bound as REAL and read as a double. A text of several statements runs them
    /// in order, the parameters are the last one's, and the answer is the last one's (`workerd.md` T8).
    ///
    /// An error undoes the statement that failed and nothing before it.
    fn run(&mut self, statement: &Statement) -> Ran {
        if let Err(error) = self.guard().check(statement) {
            return Ran::refused(error);
        }
        let known = self.knows(&statement.sql);
        if !known && let Some(error) = split::refusal(&statement.sql) {
            return Ran::refused(StoreError::Sql(error));
        }
        let Some((last, before)) = (!known).then(|| split::split(&statement.sql)).flatten() else {
            return run_unless_struck(self, &statement.sql, &statement.params);
        };
        let mut writes = Writes::default();
        for text in before {
            let ran = run_unless_struck(self, &Text::new(text), &[]);
            writes.add(&ran.writes);
            if ran.outcome.is_err() {
                return Ran { writes, ..ran };
            }
        }
        let ran = run_unless_struck(self, &Text::new(last), &statement.params);
        writes.add(&ran.writes);
        Ran { writes, ..ran }
    }

    /// Whether this text ran before. It holds one statement then, and need not be looked through.
    fn knows(&self, sql: &str) -> bool;

    /// Runs a text that holds one statement. [`run`](Store::run) is what callers use.
    fn run_one(&mut self, sql: &Text, params: &[Value]) -> Ran;

    /// Tells the time and the chance that the next statements see.
    fn set_surroundings(&mut self, surroundings: Surroundings);

    /// Tells whether the next statements see that the platform has a table for the alarm.
    fn show_alarm_table(&mut self, is_there: bool);

    /// Sets a mark at this point.
    fn mark(&mut self) -> Mark;

    /// Undoes all that was done since the mark, which stays set; drops the marks set after it.
    ///
    /// # Panics
    /// When the mark is not set: a bug in the kernel.
    fn rollback_to(&mut self, mark: Mark);

    /// Drops the newest mark and keeps what was done since.
    ///
    /// # Panics
    /// When the mark is not the newest: a bug in the kernel.
    fn release(&mut self, mark: Mark);

    /// Drops all marks and keeps everything.
    fn forget_all(&mut self);

    /// A database of its own with these contents and these marks.
    fn fork(&mut self) -> Self;

    /// Everything in it, for checks and comparisons. Internal tables (`sqlite_…`) are left out.
    fn contents(&mut self) -> Contents;

    /// A digest of the contents and the schema: equal for equal contents, whatever led to them, and equal in both
    /// stores.
    fn digest(&mut self) -> u128;
}

/// Runs a text that holds one statement, or lets it meet the fault that is due.
fn run_unless_struck<S: Store>(store: &mut S, sql: &Text, params: &[Value]) -> Ran {
    match store.guard().strike() {
        None => store.run_one(sql, params),
        Some(error) => Ran {
            struck: true,
            ..Ran::refused(error)
        },
    }
}
