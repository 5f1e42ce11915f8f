//! A role whose flows are lists of small acts, so that a test is data, and a host that remembers what it was asked.

use std::collections::BTreeMap;
use std::fmt;

use crate::host::{
    Answer, CallError, CallId, CallOutcome, Cause, Effect, End, Entry, Event, Failed, Label, Millis, Note,
    Object, ObjectId, ObjectName, Outcome, Platform, Request, Response, Rows, Shared, SqlError, Statement,
    Stub, TaskId,
};
use crate::host::{Body, Namespace, Text};
use crate::task::{Actor, Context, Frame, On, Resume, Role, Step};

/// The toy's one gate.
pub const GATE: Label = Label("gate");

/// One act of a flow. Calls and started tasks are named by the order in which the frame made them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Writes into the memory.
    Say(&'static str),
    /// Begins a call.
    Call(&'static str),
    /// Makes a call that nobody awaits.
    Send(&'static str),
    /// Awaits a call, and writes what came.
    Await(usize),
    /// Awaits the first of some calls, and writes what came.
    First(Vec<usize>),
    /// Gives up a call.
    Forget(usize),
    /// Takes the gate.
    Take,
    /// Gives it up.
    Release,
    /// Enters a frame, and writes what it returned, or threw where this frame catches.
    Enter(Flow),
    /// Starts a task.
    Start(Flow),
    /// Joins a started task, and writes how it ended.
    Join(usize),
    /// Joins the task of this number, whoever started it.
    JoinTask(u32),
    /// Ends the incarnation.
    Abort,
    /// Returns.
    Return(&'static str),
    /// Throws.
    Throw(&'static str),
}

/// A frame as it is written: what it does, what it does at its end, and whether it catches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flow {
    acts: Vec<Act>,
    finally: Option<Vec<Act>>,
    catches: bool,
}

impl Flow {
    pub fn of(acts: impl Into<Vec<Act>>) -> Self {
        Flow {
            acts: acts.into(),
            ..Flow::default()
        }
    }

    pub fn finally(self, acts: impl Into<Vec<Act>>) -> Self {
        Flow {
            finally: Some(acts.into()),
            ..self
        }
    }

    pub fn catching(self) -> Self {
        Flow {
            catches: true,
            ..self
        }
    }
}

/// A frame as it runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Running {
    flow: Flow,
    at: usize,
    calls: Vec<CallId>,
    started: Vec<TaskId>,
}

impl Running {
    fn new(flow: Flow) -> Self {
        Running {
            flow,
            at: 0,
            calls: Vec::new(),
            started: Vec::new(),
        }
    }
}

impl Frame for Running {
    fn has_finally(&self) -> bool {
        self.flow.finally.is_some()
    }

    fn catches(&self) -> bool {
        self.flow.catches
    }
}

/// The toy's memory: what its tasks have said, in the order of their saying.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Toy {
    pub said: Vec<String>,
}

impl Role for Toy {
    type Frame = Running;
    type Value = &'static str;
    type Failure = Thrown;
    type Rules = BTreeMap<&'static str, Flow>;
    type Host<'h> = dyn Object + 'h;

    fn begin(&mut self, rules: &Self::Rules, entry: Entry) -> Running {
        let Entry::Request(request) = entry else {
            panic!("a toy has no alarm");
        };
        Running::new(rules[&request.path[1..]].clone())
    }

    fn step(
        &mut self,
        _: &Self::Rules,
        frame: &mut Running,
        resume: Resume<Self>,
        cx: &mut Context<'_, '_, Self>,
    ) -> Result<Step<Self>, Thrown> {
        match resume {
            Resume::Start | Resume::Gate => {}
            Resume::Answer { outcome, .. } => self.said.push(heard(&outcome?)),
            Resume::Started(task) => frame.started.push(task),
            Resume::Joined(Ok(value)) | Resume::Returned(value) => self.said.push(value.to_owned()),
            Resume::Joined(Err(thrown)) | Resume::Failed(thrown) => {
                self.said.push(format!("caught {thrown}"))
            }
            Resume::Finally => {
                frame.flow.acts = frame
                    .flow
                    .finally
                    .clone()
                    .expect("only a frame with a finally gets here");
                frame.at = 0;
            }
        }
        while let Some(act) = frame.flow.acts.get(frame.at).cloned() {
            frame.at += 1;
            if let Some(step) = self.act(act, frame, cx)? {
                return Ok(step);
            }
        }
        Ok(Step::Return("done"))
    }

    fn response(value: &'static str) -> Option<Response> {
        Some(Response::new(200, Body::text(value)))
    }
}

impl Toy {
    fn act(
        &mut self,
        act: Act,
        frame: &mut Running,
        cx: &mut Context<'_, '_, Self>,
    ) -> Result<Option<Step<Self>>, Thrown> {
        let stub = Stub::new(Namespace::new("toys"), ObjectName::new("other"));
        let step = match act {
            Act::Say(text) => return Ok(self.say(text)),
            Act::Call(label) => {
                frame.calls.push(cx.call(Label(label), &stub, Request::get("/")));
                return Ok(None);
            }
            Act::Send(label) => {
                cx.send(Label(label), &stub, Request::get("/"));
                return Ok(None);
            }
            Act::Forget(call) => {
                cx.forget(frame.calls[call]);
                return Ok(None);
            }
            Act::Release => {
                cx.release(GATE);
                return Ok(None);
            }
            Act::Await(call) => Step::Await(On::Call(frame.calls[call])),
            Act::First(calls) => {
                Step::Await(On::First(calls.iter().map(|call| frame.calls[*call]).collect()))
            }
            Act::Take => Step::Await(On::Gate(GATE)),
            Act::Enter(flow) => Step::Enter(Running::new(flow)),
            Act::Start(flow) => Step::Start(Running::new(flow)),
            Act::Join(task) => Step::Await(On::Task(frame.started[task])),
            Act::JoinTask(task) => Step::Await(On::Task(TaskId(task))),
            Act::Abort => cx.abort("enough"),
            Act::Return(value) => Step::Return(value),
            Act::Throw(text) => return Err(Thrown(CallError::thrown(text))),
        };
        Ok(Some(step))
    }

    fn say(&mut self, text: &str) -> Option<Step<Self>> {
        self.said.push(text.to_owned());
        None
    }
}

fn heard(answer: &Answer) -> String {
    match answer {
        Answer::Response(response) => response.body.to_text().to_string(),
        other => format!("{other:?}"),
    }
}

/// What a toy throws.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thrown(CallError);

impl From<CallError> for Thrown {
    fn from(error: CallError) -> Self {
        Thrown(error)
    }
}

impl From<Thrown> for CallError {
    fn from(thrown: Thrown) -> Self {
        thrown.0
    }
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A host that does nothing and remembers what it was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    pub calls: Vec<(CallId, &'static str)>,
    pub started: Vec<(TaskId, Cause)>,
    pub finished: Vec<(TaskId, String)>,
    pub aborted: Option<String>,
}

impl Platform for Host {
    fn now(&self) -> Millis {
        Millis::ZERO
    }

    fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        vec![0; bytes]
    }

    fn work(&mut self, _: Millis) {}

    fn effect(&mut self, _: TaskId, _: Effect) {}

    fn call(&mut self, call: CallId, label: Label, _: &Stub, _: Request) {
        self.calls.push((call, label.0));
    }

    fn get(&mut self, call: CallId, label: Label, _: Shared, _: &str) {
        self.calls.push((call, label.0));
    }

    fn put(&mut self, call: CallId, label: Label, _: Shared, _: &str, _: &str, _: Option<Millis>) {
        self.calls.push((call, label.0));
    }

    fn sleep(&mut self, call: CallId, label: Label, _: Millis) {
        self.calls.push((call, label.0));
    }

    fn started(&mut self, task: TaskId, cause: Cause) {
        self.started.push((task, cause));
    }

    fn running(&mut self, _: TaskId) {}

    fn finished(&mut self, task: TaskId, outcome: Outcome) {
        let told = match outcome {
            Ok(response) => response.map_or_else(String::new, |response| response.body.to_text().to_string()),
            Err(error) => format!("thrown: {error}"),
        };
        self.finished.push((task, told));
    }

    fn note(&mut self, _: TaskId, _: Note) {}
}

impl Object for Host {
    fn name(&self) -> Option<&ObjectName> {
        None
    }

    fn id(&self) -> ObjectId {
        ObjectId(Text::new_static("id of the toy"))
    }

    fn id_of(&self, name: &ObjectName) -> ObjectId {
        ObjectId(Text::from(format!("id of {name}")))
    }

    fn sql(&mut self, _: &Statement) -> Result<Rows, SqlError> {
        Ok(Rows::default())
    }

    fn transaction(&mut self, batch: &[Statement], _: End) -> Result<Vec<Rows>, Failed> {
        Ok(vec![Rows::default(); batch.len()])
    }

    fn digest(&mut self, call: CallId, label: Label, _: &[u8]) {
        self.calls.push((call, label.0));
    }

    fn alarm(&self) -> Option<Millis> {
        None
    }

    fn set_alarm(&mut self, _: Option<Millis>) {}

    fn abort(&mut self, why: &str) {
        self.aborted = Some(why.to_owned());
    }
}

/// One toy with its host and its flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    pub actor: Actor<Toy>,
    pub host: Host,
    flows: BTreeMap<&'static str, Flow>,
}

