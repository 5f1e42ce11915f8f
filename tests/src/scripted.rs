//! A small world that drives a program without the simulator: it only makes a record, for the replayer to be proven on.
//!
//! It is honest about nothing but the seam's types. Answers come in a scrambled order, some calls fail, incarnations
//! end now and then; which, follows from a count.

use std::collections::BTreeMap;

use protocol::host::{
    AlarmRun, Answer, CallError, CallId, CallOutcome, Cause, Effect, End, Entry, Event, Failed, Label,
    Millis, Namespace, Note, Object, ObjectName, Outcome, Platform, Request, Rows, Shared, SqlError,
    Statement, Stub, TaskId, Text,
};
use protocol::task::Program;
use protocol_worker::record::{Recorded, RecordedObject, Tape};
use sha2::{Digest, Sha256};

use crate::database::Database;

/// A front, or an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Front,
    Object(Namespace, ObjectName),
}

/// Where an answer is to go: whose call it is, and of which of its lives.
type Caller = (Place, u32, CallId);

struct Home<O> {
    incarnation: Option<O>,
    life: u32,
    database: Database,
    alarm: Option<Millis>,
    /// Who waits for the ends of its tasks.
    callers: BTreeMap<TaskId, Caller>,
}

enum Due {
    Request(Place, Request, Option<Caller>),
    Answer(Caller, CallOutcome),
    Alarm(Place),
}

/// The world.
pub struct World<P: Program> {
    program: Recorded<P>,
    tape: Tape,
    front: Home<RecordedObject<P::Front>>,
    objects: BTreeMap<Place, Home<RecordedObject<P::Object>>>,
    shared: BTreeMap<Text, Text>,
    due: Vec<Due>,
    now: Millis,
    turns: u64,
    calm: bool,
    events: u64,
}

impl<P: Program> std::fmt::Debug for World<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}

impl<P: Program> World<P> {
    /// A world in which nothing has happened, and all sorts of things will.
    pub fn new(program: P) -> Self {
        World {
            calm: false,
            ..World::calm(program)
        }
    }

    /// A world in which what is due first happens first, and nothing breaks.
    pub fn calm(program: P) -> Self {
        let tape = Tape::default();
        World {
            program: Recorded::new(program, tape.clone()),
            tape,
            front: Home::new(),
            objects: BTreeMap::new(),
            shared: BTreeMap::new(),
            due: Vec::new(),
            now: Millis(1_000_000),
            turns: 0,
            calm: true,
            events: 0,
        }
    }

    /// How many events were delivered.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// What was recorded.
    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// A client asks the front.
    pub fn ask(&mut self, request: Request) {
        self.due.push(Due::Request(Place::Front, request, None));
    }

    /// Delivers one event of those that are due, in no particular order. Whether there was one.
    pub fn step(&mut self) -> bool {
        let alarms = self
            .objects
            .iter()
            .filter(|(_, home)| home.alarm.is_some_and(|at| at <= self.now));
        let alarms: Vec<_> = alarms.map(|(place, _)| Due::Alarm(place.clone())).collect();
        let choices = self.due.len() + alarms.len();
        if choices == 0 {
            return false;
        }
        let choice = usize::try_from(scramble(self.turns)).unwrap_or(0) % choices;
        let due = if self.calm && !self.due.is_empty() {
            self.due.remove(0)
        } else if choice < self.due.len() {
            self.due.swap_remove(choice)
        } else {
            alarms
                .into_iter()
                .nth(choice - self.due.len())
                .expect("the choice is one of these")
        };
        self.turns += 1;
        let pause = if self.calm {
            1
        } else {
            1 + scramble(self.turns) % 300
        };
        self.now = self.now.after(Millis(pause));
        self.happen(due);
        true
    }

