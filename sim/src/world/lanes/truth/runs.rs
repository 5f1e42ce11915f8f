//! Runs of code that events have begun: what each was asked, and what it has called.
//!
//! A task's number is a run's within one incarnation, and an incarnation that was displaced goes on beside the next one.
//! Which of them speaks is known by the event that was delivered last.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::host::{
    Answer, CallId, CallOutcome, Entry, Event, Label, ObjectName, Request, Response, Shared, TaskId, Text,
};

use crate::kernel::Micros;

/// Something that a run has begun, and whose answer comes later.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its number.
    pub call: CallId,
    /// Where in the protocol.
    pub label: Label,
    /// Of a call: which object was asked, and what.
    pub asked: Option<(ObjectName, Request)>,
    /// Of a read: which entry of which service.
    pub entry: Option<(Shared, Text)>,
    /// When it was made.
    pub at: Micros,
    /// How it has ended, once it has.
    pub outcome: Option<CallOutcome>,
}

impl Made {
    /// The same, made at this instant.
    #[must_use]
    pub fn made_at(self, at: Micros) -> Self {
        Made { at, ..self }
    }

    /// A call to an object.
    #[must_use]
    pub fn of_call(call: CallId, label: Label, to: &ObjectName, request: &Request) -> Self {
        Made {
            call,
            label,
            asked: Some((to.clone(), request.clone())),
            entry: None,
            at: Micros::ZERO,
            outcome: None,
        }
    }

    /// What it was answered; none of what failed, and of what is still under way.
    #[must_use]
    pub fn response(&self) -> Option<&Response> {
        match &self.outcome {
            Some(Ok(Answer::Response(response))) => Some(response),
            _ => None,
        }
    }

    /// A read of a shared service.
    #[must_use]
    pub fn of_read(call: CallId, label: Label, store: Shared, key: &str) -> Self {
        Made {
            call,
            label,
            asked: None,
            entry: Some((store, Text::new(key))),
            at: Micros::ZERO,
            outcome: None,
        }
    }
}

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Which, among all that there ever were.
    pub nth: u64,
    /// What began it; none where another run did.
    pub entry: Option<Entry>,
    /// When it began.
    pub since: Micros,
    /// What it has begun, in order.
    pub made: Vec<Made>,
}

impl Run {
    /// What it was asked, if it is a request's.
    #[must_use]
    pub fn request(&self) -> Option<&Request> {
        match &self.entry {
            Some(Entry::Request(request)) => Some(request),
            _ => None,
        }
    }

    /// Whether it is a run of the alarm.
    #[must_use]
    pub fn is_alarm(&self) -> bool {
        matches!(self.entry, Some(Entry::Alarm(_)))
    }

    /// Whether it was asked for a page of the site.
    #[must_use]
    pub fn asks_for_page(&self) -> bool {
        let path = self.request().map(|request| request.path.as_str());
        path.is_some_and(|path| path.split('?').next() == Some("/__serve"))
    }

    /// The calls to objects, in order.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = &Made> {
        self.made.iter().filter(|made| made.asked.is_some())
    }
}

/// All runs that have begun and not ended.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    begun: u64,
    /// The incarnation to which something was delivered last, and what that begins.
    turns: BTreeMap<Text, (u32, Option<Entry>)>,
    under_way: BTreeMap<(Text, u32, TaskId), Arc<Run>>,
}

impl Runs {
    /// An event is delivered: a turn begins.
    pub fn delivered(&mut self, who: &Text, incarnation: u32, event: &Event) {
        let entry = match event {
            Event::Begin(entry) => Some(entry.clone()),
            Event::Answer { .. } => None,
            Event::Cancel { task } => {
                self.under_way.remove(&(who.clone(), incarnation, *task));
                None
            }
        };
        self.turns.insert(who.clone(), (incarnation, entry));
    }

    /// The incarnation of a party that has a turn, or had the last one.
    #[must_use]
    pub fn speaking(&self, who: &Text) -> u32 {
        self.turns.get(who).map_or(0, |(incarnation, _)| *incarnation)
    }

    /// A task has started: of what was delivered, if it is the first one since.
    pub fn started(&mut self, who: &Text, task: TaskId, at: Micros) {
        let Some((incarnation, entry)) = self.turns.get_mut(who) else {
            return;
        };
        self.begun += 1;
        let run = Run {
            nth: self.begun,
            entry: entry.take(),
            since: at,
            made: Vec::new(),
        };
        let key = (who.clone(), *incarnation, task);
        self.under_way.insert(key, Arc::new(run));
    }

    /// The run of a task.
    #[must_use]
    pub fn of(&self, who: &Text, task: TaskId) -> Option<Arc<Run>> {
        self.under_way.get(&self.key(who, task)?).cloned()
    }

    /// A run has begun something.
    pub fn made(&mut self, who: &Text, made: Made) {
        if let Some(run) = self.run(who, made.call.task) {
            Arc::make_mut(run).made.push(made);
        }
    }

    /// Something has its answer. What, if its beginning was seen.
    pub fn answered(&mut self, who: &Text, call: CallId, outcome: &CallOutcome) -> Option<Made> {
        let run = Arc::make_mut(self.run(who, call.task)?);
        let is_it = |made: &&mut Made| made.call == call && made.outcome.is_none();
        let made = run.made.iter_mut().find(is_it)?;
        made.outcome = Some(outcome.clone());
        Some(made.clone())
    }

    /// A run has ended.
    pub fn finished(&mut self, who: &Text, task: TaskId) -> Option<Arc<Run>> {
        let key = self.key(who, task)?;
        self.under_way.remove(&key)
    }

    fn run(&mut self, who: &Text, task: TaskId) -> Option<&mut Arc<Run>> {
        let key = self.key(who, task)?;
        self.under_way.get_mut(&key)
    }

    fn key(&self, who: &Text, task: TaskId) -> Option<(Text, u32, TaskId)> {
        let (incarnation, _) = self.turns.get(who)?;
        Some((who.clone(), *incarnation, task))
    }
}
