//! Traces: a plan in a file, with what is expected of it and the history that led there.
//!
//! JSON Lines. The first line is the header; then one line for each plan item, `{"item": …}`, and for each fixed choice,
//! `{"fixed": …}`; where the plan was shrunk, `{"certificate": …}` for each of them; then, for people, the history,
//! `{"history": …}`, which a replay does not need.

mod certificate;
mod checks;
mod error;
mod file;
mod name;
mod read;
mod renew;

use std::collections::BTreeMap;
use std::io;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use crate::check::{Identity, Pattern, Verdict};
use crate::kernel::{FixedChoice, Knobs, Micros, RunHash};
use crate::plan::{Item, Plan};
use crate::run::{Line, Report};

pub use certificate::{Certificate, Instead, Part, Shrunk};
pub use error::{TraceError, TraceErrorKind};
pub use file::{put, replaces};
pub use name::{is_1_minimal, name, story};
pub use read::{Opened, open, read};
pub use renew::renewed;

/// The version of the format that is written. A reader refuses later ones, with the reason. In the first one a failure that
/// is expected was an invariant's id, and the classes of certificates were made of texts: those are read, and only told.
pub const FORMAT: u32 = 2;

/// The first line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Header<Shape> {
    /// [`FORMAT`]; also what tells a trace from any other file.
    pub drydock_trace: u32,
    /// The world.
    pub world: Text,
    /// The scenario that the plan was generated for.
    pub scenario: Text,
    /// See [`Plan::seed`].
    pub seed: u64,
    /// See [`Plan::lasts`].
    pub lasts: Micros,
    /// See [`Plan::settles`].
    pub settles: Micros,
    /// See [`Plan::knobs`].
    pub knobs: Knobs,
    /// See [`Plan::shape`].
    pub shape: Shape,
    /// What a replay is expected to show, by variant.
    #[serde(default)]
    pub expect: BTreeMap<Text, Expectation>,
    /// How the plan came to be as small as it is, if it was shrunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrunk: Option<Shrunk>,
}

/// What a replay under one variant is expected to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expectation {
    /// Whether all holds, or which failure is there.
    pub outcome: Expected,
    /// Marks that the run must pass: without them it shows nothing, whatever its verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Text>,
    /// The hash of what the protocol decides and answers, when the trace was written. Told when it differs, not
    /// required: behaviour may change on purpose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<RunHash>,
    /// The hash of everything, when the trace was written. Likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full: Option<RunHash>,
}

/// The part of a verdict that an expectation is about: never the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// Everything holds.
    Passed,
    /// Something is violated: one of these failures.
    Violated(Pattern),
}

/// A trace, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace<Shape, Operation> {
    /// The plan.
    pub plan: Plan<Shape, Operation>,
    /// What is expected of it, by variant.
    pub expect: BTreeMap<Text, Expectation>,
    /// How the plan came to be as small as it is, if it was shrunk.
    pub shrunk: Option<Shrunk>,
    /// What its removals have shown. It is 1-minimal where each item and each fixed choice has one.
    pub certificates: Vec<Certificate>,
    /// The history that led to what was found; empty where the trace was read from a file and nobody asked for it.
    pub history: Vec<Line>,
}

impl<Shape, Operation> Trace<Shape, Operation> {
    /// The variant whose failure it is of, and whose history it has: the one that it was shrunk under, else the first that it
    /// expects to be violated.
    #[must_use]
    pub fn failing(&self) -> Option<&Text> {
        let is_violated =
            |(_, expected): &(&Text, &Expectation)| matches!(expected.outcome, Expected::Violated(_));
        let shrunk = self.shrunk.as_ref().map(|shrunk| &shrunk.variant);
        shrunk.or_else(|| self.expect.iter().find(is_violated).map(|(variant, _)| variant))
    }

    /// The variant whose history it has: the one that fails, else the only one that it names.
    #[must_use]
    pub fn of_history(&self) -> Option<&Text> {
        let only = self.expect.keys().next().filter(|_| self.expect.len() == 1);
        self.failing().or(only).filter(|_| !self.history.is_empty())
    }
}

/// One line after the header.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Entry<Operation> {
    Item(Item<Operation>),
    Fixed(FixedChoice),
    Certificate(Certificate),
    History(Line),
}

