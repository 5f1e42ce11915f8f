//! Ranges of lengths of time, from which a length is drawn.

use protocol::host::Text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choice::{Chance, Purpose, Source};
use super::time::Micros;

/// A range of lengths of time, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Bounds", into = "Bounds")]
#[schemars(with = "Bounds")]
pub struct Span {
    /// The shortest: alternative 0.
    pub least: Micros,
    /// The longest; not shorter than the shortest.
    pub most: Micros,
}

/// A span as it stands in a file, in microseconds.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(rename = "Span")]
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
