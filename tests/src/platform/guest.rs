//! Runs scripts on the kernel, through nothing but its public interface: the counterpart of `object.mjs`.

mod host;
mod task;
mod tasks;

use std::collections::BTreeMap;

use protocol::host::{CallError, Cause, Entry, Event, Namespace, Platform, Response, TaskId, Text};
use protocol::task::Waiting;
use sim::kernel::{Guest, SectionEnd, SectionKind, Wide};

use host::Host;
use task::{Op, Task, Then, or_nothing, written};
pub use tasks::OnTasks;

use super::script::{Do, Said};

/// Where all scripted objects are.
pub const OBJECTS: Namespace = Namespace::new("object");

/// Code whose objects and front Workers do what the request tells them.
#[derive(Clone, Copy, Debug)]
pub struct Scripted;

/// The memory of an incarnation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    kept: Vec<Text>,
    tasks: BTreeMap<TaskId, Task>,
}

impl Guest for Scripted {
    type Object = Memory;
    type Front = Memory;

    fn object(&self, namespace: &Namespace) -> Option<Memory> {
        (*namespace == OBJECTS).then(Memory::default)
    }

    fn front(&self) -> Memory {
        Memory::default()
    }

    fn deliver(&self, object: &mut Memory, event: Event, host: &mut dyn Wide) {
        object.take(event, &mut Host::Object(host));
    }

    fn deliver_front(&self, front: &mut Memory, event: Event, host: &mut dyn Platform) {
        front.take(event, &mut Host::Front(host));
    }

    fn waits<'a>(&self, _: &'a Memory) -> Vec<(TaskId, Waiting<'a>)> {
        Vec::new()
    }

    fn front_waits<'a>(&self, _: &'a Memory) -> Vec<(TaskId, Waiting<'a>)> {
        Vec::new()
    }
}

impl Memory {
    /// One turn: the task that the event begins, or goes on with.
    fn take(&mut self, event: Event, host: &mut Host<'_>) {
        let id = match event {
            Event::Begin(entry) => self.begin(entry, host),
            Event::Answer { call, outcome } => {
                self.task(call.task).answered(call, outcome);
                call.task
            }
            Event::Cancel { task } => {
                self.task(task).todo.clear();
                self.task(task).ended = true;
                self.bury(task);
                return;
            }
        };
        if !self.task(id).ended {
            host.platform().running(id);
            if self.go_on(id, host).is_none() {
                return;
            }
        }
        self.bury(id);
    }

    fn begin(&mut self, entry: Entry, host: &mut Host<'_>) -> TaskId {
        let free = (0..).map(TaskId).find(|id| !self.tasks.contains_key(id));
        let id = free.expect("there are more numbers than tasks");
        host.platform().started(id, Cause::Event);
        host.platform().running(id);
        let mut task = Task::default();
        let script = match entry {
            Entry::Request(request) => {
                serde_json::from_str(&request.body.to_text()).expect("every request is a script")
            }
            Entry::Alarm(run) => {
                task.retry_count = Some(run.retry_count);
                script_of_alarm(run.retry_count as usize, host)
            }
        };
        task.prepend(script);
        self.tasks.insert(id, task);
        id
    }

    fn task(&mut self, id: TaskId) -> &mut Task {
        self.tasks.get_mut(&id).expect("the task that runs is there")
    }

    /// A task that has ended is gone when all its answers have come.
    fn bury(&mut self, id: TaskId) {
        let task = self.task(id);
        if task.ended && task.begun.is_empty() {
            self.tasks.remove(&id);
        }
    }

    /// Runs a task until it waits or ends. None where the whole incarnation has ended.
    fn go_on(&mut self, id: TaskId, host: &mut Host<'_>) -> Option<()> {
        loop {
            let Some(op) = self.task(id).todo.pop_front() else {
                let task = self.task(id);
                task.ended = true;
                let is_alarm = task.retry_count.is_some();
                let answer = (!is_alarm).then(|| Response::new(200, written(&task.said)));
                host.platform().finished(id, Ok(answer));
                return Some(());
            };
            match self.perform(id, op, host) {
                Then::On => {}
                Then::Wait => return Some(()),
                Then::Aborted => return None,
                Then::Throw(error) => {
                    if !self.unwind(id, &error, host) {
                        self.task(id).ended = true;
                        host.platform().finished(id, Err(error));
                        return Some(());
                    }
                }
            }
        }
    }

    /// An error passes through what is around it, up to what catches it or waits; false where nothing does.
    fn unwind(&mut self, id: TaskId, error: &CallError, host: &mut Host<'_>) -> bool {
        while let Some(op) = self.task(id).todo.pop_front() {
            match op {
                Op::EndCatch => {
                    self.task(id).said.push(Said::Failed(error.clone()));
                    return true;
                }
                Op::Leave(_) => {
                    // Behind a transaction it goes on through the code; a block ends the incarnation.
                    let task = self.task(id);
                    task.todo.push_front(Op::Do(Do::Throw(error.clone())));
                    task.leave(id, SectionEnd::Threw(error.clone()), host);
                    return true;
                }
                Op::Do(_) | Op::Until(_) => {}
            }
        }
        false
    }

    fn perform(&mut self, id: TaskId, op: Op, host: &mut Host<'_>) -> Then {
        match op {
            Op::Do(deed) => self.perform_deed(id, deed, host),
            Op::Until(call) => self
                .task(id)
                .wait_if(|task| task.begun.contains_key(&call.nth), Op::Until(call)),
            Op::EndCatch => Then::On,
            Op::Leave(kind) => {
                let rolls_back = std::mem::take(&mut self.task(id).rolls_back);
                let rolls_back = rolls_back && kind == SectionKind::Transaction;
                let end = if rolls_back {
                    SectionEnd::RollBack
                } else {
                    SectionEnd::Done
                };
                self.task(id).leave(id, end, host);
                Then::On
            }
        }
    }

    fn perform_deed(&mut self, id: TaskId, deed: Do, host: &mut Host<'_>) -> Then {
        match deed {
            Do::Keep(text) => self.kept.push(text),
            Do::Recall => {
                let kept = or_nothing(&self.kept);
                self.task(id).say(kept);
            }
            deed => return self.task(id).perform(id, deed, host),
        }
        Then::On
    }
}

/// What the alarm's run does: see [`Do::OnAlarm`].
fn script_of_alarm(retry_count: usize, host: &mut Host<'_>) -> Vec<Do> {
    let stored = host.texts("scripts").pop();
    let scripts: Vec<Vec<Do>> = stored.map_or_else(Vec::new, |text| {
        serde_json::from_str(&text).expect("what was stored is scripts")
    });
    let runs = host.texts("runs").len();
    host.insert("runs", Text::default());
    let nth = runs.max(retry_count).min(scripts.len().saturating_sub(1));
    scripts.get(nth).cloned().unwrap_or_default()
}