    fn happen(&mut self, due: Due) {
        match due {
            Due::Request(place, request, caller) => {
                self.deliver(&place, Event::Begin(Entry::Request(request)), caller)
            }
            Due::Answer((place, life, call), outcome) => {
                if self.life(&place) == Some(life) {
                    self.deliver(&place, Event::Answer { call, outcome }, None);
                }
            }
            Due::Alarm(place) => {
                let alarm = self.objects.get_mut(&place).and_then(|home| home.alarm.take());
                let run = AlarmRun {
                    scheduled: alarm.unwrap_or(self.now),
                    retry_count: 0,
                    is_retry: false,
                };
                self.deliver(&place, Event::Begin(Entry::Alarm(run)), None);
            }
        }
    }

    fn life(&self, place: &Place) -> Option<u32> {
        match place {
            Place::Front => Some(self.front.life),
            Place::Object(..) => self.objects.get(place).map(|home| home.life),
        }
    }

    fn deliver(&mut self, place: &Place, event: Event, caller: Option<Caller>) {
        self.events += 1;
        let dies = !self.calm && self.events.is_multiple_of(211);
        let mut out = Vec::new();
        let aborted = match place {
            Place::Front => {
                let front = self.front.incarnation.get_or_insert_with(|| self.program.front());
                let mut turn = Turn::new(
                    self.now,
                    None,
                    &self.front.database,
                    &mut self.front.alarm,
                    &mut out,
                );
                let began = self.program.deliver_front(front, event, &mut turn);
                self.front.callers.extend(began.zip(caller));
                false
            }
            Place::Object(namespace, name) => {
                let home = self.objects.entry(place.clone()).or_insert_with(Home::new);
                let born = || {
                    self.program
                        .object(namespace)
                        .expect("the program has this namespace")
                };
                let object = home.incarnation.get_or_insert_with(born);
                let mut turn = Turn::new(self.now, Some(name), &home.database, &mut home.alarm, &mut out);
                let began = self.program.deliver(object, event, &mut turn);
                let aborted = turn.aborted;
                home.callers.extend(began.zip(caller));
                aborted
            }
        };
        for act in out {
            self.follow(place, act);
        }
        if aborted || dies {
            self.die(place);
        }
    }

    /// The end of an incarnation: whoever waited for it gets an error, and nothing that it waited for arrives.
    fn die(&mut self, place: &Place) {
        let callers = match place {
            Place::Front => self.front.die(),
            Place::Object(..) => self.objects.get_mut(place).map(Home::die).unwrap_or_default(),
        };
        for caller in callers {
            self.due.push(Due::Answer(
                caller,
                Err(CallError::thrown("the object was reset")),
            ));
        }
    }

    fn follow(&mut self, from: &Place, act: Act) {
        let life = self.life(from).unwrap_or(0);
        let caller = |call| (from.clone(), life, call);
        match act {
            Act::Call(call, _, _)
                if !self.calm && scramble(self.events + u64::from(call.nth)).is_multiple_of(17) =>
            {
                self.due.push(Due::Answer(
                    caller(call),
                    Err(CallError::thrown("Network connection lost.")),
                ));
            }
            Act::Call(call, stub, request) => {
                let place = Place::Object(stub.namespace, stub.name);
                self.due
                    .push(Due::Request(place, encoded(request), Some(caller(call))));
            }
            Act::Answer(call, answer) => self.due.push(Due::Answer(caller(call), Ok(answer))),
            Act::Get(call, key) => {
                let entry = self.shared.get(&key).cloned();
                self.due.push(Due::Answer(caller(call), Ok(Answer::Entry(entry))));
            }
            Act::Put(call, key, value) => {
                self.shared.insert(key, value);
                self.due.push(Due::Answer(caller(call), Ok(Answer::Done)));
            }
            Act::Finished(task, outcome) => {
                let caller = match from {
                    Place::Front => self.front.callers.remove(&task),
                    Place::Object(..) => self
                        .objects
                        .get_mut(from)
                        .and_then(|home| home.callers.remove(&task)),
                };
                if let (Some(caller), Some(outcome)) = (caller, outcome.transpose()) {
                    self.due.push(Due::Answer(caller, outcome.map(Answer::Response)));
                }
            }
        }
    }
}

