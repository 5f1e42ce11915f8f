//! The frames of an object's tasks, and what they return.

use super::alarm::Alarming;
use super::catch_up::Round;
use super::flush::Flushing;
use super::forward::Accepting;
use super::gate::Gated;
use super::growth::Growing;
use super::head::Heading;
use super::plain::Plain;
use super::provision::{Provisioned, Provisioning};
use super::readmit::Asking;
use super::seal::Sealing;
use super::serve::Serving;
use super::snapshot::Snapshotting;
use super::visit::Visit;
use crate::host::{Response, Text};
use crate::lanes::wire::CatchUpAnswer;
use crate::task::Frame;

/// A step of an object's flows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SiteFrame {
    /// A request, from its coming to its answer.
    Visit(Box<Visit>),
    /// A request in the gate.
    Gated(Box<Gated>),
    /// `/__serve` in the gate.
    Serve(Box<Serving>),
    /// An action that is answered without a wait.
    Plain(Box<Plain>),
    /// `GET /__replica`
    Head(Box<Heading>),
    /// `action=snapshot`
    Snapshot(Box<Snapshotting>),
    /// `action=forward`
    Accept(Box<Accepting>),
    /// Sealing what was captured.
    Seal(Box<Sealing>),
    /// A step of a lane's copy.
    Provision(Box<Provisioning>),
    /// The primary's step of growing and repairing the pool.
    Grow(Box<Growing>),
    /// A lane's round of catching up.
    CatchUp(Box<Round>),
    /// A withdrawn lane asks for another copy.
    Ask(Box<Asking>),
    /// A lane forwards what a request has collected.
    Flush(Box<Flushing>),
    /// A run of the alarm.
    Alarm(Box<Alarming>),
}

impl Frame for SiteFrame {
    fn has_finally(&self) -> bool {
        matches!(
            self,
            SiteFrame::Visit(_) | SiteFrame::Gated(_) | SiteFrame::Alarm(_)
        )
    }

    fn catches(&self) -> bool {
        matches!(
            self,
            SiteFrame::Visit(_) | SiteFrame::Gated(_) | SiteFrame::Grow(_)
        )
    }
}

/// What a frame returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Nothing.
    Nothing,
    /// A response.
    Response(Response),
    /// How a round of catching up has ended.
    Round(CatchUpAnswer),
    /// How a step of a copy has ended.
    Provisioned(Provisioned),
    /// What a step of growth reports; nothing where it had nothing to do.
    Report(Option<Text>),
    /// Whether a lane has asked for another copy.
    Asked(bool),
}
