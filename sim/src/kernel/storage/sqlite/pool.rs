//! Databases that worlds have given back.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use protocol::host::Text;

use super::super::limits::Limits;
use super::database::{Database, Step};

/// Databases kept at most: a world has some dozens of objects. One takes some 30 kB, and what its last object wrote.
const KEPT: usize = 1_024;

/// Databases to be used again by the worlds of one thread, each with the tables that its last object began with. An
/// object takes none until its first statement, which tells what tables it will have.
#[derive(Clone, Default)]
pub struct SqlitePool(Rc<RefCell<Idle>>);

/// By the first statement of their groundwork; the text of those without groundwork is empty.
#[derive(Default)]
struct Idle {
    by_first_step: BTreeMap<Text, Vec<Database>>,
    kept: usize,
}

impl fmt::Debug for SqlitePool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.0.borrow().kept;
        f.debug_struct("SqlitePool").field("kept", &kept).finish()
    }
}

impl SqlitePool {
    /// A clean database for an object that has done these steps and does this one now: one whose groundwork goes on so,
    /// or else one that has none.
    pub(super) fn take(&self, limits: &Limits, done: &[Step], next: Option<&Text>) -> Database {
        let goes_on = |database: &Database| {
            let work = database.groundwork();
            let same = done.iter().zip(work).all(|(a, b)| a.sql == b.sql);
            same && next.is_some() && work.get(done.len()).map(|step| &step.sql) == next
        };
        let first = done.first().map(|step| &step.sql).or(next);
        let found = first
            .and_then(|first| self.find(first, |database| database.limits() == limits && goes_on(database)))
            .or_else(|| self.find("", |database| database.limits() == limits));
        match found {
            Some(mut database) => {
                database.clean();
                database
            }
            None => Database::open(*limits),
        }
    }

    fn find(&self, first_step: &str, fits: impl Fn(&Database) -> bool) -> Option<Database> {
        let mut idle = self.0.borrow_mut();
        let alike = idle.by_first_step.get_mut(first_step)?;
        let at = alike.iter().rposition(fits)?;
        let found = alike.swap_remove(at);
        idle.kept -= 1;
        Some(found)
    }

    /// Takes a database back. It is cleaned when it is used again, and not for nothing.
    pub(super) fn give(&self, database: Database) {
        let mut idle = self.0.borrow_mut();
        if !database.on_base() || idle.kept == KEPT {
            return;
        }
        idle.kept += 1;
        let first = database.groundwork().first();
        let first = first.map_or_else(Text::default, |step| step.sql.clone());
        idle.by_first_step.entry(first).or_default().push(database);
    }
}
