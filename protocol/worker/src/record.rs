//! What crossed the seam, in order: written by the shell in the runtime, and by [`Recorded`] in a simulated run.
//!
//! A record is JSON Lines. Texts that crossed stand in it as they crossed, byte for byte, so that a record of either
//! side can be replayed through the module. What cannot be alike on both sides (clocks, the words of errors) is
//! taken out when two records are compared, not when they are written: see [`story`].

mod program;
mod recorder;
mod story;

pub use program::{Recorded, RecordedObject, Tape};
pub use recorder::Recorder;
pub use story::{Parting, part_at, story};

use protocol::host::{Event, Millis, Text};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::abi::{self, Crosses, Delivered, Function};

/// One line of a record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordLine {
    /// Whose line it is: see [`who`](crate::abi::who); `front` for a front Worker.
    pub who: Text,
    /// Which of its incarnations, counted from 1.
    pub life: u32,
    /// What happened.
    pub what: Moment,
}

/// What a line of a record tells. A turn is an event, its crossings, and its end.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A turn began.
    Event {
        /// The time of the event.
        now: Millis,
        /// The event.
        event: Box<RawValue>,
    },
    /// A function of the seam was called.
    Cross {
        /// Which.
        function: Function,
        /// Its arguments.
        args: Box<RawValue>,
        /// Its answer; `null` for one that does not return.
        answer: Box<RawValue>,
    },
    /// The turn has ended. A turn in which the incarnation was aborted has no such line.
    Returned(Delivered),
    /// The turn has panicked.
    Trapped {
        /// What the panic said, where that is known.
        message: Text,
    },
}

impl Moment {
    /// A turn began.
    #[must_use]
    pub fn event(now: Millis, event: &Event) -> Self {
        Moment::Event {
            now,
            event: raw(event),
        }
    }

    /// A function of the seam was called.
    #[must_use]
    pub fn cross<C: Crosses>(args: &C, answer: &C::Answer) -> Self {
        Moment::Cross {
            function: C::FUNCTION,
            args: raw(args),
            answer: raw(answer),
        }
    }

    /// Whether a turn began with it.
    #[must_use]
    pub fn is_event(&self) -> bool {
        matches!(self, Moment::Event { .. })
    }

    /// Whether the incarnation ended with it.
    #[must_use]
    pub fn is_abort(&self) -> bool {
        matches!(
            self,
            Moment::Cross {
                function: Function::Abort,
                ..
            }
        )
    }
}

fn raw<T: Serialize>(value: &T) -> Box<RawValue> {
    RawValue::from_string(abi::encode(value)).expect("what was encoded is JSON")
}

/// Reads a record.
///
/// # Errors
/// The number of the first line that is none, counted from 1, and why it is none.
pub fn read(text: &str) -> Result<Vec<RecordLine>, (usize, serde_json::Error)> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
    lines
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| (at + 1, error)))
        .collect()
}

/// Writes a record.
#[must_use]
pub fn write(lines: &[RecordLine]) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&abi::encode(line));
        text.push('\n');
    }
    text
}
