//! One turn, seen from inside: the seam as the simulator implements it.

mod alarm;
mod statements;

use std::cell::Cell;

use protocol::host::{
    Answer, CallError, CallId, Cause, Effect, End, Failed, Label, Millis, Note, Object, ObjectId, ObjectName,
    Outcome, Platform, Request, Rows, Shared, SqlError, SqlErrorKind, Statement, Stub, TaskId, Text,
};
use sha2::{Digest, Sha256};

use super::audit::Depends;
use super::choice::{Chance, OriginId, PlaceId, Source};
use super::commit::TurnEnd;
use super::database::{Access, Database, Unit};
use super::incarnation::{Skew, TaskEntry, set_task};
use super::knobs::DigestAwait;
use super::network::{internal_error, of_reset};
use super::party::{Held, Output, ReplyTo, ServiceAnswer, ServiceTime};
use super::queue::EventKey;
use super::ratio::Ratio;
use super::rollout::Replaced;
use super::section::{Crossing, Section};
use super::storage::{Store, Writes};
use super::time::Micros;
use super::watch::{Observed, Observer, Service, StepId, What};

/// What a turn needs of the kernel while it runs, and what it leaves when it has.
pub(super) struct Turn<'k, S> {
    pub step: StepId,
    pub started: Micros,
    pub skew: Skew,
    /// Why the incarnation has no storage, where it has none.
    pub replaced: Replaced,
    /// How long the code has held the thread.
    pub worked: Micros,
    pub who: &'k Text,
    pub name: Option<&'k ObjectName>,
    pub access: Access<'k, S>,
    pub chance: &'k mut Chance,
    /// What the event descends from.
    pub origin: OriginId,
    /// At which party the turn is.
    pub place: PlaceId,
    /// The task that runs.
    pub running: Option<TaskId>,
    pub tasks: &'k mut Vec<Option<TaskEntry>>,
    pub outstanding: &'k mut u64,
    pub sections: &'k mut Vec<Section>,
    /// The timeout of a section that has ended.
    pub timeout: Option<EventKey>,
    /// The section that the turn enters or leaves, with which it ends.
    pub crossing: Option<Crossing>,
    /// What is made of a digest, and those that go on within the turn.
    pub digest: DigestAwait,
    pub digests: Vec<(CallId, Text)>,
    /// How often a statement meets an error of the storage, and the error that every writing one meets for now.
    pub storage_error: Ratio,
    pub refusing: Option<SqlErrorKind>,
    /// The newest commit that was made before.
    pub depends: Option<Depends>,
    /// Who is to be told of the end of the task that this event begins.
    pub reply_to: Option<ReplyTo>,
    /// The tasks that have ended.
    pub ended: Vec<TaskId>,
    pub outputs: Vec<Held>,
    /// Why the incarnation ends here: the code has aborted it, or a statement has broken it.
    pub aborted: Option<CallError>,
    /// Whether the storage has failed, which is nobody's code's doing.
    pub storage_failed: bool,
    /// Whether the turn cannot be committed when it has ended, as a statement has rolled it back.
    pub commit_fails: bool,
    /// Whether the code has read the alarm of a storage that is another's: that ends the incarnation too.
    pub read_fenced: Cell<bool>,
    pub watch: &'k mut dyn Observer,
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

    pub fn origin_of(&self, task: TaskId) -> OriginId {
        let entry = self.tasks.get(task.0 as usize);
        entry
            .and_then(Option::as_ref)
            .map_or(self.origin, |entry| entry.origin)
    }

    #[inline]
    fn put_out(&mut self, task: TaskId, output: Output) {
        let origin = self.origin_of(task);
        // What an open transaction has written is no commit yet, and holds nothing back.
        let behind_write = match &self.access {
            Access::Own(database) => database.undo.is_some(),
            Access::Nothing | Access::Fenced => false,
        };
        let depends = self.depends.map(|depends| depends.and_this(behind_write));
        self.outputs.push(Held {
            output,
            origin,
            depends,
            behind_write,
        });
    }

    /// The innermost asynchronous transaction that is open.
    pub fn transaction(&mut self) -> Option<&mut Section> {
        let mut sections = self.sections.iter_mut();
        sections.rfind(|section| section.undo.is_some())
    }

    /// Something that ends with an answer is begun.
    fn begun(&mut self, call: CallId) {
        *self.outstanding += 1;
        if let Some(section) = self.sections.last_mut() {
            section.begun.insert(call);
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
        self.begun(call);
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

    /// The storage of this incarnation; none where another has it, which ends this one.
    pub fn database(&mut self) -> Option<&mut Database<'k, S>> {
        match &mut self.access {
            Access::Own(database) => Some(database),
            Access::Fenced => {
                let why = self.replaced;
                self.aborted.get_or_insert_with(|| why.error());
                None
            }
            Access::Nothing => unreachable!("only an object is handed the storage half of the seam"),
        }
    }
}

