//! A host for one object whose neighbours are played by a test: each thing that it begins is answered by hand.

use std::collections::VecDeque;

use protocol::host::{
    Answer, CallId, CallOutcome, Cause, Effect, End, Entry, Event, Failed, Label, Millis, Note, Object,
    ObjectId, ObjectName, Outcome, Platform, Request, Response, Rows, Shared, SqlError, Statement, Stub,
    TaskId, Text,
};
use protocol::lanes::object::{SiteObject, Version};
use protocol::task::Actor;
use sim::kernel::storage::limits::Limits;
use sim::kernel::storage::{Store, StoreError};

/// One object, its database, and what it has begun.
#[derive(Debug)]
pub struct Desk<S: Store> {
    version: Version,
    actor: Actor<SiteObject>,
    host: Host<S>,
}

/// The platform of a desk.
#[derive(Debug)]
struct Host<S: Store> {
    store: S,
    name: ObjectName,
    now: Millis,
    alarm: Option<Millis>,
    begun: VecDeque<(CallId, Label, Option<Request>)>,
    ended: Vec<Outcome>,
    notes: Vec<Note>,
}

impl<S: Store> Desk<S> {
    /// An object of this name with an empty database.
    #[must_use]
    pub fn new(version: Version, name: &str) -> Self {
        Desk {
            version,
            actor: Actor::new(SiteObject::default()),
            host: Host {
                store: S::open(&S::Pool::default(), Limits::default()),
                name: ObjectName::new(name),
                now: Millis(1_000_000),
                alarm: None,
                begun: VecDeque::new(),
                ended: Vec::new(),
                notes: Vec::new(),
            },
        }
    }

    /// Gives it another name, and so another role.
    pub fn rename(&mut self, name: &str) {
        self.host.name = ObjectName::new(name);
    }

    /// Runs a statement in its database.
    ///
    /// # Panics
    /// When it does not run.
    pub fn run(&mut self, sql: &str) -> Rows {
        let statement = Statement {
            sql: Text::new(sql),
            params: Vec::new(),
        };
        let ran = self.host.store.run(&statement).outcome;
        ran.unwrap_or_else(|error| panic!("{sql}: {error:?}"))
    }

    /// Delivers a request, and answers what the object begins until it has an answer itself.
    ///
    /// # Panics
    /// When it has none.
    pub fn ask(
        &mut self,
        request: Request,
        mut neighbour: impl FnMut(Label, Option<&Request>) -> CallOutcome,
    ) -> Response {
        let mut event = Event::Begin(Entry::Request(request));
        loop {
            self.actor.deliver(&self.version, event, &mut self.host);
            if let Some(ended) = self.host.ended.pop() {
                return ended.expect("it does not throw").expect("it is a request");
            }
            let (call, label, request) = self.host.begun.pop_front().expect("it waits for something");
            let outcome = neighbour(label, request.as_ref());
            event = Event::Answer { call, outcome };
        }
    }

    /// How many notes of a label there are.
    #[must_use]
    pub fn noted(&self, label: Label) -> usize {
        let notes = self.host.notes.iter();
        notes.filter(|note| note.label == label).count()
    }
}

/// What a digest is where none is told.
pub fn digest(text: &str) -> CallOutcome {
    Ok(Answer::Digest(Text::new(text)))
}

impl<S: Store> Host<S> {
    fn begin(&mut self, call: CallId, label: Label, request: Option<Request>) {
        self.begun.push_back((call, label, request));
    }
}

impl<S: Store> Platform for Host<S> {
    fn now(&self) -> Millis {
        self.now
    }

    fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        vec![0; bytes]
    }

    fn work(&mut self, cost: Millis) {
        self.now = self.now.after(cost);
    }

    fn effect(&mut self, _: TaskId, _: Effect) {}

    fn call(&mut self, call: CallId, label: Label, _: &Stub, request: Request) {
        self.begin(call, label, Some(request));
    }

    fn get(&mut self, call: CallId, label: Label, _: Shared, _: &str) {
        self.begin(call, label, None);
    }

    fn put(&mut self, _: CallId, _: Label, _: Shared, _: &str, _: &str, _: Option<Millis>) {}

    fn sleep(&mut self, call: CallId, label: Label, _: Millis) {
        self.begin(call, label, None);
    }

    fn started(&mut self, _: TaskId, _: Cause) {}

    fn running(&mut self, _: TaskId) {}

    fn finished(&mut self, _: TaskId, outcome: Outcome) {
        self.ended.push(outcome);
    }

    fn note(&mut self, _: TaskId, note: Note) {
        self.notes.push(note);
    }
}

impl<S: Store> Object for Host<S> {
    fn name(&self) -> Option<&ObjectName> {
        Some(&self.name)
    }

    fn id(&self) -> ObjectId {
        self.id_of(&self.name)
    }

    fn id_of(&self, name: &ObjectName) -> ObjectId {
        ObjectId(Text::from(format!("id of {name}")))
    }

    fn sql(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        match self.store.run(statement).outcome {
            Ok(rows) => Ok(rows),
            Err(StoreError::Sql(error)) => Err(error),
            Err(other) => panic!("{statement:?}: {other:?}"),
        }
    }

    fn transaction(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        let mark = self.store.mark();
        let mut answers = Vec::new();
        for (at, statement) in batch.iter().enumerate() {
            match self.sql(statement) {
                Ok(rows) => answers.push(rows),
                Err(error) => {
                    self.store.rollback_to(mark);
                    self.store.release(mark);
                    return Err(Failed { at, error });
                }
            }
        }
        if end == End::Rollback {
            self.store.rollback_to(mark);
        }
        self.store.release(mark);
        Ok(answers)
    }

    fn digest(&mut self, call: CallId, label: Label, _: &[u8]) {
        self.begin(call, label, None);
    }

    fn alarm(&self) -> Option<Millis> {
        self.alarm
    }

    fn set_alarm(&mut self, at: Option<Millis>) {
        self.alarm = at;
    }

    fn abort(&mut self, _: &str) {}
}
