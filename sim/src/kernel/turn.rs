//! One turn, seen from inside: the seam as the simulator implements it.

use std::collections::BTreeMap;

use protocol::host::{
    Answer, CallId, Cause, Effect, End, Failed, Label, Millis, Note, Object, ObjectName, Outcome, Platform,
    Request, Rows, Shared, SqlError, Statement, Stub, TaskId, Text,
};
use sha2::{Digest, Sha256};

use super::choice::{Chance, OriginId, PlaceId, Source};
use super::party::{Alarm, AlarmBefore, Held, Output, ReplyTo, ServiceAnswer, ServiceTime, Storage};
use super::storage::{Mark, Store, StoreError, Surroundings};
use super::stubs::{StubKey, StubState};
use super::time::Micros;
use super::watch::{Observed, Observer, Service, StepId, What};

/// What a turn needs of the kernel while it runs, and what it leaves when it has.
pub(super) struct Turn<'k, S> {
    pub step: StepId,
    pub started: Micros,
    /// How long the code has held the thread.
    pub worked: Micros,
    pub who: &'k Text,
    pub name: Option<&'k ObjectName>,
    pub database: Option<Database<'k, S>>,
    pub chance: &'k mut Chance,
    /// What the event descends from.
    pub origin: OriginId,
    /// At which party the turn is.
    pub place: PlaceId,
    /// The task that runs.
    pub running: Option<TaskId>,
    pub origins: &'k mut BTreeMap<TaskId, OriginId>,
    pub replies: &'k mut BTreeMap<TaskId, ReplyTo>,
    pub stubs: &'k mut BTreeMap<StubKey, StubState>,
    /// Who is to be told of the end of the task that this event begins.
    pub reply_to: Option<ReplyTo>,
    pub outputs: Vec<Held>,
    /// Why the incarnation ends here: the code has aborted it, or a statement has broken it.
    pub aborted: Option<Text>,
    pub watch: &'k mut dyn Observer,
}

/// An object's storage during a turn.
pub(super) struct Database<'k, S> {
    pub store: &'k mut S,
    pub alarm: &'k mut Alarm,
    /// Set before the first write: where the turn goes back to if it is lost.
    pub undo: Option<Undo>,
    wrote: bool,
}

/// How things were before a turn's first write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undo {
    pub mark: Mark,
    pub alarm: AlarmBefore,
}

/// What ends a run whose store cannot run a statement. It passes through the protocol's code as a panic does, so that
/// no protocol ever sees it, and is caught where the run began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedStatement(pub Text);

impl<'k, S: Store> Turn<'k, S> {
    fn see(&mut self, what: What<'_>) {
        self.watch.observe(&Observed {
            step: self.step,
            at: self.started,
            who: self.who,
            what,
        });
    }

    fn origin_of(&self, task: TaskId) -> OriginId {
        self.origins.get(&task).copied().unwrap_or(self.origin)
    }

    fn put_out(&mut self, task: TaskId, output: Output) {
        let origin = self.origin_of(task);
        let behind_write = self
            .database
            .as_ref()
            .is_some_and(|database| database.undo.is_some());
        self.outputs.push(Held {
            output,
            origin,
            step: self.step,
            behind_write,
        });
    }

    /// A front Worker's stubs live no longer than the task that uses them.
    fn drop_stubs_of(&mut self, task: TaskId) {
        if self.database.is_none() {
            self.stubs.retain(|(of_task, _), _| *of_task != Some(task));
        }
    }

    fn begin(
        &mut self,
        call: CallId,
        label: Label,
        seen: Service<'_>,
        after: ServiceTime,
        answer: ServiceAnswer,
    ) {
        self.see(What::Began {
            call,
            label,
            service: seen,
        });
        self.put_out(
            call.task,
            Output::Service {
                call,
                label,
                after,
                answer,
            },
        );
    }

    fn database(&mut self) -> &mut Database<'k, S> {
        self.database
            .as_mut()
            .expect("only an object is handed the storage half of the seam")
    }

    /// Runs a statement within the turn.
    fn run(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        match self.database().run(statement) {
            Ok(rows) => Ok(rows),
            Err(StoreError::Sql(error)) => Err(error),
            Err(StoreError::Unsupported(what)) => {
                std::panic::resume_unwind(Box::new(UnsupportedStatement(what)))
            }
            Err(StoreError::Broken(error)) => {
                self.aborted.get_or_insert_with(|| Text::from(error.to_string()));
                Err(error)
            }
        }
    }

    fn run_batch(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        // Before the batch's own mark: a point to go back to that was set within the batch would not outlive it.
        self.database().before_write();
        let outcome = self.run_within(batch, end);
        self.database().after_write();
        outcome
    }

    fn run_within(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        let mark = self.database().store.mark();
        let mut answers = Vec::with_capacity(batch.len());
        for (at, statement) in batch.iter().enumerate() {
            match self.run(statement) {
                Ok(rows) => answers.push(rows),
                Err(error) => {
                    self.undo_to(mark);
                    return Err(Failed { at, error });
                }
            }
        }
        match end {
            End::Commit => self.database().store.release(mark),
            End::Rollback => self.undo_to(mark),
        }
        Ok(answers)
    }

    fn undo_to(&mut self, mark: Mark) {
        let store = &mut self.database().store;
        store.rollback_to(mark);
        store.release(mark);
    }
}

