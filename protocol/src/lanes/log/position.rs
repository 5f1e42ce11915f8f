//! Where a lane stands, and what that is worth.

use crate::lanes::meta::{Key, Write, present};
use crate::number::Number;

/// Where a lane stands in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The generation applied in full; -1 when what is stored is no number.
    pub applied: Number,
    /// The marker of an apply or a copy that has begun and not landed.
    pub inflight: Option<Inflight>,
}

/// A marker `from:to`. A half that is no number is -1; such a marker is still one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inflight {
    /// The generation before.
    pub from: Number,
    /// The generation that it leads to.
    pub to: Number,
}

/// What a position is read from: the stored texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct PositionFacts<'a> {
    /// [`Key::APPLIED`].
    pub applied: Option<&'a str>,
    /// [`Key::INFLIGHT`].
    pub inflight: Option<&'a str>,
}

/// Why nothing may be applied on a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Distrust {
    /// The position is negative, which is how an unreadable one reads.
    #[error("the applied generation is unreadable")]
    Unreadable,
    /// A marker is there.
    #[error(
        "a chunked apply of generation {} was interrupted after {}; some chunks committed and the position did not",
        .0.to, .0.from
    )]
    Interrupted(Inflight),
}

/// Reads a position (`lanes.md` 5). The empty text reads as 0, as `Number('')` does.
pub fn read_position(facts: &PositionFacts<'_>) -> Position {
    Position {
        applied: finite(facts.applied.unwrap_or("0")),
        inflight: present(facts.inflight).map(read_marker),
    }
}

fn read_marker(marker: &str) -> Inflight {
    // More than one colon: JavaScript's `split` gives more parts and the first two count.
    let mut halves = marker.split(':');
    let mut half = || halves.next().map_or(-Number::integer(1), finite);
    Inflight {
        from: half(),
        to: half(),
    }
}

fn finite(text: &str) -> Number {
    let number = Number::parse(text);
    if number.is_finite() {
        number
    } else {
        -Number::integer(1)
    }
}

/// Whether a record may be applied on a position, and if not, why and up to which generation it is certain all the
/// same (`lanes.md` 5).
///
/// A position that is NaN is trusted, for it is not less than 0; [`read_position`] never makes one.
///
/// # Errors
/// The reason for distrust. A lane with one is withdrawn (`lanes.md` 14.2).
pub fn position_trust(position: &Position) -> Result<(), Distrust> {
    if position.applied.js_lt(Number::ZERO) {
        Err(Distrust::Unreadable)
    } else {
        position
            .inflight
            .map_or(Ok(()), |marker| Err(Distrust::Interrupted(marker)))
    }
}

impl Distrust {
    /// The generation up to which the position is certain: 0 when it cannot be read.
    pub fn valid_at(&self, position: &Position) -> Number {
        match self {
            Distrust::Unreadable => Number::ZERO,
            Distrust::Interrupted(_) => position.applied,
        }
    }
}

/// The write that sets the marker, to be committed before the first chunk (`lanes.md` 5).
pub fn mark_inflight(marker: Inflight) -> Vec<Write> {
    let Inflight { from, to } = marker;
    vec![Write::Meta(Key::INFLIGHT, format!("{from}:{to}").into())]
}

/// The writes that move the position and clear the marker, in one transaction (`lanes.md` 5).
pub fn land_position(generation: Number) -> Vec<Write> {
    vec![
        Write::number(Key::APPLIED, generation),
        Write::clear(Key::INFLIGHT),
    ]
}
