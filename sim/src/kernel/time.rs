//! Simulated time.

use std::fmt;

use protocol::host::Millis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an object's clock shows when a run begins: 2026-01-01T00:00:00Z. A constant, so that a run does not depend on
/// the day it is made on, and late enough that no protocol takes it for zero.
pub const EPOCH: Millis = Millis(1_767_225_600_000);

/// True time of a run, in microseconds since its beginning: finer than any clock that a protocol can read.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Micros(pub u64);

impl Micros {
    /// The beginning of a run; as a length, none.
    pub const ZERO: Micros = Micros(0);

    /// A length or an instant of whole milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Micros(millis.saturating_mul(1_000))
    }

    /// This instant, `length` later.
    #[must_use]
    pub const fn after(self, length: Micros) -> Micros {
        Micros(self.0.saturating_add(length.0))
    }

    /// How long after `earlier` this is; zero where it is not after it.
    #[must_use]
    pub const fn since(self, earlier: Micros) -> Micros {
        Micros(self.0.saturating_sub(earlier.0))
    }

    /// What a true clock shows at this instant.
    #[must_use]
    pub const fn shown(self) -> Millis {
        Millis(EPOCH.0.saturating_add(self.0 / 1_000))
    }

    /// The first instant at which a true clock shows `millis`.
    #[must_use]
    pub const fn when_shown(millis: Millis) -> Micros {
        Micros::from_millis(millis.0.saturating_sub(EPOCH.0))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, micros) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if micros % 1_000 == 0 {
            write!(f, "{seconds}.{:03} s", micros / 1_000)
        } else {
            write!(f, "{seconds}.{micros:06} s")
        }
    }
}
