//! What must hold, and what must have happened.
//!
//! A world's invariants stand in one table, each a small file: its id, what it says, why the check is sound and what it
//! cannot see. They read the world, never what the protocol says of itself.

mod breach;
mod class;
mod identity;
mod marks;
mod measure;
mod pattern;

use std::collections::BTreeSet;
use std::fmt;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use crate::printable::brief;

pub use breach::{Breach, Disagreement, Side};
pub use class::Class;
pub use identity::Identity;
pub use marks::Marks;
pub use measure::{Measure, Measures};
pub use pattern::{NotKnown, Pattern, Vocabulary};

/// One thing that must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// What it is called everywhere.
    pub id: &'static str,
    /// What must hold, in a sentence.
    pub statement: &'static str,
    /// The ways in which it can be violated.
    pub classes: &'static [Class],
}

/// Checked by the run itself, in any world.
pub const PANIC: Invariant = Invariant {
    id: "PANIC",
    statement: "no code of the protocol panics",
    classes: &[PANICS],
};

/// Code panics, at this line.
pub const PANICS: Class = Class("panics");

/// Checked by the run itself, in any world.
pub const RUNAWAY: Invariant = Invariant {
    id: "RUNAWAY",
    statement: "a run ends within its bound of events",
    classes: &[NO_END],
};

/// There are more events than that.
pub const NO_END: Class = Class("no-end");

/// Checked by the run itself, in any world.
pub const DEADLOCK: Invariant = Invariant {
    id: "DEADLOCK",
    statement: "no tasks wait for one another in a circle",
    classes: &[CIRCLE],
};

/// Each waits for the next one, and the last one for the first.
pub const CIRCLE: Class = Class("circle");

/// Checked by the run itself, in any world.
pub const STUCK: Invariant = Invariant {
    id: "STUCK",
    statement: "at rest no task waits for what nothing brings any more",
    classes: &[IN_VAIN],
};

/// A task waits, and nothing has it go on.
pub const IN_VAIN: Class = Class("in-vain");

/// What must hold in any world.
pub const GENERAL: [Invariant; 4] = [PANIC, RUNAWAY, DEADLOCK, STUCK];

/// Something that had to hold and did not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The invariant's id.
    pub invariant: Text,
    /// The way in which it is violated: a [`Class`] of the invariant, with its place where there is one.
    pub class: Text,
    /// The roles of those whom it concerns, as the world tells them apart.
    pub roles: BTreeSet<Text>,
    /// Whom it concerns: parties as `namespace/name`.
    pub concerns: Box<[Text]>,
    /// What the world says, in words.
    pub detail: Text,
    /// The two values that disagree, where it is two values that do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Box<Disagreement>>,
}

impl Violation {
    /// That an invariant is violated in this way. It concerns these, where the breach does not say whom; `role` is what a
    /// party is in its world.
    ///
    /// # Panics
    /// Where the invariant does not declare the class: then nothing could name it.
    #[must_use]
    pub fn of(
        invariant: &Invariant,
        concerns: Vec<Text>,
        breach: Breach,
        role: impl Fn(&str) -> &'static str,
    ) -> Self {
        let Breach { class, place, .. } = &breach;
        assert!(
            invariant.classes.contains(class),
            "{} does not declare its class `{class}`",
            invariant.id
        );
        let class = match place {
            None => Text::new_static(class.0),
            Some(place) => Text::from(format!("{class}{}{place}", class::PLACE)),
        };
        let concerns = if breach.concerns.is_empty() {
            concerns
        } else {
            breach.concerns
        };
        Violation {
            invariant: Text::new_static(invariant.id),
            class,
            roles: concerns.iter().map(|who| Text::new_static(role(who))).collect(),
            concerns: concerns.into(),
            detail: Text::from(brief(&breach.detail)),
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
            Verdict::Void(why) => write!(f, "void: {}", brief(why)),
            Verdict::Passed => f.write_str("passed"),
        }
    }
}
