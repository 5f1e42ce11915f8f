//! What a step may do besides saying how to go on.

use super::actor::Ready;
use super::gate::Gates;
use super::slots::Slots;
use super::state::Begun;
use super::{Aborted, Resume, Role, Step};
use crate::host::{
    CallId, Effect, End, Failed, Label, Millis, Note, Object, ObjectId, ObjectName, Platform, Request, Rows,
    Shared, SqlError, Statement, Stub, TaskId, Text,
};

/// The platform, as one task sees it during one step. It numbers what the task begins.
#[derive(Debug)]
pub struct Context<'a, 'h, R: Role> {
    pub(super) host: HostRef<'a, 'h, R>,
    pub(super) task: TaskId,
    pub(super) begun: &'a mut Slots<Begun>,
    pub(super) gates: &'a mut Gates,
    pub(super) ready: &'a mut Ready<R>,
    pub(super) aborted: &'a mut bool,
    /// The object's name, as the role recalls it.
    pub(super) recalled: Option<ObjectName>,
}

/// A host is not printable; everything around it is.
pub(super) struct HostRef<'a, 'h, R: Role>(pub &'a mut R::Host<'h>);

impl<R: Role> std::fmt::Debug for HostRef<'_, '_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Host")
    }
}

impl<R: Role> Context<'_, '_, R> {
    /// The task that is being stepped.
    #[must_use]
    pub fn task(&self) -> TaskId {
        self.task
    }

    /// See [`Platform::now`].
    #[must_use]
    pub fn now(&self) -> Millis {
        self.host.0.now()
    }

    /// See [`Platform::entropy`].
    pub fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        self.host.0.entropy(bytes)
    }

    /// See [`Platform::work`].
    pub fn work(&mut self, cost: Millis) {
        self.host.0.work(cost);
    }

    /// See [`Platform::effect`].
    pub fn effect(&mut self, effect: Effect) {
        self.host.0.effect(self.task, effect);
    }

    /// See [`Platform::note`].
    pub fn note(&mut self, label: Label, detail: impl Into<Text>) {
        self.host.0.note(
            self.task,
            Note {
                label,
                detail: detail.into(),
            },
        );
    }

    /// Begins a call whose answer will be awaited: now, later, or together with others.
    pub fn call(&mut self, label: Label, stub: &Stub, request: Request) -> CallId {
        let call = self.begin(Begun::Open(label));
        self.host.0.call(call, label, stub, request);
        call
    }

    /// Makes a call whose answer, or failure, nobody will learn of.
    pub fn send(&mut self, label: Label, stub: &Stub, request: Request) {
        let call = self.begin(Begun::Forgotten(label));
        self.host.0.call(call, label, stub, request);
    }

    /// Begins to read an entry of a shared service.
    pub fn get(&mut self, label: Label, store: Shared, key: &str) -> CallId {
        let call = self.begin(Begun::Open(label));
        self.host.0.get(call, label, store, key);
        call
    }

    /// Writes an entry of a shared service; whether that worked, nobody will learn.
    pub fn put(&mut self, label: Label, store: Shared, key: &str, value: &str, keep: Option<Millis>) {
        let call = self.begin(Begun::Forgotten(label));
        self.host.0.put(call, label, store, key, value, keep);
    }

    /// Begins to wait for a length of time.
    pub fn sleep(&mut self, label: Label, delay: Millis) -> CallId {
        let call = self.begin(Begun::Open(label));
        self.host.0.sleep(call, label, delay);
        call
    }

    /// Gives up an answer that could still be awaited.
    pub fn forget(&mut self, call: CallId) {
        assert_eq!(
            call.task, self.task,
            "only the task that began {call} can give it up"
        );
        match self.begun.get_mut(call.nth) {
            Some(Begun::Arrived(..)) => self.begun.remove(call.nth),
            Some(begun) => *begun = Begun::Forgotten(begun.label()),
            None => {}
        }
    }

    /// Gives up a gate that this task holds. The next waiter holds it from now on, and runs in this same turn.
    ///
    /// # Panics
    /// When this task does not hold it: a bug in the flow.
    pub fn release(&mut self, gate: Label) {
        if let Some(next) = self.gates.release(gate, self.task) {
            self.ready.push_back((next, Resume::Gate));
        }
    }

    /// Whether this task holds the gate.
    #[must_use]
    pub fn holds(&self, gate: Label) -> bool {
        self.gates.is_held_by(gate, self.task)
    }

    fn begin(&mut self, begun: Begun) -> CallId {
        let nth = self.begun.insert(begun);
        CallId { task: self.task, nth }
    }
}

/// What only an object can do.
impl<R> Context<'_, '_, R>
where
    R: for<'x> Role<Host<'x> = dyn Object + 'x>,
{
    /// See [`Object::name`]; where the platform does not know it, what the role [recalls](Context::recall_name).
    #[must_use]
    pub fn name(&self) -> Option<&ObjectName> {
        self.host.0.name().or(self.recalled.as_ref())
    }

    /// See [`Object::id`].
    #[must_use]
    pub fn id(&self) -> ObjectId {
        self.host.0.id()
    }

    /// See [`Object::id_of`].
    #[must_use]
    pub fn id_of(&self, name: &ObjectName) -> ObjectId {
        self.host.0.id_of(name)
    }

    /// Goes by this name in this step, where the platform does not know the object's.
    pub fn recall_name(&mut self, name: ObjectName) {
        self.recalled = Some(name);
    }

    /// See [`Object::sql`].
    ///
    /// # Errors
    /// What the database answered; nothing of the statement remains.
    pub fn sql(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        self.host.0.sql(statement)
    }

    /// See [`Object::transaction`].
    ///
    /// # Errors
    /// The first statement that failed; nothing of the batch remains.
    pub fn transaction(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        self.host.0.transaction(batch, end)
    }

    /// Begins a SHA-256 digest.
    pub fn digest(&mut self, label: Label, bytes: &[u8]) -> CallId {
        let call = self.begin(Begun::Open(label));
        self.host.0.digest(call, label, bytes);
        call
    }

    /// See [`Object::alarm`].
    #[must_use]
    pub fn alarm(&self) -> Option<Millis> {
        self.host.0.alarm()
    }

    /// See [`Object::set_alarm`].
    pub fn set_alarm(&mut self, at: Option<Millis>) {
        self.host.0.set_alarm(at);
    }

    /// See [`Object::abort`]. The step that is returned is the last of this incarnation.
    #[must_use]
    pub fn abort(&mut self, why: &str) -> Step<R> {
        self.host.0.abort(why);
        *self.aborted = true;
        Step::Abort(Aborted(()))
    }
}