/// A request as it arrives: as text.
fn encoded(request: Request) -> Request {
    Request {
        body: request.body.encoded(),
        ..request
    }
}

/// A number that looks like none in particular, out of a count (the finaliser of SplitMix64).
fn scramble(count: u64) -> u64 {
    let mut bits = count.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (bits ^ (bits >> 31)) >> 33
}

impl<O> Home<O> {
    fn new() -> Self {
        Home {
            incarnation: None,
            life: 0,
            database: Database::in_memory(),
            alarm: None,
            callers: BTreeMap::new(),
        }
    }

    fn die(&mut self) -> Vec<Caller> {
        self.incarnation = None;
        self.life += 1;
        std::mem::take(&mut self.callers).into_values().collect()
    }
}

/// What a turn has begun or ended.
enum Act {
    Call(CallId, Stub, Request),
    Answer(CallId, Answer),
    Get(CallId, Text),
    Put(CallId, Text, Text),
    Finished(TaskId, Outcome),
}

/// The platform of one turn.
struct Turn<'a> {
    now: Millis,
    name: Option<&'a ObjectName>,
    database: &'a Database,
    alarm: &'a mut Option<Millis>,
    out: &'a mut Vec<Act>,
    aborted: bool,
}

impl<'a> Turn<'a> {
    fn new(
        now: Millis,
        name: Option<&'a ObjectName>,
        database: &'a Database,
        alarm: &'a mut Option<Millis>,
        out: &'a mut Vec<Act>,
    ) -> Self {
        Turn {
            now,
            name,
            database,
            alarm,
            out,
            aborted: false,
        }
    }
}

impl Platform for Turn<'_> {
    fn now(&self) -> Millis {
        self.now
    }
    fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        let count = |at: usize| scramble(self.now.0.wrapping_add(at as u64)).to_le_bytes()[0];
        (0..bytes).map(count).collect()
    }
    fn work(&mut self, cost: Millis) {
        self.now = self.now.after(cost);
    }
    fn effect(&mut self, _: TaskId, _: Effect) {}
    fn call(&mut self, call: CallId, _: Label, stub: &Stub, request: Request) {
        self.out.push(Act::Call(call, stub.clone(), request));
    }
    fn get(&mut self, call: CallId, _: Label, _: Shared, key: &str) {
        self.out.push(Act::Get(call, Text::new(key)));
    }
    fn put(&mut self, call: CallId, _: Label, _: Shared, key: &str, value: &str, _: Option<Millis>) {
        self.out.push(Act::Put(call, Text::new(key), Text::new(value)));
    }
    fn sleep(&mut self, call: CallId, _: Label, _: Millis) {
        self.out.push(Act::Answer(call, Answer::Done));
    }
    fn started(&mut self, _: TaskId, _: Cause) {}
    fn finished(&mut self, task: TaskId, outcome: Outcome) {
        self.out.push(Act::Finished(task, outcome));
    }
    fn note(&mut self, _: TaskId, _: Note) {}
}

impl Object for Turn<'_> {
    fn name(&self) -> Option<&ObjectName> {
        self.name
    }
    fn sql(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        self.database.run(statement)
    }
    fn transaction(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        self.database.transaction(batch, end)
    }
    fn digest(&mut self, call: CallId, _: Label, bytes: &[u8]) {
        let digest = Text::from(hex::encode(Sha256::digest(bytes)));
        self.out.push(Act::Answer(call, Answer::Digest(digest)));
    }
    fn alarm(&self) -> Option<Millis> {
        *self.alarm
    }
    fn set_alarm(&mut self, at: Option<Millis>) {
        *self.alarm = at;
    }
    fn abort(&mut self, _: &str) {
        self.aborted = true;
    }
}
