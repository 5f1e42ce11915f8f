//! The versions of the protocol that a run can be of.

use protocol::host::{Millis, ObjectName};
use protocol::lanes::Lanes;
use protocol::lanes::app::application;
use protocol::lanes::changes::{CHANGES, hardened, hardened_without};
use protocol::lanes::defects::{self, ABLATED, Defect};
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

/// The variants, the one that is meant by default first: both protocols, the pools in which they are mixed, and the
/// hardened one without each change, and with each defect.
#[must_use]
pub fn variants() -> Vec<Variant> {
    let ablated = CHANGES.iter().map(|change| Variant {
        name: change.without,
        about: change.reason,
    });
    [HARDENED, DOCUMENTED, DOCUMENTED_PRIMARY, DOCUMENTED_LANES]
        .into_iter()
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
            invariants: vec![change.invariant],
            about: change.reason,
            unseen: None,
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
    let mixed = |rest, lanes| {
        let versions = vec![Lanes::new(version(rest)), Lanes::new(version(lanes))];
        Deployment::mixed(versions, lanes_second)
    };
    if variant == DOCUMENTED_PRIMARY.name {
        return Some(mixed(Rules::DOCUMENTED, hardened()));
    }
    if variant == DOCUMENTED_LANES.name {
        return Some(mixed(hardened(), Rules::DOCUMENTED));
    }
    rules(variant).map(|rules| Deployment::of(Lanes::new(version(rules))))
}

/// Lanes run the second of two versions, everything else the first.
fn lanes_second(name: Option<&ObjectName>) -> usize {
    usize::from(name.is_some_and(|name| replica_of(&name.0).is_some()))
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
