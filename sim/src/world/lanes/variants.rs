//! The versions of the protocol that a run can be of.

use protocol::host::{Millis, ObjectName};
use protocol::lanes::Lanes;
use protocol::lanes::app::application;
use protocol::lanes::changes::{CHANGES, hardened, hardened_without};
use protocol::lanes::defects::{self, ABLATED, Defect, UNSEEN};
use protocol::lanes::name::replica_of;
use protocol::lanes::object::{Policy, Variables, Version};
use protocol::lanes::rules::Rules;
use protocol::number::Number;

use crate::kernel::Deployment;
use crate::world::{Origin, Planted, Variant};

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

/// A pool whose primary was not deployed anew yet.
const DOCUMENTED_PRIMARY: Variant = Variant {
    name: "documented-primary",
    about: "a mixed pool: a documented primary and fronts, with hardened lanes",
};

/// A pool whose lanes were not deployed anew yet.
const DOCUMENTED_LANES: Variant = Variant {
    name: "documented-lanes",
    about: "a mixed pool: a hardened primary and fronts, with documented lanes",
};

/// A pool that begins documented, and to which the hardened protocol is deployed.
const UPGRADE: Variant = Variant {
    name: "upgrade",
    about: "the documented protocol, with the hardened one as the version that is deployed over it",
};

/// A pool that begins hardened, and that is rolled back.
const ROLLBACK: Variant = Variant {
    name: "rollback",
    about: "the hardened protocol, with the documented one as the version that is deployed over it",
};

/// The variants, the one that is meant by default first: both protocols, the pools in which they are mixed, from the
/// beginning or by a deploy, and the hardened one without each change, and with each defect.
#[must_use]
pub fn variants() -> Vec<Variant> {
    let ablated = CHANGES.iter().map(|change| Variant {
        name: change.without,
        about: change.reason,
    });
    let mixed = [DOCUMENTED_PRIMARY, DOCUMENTED_LANES, UPGRADE, ROLLBACK];
    [HARDENED, DOCUMENTED]
        .into_iter()
        .chain(mixed)
        .chain(ablated)
        .chain(defects::all().map(|defect| Variant {
            name: defect.name,
            about: defect.reason,
        }))
        .collect()
}

/// The variants that must be told from the hardened protocol: without each change, and with each defect.
#[must_use]
pub fn planted() -> Vec<Planted> {
    let ablated = CHANGES.iter().map(|change| {
        let entries = ABLATED.iter().filter(|(_, name)| *name == change.name);
        Planted {
            variant: change.without,
            origin: Origin::Ablation,
            sources: entries.map(|(entry, _)| *entry).collect(),
            invariants: match change.invariant {
                // Both say that a lane does not come back: the second one of lanes that were withdrawn.
                "LR-L1" => vec!["LR-L1", "LR-L3"],
                invariant => vec![invariant],
            },
            about: change.reason,
            unseen: UNSEEN
                .iter()
                .find_map(|(name, why)| (*name == change.name).then_some(*why)),
        }
    });
    let planted = defects::all().map(|defect| Planted {
        variant: defect.name,
        origin: if defect.sources.is_empty() {
            Origin::Mutant
        } else {
            Origin::Catalogue
        },
        sources: defect.sources.to_vec(),
        invariants: defect.invariants.to_vec(),
        about: defect.reason,
        unseen: defect.unseen,
    });
    ablated.chain(planted).collect()
}

fn rules(variant: &str) -> Option<Rules> {
    if variant == HARDENED.name {
        return Some(hardened());
    }
    if variant == DOCUMENTED.name {
        return Some(Rules::DOCUMENTED);
    }
    let without = CHANGES.iter().find(|change| change.without == variant);
    let planted = || defects::all().find(|defect| defect.name == variant);
    without
        .map(hardened_without)
        .or_else(|| planted().map(Defect::planted))
}

/// What is deployed under a variant.
#[must_use]
pub fn deployment(variant: &str) -> Option<Deployment<Lanes>> {
    let both = |first, second| vec![Lanes::new(version(first)), Lanes::new(version(second))];
    let documented_first = || both(Rules::DOCUMENTED, hardened());
    let hardened_first = || both(hardened(), Rules::DOCUMENTED);
    if variant == DOCUMENTED_PRIMARY.name {
        return Some(Deployment::mixed(documented_first(), lanes_second));
    }
    if variant == DOCUMENTED_LANES.name {
        return Some(Deployment::mixed(hardened_first(), lanes_second));
    }
    if variant == UPGRADE.name {
        return Some(Deployment::mixed(documented_first(), all_first));
    }
    if variant == ROLLBACK.name {
        return Some(Deployment::mixed(hardened_first(), all_first));
    }
    let version = version(rules(variant)?);
    let next = next_release(version.clone());
    let releases = vec![Lanes::new(version), Lanes::new(next)];
    Some(Deployment::mixed(releases, all_first))
}

/// Everything runs the first of two versions.
fn all_first(_: Option<&ObjectName>) -> usize {
    0
}

/// Lanes run the second of two versions, everything else the first.
fn lanes_second(name: Option<&ObjectName>) -> usize {
    usize::from(name.is_some_and(|name| replica_of(&name.0).is_some()))
}

/// The next release of the same rules, with what it may change without a word to the other objects: what is deployed over
/// a variant of one kind.
fn next_release(version: Version) -> Version {
    Version {
        policy: Policy {
            boot: Millis(800),
            step_rows: Number::integer(45),
            ..version.policy
        },
        ..version
    }
}

fn version(rules: Rules) -> Version {
    Version {
        rules,
        policy: Policy {
            // As long as the slowest render: with the deployed one's 3.75 s a run would wait for little else.
            boot: Millis(500),
            // So that the copy of a small site takes several steps, as that of a large one does.
            step_rows: Number::integer(60),
            ..Policy::DOCUMENTED
        },
        variables: Variables::default(),
        application: application(),
    }
}
