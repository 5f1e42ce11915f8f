//! The versions of the protocol that a run can be of.

use protocol::host::Millis;
use protocol::lanes::app::application;
use protocol::lanes::object::{Policy, Variables, Version};
use protocol::lanes::rules::Rules;

use crate::world::Variant;

/// The protocol as its contract says.
const DOCUMENTED: Variant = Variant {
    name: "documented",
    about: "the protocol as its contract says, with what is wrong in it",
};

/// The variants, the one that is meant by default first.
#[must_use]
pub fn variants() -> Vec<Variant> {
    vec![DOCUMENTED]
}

/// The version of a variant.
#[must_use]
pub fn version(variant: &str) -> Option<Version> {
    let rules = (variant == DOCUMENTED.name).then_some(Rules::DOCUMENTED)?;
    Some(Version {
        rules,
        policy: Policy {
            // Booting takes as long as the slowest render: a run would wait for nothing else.
            boot: Millis(500),
            ..Policy::DOCUMENTED
        },
        variables: Variables::default(),
        application: application(),
    })
}
