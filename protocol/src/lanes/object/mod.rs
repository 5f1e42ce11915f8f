//! The Durable Object of replica lanes: one type for the primary and for its lanes (`lanes.md` 1, 2, 11 to 18, 20).
//!
//! Which of them an object is follows from its own name, each time anew. Its memory is [`SiteObject`]; its flows are
//! frames, cut where they wait; what they decide stands in the table of [`rules`](super::rules), and so does each
//! segment that a variant may want to exchange ([`Flows`]).

mod alarm;
mod answer;
mod apply;
mod capture;
mod catch_up;
pub(super) mod changes;
#[cfg(feature = "defects")]
pub(super) mod defects;
mod failure;
mod flows;
mod flush;
mod forward;
mod frame;
mod gate;
mod growth;
mod guarded;
mod head;
mod identity;
pub mod labels;
mod land;
mod memory;
mod pages;
mod plain;
mod position;
mod program;
mod provision;
mod query;
mod readmit;
mod records;
mod render;
mod route;
mod seal;
mod sequence;
mod serve;
mod snapshot;
mod state;
mod store;
mod tables;
mod version;
mod visit;

pub use failure::{Failure, Next, Refusal};
pub use flows::Flows;
pub use frame::{SiteFrame, Value};
pub use identity::Identity;
pub use memory::SiteObject;
pub use program::{KV_OVERRIDES, LanesProgram, SITE};
pub use provision::Provisioned;
pub(super) use query::encode as escape;
pub use render::{RenderHost, Rendered, Rendering, Thrown};
pub use route::serve_path;
pub use version::{Application, Policy, Render, Schema, TableDefinition, Variables, Version};

use crate::host::{Entry, Object, Response};
use crate::task::{Context, Resume, Role};

/// What a task of an object can do with its platform.
pub type Cx<'a, 'h> = Context<'a, 'h, SiteObject>;

/// A segment of a flow, between two waits.
pub type Segment<F> = fn(&mut F, &mut SiteObject, &Version, Resume<SiteObject>, &mut Cx<'_, '_>) -> Next;

impl Role for SiteObject {
    type Frame = SiteFrame;
    type Value = Value;
    type Failure = Failure;
    type Rules = Version;
    type Host<'h> = dyn Object + 'h;

    fn begin(&mut self, _: &Version, entry: Entry) -> SiteFrame {
        match entry {
            Entry::Request(request) => SiteFrame::Visit(Box::new(visit::Visit::new(request))),
            Entry::Alarm(_) => SiteFrame::Alarm(Box::default()),
        }
    }

    fn step(
        &mut self,
        version: &Version,
        frame: &mut SiteFrame,
        resume: Resume<Self>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        if !self.started {
            cx.transaction(&store::tables(), crate::host::End::Commit)?;
            self.started = true;
            let recalled = (version.rules.flows.recall)(cx)?;
            self.name = recalled.and_then(|name| (version.rules.flows.confirm_name)(version, cx, name));
        }
        if let Some(name) = &self.name {
            cx.recall_name(name.clone());
        }
        if cx.name().is_none() {
            let nameless = match (&*frame, &resume) {
                (SiteFrame::Visit(_), Resume::Start) => (version.rules.flows.nameless)(cx),
                (SiteFrame::Alarm(_), Resume::Start) => (version.rules.flows.nameless_alarm)(cx),
                _ => None,
            };
            if let Some(next) = nameless {
                return next;
            }
        }
        match frame {
            SiteFrame::Visit(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Gated(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Serve(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Plain(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Head(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Snapshot(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Accept(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Seal(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Provision(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Grow(frame) => frame.step(self, version, resume, cx),
            SiteFrame::CatchUp(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Ask(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Flush(frame) => frame.step(self, version, resume, cx),
            SiteFrame::Alarm(frame) => frame.step(self, version, resume, cx),
        }
    }

    fn response(value: Value) -> Option<Response> {
        match value {
            Value::Response(response) => Some(response),
            _ => None,
        }
    }
}
