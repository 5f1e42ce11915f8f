//! The platform as the code inside the module sees it: every call is one crossing.

use std::cell::{OnceCell, RefCell};
use std::fmt;

use protocol::host::{
    CallId, Cause, Effect, End, Failed, Label, Millis, Note, Object, ObjectId, ObjectName, Outcome, Platform,
    Request, Rows, Shared, SqlError, Statement, Stub, TaskId,
};

use crate::abi::{self, Crosses, Function};

/// The way across the seam.
pub trait Crossing {
    /// Calls a function of the seam with these arguments; the answer is JSON, as they are.
    fn cross(&mut self, function: Function, args: &str) -> String;
}

/// A platform, and an object's platform, behind a crossing. Lives for one turn.
pub struct Host<'a> {
    crossing: RefCell<&'a mut dyn Crossing>,
    name: OnceCell<Option<ObjectName>>,
}

impl fmt::Debug for Host<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Host")
    }
}

impl<'a> Host<'a> {
    /// A platform for one turn.
    pub fn new(crossing: &'a mut dyn Crossing) -> Self {
        Host {
            crossing: RefCell::new(crossing),
            name: OnceCell::new(),
        }
    }

    fn ask<C: Crosses>(&self, args: &C) -> C::Answer {
        let answer = self.crossing.borrow_mut().cross(C::FUNCTION, &abi::encode(args));
        serde_json::from_str(&answer)
            .unwrap_or_else(|error| panic!("`{}` was answered with {answer}: {error}", C::FUNCTION.name()))
    }
}

impl Platform for Host<'_> {
    fn now(&self) -> Millis {
        self.ask(&abi::Now {})
    }

    fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        let answer = self.ask(&abi::Entropy { bytes }).0;
        assert_eq!(
            answer.len(),
            bytes,
            "`entropy` was answered with too few bytes or too many"
        );
        answer
    }

    fn work(&mut self, cost: Millis) {
        self.ask(&abi::Work { cost });
    }

    fn effect(&mut self, task: TaskId, effect: Effect) {
        self.ask(&abi::Effect {
            task,
            effect: &effect,
        });
    }

    fn call(&mut self, call: CallId, label: Label, stub: &Stub, request: Request) {
        self.ask(&abi::Call {
            call,
            label,
            stub,
            request: &request,
        });
    }

    fn get(&mut self, call: CallId, label: Label, store: Shared, key: &str) {
        self.ask(&abi::Get {
            call,
            label,
            store,
            key,
        });
    }

    fn put(
        &mut self,
        call: CallId,
        label: Label,
        store: Shared,
        key: &str,
        value: &str,
        keep: Option<Millis>,
    ) {
        self.ask(&abi::Put {
            call,
            label,
            store,
            key,
            value,
            keep,
        });
    }

    fn sleep(&mut self, call: CallId, label: Label, delay: Millis) {
        self.ask(&abi::Sleep { call, label, delay });
    }

    fn started(&mut self, task: TaskId, cause: Cause) {
        self.ask(&abi::Started { task, cause });
    }

    fn running(&mut self, task: TaskId) {
        self.ask(&abi::Running { task });
    }

    fn finished(&mut self, task: TaskId, outcome: Outcome) {
        self.ask(&abi::Finished {
            task,
            outcome: &outcome,
        });
    }

    fn note(&mut self, task: TaskId, note: Note) {
        self.ask(&abi::Note { task, note: &note });
    }
}

impl Object for Host<'_> {
    fn name(&self) -> Option<&ObjectName> {
        self.name.get_or_init(|| self.ask(&abi::Name {})).as_ref()
    }

    fn id(&self) -> ObjectId {
        self.ask(&abi::Id {})
    }

    fn id_of(&self, name: &ObjectName) -> ObjectId {
        self.ask(&abi::IdOf { name })
    }

    fn sql(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        self.ask(&abi::Sql { statement }).map_err(Into::into)
    }

    fn transaction(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        self.ask(&abi::Transaction { batch, end }).map_err(Into::into)
    }

    fn digest(&mut self, call: CallId, label: Label, bytes: &[u8]) {
        self.ask(&abi::Digest {
            call,
            label,
            bytes: abi::HexadecimalOf(bytes),
        });
    }

    fn alarm(&self) -> Option<Millis> {
        self.ask(&abi::Alarm {})
    }

    fn set_alarm(&mut self, at: Option<Millis>) {
        self.ask(&abi::SetAlarm { at });
    }

    fn abort(&mut self, why: &str) {
        self.ask(&abi::Abort { why });
    }
}
