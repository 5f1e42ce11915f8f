//! A program whose objects and front Workers do what the request tells them: a short script of deeds.

mod perform;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use protocol::host::{
    AlarmRun, Answer, Body, CallError, CallId, CallOutcome, Cause, End, Entry, Event, Label, Namespace,
    ObjectName, Outcome, Payload, Platform, Request, Response, Shared, Statement, Stub, TaskId, Text,
};
use protocol::task::Waiting;
use serde::{Deserialize, Serialize};

use crate::kernel::{Guest, SectionEnd, SectionKind, Wide};
use perform::{anywhere, in_object};

pub const NS: Namespace = Namespace::new("toy");

/// One thing that code can do. What it learns is said in the answer, in the order it learned it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Do {
    /// Inserts a row.
    Write(Text),
    /// Says all rows.
    Read,
    /// Runs a statement; says what kind of error it is, if it is one.
    Sql(Statement),
    /// Runs several statements as one transaction; says which one failed, and how.
    Transact(Vec<Statement>, End),
    /// Sets the alarm to so many milliseconds after the beginning of the run.
    SetAlarm(u64),
    ClearAlarm,
    /// Says when the alarm is due, or `none`.
    ReadAlarm,
    /// Adds to the memory.
    Keep(Text),
    /// Says what is in the memory.
    Recall,
    /// Says the clock, in milliseconds since the beginning of the run.
    Now,
    /// Says the object's name.
    Name,
    /// Says whether the object's id is that of this name.
    IsOwnId(Text),
    /// Says which version of the code this is.
    Version,
    Say(Text),
    Work(u64),
    Act(Text),
    /// Waits for a sleep.
    Sleep(u64),
    /// Waits for a digest.
    Digest,
    /// Waits for an entry of KV, and says it.
    Get(Text),
    /// Begins to write an entry of KV.
    Put(Text, Text),
    /// Waits for an entry of a shared service, and says it.
    GetFrom(Shared, Text),
    /// Begins to write an entry of a shared service, to be kept for so many milliseconds.
    PutTo(Shared, Text, Text, Option<u64>),
    /// Begins a call. What its callee says, or the error, is said when it comes.
    Call(Stub, Vec<Do>),
    /// Waits for all that was begun.
    Await,
    Throw(CallError),
    Abort(Text),
    /// Enters a critical section.
    Enter(SectionKind),
    /// Ends the innermost one.
    Leave(SectionEnd),
}

/// A script on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Script(Vec<Do>);

impl Payload for Script {
    fn encode(&self) -> String {
        serde_json::to_string(self).expect("a script has only keys that are texts")
    }
}

pub fn request(script: impl Into<Vec<Do>>) -> Request {
    Request::post("/", Body::typed(Arc::new(Script(script.into()))))
}

pub fn stub(name: &str) -> Stub {
    Stub::new(NS, ObjectName::new(name))
}

pub fn call(name: &str, script: impl Into<Vec<Do>>) -> Do {
    Do::Call(stub(name), script.into())
}

pub fn call_on(stub: &Stub, script: impl Into<Vec<Do>>) -> Do {
    Do::Call(stub.clone(), script.into())
}

pub fn write(what: &str) -> Do {
    Do::Write(Text::new(what))
}

pub fn keep(what: &str) -> Do {
    Do::Keep(Text::new(what))
}

pub fn say(what: &str) -> Do {
    Do::Say(Text::new(what))
}

pub fn throw(what: &str) -> Do {
    Do::Throw(CallError::thrown(what))
}

pub fn abort(what: &str) -> Do {
    Do::Abort(Text::new(what))
}

/// The program: what its objects do when their alarm runs is the same for all of them.
#[derive(Clone, Debug)]
pub struct Scripted {
    pub alarm: fn(AlarmRun) -> Vec<Do>,
    /// Which of several versions it is.
    pub version: usize,
}

/// The memory of an incarnation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    version: usize,
    kept: Vec<Text>,
    tasks: BTreeMap<TaskId, Task>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Task {
    todo: VecDeque<Do>,
    said: Vec<Text>,
    is_alarm: bool,
    begun: BTreeSet<u32>,
    next: u32,
    waits: Option<For>,
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum For {
    One(u32),
    All,
}

/// How a task goes on after a deed.
enum Then {
    On,
    Wait(For),
    Ended(Outcome),
    Aborted,
}

impl Guest for Scripted {
    type Object = Memory;
    type Front = Memory;

    fn object(&self, namespace: &Namespace) -> Option<Memory> {
        (*namespace == NS).then(|| Guest::front(self))
    }

    fn front(&self) -> Memory {
        Memory {
            version: self.version,
            ..Memory::default()
        }
    }

    fn deliver(&self, object: &mut Memory, event: Event, host: &mut dyn Wide) {
        self.take(object, event, host, |memory, id, deed, host| {
            in_object(memory, id, deed, host)
        });
    }

    fn deliver_front(&self, front: &mut Memory, event: Event, host: &mut dyn Platform) {
        self.take(front, event, host, anywhere);
    }

    fn waits<'a>(&self, memory: &'a Memory) -> Vec<(TaskId, Waiting<'a>)> {
        memory.waits()
    }

    fn front_waits<'a>(&self, memory: &'a Memory) -> Vec<(TaskId, Waiting<'a>)> {
        memory.waits()
    }
}

