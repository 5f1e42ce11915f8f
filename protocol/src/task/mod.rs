//! Tasks, frames, and the one runner.
//!
//! Many activities overlap in one object: two pulls, a request behind a gate, an alarm beside it, a nudge that nobody
//! awaits. So an object's code is a [`Role`], its memory, and beside it an ordered map of tasks; a task is a stack of
//! [`Frame`]s, which are plain values. A step of a frame runs up to the next wait and says what is to happen: *await
//! this*, *enter that frame*, *start that task*, *return*. Everything can be cloned, compared, hashed and printed at any
//! point between two turns.
//!
//! The order in which tasks run within a turn is that of JavaScript's microtasks: an answer or a released gate puts
//! the task that waited at the end of a queue, and a task that is started runs up to its first wait before the one
//! that started it goes on.

mod actor;
mod context;
mod gate;
mod program;
mod slots;
mod state;

pub use actor::Actor;
pub use context::Context;
pub use program::Program;
pub use state::{On, Waiting};

use std::fmt::Debug;
use std::hash::Hash;

use crate::host::{Answer, CallError, CallId, CallOutcome, Entry, Platform, Response, TaskId};

/// What an object, or a front Worker's isolate, runs: its memory, and how its flows go on.
///
/// The implementing value is the memory that all tasks of one incarnation share and that dies with it.
pub trait Role: Clone + Eq + Hash + Debug + Sized {
    /// What its tasks' stacks are made of.
    type Frame: Frame;
    /// What its frames return.
    type Value: Clone + Eq + Hash + Debug;
    /// What its frames throw.
    type Failure: Clone + Eq + Hash + Debug + From<CallError> + Into<CallError>;
    /// The protocol's decisions and flow steps, as one table; the same for all tasks and incarnations of a version.
    type Rules: ?Sized;
    /// `dyn Object` for an object, `dyn Platform` for a front Worker.
    type Host<'h>: Platform + ?Sized;

    /// The first frame of the task that an event begins.
    fn begin(&mut self, rules: &Self::Rules, entry: Entry) -> Self::Frame;

    /// Runs a frame from one wait to the next.
    ///
    /// # Errors
    /// A failure ends the frame and unwinds to the nearest frame that [catches](Frame::catches); each frame on the way
    /// that has a [finally](Frame::has_finally) is stepped with [`Resume::Finally`] first.
    fn step(
        &mut self,
        rules: &Self::Rules,
        frame: &mut Self::Frame,
        resume: Resume<Self>,
        cx: &mut Context<'_, '_, Self>,
    ) -> Result<Step<Self>, Self::Failure>;

    /// The response that a request's task answers with, out of what its first frame returned. `None` ends an alarm.
    fn response(value: Self::Value) -> Option<Response>;
}

/// One step of a flow on a task's stack: a plain value that says where it stands and what it needs there.
pub trait Frame: Clone + Eq + Hash + Debug {
    /// Whether the frame must still do something when it ends, however it ends.
    fn has_finally(&self) -> bool {
        false
    }

    /// Whether a failure of a frame that this one entered is handed to it, in place of ending it too.
    fn catches(&self) -> bool {
        false
    }
}

/// Why a frame is stepped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resume<R: Role> {
    /// It has just been entered.
    Start,
    /// Something that it awaited has ended.
    Answer {
        /// What ended.
        call: CallId,
        /// How.
        outcome: CallOutcome,
    },
    /// It holds the gate that it awaited.
    Gate,
    /// The task that it started stands at its first wait, or has ended. Either way this one can join it.
    Started(TaskId),
    /// The task that it joined has ended.
    Joined(Result<R::Value, R::Failure>),
    /// The frame that it entered has returned.
    Returned(R::Value),
    /// The frame that it entered has failed, and this one catches.
    Failed(R::Failure),
    /// It has returned or failed. What it returns now is ignored; what it throws now takes the place of its ending.
    Finally,
}

impl<R: Role> Resume<R> {
    /// The response of the call that was awaited, or its error, to be thrown on with `?`.
    ///
    /// # Panics
    /// When something else was awaited: a bug in the flow.
    pub fn response(self) -> Result<Response, CallError> {
        match self.answer()? {
            Answer::Response(response) => Ok(response),
            other => panic!("a call was awaited and {other:?} came"),
        }
    }

    /// The answer that was awaited, or its error, to be thrown on with `?`.
    ///
    /// # Panics
    /// When no answer was awaited: a bug in the flow.
    pub fn answer(self) -> Result<Answer, CallError> {
        match self {
            Resume::Answer { outcome, .. } => outcome,
            other => panic!("an answer was awaited and the frame was resumed with {other:?}"),
        }
    }
}

/// What a step of a frame asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step<R: Role> {
    /// Go on when this has happened. Ends the turn for this task, and lets other events in where it is a wait on
    /// something outside.
    Await(On),
    /// Run this frame, then go on with what it returned.
    Enter(R::Frame),
    /// Start a task with this frame, let it run up to its first wait, and go on. This task can join it for as long as
    /// it runs itself, also when the other has ended by then; any other task, only while that is under way.
    Start(R::Frame),
    /// This frame is done.
    Return(R::Value),
    /// The incarnation is at its end; made by [`Context::abort`].
    Abort(Aborted),
}

/// Proof that the incarnation was aborted through its platform.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Aborted(());

#[cfg(test)]
mod tests;
