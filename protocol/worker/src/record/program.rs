//! A program that records every run of it, and needs no help from whoever runs it.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use protocol::host::{Event, Namespace, Object, Platform, TaskId, Text};
use protocol::task::{Program, Waiting};

use super::{Moment, RecordLine, Recorder};
use crate::abi::{self, Delivered};

/// Where the lines of one run go, in the order in which they came.
#[derive(Clone, Default)]
pub struct Tape(Arc<Mutex<Lines>>);

#[derive(Default)]
struct Lines {
    lines: Vec<RecordLine>,
    lives: BTreeMap<Text, u32>,
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tape")
    }
}

impl Tape {
    /// The lines so far; the tape goes on empty.
    #[must_use]
    pub fn take(&self) -> Vec<RecordLine> {
        std::mem::take(&mut self.lock().lines)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next incarnation of this object or isolate.
    fn born(&self, who: Text) -> Life {
        let mut lines = self.lock();
        let life = lines.lives.entry(who.clone()).or_default();
        *life += 1;
        Life { who, number: *life }
    }

    fn write(&self, life: &Life, moments: impl IntoIterator<Item = Moment>) {
        self.lock()
            .lines
            .extend(moments.into_iter().map(|what| RecordLine {
                who: life.who.clone(),
                life: life.number,
                what,
            }));
    }
}

#[derive(Clone, Debug)]
struct Life {
    who: Text,
    number: u32,
}

/// A program, and the tape that all its objects write to. What it does is what the program does.
///
/// A world that is cloned in mid-run writes both its runs to one tape: give the clone a tape of its own.
#[derive(Clone, Debug)]
pub struct Recorded<P> {
    program: P,
    tape: Tape,
}

impl<P: Program> Recorded<P> {
    /// Records this program on this tape.
    pub fn new(program: P, tape: Tape) -> Self {
        Recorded { program, tape }
    }
}

/// An incarnation whose turns are recorded. Compared, hashed and printed as what it wraps.
#[derive(Clone)]
pub struct RecordedObject<O> {
    inner: O,
    namespace: Option<Namespace>,
    life: Option<Life>,
}

impl<O: PartialEq> PartialEq for RecordedObject<O> {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl<O: Eq> Eq for RecordedObject<O> {}

impl<O: Hash> Hash for RecordedObject<O> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl<O: fmt::Debug> fmt::Debug for RecordedObject<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<O> RecordedObject<O> {
    fn new(inner: O, namespace: Option<Namespace>) -> Self {
        RecordedObject {
            inner,
            namespace,
            life: None,
        }
    }
}

impl<P: Program> Program for Recorded<P> {
    type Object = RecordedObject<P::Object>;
    type Front = RecordedObject<P::Front>;

    fn object(&self, namespace: &Namespace) -> Option<Self::Object> {
        let inner = self.program.object(namespace)?;
        Some(RecordedObject::new(inner, Some(namespace.clone())))
    }

    fn front(&self) -> Self::Front {
        RecordedObject::new(self.program.front(), None)
    }

    fn deliver(&self, object: &mut Self::Object, event: Event, host: &mut dyn Object) -> Option<TaskId> {
        // Who it is shows when the first event comes: a program makes an object without a name.
        let namespace = object.namespace.as_ref().expect("an object has a namespace");
        let who = || abi::who(namespace, host.name());
        let life = object.life.get_or_insert_with(|| self.tape.born(who()));
        self.tape.write(life, [Moment::event(host.now(), &event)]);
        let mut recorder = Recorder::new(host);
        let began = self.program.deliver(&mut object.inner, event, &mut recorder);
        self.tape.write(life, turn(recorder.into_moments(), began));
        began
    }

    fn deliver_front(
        &self,
        front: &mut Self::Front,
        event: Event,
        host: &mut dyn Platform,
    ) -> Option<TaskId> {
        let life = front
            .life
            .get_or_insert_with(|| self.tape.born(Text::new_static("front")));
        self.tape.write(life, [Moment::event(host.now(), &event)]);
        let mut recorder = Recorder::new(host);
        let began = self.program.deliver_front(&mut front.inner, event, &mut recorder);
        self.tape.write(life, turn(recorder.into_moments(), began));
        began
    }

    fn waits<'a>(&self, object: &'a Self::Object) -> Vec<(TaskId, Waiting<'a>)> {
        self.program.waits(&object.inner)
    }

    fn front_waits<'a>(&self, front: &'a Self::Front) -> Vec<(TaskId, Waiting<'a>)> {
        self.program.front_waits(&front.inner)
    }
}

/// The crossings of a turn and its end. The runtime stops the code at an abort, so that such a turn never returns.
fn turn(moments: Vec<Moment>, began: Option<TaskId>) -> Vec<Moment> {
    let mut moments = moments;
    if !moments.last().is_some_and(Moment::is_abort) {
        moments.push(Moment::Returned(Delivered { began }));
    }
    moments
}
