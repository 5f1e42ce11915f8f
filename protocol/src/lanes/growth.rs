//! The primary's alarm step that grows and repairs the pool: which lane is copied next, and what a step of that copy
//! leaves behind (`lanes.md` 13.4, 13.5).
//!
//! The step runs outside the gate, so a request can commit between any two of its waits.

use super::belief::LanesPointer;
use super::meta::{Key, Write, present};
use super::name::lane_number;
use super::wire::Cursor;
use crate::host::{Millis, Payload, Text};
use crate::number::Number;

/// How soon the alarm comes again after a step that has something to report, and after a lane has asked for a copy
/// where no alarm is set (`lanes.md` 3).
pub const AGAIN_AFTER: Millis = Millis(1_000);

/// The lanes that wait for another copy: whole numbers from 1 on, each once, the lowest first (`lanes.md` 20).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Repairs(Vec<Number>);

impl Repairs {
    /// The queue of what is stored under [`Key::REPAIRS`]; what is no lane in it is passed over.
    pub fn stored(text: Option<&str>) -> Self {
        let mut repairs = Repairs::default();
        for lane in present(text)
            .unwrap_or_default()
            .split(',')
            .filter_map(lane_number)
        {
            repairs.enqueue(lane);
        }
        repairs
    }

    /// Queues a lane, unless it is queued.
    pub fn enqueue(&mut self, lane: Number) {
        if let Err(at) = self.0.binary_search(&lane) {
            self.0.insert(at, lane);
        }
    }

    /// Takes a lane out: only after a copy that was completed.
    pub fn dequeue(&mut self, lane: Number) {
        self.0.retain(|queued| *queued != lane);
    }

    /// The lane that is next.
    pub fn first(&self) -> Option<Number> {
        self.0.first().copied()
    }

    /// The write that stores the queue.
    pub fn write(&self) -> Write {
        let lanes: Vec<String> = self.0.iter().map(Number::to_string).collect();
        Write::Meta(Key::REPAIRS, Text::from(lanes.join(",")))
    }
}

/// What the beginning of a step is decided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PaceFacts {
    /// The most requests at once since the last step.
    pub peak: Number,
    /// Whether a copy is in progress.
    pub copy_pending: bool,
    /// Whether a lane waits for another copy.
    pub repair_queued: bool,
}

/// What a step does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// It appends a window of demand and goes on.
    Busy,
    /// There was no demand, but a copy to go on with; `clears_windows` unless it is one in progress.
    Quiet {
        /// Whether the windows are forgotten.
        clears_windows: bool,
    },
    /// There was no demand and there is nothing to copy: it forgets the windows and ends.
    Idle,
}

/// What a step does first (`lanes.md` 13.5).
pub fn pace(facts: &PaceFacts) -> Pace {
    if !facts.peak.js_lt(Number::integer(2)) {
        Pace::Busy
    } else if facts.copy_pending || facts.repair_queued {
        Pace::Quiet {
            clears_windows: !facts.copy_pending,
        }
    } else {
        Pace::Idle
    }
}

/// Which lane a step copies: the one whose copy is in progress, else the first that waits for another, else a new one.
pub fn next_copy(in_flight: Option<Number>, repairs: &Repairs, new: Option<Number>) -> Option<Number> {
    in_flight.or_else(|| repairs.first()).or(new)
}

/// How a step of a copy has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CopyStep {
    /// It was refused, on either side, or failed.
    Failed,
    /// The copy goes on here.
    Paused(Cursor),
    /// The copy is done.
    Done,
}

/// What a step of the copy of `lane` leaves behind. A copy that failed begins anew: a lane that waits stays queued and
/// is tried again in the next step (`lanes.md` 13.5).
pub fn after_copy_step(lane: Number, step: &CopyStep, repairs: &Repairs) -> Vec<Write> {
    let forgotten = || vec![Write::clear(Key::COPY_CURSOR), Write::clear(Key::COPY_LANE)];
    match step {
        CopyStep::Failed => forgotten(),
        CopyStep::Paused(cursor) => vec![
            Write::Meta(Key::COPY_CURSOR, Text::from(cursor.encode())),
            Write::number(Key::COPY_LANE, lane),
        ],
        CopyStep::Done => {
            let mut repairs = repairs.clone();
            repairs.dequeue(lane);
            let mut writes = forgotten();
            writes.push(repairs.write());
            writes
        }
    }
}

/// What is told of a lane whose copy is done, where it is a new one: the pointer to write into KV, without waiting for
/// that (`noteLaneServing`, `lanes.md` 13.4). Nothing ever lowers the number.
pub fn note_serving(lane: Number, known: LanesPointer) -> Option<LanesPointer> {
    lane.js_gt(known.lanes).then(|| LanesPointer {
        lanes: lane,
        epoch: known.epoch + Number::integer(1),
    })
}

#[cfg(test)]
mod tests;
