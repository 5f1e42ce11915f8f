//! The versions of the protocol that a run can be of.

use protocol::host::Millis;
use protocol::lanes::app::application;
use protocol::lanes::changes::{CHANGES, hardened, hardened_without};
use protocol::lanes::object::{Policy, Variables, Version};
use protocol::lanes::rules::Rules;
use protocol::number::Number;

use crate::world::Variant;

/// The protocol with all that mends it.
const HARDENED: Variant = Variant {
    name: "hardened",
    about: "the documented protocol with all changes that mend it",
};

/// The protocol as its contract says.
const DOCUMENTED: Variant = Variant {
    name: "documented",
    about: "the protocol as its contract says, with what is wrong in it",
};

/// The variants, the one that is meant by default first: both protocols, and the hardened one without each change.
#[must_use]
pub fn variants() -> Vec<Variant> {
    let ablated = CHANGES.iter().map(|change| Variant {
        name: change.without,
        about: change.reason,
    });
    [HARDENED, DOCUMENTED].into_iter().chain(ablated).collect()
}

fn rules(variant: &str) -> Option<Rules> {
    if variant == HARDENED.name {
        return Some(hardened());
    }
    if variant == DOCUMENTED.name {
        return Some(Rules::DOCUMENTED);
    }
    CHANGES
        .iter()
        .find(|change| change.without == variant)
        .map(hardened_without)
}

/// The version of a variant.
#[must_use]
pub fn version(variant: &str) -> Option<Version> {
    Some(Version {
        rules: rules(variant)?,
        policy: Policy {
            // As long as the slowest render: with the deployed one's 3.75 s a run would wait for little else.
            boot: Millis(500),
            // So that the copy of a small site takes several steps, as that of a large one does.
            step_rows: Number::integer(60),
            ..Policy::DOCUMENTED
        },
        variables: Variables::default(),
        application: application(),
    })
}