impl<'k, S: Store> Database<'k, S> {
    pub fn new(storage: &'k mut Storage<S>, surroundings: Surroundings) -> Self {
        storage.store.set_surroundings(surroundings);
        Database {
            store: &mut storage.store,
            alarm: &mut storage.alarm,
            undo: None,
            wrote: false,
        }
    }

    fn run(&mut self, statement: &Statement) -> Result<Rows, StoreError> {
        let alone = self.undo.is_none();
        self.before_write();
        let ran = self.store.run(statement);
        self.wrote |= !ran.writes.is_empty();
        if alone {
            self.after_write();
        }
        ran.outcome
    }

    /// Sets the point to which a lost turn goes back: what comes may be its first write.
    fn before_write(&mut self) {
        if self.undo.is_none() {
            self.undo = Some(Undo {
                mark: self.store.mark(),
                alarm: self.alarm.before(),
            });
        }
    }

    /// Takes that point back when nothing was written after all. No mark may be set upon it.
    fn after_write(&mut self) {
        if !self.wrote
            && let Some(undo) = self.undo.take()
        {
            self.store.release(undo.mark);
        }
    }
}

impl<S: Store> Platform for Turn<'_, S> {
    fn now(&self) -> Millis {
        self.started.shown()
    }

    fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        let origin = self.running.map_or(self.origin, |task| self.origin_of(task));
        self.chance.entropy(
            Source {
                origin,
                place: self.place,
            },
            bytes,
        )
    }

    fn work(&mut self, cost: Millis) {
        self.worked = self.worked.after(Micros::from_millis(cost.0));
    }

    fn effect(&mut self, task: TaskId, effect: Effect) {
        self.put_out(task, Output::Act(effect));
    }

    fn call(&mut self, call: CallId, label: Label, stub: &Stub, request: Request) {
        self.see(What::Called {
            call,
            label,
            stub,
            request: &request,
        });
        self.put_out(
            call.task,
            Output::Call {
                call,
                label,
                stub: stub.clone(),
                request,
            },
        );
    }

    fn get(&mut self, call: CallId, label: Label, store: Shared, key: &str) {
        let answer = ServiceAnswer::Entry(store, Text::new(key));
        self.begin(call, label, Service::Get(store, key), ServiceTime::Drawn, answer);
    }

    fn put(
        &mut self,
        call: CallId,
        label: Label,
        store: Shared,
        key: &str,
        value: &str,
        _keep: Option<Millis>,
    ) {
        self.see(What::Began {
            call,
            label,
            service: Service::Put(store, key, value),
        });
        let (key, value) = (Text::new(key), Text::new(value));
        self.put_out(
            call.task,
            Output::Put {
                call,
                label,
                store,
                key,
                value,
            },
        );
    }

    fn sleep(&mut self, call: CallId, label: Label, delay: Millis) {
        let after = ServiceTime::Exactly(Micros::from_millis(delay.0));
        self.begin(
            call,
            label,
            Service::Sleep(delay),
            after,
            ServiceAnswer::Ready(Answer::Done),
        );
    }

    fn started(&mut self, task: TaskId, cause: Cause) {
        let origin = match cause {
            Cause::Event => self.origin,
            Cause::Task(by) => self.origin_of(by),
        };
        self.origins.insert(task, origin);
        // What the task of this number before has sent in its last turn left after it had ended.
        self.drop_stubs_of(task);
        if let (Cause::Event, Some(reply_to)) = (cause, self.reply_to.take()) {
            self.replies.insert(task, reply_to);
        }
        self.see(What::Started { task, cause });
    }

    fn running(&mut self, task: TaskId) {
        self.running = Some(task);
    }

    fn finished(&mut self, task: TaskId, outcome: Outcome) {
        self.see(What::Finished {
            task,
            outcome: &outcome,
        });
        let to = self
            .replies
            .remove(&task)
            .expect("a task that an event began has somebody to tell of its end");
        self.drop_stubs_of(task);
        self.put_out(task, Output::Reply { to, outcome });
    }

    fn note(&mut self, task: TaskId, note: Note) {
        self.see(What::Noted { task, note: &note });
    }
}

impl<S: Store> Object for Turn<'_, S> {
    fn name(&self) -> Option<&ObjectName> {
        self.name
    }

    fn sql(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        let outcome = self.run(statement);
        self.see(What::Ran {
            statement,
            outcome: &outcome,
        });
        outcome
    }

    fn transaction(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        let outcome = self.run_batch(batch, end);
        self.see(What::Transacted {
            batch,
            end,
            outcome: &outcome,
        });
        outcome
    }

    fn digest(&mut self, call: CallId, label: Label, bytes: &[u8]) {
        let digest = Text::from(hex::encode(Sha256::digest(bytes)));
        let answer = ServiceAnswer::Ready(Answer::Digest(digest));
        self.begin(
            call,
            label,
            Service::Digest(bytes.len()),
            ServiceTime::Drawn,
            answer,
        );
    }

    fn alarm(&self) -> Option<Millis> {
        self.database.as_ref().and_then(|database| database.alarm.seen())
    }

    fn set_alarm(&mut self, at: Option<Millis>) {
        let database = self.database();
        database.before_write();
        database.wrote = true;
        database.alarm.set(at);
        self.see(What::AlarmSet(at));
    }

    fn abort(&mut self, why: &str) {
        self.aborted.get_or_insert_with(|| Text::new(why));
    }
}
