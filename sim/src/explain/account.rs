//! What happened in a run, step by step and in the platform's terms, and what each step depended on.

use std::collections::BTreeMap;

use protocol::host::{Answer, CallId, CallOutcome, End, Entry, Event, Label, Outcome, Text};

use crate::kernel::{FaultKind, Micros, Observed, Observer, Origin, StepId, What};

/// Why a step could only come after another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arrow {
    /// A message, an answer or an alarm that left in the one arrives in the other.
    Message,
    /// The one party had both turns, one after the other.
    Turn,
    /// What the one has written is durable in the other.
    Durable,
    /// The plan has the one bring the other about.
    Plan,
}

/// One thing that happened in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// An item of the plan had its turn.
    Item(u32),
    /// A fault of the plan was aimed at a call, which left.
    Aimed(u32),
    /// A request came.
    Received,
    /// The alarm ran.
    Woke {
        /// How often it had run before for the same.
        retry: u32,
    },
    /// What was waited for came.
    Heard {
        /// Where it had been begun.
        label: Option<Label>,
        /// Whom it had asked; empty where that is a service of the platform.
        of: Text,
        /// What came.
        told: Told,
    },
    /// A task was cancelled.
    Cancelled,
    /// A call was begun.
    Called {
        /// Where.
        label: Label,
        /// Whom, as observers are told parties.
        to: Text,
    },
    /// Something else was begun.
    Began {
        /// Where.
        label: Label,
    },
    /// A decision.
    Noted {
        /// Which.
        label: Label,
        /// What it says.
        detail: Text,
    },
    /// A transaction failed, and what it had written was taken back.
    TakenBack {
        /// Why.
        why: Text,
    },
    /// Writes to these tables were committed.
    Committed(Box<[Text]>),
    /// Commits are durable.
    Durable,
    /// What an event had asked for was answered: the answer leaves, or waits for a commit.
    Finished(Told),
    /// An incarnation ended.
    Reset {
        /// Why, as callers are told.
        reason: Text,
        /// What it descends from.
        origin: Origin,
    },
    /// From now on a fault can strike.
    Trouble {
        /// Which.
        kind: FaultKind,
        /// Towards whom.
        to: Text,
        /// What it descends from.
        origin: Origin,
    },
    /// A fault took effect.
    Fault(FaultKind),
    /// A client went away.
    Left(u32),
    /// A client was answered.
    Answered {
        /// Its item.
        item: u32,
        /// What it was told.
        told: Told,
    },
}

/// What somebody was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A response of this status.
    Status(u16),
    /// What was asked for, which has no status.
    Done,
    /// An error.
    Error(Text),
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// When.
    pub at: Micros,
    /// What it descends from, where a turn began in it.
    pub origin: Option<Origin>,
    /// What happened, and to whom.
    pub clauses: Vec<(Text, Clause)>,
}

/// All steps of a run.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// The steps in which anything was told, by their numbers.
    pub steps: BTreeMap<StepId, Happened>,
    /// What depends on what: the earlier one first.
    pub arrows: Vec<(StepId, StepId, Arrow)>,
    /// The turns that the plan begins, each with its item.
    pub roots: Vec<(u32, StepId)>,
    /// The last step of each party.
    pub last: BTreeMap<Text, StepId>,
    /// For each thing that was begun and has ended: where it began, and where that came to be known.
    pub waits: Vec<(StepId, StepId)>,
    open: BTreeMap<(Text, CallId), Open>,
    commits: BTreeMap<(Text, u64), StepId>,
    troubles: BTreeMap<(FaultKind, Text), StepId>,
}

/// Something that was begun and has not ended.
#[derive(Clone, Debug)]
struct Open {
    step: StepId,
    label: Label,
    of: Text,
}

impl Observer for Account {
    fn observe(&mut self, seen: &Observed<'_>) {
        self.depend(seen);
        let clause = self.clause(seen);
        let happened = self.steps.entry(seen.step).or_insert_with(|| Happened {
            at: seen.at,
            origin: None,
            clauses: Vec::new(),
        });
        if let What::Delivered { origin, .. } = seen.what {
            happened.origin = Some(origin.clone());
        }
        happened
            .clauses
            .extend(clause.map(|clause| (seen.who.clone(), clause)));
    }
}