impl Scripted {
    /// One turn: the task that the event begins, or goes on with, runs until it waits or has done.
    fn take<H: Platform + ?Sized>(
        &self,
        memory: &mut Memory,
        event: Event,
        host: &mut H,
        perform: fn(&mut Memory, TaskId, Do, &mut H) -> Then,
    ) -> Option<TaskId> {
        let id = match event {
            Event::Begin(entry) => {
                let id = memory.begin(self.script(entry));
                host.started(id, Cause::Event);
                id
            }
            Event::Answer { call, outcome } => {
                memory.answered(call, outcome)?;
                call.task
            }
            Event::Cancel { task } => {
                memory.cancel(task);
                return None;
            }
        };
        host.running(id);
        while let Some(task) = memory.tasks.get_mut(&id) {
            let then = match task.todo.pop_front() {
                Some(deed) => perform(memory, id, deed, host),
                None => Then::Ended(Ok(task.answer())),
            };
            match then {
                Then::On => {}
                Then::Wait(wait) => {
                    let task = memory.task(id);
                    task.waits = Some(wait);
                    if task.must_wait() {
                        break;
                    }
                }
                Then::Ended(outcome) => {
                    memory.task(id).ended = true;
                    memory.bury(id);
                    host.finished(id, outcome);
                    break;
                }
                Then::Aborted => break,
            }
        }
        Some(id)
    }

    fn script(&self, entry: Entry) -> Task {
        let (todo, is_alarm) = match entry {
            Entry::Request(request) => {
                let script = request.body.read::<Script>().expect("every request is a script");
                (script.0.clone(), false)
            }
            Entry::Alarm(run) => ((self.alarm)(run), true),
        };
        Task {
            todo: todo.into(),
            said: Vec::new(),
            is_alarm,
            begun: BTreeSet::new(),
            next: 0,
            waits: None,
            ended: false,
        }
    }
}

impl Memory {
    /// What its tasks wait for; of several things the first.
    fn waits(&self) -> Vec<(TaskId, Waiting<'_>)> {
        let waiting = self
            .tasks
            .iter()
            .filter(|(_, task)| !task.ended && task.must_wait());
        let for_what = waiting.filter_map(|(id, task)| {
            let nth = match task.waits? {
                For::One(nth) => nth,
                For::All => *task.begun.first()?,
            };
            Some((*id, Waiting::Call(CallId { task: *id, nth }, Label("await"))))
        });
        for_what.collect()
    }

    fn begin(&mut self, task: Task) -> TaskId {
        // The lowest free number, as protocols on `Actor` have it: what the kernel keeps by task must not outlive it.
        let free = (0..).map(TaskId).find(|id| !self.tasks.contains_key(id));
        let id = free.expect("there are more numbers than tasks");
        self.tasks.insert(id, task);
        id
    }

    fn task(&mut self, id: TaskId) -> &mut Task {
        self.tasks.get_mut(&id).expect("the task that runs is there")
    }

    /// A task that has ended is gone when all its answers have come.
    fn bury(&mut self, id: TaskId) {
        if self
            .tasks
            .get(&id)
            .is_some_and(|task| task.ended && task.begun.is_empty())
        {
            self.tasks.remove(&id);
        }
    }

    /// Ends a task where it stands. Its number is taken until what it has begun is answered.
    fn cancel(&mut self, id: TaskId) {
        let task = self.task(id);
        task.todo.clear();
        task.ended = true;
        self.bury(id);
    }

    /// Takes an answer. None where nobody goes on with it: the task has ended, or waits for another.
    fn answered(&mut self, call: CallId, outcome: CallOutcome) -> Option<()> {
        let task = self.task(call.task);
        assert!(task.begun.remove(&call.nth), "{call} was answered twice");
        task.said.extend(said(outcome));
        let goes_on = !task.ended && !task.must_wait() && task.waits.take().is_some();
        self.bury(call.task);
        goes_on.then_some(())
    }
}

impl Task {
    fn call(&mut self, id: TaskId) -> CallId {
        let nth = self.next;
        self.next += 1;
        self.begun.insert(nth);
        CallId { task: id, nth }
    }

    fn must_wait(&self) -> bool {
        match self.waits {
            Some(For::One(nth)) => self.begun.contains(&nth),
            Some(For::All) => !self.begun.is_empty(),
            None => false,
        }
    }

    fn answer(&self) -> Option<Response> {
        (!self.is_alarm).then(|| Response::new(200, Body::text(self.said.join(" "))))
    }
}

/// What a task says of an answer.
fn said(outcome: CallOutcome) -> Option<Text> {
    match outcome {
        Ok(Answer::Response(response)) => Some(response.body.to_text()),
        Ok(Answer::Entry(entry)) => Some(entry.unwrap_or(Text::new_static("nothing"))),
        Ok(Answer::Digest(_) | Answer::Done) => None,
        Err(error) => Some(error_text(&error)),
    }
    .filter(|text| !text.is_empty())
}

/// An error and its flags, as the tests compare it.
pub fn error_text(error: &CallError) -> Text {
    let flags = [
        (error.remote, "remote"),
        (error.retryable, "retryable"),
        (error.overloaded, "overloaded"),
        (error.reset, "reset"),
    ];
    let mut text = format!("[{}", error.message);
    for (_, flag) in flags.iter().filter(|(set, _)| *set) {
        text.push_str(", ");
        text.push_str(flag);
    }
    Text::from(text + "]")
}