impl<S: Store> Turn<'_, S> {
    /// What the turn leaves.
    pub fn end(self) -> TurnEnd {
        let (undo, writes, unit) = match self.access {
            Access::Own(database) => (database.undo, database.writes, database.unit),
            Access::Nothing | Access::Fenced => (None, Writes::default(), Unit::Turn),
        };
        let aborted = self
            .aborted
            .or_else(|| self.read_fenced.get().then(|| self.replaced.error()));
        let commit_fails = self.commit_fails && aborted.is_none();
        TurnEnd {
            undo,
            writes,
            autocommits: unit == Unit::Statement,
            ended: self.ended,
            outputs: self.outputs,
            crossing: self.crossing,
            storage_failed: self.storage_failed || commit_fails,
            aborted: aborted.or_else(|| commit_fails.then(internal_error)),
            origin: self.origin,
        }
    }
}

impl<S: Store> Platform for Turn<'_, S> {
    fn now(&self) -> Millis {
        self.skew.shown(self.started)
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
        self.begun(call);
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
        keep: Option<Millis>,
    ) {
        self.see(What::Began {
            call,
            label,
            service: Service::Put(store, key, value),
        });
        self.begun(call);
        let (key, value) = (Text::new(key), Text::new(value));
        self.put_out(
            call.task,
            Output::Put {
                call,
                label,
                store,
                key,
                value,
                keep,
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
        let reply_to = if cause == Cause::Event {
            self.reply_to.take()
        } else {
            None
        };
        set_task(self.tasks, task, TaskEntry { origin, reply_to });
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
        let entry = self.tasks.get_mut(task.0 as usize).and_then(Option::as_mut);
        let to = entry
            .and_then(|entry| entry.reply_to.take())
            .expect("a task that an event began has somebody to tell of its end");
        self.ended.push(task);
        self.put_out(task, Output::Reply { to, outcome });
    }

    fn note(&mut self, task: TaskId, note: Note) {
        self.see(What::Noted { task, note: &note });
    }
}

/// The id of an object, by how observers are told of it: as long as the platform's, and of no two objects the same.
fn id_of(who: &str) -> ObjectId {
    ObjectId(Text::from(hex::encode(Sha256::digest(who))))
}

impl<S: Store> Object for Turn<'_, S> {
    fn name(&self) -> Option<&ObjectName> {
        self.name
    }

    fn id(&self) -> ObjectId {
        id_of(self.who)
    }

    fn id_of(&self, name: &ObjectName) -> ObjectId {
        let (namespace, _) = self.who.split_once('/').expect("an object is in a namespace");
        id_of(&format!("{namespace}/{name}"))
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
        if self.digest == DigestAwait::GoesOn {
            let service = Service::Digest(bytes.len());
            self.see(What::Began { call, label, service });
            self.digests.push((call, digest));
            return;
        }
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
        self.seen_alarm()
    }

    fn set_alarm(&mut self, at: Option<Millis>) {
        self.store_alarm(at);
    }

    fn abort(&mut self, why: &str) {
        self.aborted
            .get_or_insert_with(|| of_reset(CallError::thrown(why)));
    }
}
