//! What is seen of a run from outside: statements as they are committed, calls as they are made, answers as they are
//! given. The run's observer feeds it; a step of the run is judged with what was heard during it.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::host::{
    CallOutcome, Effect, End, Entry, Event, Label, ObjectName, Outcome, Request, Statement, TaskId, Text,
};
use protocol::lanes::header;

use super::super::words::party;
use super::runs::{Made, Run, Runs};
use crate::kernel::{FaultKind, Micros, Observed, Origin, Service, StepId, What};

/// A call that was begun.
#[derive(Clone, Debug)]
pub struct Called {
    /// By whom.
    pub who: Text,
    /// By which of its incarnations: a front has an isolate for each version that is deployed.
    pub incarnation: u32,
    /// The run that begins it, with all that it has called before.
    pub run: Option<Arc<Run>>,
    /// Where in the protocol.
    pub label: Label,
    /// To which object.
    pub to: ObjectName,
    /// With what.
    pub request: Request,
}

impl Called {
    /// By whom, in words.
    #[must_use]
    pub fn caller(&self) -> String {
        party(&self.who)
    }

    /// Whom, in words.
    #[must_use]
    pub fn asked(&self) -> String {
        party(&format!("site/{}", self.to.0))
    }
}

/// Something that was heard.
#[derive(Clone, Debug)]
pub enum Heard {
    /// A turn's writes were handed to the storage: the statements that wrote, in order.
    Committed {
        /// How many commits of the object came before.
        nth: u64,
        /// What wrote.
        statements: Vec<Statement>,
    },
    /// A commit is durable.
    Confirmed {
        /// Which.
        nth: u64,
    },
    /// An incarnation has ended.
    Reset {
        /// How many commits that were not confirmed have survived.
        survivors: u64,
    },
    /// The object was taken away with all that it stored.
    Recreated,
    /// The object has other contents: those of an earlier instant, or another object's.
    Rewound,
    /// A call was begun.
    Called(Called),
    /// A call, or a read of a shared service, has its answer.
    Answered {
        /// Which of the party's incarnations hears it.
        incarnation: u32,
        /// Which.
        made: Made,
        /// Its end.
        outcome: CallOutcome,
    },
    /// A run has ended: its request was answered, or its handler threw.
    Finished {
        /// Which; none where its beginning was not seen.
        run: Option<Arc<Run>>,
        /// How.
        outcome: Outcome,
        /// Whether the object had written something in that turn before: then its answer leaves when that is durable.
        behind_write: bool,
    },
    /// The alarm has fired, or is run again.
    Woken,
    /// It has acted upon the outside world.
    Acted(Effect),
    /// A client's request has arrived: at a front, or at an object to which a proxy has sent it a second time. The second
    /// one counts for itself where nobody can tell it from the first: it has no attempt's id.
    Arrived {
        /// The plan item that it is of.
        item: u32,
    },
}

/// What was heard in this step, and what was written in turns that have not committed yet.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    open: BTreeMap<Text, Vec<Statement>>,
    runs: Runs,
    heard: Vec<(Text, Heard)>,
    /// When a fault last took effect, or came to stand between two parties.
    pub troubled: Option<Micros>,
    /// The newest incarnation of each party that has had a turn.
    lives: BTreeMap<Text, u32>,
    /// The step in which a request is received that was sent before.
    repeated: Option<StepId>,
}

