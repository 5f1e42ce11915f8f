//! The front Worker: it takes the visitors' requests to the primary of their site, or to one of its lanes (`lanes.md` 4
//! and 16).
//!
//! ```text
//! visitor ──► front ──► lane ──421──► primary      a read or write that a lane hands over is sent once more
//!               └─────────────────► primary        all that is not spread, and the primary's share of what is
//! ```
//!
//! Many isolates run it, and none shares memory with another: all that one knows is belief.

use std::collections::{BTreeMap, BTreeSet};

use super::belief::{Beliefs, LanesPointer};
use super::object::Version;
use crate::host::{CallError, Entry, Millis, Platform, Response, Text};
use crate::task::{Context, Frame, Resume, Role, Step};

mod ask;
mod hop;
pub mod labels;
mod learn;
mod listen;
mod page;
mod reach;
mod recover;
mod resolve;
mod serve;
mod settings;

pub use ask::{Ask, Refused};
pub use hop::{Hop, uuid};
pub use learn::Learning;
pub use listen::{Heard, POINTER_ABSENT, POINTER_KNOWN, listen};
pub use reach::{ReachStep, Reaching};
pub use recover::{AttemptFacts, ErrorFacts, Recovery, after_error, attaches_attempt};
pub use resolve::Resolving;
pub use serve::Serving;
pub use settings::Settings;

/// How long an isolate holds a setting, or the site of a host, that it has read. KV itself gives nothing fresher.
pub const TRUST: Millis = Millis(60_000);

/// The memory of one isolate. It can be gone at any time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Front {
    /// How many lanes each site has, as far as it heard.
    beliefs: Beliefs,
    /// The site of each host, and when that was learnt.
    sites: BTreeMap<Text, (Text, Millis)>,
    /// What it read of the deployment's variables, and when.
    settings: Option<(Settings, Millis)>,
    /// The overrides that it has read last, in the order of the variables that it reads.
    overrides: Vec<Option<Text>>,
    /// The sites whose pointer it has looked for: it is not cold for them.
    consulted: BTreeSet<Text>,
    /// What the edge pointer of each site says, as far as it knows, and since when.
    pointers: BTreeMap<Text, (LanesPointer, Millis)>,
}

/// A step of a front's flows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FrontFrame {
    /// A visitor's request, from its coming to its answer.
    Serve(Box<Serving>),
    /// Finds out which site a request is for, and what is set for it.
    Resolve(Box<Resolving>),
    /// A cold isolate looks for a site's pointer.
    Learn(Box<Learning>),
    /// A call to the chosen object, with what follows from its answer.
    Reach(Box<Reaching>),
}

impl Frame for FrontFrame {
    fn catches(&self) -> bool {
        matches!(self, FrontFrame::Serve(_))
    }
}

/// What a frame returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Nothing.
    Nothing,
    /// The site of a request.
    Site(Text),
    /// A response.
    Response(Response),
}

/// What a task of a front can do with its platform.
pub type Cx<'a, 'h> = Context<'a, 'h, Front>;

/// What a step of a front's flow asks for next, or throws.
pub type Next = Result<Step<Front>, CallError>;

/// What a front decides and does between two waits; it stands in the table of [`Rules`](super::rules::Rules).
#[derive(Clone, Copy, Debug)]
pub struct FrontSteps {
    /// [`listen`]
    pub listen: fn(&mut Front, &Version, &Heard<'_>, &mut Cx<'_, '_>),
    /// [`attaches_attempt`]
    pub attaches_attempt: fn(&AttemptFacts<'_>) -> bool,
    /// [`after_error`]
    pub after_error: fn(&ErrorFacts<'_>) -> Recovery,
    /// The first segment of a call: ask the chosen object.
    pub ask: ReachStep,
    /// The object was reset: ask it once more.
    pub ask_again: ReachStep,
    /// The lane hands the request over: ask the primary.
    pub fail_over: ReachStep,
}

impl FrontSteps {
    /// As the contract documents it.
    pub const DOCUMENTED: FrontSteps = FrontSteps {
        listen,
        attaches_attempt,
        after_error,
        ask: reach::ask,
        ask_again: reach::ask_again,
        fail_over: reach::fail_over,
    };
}

impl Role for Front {
    type Frame = FrontFrame;
    type Value = Value;
    type Failure = CallError;
    type Rules = Version;
    type Host<'h> = dyn Platform + 'h;

    fn begin(&mut self, _: &Version, entry: Entry) -> FrontFrame {
        FrontFrame::Serve(Box::new(Serving::new(entry)))
    }

    fn step(
        &mut self,
        version: &Version,
        frame: &mut FrontFrame,
        resume: Resume<Self>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        match frame {
            FrontFrame::Serve(serving) => serving.step(self, version, resume, cx),
            FrontFrame::Resolve(resolving) => Ok(resolving.step(self, version, resume, cx)),
            FrontFrame::Learn(learning) => Ok(learning.step(self, version, resume, cx)),
            FrontFrame::Reach(reaching) => Ok(reaching.step(self, version, resume, cx)),
        }
    }

    fn response(value: Value) -> Option<Response> {
        match value {
            Value::Response(response) => Some(response),
            Value::Nothing | Value::Site(_) => None,
        }
    }
}

impl Front {
    /// What it believes about how many lanes sites have.
    #[must_use]
    pub fn beliefs(&self) -> &Beliefs {
        &self.beliefs
    }
}

#[cfg(test)]
mod tests;
