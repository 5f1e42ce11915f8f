//! How calls fare on their way: latencies, losses, and the faults that a plan aims at single calls.

use protocol::host::{CallError, Millis, Text};
use serde::{Deserialize, Serialize};

use super::choice::{Chance, Purpose, Ratio, Source};
use super::time::Micros;

/// A range of lengths of time, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Bounds", into = "Bounds")]
pub struct Span {
    /// The shortest: alternative 0.
    pub least: Micros,
    /// The longest; not shorter than the shortest.
    pub most: Micros,
}

/// A span as it stands in a file, in microseconds.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Bounds {
    least_us: Micros,
    most_us: Micros,
}

impl From<Span> for Bounds {
    fn from(span: Span) -> Self {
        Bounds {
            least_us: span.least,
            most_us: span.most,
        }
    }
}

impl TryFrom<Bounds> for Span {
    type Error = String;

    fn try_from(bounds: Bounds) -> Result<Self, String> {
        if bounds.least_us > bounds.most_us {
            let (least, most) = (bounds.least_us.0, bounds.most_us.0);
            return Err(format!("least-us ({least}) is above most-us ({most})"));
        }
        Ok(Span {
            least: bounds.least_us,
            most: bounds.most_us,
        })
    }
}

impl Span {
    /// Always the same length.
    #[must_use]
    pub const fn exactly(length: Micros) -> Self {
        Span {
            least: length,
            most: length,
        }
    }

    /// Any length between two numbers of milliseconds.
    #[must_use]
    pub const fn millis(least: u64, most: u64) -> Self {
        Span {
            least: Micros::from_millis(least),
            most: Micros::from_millis(most),
        }
    }

    /// A length of this range.
    pub(super) fn draw(self, chance: &mut Chance, purpose: Purpose, source: Source, label: &Text) -> Micros {
        let width = self.most.since(self.least).0;
        self.least.after(Micros(chance.choose(
            purpose,
            source,
            label,
            width.saturating_add(1),
        )))
    }
}

/// How the platform behaves: latencies always, faults for as long as the run injects them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Knobs {
    /// How long a request is on its way, and an answer.
    pub latency: Span,
    /// How often a request is lost before it is delivered.
    pub request_loss: Ratio,
    /// How often the answer of a request that was delivered is lost.
    pub answer_loss: Ratio,
    /// How often a request or an answer is late …
    pub late: Ratio,
    /// … and by how much.
    pub late_by: Span,
    /// How long a caller waits before it is told that a call failed.
    pub notice: Span,
    /// How long a commit takes to be confirmed.
    pub confirm: Span,
    /// How long a digest or a shared service takes.
    pub service: Span,
    /// How late an alarm runs.
    pub alarm_lateness: Span,
}

impl Knobs {
    /// A platform on a good day: short latencies, no faults.
    #[must_use]
    pub const fn calm() -> Self {
        Knobs {
            latency: Span::millis(1, 20),
            request_loss: Ratio::NEVER,
            answer_loss: Ratio::NEVER,
            late: Ratio::NEVER,
            late_by: Span::millis(100, 2_000),
            notice: Span::millis(50, 500),
            confirm: Span {
                least: Micros(200),
                most: Micros(5_000),
            },
            service: Span {
                least: Micros(100),
                most: Micros(2_000),
            },
            alarm_lateness: Span {
                least: Micros(0),
                most: Micros(1_000),
            },
        }
    }

    /// The same platform without any fault: what the healing phase runs on.
    #[must_use]
    pub fn healed(&self) -> Self {
        Knobs {
            request_loss: Ratio::NEVER,
            answer_loss: Ratio::NEVER,
            late: Ratio::NEVER,
            ..self.clone()
        }
    }
}

/// A call that a fault is aimed at: the `nth` (from 0) of this party at this label that leaves. One that fails at once, as
/// its stub is broken, is not counted, so that it does not use the fault up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aim {
    /// The caller, as `namespace/name` or `front N`.
    pub caller: Text,
    /// The place in the protocol.
    pub label: Text,
    /// Which of the caller's calls there.
    pub nth: u32,
}

/// What happens to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallFault {
    /// It is never delivered; the caller is told that the connection was lost.
    LoseRequest,
    /// It is delivered, runs, and the caller is told that the connection was lost.
    LoseAnswer,
    /// It is on its way for this much longer.
    DelayRequest(Millis),
    /// Its answer is on its way for this much longer.
    DelayAnswer(Millis),
}

/// What a caller is told when a request or its answer was lost. It cannot tell which (`platform.md` section 12.3).
pub(super) fn connection_lost() -> CallError {
    CallError {
        message: Text::new_static("Network connection lost."),
        remote: false,
        retryable: true,
        overloaded: false,
        reset: false,
    }
}
