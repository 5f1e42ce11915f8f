//! The alarm within a turn.

use protocol::host::{Millis, Platform};

use super::Turn;
use crate::kernel::database::Access;
use crate::kernel::party::ReplyTo;
use crate::kernel::storage::Store;
use crate::kernel::watch::What;

impl<S: Store> Turn<'_, S> {
    /// When the alarm is set to, as the code sees it.
    pub(super) fn seen_alarm(&self) -> Option<Millis> {
        match &self.access {
            Access::Own(database) => database.alarm.seen(),
            Access::Nothing => None,
            Access::Fenced => {
                self.read_fenced.set(true);
                None
            }
        }
    }

    /// Sets the alarm, or takes it back.
    pub(super) fn store_alarm(&mut self, at: Option<Millis>) {
        // A time that is past is now (`platform.md` section 6, item 1); the one that is stored stays what it is.
        let stored = match &self.access {
            Access::Own(database) => database.alarm.stored,
            Access::Nothing | Access::Fenced => None,
        };
        let at = if at == stored {
            at
        } else {
            at.map(|at| at.max(self.now()))
        };
        let running = self
            .running
            .and_then(|task| self.tasks.get(task.0 as usize)?.as_ref());
        let in_its_run = running.is_some_and(|entry| entry.reply_to == Some(ReplyTo::Alarm));
        let to_now = in_its_run && at.is_some_and(|at| at <= self.now());
        if let Some(database) = self.database() {
            let changed = database.set_alarm(at, to_now);
            if let Some(section) = self.transaction() {
                section.wrote |= changed;
            }
            self.see(What::AlarmSet(at));
        }
    }
}
