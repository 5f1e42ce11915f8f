//! The seam: what code on a Durable Object may ask of its platform, and what the platform tells it.
//!
//! Two traits, implemented by the simulator's kernel and by the Worker's shell; nothing else differs between a
//! simulated run and a deployed one. [`Platform`] is what a front Worker has, [`Object`] what a Durable Object has
//! besides. Protocol code does not call them directly: it is given a [`Context`](crate::task::Context), which numbers
//! its calls.
//!
//! Nothing here waits. What takes time is *begun* with a [`CallId`] and a [`Label`]; its end arrives as a later
//! [`Event::Answer`], and every begun operation ends with exactly one answer, unless the incarnation dies first.

mod body;
mod ids;
mod message;
mod sql;

pub use body::{Body, BodyError, Payload};
pub use ids::{CallId, Label, Millis, Namespace, ObjectId, ObjectName, Stub, TaskId, Text};
pub use message::{
    AlarmRun, Answer, CallError, CallOutcome, Cause, Effect, Entry, Event, Headers, Method, Note, Outcome,
    Request, Response,
};
pub use sql::{Bytes, Columns, End, Failed, Rows, SqlError, SqlErrorKind, Statement, Value};

use serde::{Deserialize, Serialize};

/// A service that all objects and front Workers share (`platform.md` sections 18 and 19). All of them are eventually
/// consistent and best effort: a read may be stale by minutes, or fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shared {
    /// Workers KV: one value a key, a copy in each location.
    Kv,
    /// The cache of one data centre.
    EdgeCache,
    /// The deployment's variables; they can change under a running isolate.
    Configuration,
    /// A publish/subscribe broker. To write a key publishes a message on that topic; to read it subscribes, and waits for
    /// the next one. Each subscriber is brought each message once at most, and is not told of those that are lost.
    Broker,
}

/// What a front Worker has of its platform.
///
/// The methods that take a [`CallId`] only begin something. The runner chooses the id: (task, the lowest number that is
/// free), so that equal states have equal ids.
pub trait Platform {
    /// The time of the event that is being handled. Constant within a turn, as on the platform, whose clock stands
    /// still while code runs (`platform.md` section 15): what [`work`](Platform::work) takes shows in the next turn.
    /// Milliseconds since the Unix epoch, by this object's own clock.
    fn now(&self) -> Millis;

    /// `bytes` bytes that nobody can guess: for keys, tokens and ids, which are minted and not invented.
    fn entropy(&mut self, bytes: usize) -> Vec<u8>;

    /// Declares that the code now holds the thread for `cost`, as a page render does. The simulator lets that time
    /// pass before anything that the turn sends leaves and before the next event; in the Worker the work itself does.
    fn work(&mut self, cost: Millis);

    /// Something that cannot be undone and has no answer (mail, an outbound request). Held back like every output
    /// until the writes before it are durable (`platform.md` section 3).
    fn effect(&mut self, task: TaskId, effect: Effect);

    /// Begins a call to another object. Calls on one stub start in the order they were made; the answer is a later
    /// event. A failed call says nothing about whether it ran (`platform.md` sections 11 and 12).
    fn call(&mut self, call: CallId, label: Label, stub: &Stub, request: Request);

    /// Begins to read `key` of a shared service; the answer is [`Answer::Entry`].
    fn get(&mut self, call: CallId, label: Label, store: Shared, key: &str);

    /// Begins to write `key` of a shared service, to be kept for `keep` at most. The answer is [`Answer::Done`].
    fn put(
        &mut self,
        call: CallId,
        label: Label,
        store: Shared,
        key: &str,
        value: &str,
        keep: Option<Millis>,
    );

    /// Begins to wait for `delay`. The answer is [`Answer::Done`]. An await on it lets other events run.
    fn sleep(&mut self, call: CallId, label: Label, delay: Millis);

    /// Tells that a task has started, and of what. For stories and for the descent of choices; decides nothing.
    fn started(&mut self, task: TaskId, cause: Cause);

    /// Tells which task runs from now on, until another does or the turn ends: whose the calls are that name no task.
    fn running(&mut self, task: TaskId);

    /// Tells how a task that an event began has ended: the answer to a request, or the end of an alarm's run.
    fn finished(&mut self, task: TaskId, outcome: Outcome);

    /// Tells of a decision: a refusal with its reason, a move of a stage. For marks and stories; decides nothing.
    fn note(&mut self, task: TaskId, note: Note);
}

/// What a Durable Object has of its platform.
///
/// SQL and the alarm are synchronous: no other event can come between two of these calls within a turn, and all their
/// writes of one turn are durable together or not at all (`platform.md` section 4, `workerd.md` T1).
pub trait Object: Platform {
    /// This object's name. It can be missing in an instance that an alarm woke (`platform.md` section 1, item 4).
    fn name(&self) -> Option<&ObjectName>;

    /// This object's id, which is known however it was woken. What it stores can be another's, copied from there
    /// (`platform.md` section 14, item 4); its id cannot.
    fn id(&self) -> ObjectId;

    /// The id of the object of this name in the same namespace (`platform.md` section 1, item 1). No name has the id of an
    /// object that was made without one, or within a jurisdiction.
    fn id_of(&self, name: &ObjectName) -> ObjectId;

    /// Runs one statement. An error undoes that statement and nothing before it (`platform.md` section 4, item 8).
    fn sql(&mut self, statement: &Statement) -> Result<Rows, SqlError>;

    /// Runs a batch as one transaction: all of it, or nothing. [`End::Rollback`] runs it and takes it back: what it
    /// answered is known, and nothing of it remains.
    fn transaction(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed>;

    /// Begins a SHA-256 digest; the answer is [`Answer::Digest`]. An await, as `crypto.subtle` is one.
    fn digest(&mut self, call: CallId, label: Label, bytes: &[u8]);

    /// When the alarm is due. `None` when none is set; inside an alarm's run also then, unless it was set since
    /// (`platform.md` section 6, item 3).
    fn alarm(&self) -> Option<Millis>;

    /// Sets the one alarm, or clears it. A write like any other: durable with the turn.
    fn set_alarm(&mut self, at: Option<Millis>);

    /// Ends this incarnation at once: the turn's writes are lost, nobody's code goes on, and all callers get an error
    /// (`workerd.md` T13). The runner stops when it has been called.
    fn abort(&mut self, why: &str);
}