impl Stage {
    pub fn new<const N: usize>(flows: [(&'static str, Flow); N]) -> Self {
        Stage {
            actor: Actor::new(Toy::default()),
            host: Host::default(),
            flows: BTreeMap::from(flows),
        }
    }

    /// Begins a task with this flow.
    pub fn begin(&mut self, flow: &str) -> TaskId {
        let request = Request::get(format!("/{flow}"));
        let begun = self.deliver(Event::Begin(Entry::Request(request)));
        begun.expect("a request begins a task")
    }

    /// Answers the latest call that was begun at this place.
    pub fn answer(&mut self, label: &str) {
        let text = format!("{label} answered");
        self.end(label, Ok(Answer::Response(Response::new(200, Body::text(text)))));
    }

    /// Fails the latest call that was begun at this place.
    pub fn fail(&mut self, label: &str) {
        self.end(
            label,
            Err(CallError::thrown(Text::from(format!("{label} failed")))),
        );
    }

    fn end(&mut self, label: &str, outcome: CallOutcome) {
        let made = self.host.calls.iter().rev().find(|(_, at)| *at == label);
        let (call, _) = *made.unwrap_or_else(|| panic!("nothing was begun at {label}"));
        self.deliver(Event::Answer { call, outcome });
    }

    pub fn cancel(&mut self, task: TaskId) {
        self.deliver(Event::Cancel { task });
    }

    pub fn deliver(&mut self, event: Event) -> Option<TaskId> {
        self.actor.deliver(&self.flows, event, &mut self.host)
    }

    /// All that the tasks have said.
    pub fn said(&self) -> Vec<&str> {
        self.actor.memory().said.iter().map(String::as_str).collect()
    }

    /// How each task that an event began has ended.
    pub fn finished(&self) -> Vec<(u32, &str)> {
        self.host
            .finished
            .iter()
            .map(|(task, told)| (task.0, told.as_str()))
            .collect()
    }
}
