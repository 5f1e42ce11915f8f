//! The runner: one incarnation of a role, and what it does with an event.

use std::collections::VecDeque;

use super::context::HostRef;
use super::gate::Gates;
use super::slots::Slots;
use super::state::{Begun, Level, On, Task, Waiting};
use super::{Context, Frame, Resume, Role, Step};
use crate::host::{CallId, CallOutcome, Cause, Event, Platform, TaskId};

/// One incarnation: a role's memory and its tasks. Between two turns it is a plain value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Actor<R: Role> {
    memory: R,
    tasks: Slots<Task<R>>,
    gates: Gates,
    aborted: bool,
}

/// Tasks that can go on, in the order in which they will. Empty between two turns.
#[derive(Debug)]
pub(super) struct Ready<R: Role> {
    /// The first, where there is room for it without any being made: in most turns it is the only one.
    first: Option<(TaskId, Resume<R>)>,
    others: VecDeque<(TaskId, Resume<R>)>,
}

impl<R: Role> Ready<R> {
    fn new() -> Self {
        Ready {
            first: None,
            others: VecDeque::new(),
        }
    }

    pub fn push_back(&mut self, ready: (TaskId, Resume<R>)) {
        if self.first.is_none() && self.others.is_empty() {
            self.first = Some(ready);
        } else {
            self.others.push_back(ready);
        }
    }

    fn push_front(&mut self, ready: (TaskId, Resume<R>)) {
        if let Some(second) = self.first.replace(ready) {
            self.others.push_front(second);
        }
    }

    fn pop_front(&mut self) -> Option<(TaskId, Resume<R>)> {
        self.first.take().or_else(|| self.others.pop_front())
    }
}

impl<R: Role> Actor<R> {
    /// A new incarnation with this memory.
    #[must_use]
    pub fn new(memory: R) -> Self {
        Actor {
            memory,
            tasks: Slots::default(),
            gates: Gates::default(),
            aborted: false,
        }
    }

    /// The memory that its tasks share.
    #[must_use]
    pub fn memory(&self) -> &R {
        &self.memory
    }

