//! What a trace says that its types do not hold to: bounds, and names of what there is.

use protocol::host::Text;

use super::{Expected, Trace, TraceErrorKind};
use crate::check::{NotKnown, Pattern};
use crate::printable::brief;
use crate::scenario::did_you_mean;
use crate::world::{World, check_mark, vocabulary};

/// The longest name of a scenario, in characters.
pub(super) const NAME_MOST: usize = 200;

/// Checks a header.
pub(super) fn check_header<W: World>(trace: &Trace<W::Shape, W::Operation>) -> Result<(), TraceErrorKind> {
    W::check(&trace.plan)?;
    let scenario = &trace.plan.scenario;
    if scenario.chars().any(char::is_control) {
        return Err(TraceErrorKind::ControlCharacters {
            field: "scenario",
            found: scenario.clone(),
        });
    }
    if scenario.chars().nth(NAME_MOST).is_some() {
        return Err(TraceErrorKind::LongName {
            field: "scenario",
            found: scenario.clone(),
        });
    }
    for (variant, expected) in &trace.expect {
        check_variant::<W>("expect", variant)?;
        if let Expected::Violated(pattern) = &expected.outcome {
            check_pattern::<W>("expect.*.outcome.violated", pattern)?;
        }
        for mark in &expected.marks {
            check_mark::<W>(mark).map_err(|reason| TraceErrorKind::Mark {
                reason: reason.replace("\n  ", "; "),
            })?;
        }
    }
    trace
        .shrunk
        .iter()
        .try_for_each(|shrunk| check_variant::<W>("shrunk.variant", &shrunk.variant))
}

fn check_variant<W: World>(field: &'static str, variant: &Text) -> Result<(), TraceErrorKind> {
    let known: Vec<_> = W::variants().iter().map(|variant| variant.name).collect();
    if known.contains(&variant.as_str()) {
        return Ok(());
    }
    Err(unknown(field, "variant", variant, &known))
}

pub(super) fn check_pattern<W: World>(field: &'static str, pattern: &Pattern) -> Result<(), TraceErrorKind> {
    vocabulary::<W>().check(pattern).map_err(|not_known| {
        let NotKnown {
            field: of,
            what,
            found,
            known,
        } = not_known;
        unknown(format!("{field}.{of}"), what, &found, &known)
    })?;
    match &pattern.class {
        Some(class) if class.chars().any(char::is_control) => Err(TraceErrorKind::ControlCharacters {
            field,
            found: class.clone(),
        }),
        _ => Ok(()),
    }
}

fn unknown(field: impl Into<String>, what: &'static str, found: &Text, known: &[&str]) -> TraceErrorKind {
    TraceErrorKind::Unknown {
        field: field.into(),
        what,
        found: brief(found).into_owned(),
        known: known_as(found, known),
    }
}

/// What there is, behind what was probably meant.
fn known_as(found: &str, known: &[&str]) -> String {
    did_you_mean(found, known) + "there is: " + &known.join(", ")
}