impl Wire {
    /// Takes notice.
    pub fn hear(&mut self, seen: &Observed<'_>) {
        if let What::Fault { .. } | What::Trouble { .. } = seen.what {
            self.troubled = Some(seen.at);
        }
        if let What::Delivered {
            incarnation, event, ..
        } = &seen.what
        {
            self.runs.delivered(seen.who, *incarnation, event);
            self.lives_on(seen.who, *incarnation);
        }
        match seen.what {
            What::Ran {
                statement,
                outcome: Ok(_),
            } if !is_read(statement) => self.wrote(seen.who, std::slice::from_ref(statement)),
            What::Transacted {
                batch,
                end: End::Commit,
                outcome: Ok(_),
            } => self.wrote(seen.who, batch),
            What::Committed { nth, .. } => {
                let statements = self.open.remove(seen.who).unwrap_or_default();
                self.push(seen, Heard::Committed { nth, statements });
            }
            What::Confirmed { nth } => self.push(seen, Heard::Confirmed { nth }),
            // A stale incarnation wrote nothing.
            What::Reset {
                survivors,
                incarnation,
                ..
            } if self
                .lives
                .get(seen.who)
                .is_none_or(|newest| *newest <= incarnation) =>
            {
                self.open.remove(seen.who);
                self.push(seen, Heard::Reset { survivors });
            }
            What::Started { task, .. } => self.runs.started(seen.who, task, seen.at),
            What::Called {
                call,
                label,
                stub,
                request,
            } => {
                let made = Made::of_call(call, label, &stub.name, request).made_at(seen.at);
                let called = Called {
                    who: seen.who.clone(),
                    incarnation: self.runs.speaking(seen.who),
                    run: self.runs.of(seen.who, call.task),
                    label,
                    to: stub.name.clone(),
                    request: request.clone(),
                };
                self.runs.made(seen.who, made);
                self.push(seen, Heard::Called(called));
            }
            What::Began {
                call,
                label,
                service: Service::Get(store, key),
            } => self.runs.made(seen.who, Made::of_read(call, label, store, key)),
            What::Delivered {
                event: Event::Answer { call, outcome },
                ..
            } => {
                if let Some(made) = self.runs.answered(seen.who, *call, outcome) {
                    let answered = Heard::Answered {
                        incarnation: self.runs.speaking(seen.who),
                        made,
                        outcome: outcome.clone(),
                    };
                    self.push(seen, answered);
                }
            }
            What::Delivered {
                event: Event::Begin(Entry::Request(request)),
                origin: Origin::Item(item),
                ..
            } if seen.who.starts_with("front") || self.is_repeated(seen, request) => {
                self.push(seen, Heard::Arrived { item: *item });
            }
            What::Delivered {
                event: Event::Begin(Entry::Alarm(_)),
                ..
            } => self.push(seen, Heard::Woken),
            What::Acted(effect) => self.push(seen, Heard::Acted(effect.clone())),
            What::Fault {
                kind: FaultKind::Recreated,
            } => self.push(seen, Heard::Recreated),
            What::Fault {
                kind: FaultKind::Rewound | FaultKind::Cloned,
            } => self.push(seen, Heard::Rewound),
            What::Fault {
                // A call that the runtime tries again, and that runs a second time, is like one that a proxy repeats.
                kind: FaultKind::Duplicated | FaultKind::RetryRanAgain,
            } => self.repeated = Some(seen.step),
            What::Finished { task, outcome } => {
                let (run, outcome) = (self.runs.finished(seen.who, task), outcome.clone());
                let finished = Heard::Finished {
                    run,
                    outcome,
                    behind_write: self.open.contains_key(seen.who),
                };
                self.push(seen, finished);
            }
            _ => {}
        }
    }

    /// A turn begins. What an earlier incarnation had not committed was taken back when this one took its place.
    fn lives_on(&mut self, who: &Text, incarnation: u32) {
        match self.lives.get_mut(who) {
            Some(newest) if *newest < incarnation => {
                *newest = incarnation;
                self.open.remove(who);
            }
            Some(_) => {}
            None => drop(self.lives.insert(who.clone(), incarnation)),
        }
    }

    fn wrote(&mut self, who: &Text, batch: &[Statement]) {
        let writes = batch.iter().filter(|statement| !is_read(statement)).cloned();
        self.open.entry(who.clone()).or_default().extend(writes);
    }

    fn is_repeated(&self, seen: &Observed<'_>, request: &Request) -> bool {
        let by_a_front = request.path.starts_with("/__serve");
        self.repeated == Some(seen.step) && by_a_front && request.headers.get(header::ATTEMPT).is_none()
    }

    fn push(&mut self, seen: &Observed<'_>, heard: Heard) {
        self.heard.push((seen.who.clone(), heard));
    }

    /// Which of a party's runs these tasks are.
    pub fn runs_of(&self, who: &Text, tasks: impl IntoIterator<Item = TaskId>) -> Vec<u64> {
        let runs = tasks.into_iter().filter_map(|task| self.runs.of(who, task));
        runs.map(|run| run.nth).collect()
    }

    /// What was heard since this was last asked: of whom, and what.
    pub fn take(&mut self) -> Vec<(Text, Heard)> {
        std::mem::take(&mut self.heard)
    }
}

fn is_read(statement: &Statement) -> bool {
    statement
        .sql
        .as_bytes()
        .get(..6)
        .is_some_and(|head| head.eq_ignore_ascii_case(b"SELECT"))
}