impl Expectation {
    /// What a run has shown, as an expectation of the next one.
    #[must_use]
    pub fn of(report: &Report) -> Option<Self> {
        let outcome = match &report.verdict {
            Verdict::Passed => Expected::Passed,
            Verdict::Violated(violation) => Expected::Violated(Pattern::from(&Identity::of(violation))),
            Verdict::Void(_) | Verdict::NotDeterministic(_) => return None,
        };
        Some(Expectation {
            outcome,
            marks: Vec::new(),
            behaviour: Some(report.behaviour),
            full: Some(report.full),
        })
    }

    /// Why a run does not meet this expectation; none where it does.
    #[must_use]
    pub fn missed_by(&self, report: &Report) -> Option<Missed> {
        if let Some(mark) = self.marks.iter().find(|mark| report.marks.count(mark) == 0) {
            return Some(Missed::Mark(mark.clone()));
        }
        let same = match (&self.outcome, &report.verdict) {
            (Expected::Passed, Verdict::Passed) => true,
            (Expected::Violated(pattern), Verdict::Violated(violation)) => {
                pattern.covers(&Identity::of(violation))
            }
            _ => false,
        };
        (!same).then(|| Missed::Outcome {
            expected: self.outcome.clone(),
            found: report.verdict.clone(),
        })
    }
}

/// Why a run does not meet what is expected of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missed {
    /// It never passed this mark: it is void, whatever its verdict.
    Mark(Text),
    /// It shows something else.
    Outcome {
        /// What was expected.
        expected: Expected,
        /// What it says.
        found: Verdict,
    },
}

impl Missed {
    /// The exit code that it ends a command with: void where the run shows nothing, else that of the verdict, or that of a
    /// violation where all holds that should not.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Missed::Mark(_) => Verdict::Void(Text::default()).exit_code(),
            Missed::Outcome { found, .. } => found.exit_code().max(1),
        }
    }
}

impl std::fmt::Display for Missed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Missed::Mark(mark) => write!(f, "the run never passed the mark `{mark}`, so it shows nothing"),
            Missed::Outcome { expected, found } => {
                write!(f, "expected {expected}, and the run says: {found}")?;
                match found {
                    Verdict::Violated(violation) => write!(f, " ({})", Identity::of(violation)),
                    _ => Ok(()),
                }
            }
        }
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expected::Passed => f.write_str("that everything holds"),
            Expected::Violated(Pattern {
                invariant,
                roles,
                class,
            }) => {
                write!(f, "that {invariant} is violated")?;
                let roles: Vec<&str> = roles.iter().flatten().map(Text::as_str).collect();
                match (class, roles.as_slice()) {
                    (None, []) => Ok(()),
                    (Some(class), []) => write!(f, " ({class})"),
                    (None, roles) => write!(f, " (of {})", roles.join(" and ")),
                    (Some(class), roles) => write!(f, " ({class} of {})", roles.join(" and ")),
                }
            }
        }
    }
}

impl<Shape: Serialize + Clone, Operation: Serialize + Clone> Trace<Shape, Operation> {
    /// Writes the trace.
    ///
    /// # Errors
    /// What the writer answers.
    pub fn write(&self, world: &str, to: &mut impl io::Write) -> io::Result<()> {
        let plan = &self.plan;
        let header = Header {
            drydock_trace: FORMAT,
            world: Text::new(world),
            scenario: plan.scenario.clone(),
            seed: plan.seed,
            lasts: plan.lasts,
            settles: plan.settles,
            knobs: plan.knobs.clone(),
            shape: plan.shape.clone(),
            expect: self.expect.clone(),
            shrunk: self.shrunk.clone(),
        };
        write_line(to, &header)?;
        for item in &plan.items {
            write_line(to, &Entry::Item(item.clone()))?;
        }
        for fixed in &plan.fixed {
            write_line(to, &Entry::<Operation>::Fixed(fixed.clone()))?;
        }
        for certificate in &self.certificates {
            write_line(to, &Entry::<Operation>::Certificate(certificate.clone()))?;
        }
        for line in &self.history {
            write_line(to, &Entry::<Operation>::History(line.clone()))?;
        }
        Ok(())
    }
}

fn write_line(to: &mut impl io::Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *to, line)?;
    to.write_all(b"\n")
}
