//! A platform that writes down what crosses it.

use std::cell::{Cell, RefCell};
use std::fmt;

use protocol::host::{
    CallId, Cause, Effect, End, Failed, Label, Millis, Note, Object, ObjectId, ObjectName, Outcome, Platform,
    Request, Rows, Shared, SqlError, Statement, Stub, TaskId,
};

use super::Moment;
use crate::abi::{self, BatchFailure, Crosses, Hexadecimal, SqlFailure};

/// Wraps the platform of one turn and writes down each crossing, as the module would make it.
pub struct Recorder<'a, H: ?Sized> {
    host: &'a mut H,
    moments: RefCell<Vec<Moment>>,
    named: Cell<bool>,
}

impl<H: ?Sized> fmt::Debug for Recorder<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("moments", &self.moments.borrow())
            .finish_non_exhaustive()
    }
}

impl<'a, H: ?Sized> Recorder<'a, H> {
    /// Around this platform, with nothing written yet.
    pub fn new(host: &'a mut H) -> Self {
        Recorder {
            host,
            moments: RefCell::default(),
            named: Cell::new(false),
        }
    }

    /// What has crossed.
    #[must_use]
    pub fn into_moments(self) -> Vec<Moment> {
        self.moments.into_inner()
    }

    fn write<C: Crosses>(&self, args: &C, answer: &C::Answer) {
        self.moments.borrow_mut().push(Moment::cross(args, answer));
    }
}

impl<H: Platform + ?Sized> Platform for Recorder<'_, H> {
    fn now(&self) -> Millis {
        let now = self.host.now();
        self.write(&abi::Now {}, &now);
        now
    }

    fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        let answer = self.host.entropy(bytes);
        self.write(&abi::Entropy { bytes }, &Hexadecimal(answer.clone()));
        answer
    }

    fn work(&mut self, cost: Millis) {
        self.write(&abi::Work { cost }, &());
        self.host.work(cost);
    }

    fn effect(&mut self, task: TaskId, effect: Effect) {
        self.write(
            &abi::Effect {
                task,
                effect: &effect,
            },
            &(),
        );
        self.host.effect(task, effect);
    }

    fn call(&mut self, call: CallId, label: Label, stub: &Stub, request: Request) {
        self.write(
            &abi::Call {
                call,
                label,
                stub,
                request: &request,
            },
            &(),
        );
        self.host.call(call, label, stub, request);
    }

    fn get(&mut self, call: CallId, label: Label, store: Shared, key: &str) {
        self.write(
            &abi::Get {
                call,
                label,
                store,
                key,
            },
            &(),
        );
        self.host.get(call, label, store, key);
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
        self.write(
            &abi::Put {
                call,
                label,
                store,
                key,
                value,
                keep,
            },
            &(),
        );
        self.host.put(call, label, store, key, value, keep);
    }

    fn sleep(&mut self, call: CallId, label: Label, delay: Millis) {
        self.write(&abi::Sleep { call, label, delay }, &());
        self.host.sleep(call, label, delay);
    }

    fn started(&mut self, task: TaskId, cause: Cause) {
        self.write(&abi::Started { task, cause }, &());
        self.host.started(task, cause);
    }

    fn running(&mut self, task: TaskId) {
        self.write(&abi::Running { task }, &());
        self.host.running(task);
    }

    fn finished(&mut self, task: TaskId, outcome: Outcome) {
        self.write(
            &abi::Finished {
                task,
                outcome: &outcome,
            },
            &(),
        );
        self.host.finished(task, outcome);
    }

    fn note(&mut self, task: TaskId, note: Note) {
        self.write(&abi::Note { task, note: &note }, &());
        self.host.note(task, note);
    }
}

impl<H: Object + ?Sized> Object for Recorder<'_, H> {
    fn name(&self) -> Option<&ObjectName> {
        let name = self.host.name();
        // The module keeps the answer for the rest of the turn.
        if !self.named.replace(true) {
            self.write(&abi::Name {}, &name.cloned());
        }
        name
    }

    fn id(&self) -> ObjectId {
        let id = self.host.id();
        self.write(&abi::Id {}, &id);
        id
    }

    fn id_of(&self, name: &ObjectName) -> ObjectId {
        let id = self.host.id_of(name);
        self.write(&abi::IdOf { name }, &id);
        id
    }

    fn sql(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        let answer = self.host.sql(statement);
        self.write(
            &abi::Sql { statement },
            &answer.clone().map_err(SqlFailure::Known),
        );
        answer
    }

    fn transaction(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        let answer = self.host.transaction(batch, end);
        let written = answer.clone().map_err(|failed| BatchFailure {
            at: failed.at,
            error: SqlFailure::Known(failed.error),
        });
        self.write(&abi::Transaction { batch, end }, &written);
        answer
    }

    fn digest(&mut self, call: CallId, label: Label, bytes: &[u8]) {
        self.write(
            &abi::Digest {
                call,
                label,
                bytes: abi::HexadecimalOf(bytes),
            },
            &(),
        );
        self.host.digest(call, label, bytes);
    }

    fn alarm(&self) -> Option<Millis> {
        let alarm = self.host.alarm();
        self.write(&abi::Alarm {}, &alarm);
        alarm
    }

    fn set_alarm(&mut self, at: Option<Millis>) {
        self.write(&abi::SetAlarm { at }, &());
        self.host.set_alarm(at);
    }

    fn abort(&mut self, why: &str) {
        self.write(&abi::Abort { why }, &());
        self.host.abort(why);
    }
}
