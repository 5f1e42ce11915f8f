//! Certificates: what a shrunk trace says of each thing that is left in it, so that nobody need believe that it is small.

use std::fmt;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use crate::check::{Identity, Verdict};
use crate::kernel::ChoiceKey;
use crate::printable::brief;

/// How a trace came to be as small as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shrunk {
    /// The variant whose failure was kept. The certificates are about its runs.
    pub variant: Text,
    /// How many items the plan had before.
    pub from: u32,
}

/// That the removal of one thing was tried, and what a run has shown without it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// What was removed.
    pub of: Part,
    /// What happened instead of the failure.
    pub instead: Instead,
}

/// Something that can be taken out of a plan by itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The item of this number.
    Item(u32),
    /// A choice that is fixed.
    Fixed(ChoiceKey),
}

/// What a run shows that does not show the failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instead {
    /// Everything held.
    Passed,
    /// Something else is violated, or the same invariant in another way.
    Violated(Identity),
    /// The run has shown nothing, and why.
    Void(Text),
}

impl Instead {
    /// What a run has shown, as long as it is not the failure itself.
    #[must_use]
    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Passed => Instead::Passed,
            Verdict::Violated(violation) => Instead::Violated(Identity::of(violation)),
            Verdict::Void(why) | Verdict::NotDeterministic(why) => Instead::Void(why.clone()),
        }
    }

    /// The texts in it that come from a file and are printed.
    pub(super) fn texts(&self) -> impl Iterator<Item = &Text> {
        let (identity, why) = match self {
            Instead::Passed => (None, None),
            Instead::Violated(identity) => (Some(identity), None),
            Instead::Void(why) => (None, Some(why)),
        };
        let of_identity = identity
            .into_iter()
            .flat_map(|identity| identity.roles.iter().chain([&identity.class]));
        of_identity.chain(why)
    }
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instead::Passed => f.write_str("passed"),
            Instead::Violated(identity) => write!(f, "violated {}", identity.invariant),
            Instead::Void(_) => f.write_str("void"),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Item(id) => write!(f, "item {id}"),
            // Its names may come from any file.
            Part::Fixed(key) => write!(f, "the fixed choice {}", brief(&key.to_string())),
        }
    }
}
