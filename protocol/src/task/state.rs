//! What a task is between two turns.

use super::slots::Slots;
use super::{Frame, Role};
use crate::host::{CallId, CallOutcome, Cause, Label, TaskId};

/// What a task can wait for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum On {
    /// The answer to something that the task has begun.
    Call(CallId),
    /// The first answer of several that the task has begun; the others stay awaitable.
    First(Vec<CallId>),
    /// A gate of this name: a first-in, first-out lock among the tasks of one object. Waiting for it lets other
    /// events in, but no time need pass.
    Gate(Label),
    /// The end of another task of this object: one that this task has started, also when it has ended since, or any
    /// that is under way. To await any other is a bug in the flow.
    Task(TaskId),
}

/// One wait, as the wait-for graph and the reports see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Waiting<'a> {
    /// For the answer to something begun at this place.
    Call(CallId, Label),
    /// For this gate, which that task holds.
    Gate(Label, Option<TaskId>),
    /// For the end of that task.
    Task(TaskId),
    /// For the first of these.
    First(&'a [CallId]),
}

/// A frame on a stack, and how it has ended while its finally runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Level<R: Role> {
    pub frame: R::Frame,
    pub ending: Option<Result<R::Value, R::Failure>>,
}

impl<R: Role> Level<R> {
    pub fn new(frame: R::Frame) -> Self {
        Level { frame, ending: None }
    }

    /// Whether a failure of the frame above is handed to this one. Not while its finally runs: a failure in there
    /// leaves the frame, as one in a `finally` block leaves the function.
    pub fn catches(&self) -> bool {
        self.ending.is_none() && self.frame.catches()
    }
}

/// Something a task has begun: where, and what has become of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Begun {
    /// Its answer is still to come, and can be awaited.
    Open(Label),
    /// Its answer has come and was not awaited yet.
    Arrived(Label, CallOutcome),
    /// Nobody will await its answer. It keeps the task's number taken, so that the answer finds nobody else.
    Forgotten(Label),
}

impl Begun {
    pub fn label(&self) -> Label {
        match self {
            Begun::Open(label) | Begun::Arrived(label, _) | Begun::Forgotten(label) => *label,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Task<R: Role> {
    /// The flow; empty when it has ended and only forgotten answers are still to come.
    pub stack: Vec<Level<R>>,
    /// What the top frame waits for.
    pub waits: Option<On>,
    /// What it has begun and not yet awaited.
    pub begun: Slots<Begun>,
    /// Whether the platform is told of its end.
    pub by_event: bool,
    /// The tasks that wait for its end, in the order they came.
    pub joined_by: Vec<TaskId>,
    /// The task that started it, while that is under way and so can still join it.
    pub started_by: Option<TaskId>,
    /// The tasks that it has started.
    pub started: Vec<TaskId>,
    /// How it has ended, while the task that started it can still ask.
    pub ended: Option<Result<R::Value, R::Failure>>,
}

impl<R: Role> Task<R> {
    pub fn new(frame: R::Frame, cause: Cause) -> Self {
        Task {
            stack: vec![Level::new(frame)],
            waits: None,
            begun: Slots::default(),
            by_event: cause == Cause::Event,
            joined_by: Vec::new(),
            started_by: match cause {
                Cause::Event => None,
                Cause::Task(starter) => Some(starter),
            },
            started: Vec::new(),
            ended: None,
        }
    }

    /// Ends the flow: answers that have come are dropped, those still to come will be.
    pub fn forget_all(&mut self) {
        self.stack.clear();
        self.waits = None;
        self.begun.retain(|begun| !matches!(begun, Begun::Arrived(..)));
        for begun in self.begun.values_mut() {
            *begun = Begun::Forgotten(begun.label());
        }
    }

    /// Whether nothing can refer to the task any more, unless it holds a gate.
    pub fn is_over(&self) -> bool {
        self.stack.is_empty()
            && self.begun.is_empty()
            && self.joined_by.is_empty()
            && self.started_by.is_none()
    }
}