    /// Whether no task is under way. Answers that nobody awaits may still come.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.tasks.iter().all(|(_, task)| task.stack.is_empty())
    }

    /// What each task waits for, in the order of the tasks.
    pub fn waits(&self) -> impl Iterator<Item = (TaskId, Waiting<'_>)> {
        self.tasks.iter().filter_map(|(id, task)| {
            let waiting = match task.waits.as_ref()? {
                On::Call(call) => Waiting::Call(*call, task.begun.get(call.nth)?.label()),
                On::First(calls) => Waiting::First(calls),
                On::Gate(gate) => Waiting::Gate(*gate, self.gates.holder(*gate)),
                On::Task(other) => Waiting::Task(*other),
            };
            Some((TaskId(id), waiting))
        })
    }

    /// One turn: takes an event and runs every task that can go on, until all of them wait. Answers the task that the
    /// event began, if it began one.
    ///
    /// An answer that nobody expects is ignored. That is no fence between incarnations, whose ids can be the same: the
    /// platform gives each its own answers only.
    ///
    /// # Panics
    /// Where a flow breaks a rule of its runner (awaits what it never began, releases a gate that it does not hold),
    /// or panics itself.
    pub fn deliver<'h>(&mut self, rules: &R::Rules, event: Event, host: &mut R::Host<'h>) -> Option<TaskId> {
        assert!(!self.aborted, "an aborted incarnation takes no more events");
        let mut ready = Ready::new();
        let mut begun = None;
        match event {
            Event::Begin(entry) => {
                let frame = self.memory.begin(rules, entry);
                begun = Some(self.start(frame, Cause::Event, &mut ready, host));
            }
            Event::Answer { call, outcome } => self.arrive(call, outcome, &mut ready),
            Event::Cancel { task } => self.cancel(task),
        }
        while let Some((task, resume)) = ready.pop_front() {
            self.run(rules, task, resume, &mut ready, host);
            if self.aborted {
                self.tasks.clear();
                self.gates = Gates::default();
                return begun;
            }
        }
        begun
    }

    fn start(
        &mut self,
        frame: R::Frame,
        cause: Cause,
        ready: &mut Ready<R>,
        host: &mut R::Host<'_>,
    ) -> TaskId {
        let id = TaskId(self.tasks.insert(Task::new(frame, cause)));
        if let Cause::Task(starter) = cause {
            let starter = self
                .tasks
                .get_mut(starter.0)
                .expect("a task that starts another exists");
            starter.started.push(id);
        }
        host.started(id, cause);
        ready.push_front((id, Resume::Start));
        id
    }

    fn arrive(&mut self, call: CallId, outcome: CallOutcome, ready: &mut Ready<R>) {
        let Some(task) = self.tasks.get_mut(call.task.0) else {
            return;
        };
        let Some(begun) = task.begun.get_mut(call.nth) else {
            return;
        };
        match begun {
            Begun::Forgotten(_) => {
                task.begun.remove(call.nth);
                self.settle(call.task);
            }
            Begun::Open(label) => {
                let awaited = match &task.waits {
                    Some(On::Call(awaited)) => *awaited == call,
                    Some(On::First(calls)) => calls.contains(&call),
                    _ => false,
                };
                if awaited {
                    task.begun.remove(call.nth);
                    ready.push_back((call.task, Resume::Answer { call, outcome }));
                } else {
                    *begun = Begun::Arrived(*label, outcome);
                }
            }
            Begun::Arrived(..) => panic!("{call} was answered twice"),
        }
    }

    fn cancel(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get_mut(id.0) else {
            return;
        };
        task.forget_all();
        self.gates.leave(id);
        for other in self.tasks.values_mut() {
            other.joined_by.retain(|joined| *joined != id);
        }
        self.let_go(id);
        self.settle(id);
    }

    /// A task has ended: nobody else is sure to know the tasks that it has started, so their endings can go.
    fn let_go(&mut self, id: TaskId) {
        let started = self
            .tasks
            .get_mut(id.0)
            .map(|task| std::mem::take(&mut task.started));
        for child in started.into_iter().flatten() {
            if let Some(task) = self.tasks.get_mut(child.0) {
                task.started_by = None;
                task.ended = None;
                self.settle(child);
            }
        }
    }

    /// Gives the number of a task free once nothing can refer to it: no answer, no join, no gate.
    ///
    /// A task that was cancelled inside a gate, or has ended without releasing it, keeps its number for good: nobody
    /// else gets inside, as with a lock whose owner is gone.
    fn settle(&mut self, id: TaskId) {
        let over = self.tasks.get(id.0).is_some_and(Task::is_over);
        if over && !self.gates.any_held_by(id) {
            self.tasks.remove(id.0);
        }
    }

    /// Steps one task until it waits or ends.
    fn run<'h>(
        &mut self,
        rules: &R::Rules,
        id: TaskId,
        resume: Resume<R>,
        ready: &mut Ready<R>,
        host: &mut R::Host<'h>,
    ) {
        let mut resume = resume;
        host.running(id);
        loop {
            let task = self.tasks.get_mut(id.0).expect("a task that can go on exists");
            task.waits = None;
            let level = task.stack.last_mut().expect("a task that can go on has a frame");
            let mut cx = Context {
                host: HostRef(&mut *host),
                task: id,
                begun: &mut task.begun,
                gates: &mut self.gates,
                ready: &mut *ready,
                aborted: &mut self.aborted,
                recalled: None,
            };
            let asked = self.memory.step(rules, &mut level.frame, resume, &mut cx);
            if self.aborted {
                return;
            }
            let next = match asked {
                Ok(Step::Await(on)) => self.wait(id, on, ready),
                Ok(Step::Enter(frame)) => {
                    task.stack.push(Level::new(frame));
                    Some(Resume::Start)
                }
                Ok(Step::Start(frame)) => {
                    // The new task runs up to its first wait before this one goes on: it comes first in the queue.
                    ready.push_front((id, Resume::Started(TaskId(self.tasks.lowest_free()))));
                    self.start(frame, Cause::Task(id), ready, host);
                    None
                }
                Ok(Step::Return(value)) => self.end_frame(id, Ok(value), ready, host),
                Err(failure) => self.end_frame(id, Err(failure), ready, host),
                Ok(Step::Abort(_)) => unreachable!("only an aborted incarnation aborts"),
            };
            match next {
                Some(next) => resume = next,
                None => return,
            }
        }
    }

    /// Puts a task to wait, or tells what it can go on with at once.
    fn wait(&mut self, id: TaskId, on: On, ready: &mut Ready<R>) -> Option<Resume<R>> {
        if let On::Task(other) = on {
            self.join(id, other, ready);
        }
        let task = self.tasks.get_mut(id.0).expect("a task that waits exists");
        match &on {
            On::Call(call) => {
                if let Some(resume) = Self::arrived(task, id, &[*call]) {
                    ready.push_back((id, resume));
                }
            }
            On::First(calls) => {
                if let Some(resume) = Self::arrived(task, id, calls) {
                    ready.push_back((id, resume));
                }
            }
            On::Gate(gate) => {
                if self.gates.take(*gate, id) {
                    ready.push_back((id, Resume::Gate));
                }
            }
            On::Task(_) => {}
        }
        task.waits = Some(on);
        None
    }

    /// Makes a task go on when the other has ended; at once where that is so and its ending is kept.
    fn join(&mut self, id: TaskId, other: TaskId, ready: &mut Ready<R>) {
        assert_ne!(other, id, "a task cannot wait for its own end");
        match self.tasks.get_mut(other.0) {
            Some(Task {
                ended: Some(ending), ..
            }) => ready.push_back((id, Resume::Joined(ending.clone()))),
            Some(task) if !task.stack.is_empty() => task.joined_by.push(id),
            // It was cancelled: this one waits for good, as an await on a promise that nobody settles does.
            Some(task) if task.started_by == Some(id) => task.joined_by.push(id),
            _ => panic!("{id} joined {other}, which had ended, and which it had not started"),
        }
    }

    /// The first of these answers that has already come.
    fn arrived(task: &mut Task<R>, id: TaskId, calls: &[CallId]) -> Option<Resume<R>> {
        assert!(!calls.is_empty(), "{id} waits for nothing: it would never go on");
        for call in calls {
            let begun = task.begun.get(call.nth).filter(|_| call.task == id);
            match begun {
                Some(Begun::Open(_)) => {}
                Some(Begun::Arrived(_, outcome)) => {
                    let outcome = outcome.clone();
                    task.begun.remove(call.nth);
                    return Some(Resume::Answer { call: *call, outcome });
                }
                Some(Begun::Forgotten(_)) | None => {
                    panic!("{id} awaits {call}, which it never began, gave up or has already awaited")
                }
            }
        }
        None
    }

    /// Ends the top frame. Its finally comes first; then its caller goes on, or the failure unwinds, or the task ends.
    fn end_frame(
        &mut self,
        id: TaskId,
        ending: Result<R::Value, R::Failure>,
        ready: &mut Ready<R>,
        host: &mut R::Host<'_>,
    ) -> Option<Resume<R>> {
        let task = self.tasks.get_mut(id.0).expect("a task that ends a frame exists");
        let mut ending = ending;
        while let Some(level) = task.stack.last_mut() {
            match level.ending.take() {
                None if level.frame.has_finally() => {
                    level.ending = Some(ending);
                    return Some(Resume::Finally);
                }
                Some(first) if ending.is_ok() => ending = first,
                Some(_) | None => {}
            }
            // Dropped where it stands: a frame is large.
            task.stack.truncate(task.stack.len() - 1);
            match (task.stack.last(), ending) {
                (Some(_), Ok(value)) => return Some(Resume::Returned(value)),
                (Some(caller), Err(failure)) if caller.catches() => return Some(Resume::Failed(failure)),
                (_, unhandled) => ending = unhandled,
            }
        }
        self.end_task(id, ending, ready, host);
        None
    }

    fn end_task(
        &mut self,
        id: TaskId,
        ending: Result<R::Value, R::Failure>,
        ready: &mut Ready<R>,
        host: &mut R::Host<'_>,
    ) {
        let task = self.tasks.get_mut(id.0).expect("a task that ends exists");
        task.forget_all();
        task.ended = task.started_by.map(|_| ending.clone());
        for joined in std::mem::take(&mut task.joined_by) {
            ready.push_back((joined, Resume::Joined(ending.clone())));
        }
        if task.by_event {
            host.finished(id, ending.map(R::response).map_err(Into::into));
        }
        self.let_go(id);
        self.settle(id);
    }
}
