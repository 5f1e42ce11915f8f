//! Who waits for the primary's gate, from one firing of its alarm to the next, and what there was to copy when it fired.

use std::collections::{BTreeSet, VecDeque};

use protocol::host::Text;
use protocol::lanes::meta::{Key, names};

use super::Turn;
use super::standing::Standing;
use super::wire::Heard;
use crate::kernel::Micros;

/// So many windows in a row must be contended before a lane is made (`lanes.md` 12).
pub const SUSTAINED: usize = 3;

/// The time between two firings of the primary's alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// When it began.
    pub since: Micros,
    /// How many requests waited for the gate in it, or had waited and were not answered yet; none where nobody looked.
    pub waited: Option<u64>,
}

/// The demand that the primary is to grow its pool by.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// Runs of requests that wait for the gate, or have waited and have not ended.
    open: BTreeSet<u64>,
    /// The last windows that have ended, the latest last.
    ended: VecDeque<Window>,
    /// The one that goes on; none before the alarm has fired while somebody looked.
    current: Option<Window>,
    /// The lanes that were queued for another copy when the alarm last fired.
    pub queued: BTreeSet<Text>,
    /// The lane whose copy was in progress then.
    pub copying: Option<Text>,
}

impl Demand {
    /// The last three windows that have ended, the latest last; none before there were three.
    #[must_use]
    pub fn sustained(&self) -> Option<[Window; SUSTAINED]> {
        let last = self.ended.len().checked_sub(SUSTAINED)?;
        let windows: Vec<Window> = self.ended.range(last..).copied().collect();
        windows.try_into().ok()
    }

    /// These runs of requests wait for the gate now.
    pub fn wait(&mut self, runs: impl IntoIterator<Item = u64>) {
        for run in runs {
            if self.open.insert(run)
                && let Some(waited) = self.current.as_mut().and_then(|window| window.waited.as_mut())
            {
                *waited += 1;
            }
        }
    }

    /// The primary has had a turn.
    pub fn turned(&mut self, turn: &Turn, now: Micros) {
        if turn.is_reset() {
            self.open.clear();
        }
        for heard in &turn.heard {
            match heard {
                Heard::Woken => self.fires(&turn.before, now),
                Heard::Finished { run: Some(run), .. } => drop(self.open.remove(&run.nth)),
                _ => {}
            }
        }
    }

    fn fires(&mut self, before: &Standing, now: Micros) {
        // The window in which the looking began was not seen whole.
        self.ended.push_back(self.current.unwrap_or(Window {
            since: Micros::ZERO,
            waited: None,
        }));
        if self.ended.len() > SUSTAINED {
            self.ended.pop_front();
        }
        self.current = Some(Window {
            since: now,
            waited: Some(self.open.len() as u64),
        });
        self.queued = names(before.meta(Key::REPAIRS).map(Text::as_str))
            .into_iter()
            .collect();
        let cursor = before.meta(Key::COPY_CURSOR);
        self.copying = cursor.and(before.meta(Key::COPY_LANE)).cloned();
    }
}
