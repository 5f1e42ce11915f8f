//! What must hold, and what must have happened.
//!
//! A world's invariants stand in one table, each a small file: its id, what it says, why the check is sound and what it
//! cannot see. They read the world, never what the protocol says of itself.

mod breach;
mod identity;
mod marks;
mod measure;

use std::fmt;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

pub use breach::{Breach, Disagreement, Side};
pub use identity::Identity;
pub use marks::Marks;
pub use measure::{Measure, Measures};

/// One thing that must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// What it is called everywhere.
    pub id: &'static str,
    /// What must hold, in a sentence.
    pub statement: &'static str,
}

/// What must hold in any world, checked by the run itself.
pub const GENERAL: [Invariant; 2] = [
    Invariant {
        id: "PANIC",
        statement: "no code of the protocol panics",
    },
    Invariant {
        id: "RUNAWAY",
        statement: "a run ends within its bound of events",
    },
];

/// Something that had to hold and did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The invariant's id.
    pub invariant: Text,
    /// Whom it concerns: parties as `namespace/name`.
    pub concerns: Vec<Text>,
    /// What the world says, in words.
    pub detail: Text,
    /// The two values that disagree, where it is two values that do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Box<Disagreement>>,
}

impl Violation {
    /// That an invariant is violated in this way. It concerns these, where the breach does not say whom.
    #[must_use]
    pub fn of(invariant: &Invariant, concerns: Vec<Text>, breach: Breach) -> Self {
        Violation {
            invariant: Text::new_static(invariant.id),
            concerns: if breach.concerns.is_empty() {
                concerns
            } else {
                breach.concerns
            },
            detail: breach.detail,
            values: breach.values,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} violated: {}", self.invariant, self.detail)
    }
}

/// What a run has shown. In the order of precedence of their exit codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Two runs of one plan differed: nothing else that a run says can be believed.
    NotDeterministic(Text),
    /// Something that must hold did not.
    Violated(Violation),
    /// The run has shown nothing, and why.
    Void(Text),
    /// Everything held.
    Passed,
}

impl Verdict {
    /// The exit code that this verdict ends a command with.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Verdict::NotDeterministic(_) => 4,
            Verdict::Violated(_) => 1,
            Verdict::Void(_) => 3,
            Verdict::Passed => 0,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::NotDeterministic(what) => write!(f, "not deterministic: {what}"),
            Verdict::Violated(violation) => fmt::Display::fmt(violation, f),
            Verdict::Void(why) => write!(f, "void: {why}"),
            Verdict::Passed => f.write_str("passed"),
        }
    }
}