impl Account {
    /// Draws the arrows that lead to what is seen.
    fn depend(&mut self, seen: &Observed<'_>) {
        let (step, who) = (seen.step, seen.who);
        match seen.what {
            What::Delivered {
                cause, origin, event, ..
            } => {
                self.arrow(cause, step, Arrow::Message);
                if let (None, Origin::Item(item), Event::Begin(_)) = (cause, origin, event) {
                    self.roots.push((*item, step));
                }
            }
            What::Answered { cause, .. } => self.arrow(Some(cause), step, Arrow::Message),
            What::Committed { nth, .. } => {
                self.commits.insert((who.clone(), nth), step);
            }
            What::Confirmed { nth } => {
                let commit = self.commits.remove(&(who.clone(), nth));
                self.arrow(commit, step, Arrow::Durable);
            }
            What::Trouble { kind, origin, .. } => {
                self.troubles.insert((kind, who.clone()), step);
                self.by_item(origin, step);
            }
            What::Fault { kind } => {
                let begun = self.troubles.get(&(kind, who.clone())).copied();
                self.arrow(begun, step, Arrow::Plan);
            }
            What::Reset { origin, .. } => self.by_item(origin, step),
            _ => {}
        }
        // A client is no party: what it is told comes by a message.
        if who != "client" {
            let before = self.last.insert(who.clone(), step);
            self.arrow(before, step, Arrow::Turn);
        }
    }

    fn arrow(&mut self, from: Option<StepId>, to: StepId, arrow: Arrow) {
        let from = from.filter(|from| *from < to);
        self.arrows.extend(from.map(|from| (from, to, arrow)));
    }

    fn by_item(&mut self, origin: &Origin, step: StepId) {
        if let Origin::Item(item) = origin {
            self.roots.push((*item, step));
        }
    }

    /// What is seen as a clause; none for what no story tells: statements, tasks, alarms that are set.
    fn clause(&mut self, seen: &Observed<'_>) -> Option<Clause> {
        let who = seen.who;
        Some(match seen.what {
            What::Delivered { event, .. } => self.delivered(seen.step, who, event),
            What::Called {
                call, label, stub, ..
            } => {
                let to = Text::from(format!("{}/{}", stub.namespace, stub.name));
                self.begin(seen, call, label, to.clone());
                Clause::Called { label, to }
            }
            What::Began { call, label, .. } => {
                self.begin(seen, call, label, Text::default());
                Clause::Began { label }
            }
            What::Noted { note, .. } => Clause::Noted {
                label: note.label,
                detail: note.detail.clone(),
            },
            What::Transacted {
                end: End::Commit,
                outcome: Err(failed),
                ..
            } => Clause::TakenBack {
                why: Text::from(failed.error.to_string()),
            },
            What::Committed { tables, .. } if !tables.is_empty() => Clause::Committed(tables.into()),
            What::Confirmed { .. } => Clause::Durable,
            What::Finished { outcome, .. } => Clause::Finished(Told::of(outcome)),
            What::Reset { reason, origin, .. } => {
                self.open.retain(|(of, _), _| of != who);
                Clause::Reset {
                    reason: Text::new(reason),
                    origin: origin.clone(),
                }
            }
            What::Trouble { kind, to, origin } => Clause::Trouble {
                kind,
                to: to.clone(),
                origin: origin.clone(),
            },
            What::Fault { kind } => Clause::Fault(kind),
            What::Left { item } => Clause::Left(item),
            What::Answered { item, outcome, .. } => Clause::Answered {
                item,
                told: Told::of(outcome),
            },
            What::Started { .. }
            | What::Ran { .. }
            | What::Transacted { .. }
            | What::AlarmSet(_)
            | What::Acted(_)
            | What::Committed { .. } => return None,
        })
    }

    fn begin(&mut self, seen: &Observed<'_>, call: CallId, label: Label, of: Text) {
        let open = Open {
            step: seen.step,
            label,
            of,
        };
        self.open.insert((seen.who.clone(), call), open);
    }

    fn delivered(&mut self, step: StepId, who: &Text, event: &Event) -> Clause {
        match event {
            Event::Begin(Entry::Request(_)) => Clause::Received,
            Event::Begin(Entry::Alarm(run)) => Clause::Woke {
                retry: run.retry_count,
            },
            Event::Answer { call, outcome } => {
                let open = self.open.remove(&(who.clone(), *call));
                if let Some(open) = &open {
                    self.waits.push((open.step, step));
                    self.arrow(Some(open.step), step, Arrow::Turn);
                }
                Clause::Heard {
                    label: open.as_ref().map(|open| open.label),
                    of: open.map(|open| open.of).unwrap_or_default(),
                    told: Told::of_call(outcome),
                }
            }
            Event::Cancel { .. } => Clause::Cancelled,
        }
    }
}

impl Told {
    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Ok(Some(response)) => Told::Status(response.status),
            Ok(None) => Told::Done,
            Err(error) => Told::Error(Text::from(error.to_string())),
        }
    }

    fn of_call(outcome: &CallOutcome) -> Self {
        match outcome {
            Ok(Answer::Response(response)) => Told::Status(response.status),
            Ok(Answer::Entry(_) | Answer::Digest(_) | Answer::Done) => Told::Done,
            Err(error) => Told::Error(Text::from(error.to_string())),
        }
    }
}
