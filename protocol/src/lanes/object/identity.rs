//! Which object this is, by its own name (`lanes.md` 1).

use super::{Cx, Version};
use crate::host::{ObjectName, Stub, Text};
use crate::lanes::rules::Rules;
use crate::lanes::wire::Answerer;
use crate::number::Number;

use super::program::SITE;

/// Which object of which site this is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The site, which is the primary's name.
    pub site: Text,
    /// The lane; 0 is the primary.
    pub lane: Number,
    /// Whether every object of this deployment is a replica, the legacy switch `REPLICA_READ_ONLY`.
    pub read_only: bool,
}

/// What a name says. An instance that was woken without one has the empty name, which is a primary's.
pub fn identify(rules: &Rules, name: Option<&str>, read_only: Option<&str>) -> Identity {
    let name = name.unwrap_or_default();
    let lane = (rules.names.replica_of)(name);
    Identity {
        site: Text::new(lane.map_or(name, |lane| lane.site)),
        lane: lane.map_or(Number::ZERO, |lane| lane.lane),
        read_only: read_only == Some("1"),
    }
}

impl Identity {
    /// Whether it is a pool lane.
    pub fn is_lane(&self) -> bool {
        !self.lane.js_eq(Number::ZERO)
    }

    /// Whether it is a replica: a pool lane, or any object of a deployment that only reads.
    pub fn is_replica(&self) -> bool {
        self.is_lane() || self.read_only
    }

    /// What it is called in answers.
    pub fn answerer(&self) -> Answerer {
        if self.is_lane() {
            Answerer::Lane(self.lane)
        } else {
            Answerer::Primary
        }
    }

    /// The primary of its site. A stub of its own for each call, as the deployed code makes one.
    pub(super) fn primary(&self) -> Stub {
        Stub::once(SITE, ObjectName(self.site.clone()))
    }

    /// A lane of its site.
    pub(super) fn lane(&self, rules: &Rules, lane: Number) -> Stub {
        Stub::once(
            SITE,
            ObjectName::new((rules.names.replica_name)(&self.site, lane)),
        )
    }
}

/// Which object this is, now.
pub(super) fn of(version: &Version, cx: &Cx<'_, '_>) -> Identity {
    (version.rules.flows.identify)(
        &version.rules,
        cx.name().map(|name| name.0.as_str()),
        version.variables.replica_read_only.as_deref(),
    )
}
