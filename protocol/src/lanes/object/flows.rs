//! The segments of an object's flows that a variant may exchange.

use super::alarm::AlarmSteps;
use super::capture::{Capture, note_authoritative_write};
use super::catch_up::RoundSteps;
use super::flush::FlushSteps;
use super::forward::AcceptSteps;
use super::growth::GrowthSteps;
use super::identity::{Identity, identify};
use super::land::{LandChunk, land_chunk};
use super::pages;
use super::provision::ProvisionSteps;
use super::readmit::AskSteps;
use super::seal::SealSteps;
use super::serve::ServeSteps;
use super::visit::VisitSteps;
use super::{Cx, Failure, Next, Version};
use crate::host::{ObjectName, SqlError, Text};
use crate::lanes::rules::Rules;

/// The segments, flow by flow.
#[derive(Clone, Copy, Debug)]
pub struct Flows {
    /// Which object a name is.
    pub identify: fn(&Rules, Option<&str>, Option<&str>) -> Identity,
    /// What an incarnation recalls of its name when it starts: nothing, as an object asks its platform each time.
    pub recall: fn(&mut Cx<'_, '_>) -> Result<Option<ObjectName>, Failure>,
    /// Which name it goes by when it recalls one: that, as what an object stores is its own.
    pub confirm_name: fn(&Version, &Cx<'_, '_>, ObjectName) -> Option<ObjectName>,
    /// What an incarnation does with a request that does not know its name: it takes itself for a primary.
    pub nameless: fn(&mut Cx<'_, '_>) -> Option<Next>,
    /// What it does with its alarm then: the same.
    pub nameless_alarm: fn(&mut Cx<'_, '_>) -> Option<Next>,
    /// What follows when an operator has moved a lane's stage: nothing, also where nothing wakes the lane then.
    pub stage_moved: fn(&Version, &Identity, &mut Cx<'_, '_>),
    /// What is done about a statement of the application that has run.
    pub capture: Capture,
    /// The tables that are emptied when what they show has changed.
    pub purged: fn(&mut Cx<'_, '_>) -> Result<Vec<Text>, SqlError>,
    /// Whether they are emptied when a copy begins and when it is whole as well: they stay (`lanes.md` 14.1).
    pub copies_purge: bool,
    /// Sealing.
    pub seal: SealSteps,
    /// Accepting a forwarded batch.
    pub accept: AcceptSteps,
    /// A step of a lane's copy.
    pub provision: ProvisionSteps,
    /// Growing and repairing the pool.
    pub growth: GrowthSteps,
    /// Landing a chunk.
    pub land: LandChunk,
    /// A lane's round of catching up.
    pub catch_up: RoundSteps,
    /// Asking for another copy.
    pub ask: AskSteps,
    /// Forwarding what a request has collected.
    pub flush: FlushSteps,
    /// What becomes of a request before it is in the gate.
    pub visit: VisitSteps,
    /// `/__serve` in the gate.
    pub serve: ServeSteps,
    /// The phases of the alarm.
    pub alarm: AlarmSteps,
}

impl Flows {
    /// As the contract documents them.
    pub const DOCUMENTED: Flows = Flows {
        identify,
        recall: |_| Ok(None),
        confirm_name: |_, _, name| Some(name),
        nameless: |_| None,
        nameless_alarm: |_| None,
        stage_moved: |_, _, _| {},
        capture: note_authoritative_write,
        purged: pages::purged,
        copies_purge: false,
        seal: SealSteps::DOCUMENTED,
        accept: AcceptSteps::DOCUMENTED,
        provision: ProvisionSteps::DOCUMENTED,
        growth: GrowthSteps::DOCUMENTED,
        land: land_chunk,
        catch_up: RoundSteps::DOCUMENTED,
        ask: AskSteps::DOCUMENTED,
        flush: FlushSteps::DOCUMENTED,
        visit: VisitSteps::DOCUMENTED,
        serve: ServeSteps::DOCUMENTED,
        alarm: AlarmSteps::DOCUMENTED,
    };
}

/// The step of a frame that has a segment to begin with, and one for whatever it awaited.
macro_rules! two_segments {
    ($Frame:ty, $flow:ident, $first:ident, $second:ident) => {
        impl $Frame {
            pub(super) fn step(
                &mut self,
                site: &mut crate::lanes::object::SiteObject,
                version: &crate::lanes::object::Version,
                resume: crate::task::Resume<crate::lanes::object::SiteObject>,
                cx: &mut crate::lanes::object::Cx<'_, '_>,
            ) -> crate::lanes::object::Next {
                let steps = &version.rules.flows.$flow;
                let segment = match resume {
                    crate::task::Resume::Start => steps.$first,
                    _ => steps.$second,
                };
                segment(self, site, version, resume, cx)
            }
        }
    };
}
pub(super) use two_segments;
