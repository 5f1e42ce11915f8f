//! A plan that was shrunk, for people.

use std::collections::BTreeMap;
use std::io::{Result, Write};

use serde::Serialize;
use serde_json::Value;

use super::figures::{Exactly, Of};
use crate::check::Violation;
use crate::kernel::FixedChoice;
use crate::plan::{Act, Fault, Item};
use crate::printable::brief;
use crate::search::shrink::{Ended, Smallest};
use crate::trace::Instead;

/// Says how small a plan of so many items has become, and what is left of it.
///
/// # Errors
/// What the writer answers.
pub fn write_smallest<S, O: Serialize>(
    from: usize,
    violation: &Violation,
    smallest: &Smallest<S, O>,
    out: &mut dyn Write,
) -> Result<()> {
    let plan = &smallest.plan;
    let fixed = match plan.fixed.len() {
        0 => String::new(),
        fixed => format!(" and {}", Of(fixed as u64, "fixed choice")),
    };
    writeln!(
        out,
        "  shrunk from {} to {}{fixed}, {}",
        Of(from as u64, "item"),
        Exactly(plan.items.len() as u64),
        minimality(violation, smallest)
    )?;
    for item in &plan.items {
        writeln!(out, "    {}", brief(&ItemLine(item).to_string()))?;
    }
    for choice in &plan.fixed {
        writeln!(out, "    {}", fixed_line(choice))?;
    }
    Ok(())
}

/// What may be said of how small it is.
fn minimality<S, O>(violation: &Violation, smallest: &Smallest<S, O>) -> String {
    let all = smallest.plan.items.len() + smallest.plan.fixed.len();
    let tried = smallest.certificates.len();
    if smallest.is_1_minimal() {
        return format!("1-minimal (each removal tried: {})", instead(violation, smallest));
    }
    let why = match smallest.ended {
        Ended::Minimal => "a removal makes no difference".to_owned(),
        Ended::Spent => format!("its {} are spent", Of(smallest.runs, "run")),
        Ended::Interrupted => "interrupted".to_owned(),
    };
    format!("not 1-minimal: {why}, {tried} of {all} removals tried")
}

/// What has happened without each part.
fn instead<S, O>(violation: &Violation, smallest: &Smallest<S, O>) -> String {
    let all = smallest.certificates.len();
    let passed = smallest
        .certificates
        .iter()
        .filter(|certificate| certificate.instead == Instead::Passed);
    let mut told = format!("{} of {all} pass", passed.count());
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    for certificate in &smallest.certificates {
        let what = match &certificate.instead {
            Instead::Passed => continue,
            Instead::Violated(identity) if identity.invariant == violation.invariant => {
                format!("violated {} in another way", identity.invariant)
            }
            Instead::Violated(identity) => format!("violated {}", identity.invariant),
            Instead::Void(_) => "void".to_owned(),
        };
        *others.entry(what).or_default() += 1;
    }
    for (what, count) in others {
        told += &format!(", {count} {what}");
    }
    told
}

/// An item, in a line.
struct ItemLine<'a, O>(&'a Item<O>);

impl<O: Serialize> std::fmt::Display for ItemLine<'_, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Item { id, at, act } = self.0;
        // What is aimed at a call happens when that call does.
        if matches!(act, Act::Fault(Fault::Call { .. })) {
            write!(f, "item {id:<4} at a call    ")?;
        } else {
            write!(f, "item {id:<4} {:<13}", at.to_string())?;
        }
        match act {
            Act::Operation(operation) => f.write_str(&line_of(operation)),
            Act::Fault(Fault::Call { aim, fault }) => write!(
                f,
                "fault {} at `{}` no. {} of {}",
                line_of(fault),
                aim.label,
                aim.nth,
                aim.caller
            ),
            Act::Fault(fault) => write!(f, "fault {}", line_of(fault)),
        }
    }
}

/// A fixed choice, in a line.
fn fixed_line(choice: &FixedChoice) -> String {
    let FixedChoice { key, alternative } = choice;
    let place = if key.label.is_empty() {
        String::new()
    } else {
        format!(" at `{}`", key.label)
    };
    let told = format!(
        "{}{place} no. {} of {}, by {}: alternative {alternative}",
        line_of(&key.purpose),
        key.nth,
        key.origin,
        key.at
    );
    format!("fixed {}", brief(&told))
}

/// A value of a plan as words: its kind, and its fields with what they hold.
fn line_of(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).expect("what stands in a file can be written");
    match &value {
        Value::Object(kinds) if kinds.len() == 1 => {
            let told = kinds
                .iter()
                .map(|(kind, fields)| format!("{kind} {}", fields_of(fields)));
            told.collect()
        }
        Value::String(word) if !word.is_empty() && word.chars().all(is_plain) => word.clone(),
        other => fields_of(other),
    }
}

/// Whether a character is one of those of kinds and names, which need no quotes.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-_./#".contains(character)
}

fn fields_of(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let told = fields.iter().map(|(name, value)| match value {
                Value::Object(inner) if inner.len() != 1 => format!("{name} ({})", fields_of(value)),
                _ => format!("{name} {}", line_of(value)),
            });
            told.collect::<Vec<_>>().join(", ")
        }
        // As JSON has it: what a file brings stays on its line.
        other => other.to_string(),
    }
}
