//! Trying plans, several at once, with a memory of those that were tried.
//!
//! Of the candidates of a round the first one in order that still fails is taken, whichever thread is done first. Runs
//! that were begun behind it are remembered and not counted: what is taken, and how many runs that takes, is the same
//! however many threads there are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use super::{Ended, Watcher};
use crate::kernel::Micros;
use crate::plan::Plan;
use crate::trace::Instead;

/// What a plan has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// The failure that is kept, at this time.
    Fails(Micros),
    /// Anything else.
    Else(Instead),
}

/// A run that was done.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) tried: Tried,
    pub(super) events: u64,
}

/// A plan that some thread is to run.
struct Task<S, O> {
    serial: u64,
    digest: u128,
    plan: Plan<S, O>,
}

/// What came of it; nothing where it was not run, as nobody waits for it any more or the thread has panicked.
struct Answer {
    serial: u64,
    digest: u128,
    ran: Option<Ran>,
}

/// How many plans are thought of ahead for each thread, so that none waits for the next one.
const AHEAD: usize = 2;

/// Tries plans.
pub(super) struct Trials<'a, S, O> {
    tasks: Sender<Task<S, O>>,
    answers: Receiver<Answer>,
    /// Tasks before this one need not be run any more.
    live_from: &'a AtomicU64,
    serial: u64,
    ahead: usize,
    /// All that is known, by the digest of the plan.
    known: BTreeMap<u128, Tried>,
    /// What one thread by itself would have tried.
    counted: BTreeSet<u128>,
    most: u64,
    watcher: &'a dyn Watcher,
    ended: Option<Ended>,
}

/// A candidate that has not had its turn.
struct Waiting<S, O> {
    digest: u128,
    serial: Option<u64>,
    plan: Plan<S, O>,
    tried: Option<Tried>,
}

/// Has a search for smaller plans try them on so many threads. Each has a trial of its own.
pub(super) fn with_trials<S, O, T, R>(
    jobs: NonZeroUsize,
    most: u64,
    trial: impl Fn() -> T + Sync,
    watcher: &dyn Watcher,
    search: impl FnOnce(&mut Trials<'_, S, O>) -> R,
) -> R
where
    S: Send,
    O: Send,
    T: FnMut(&Plan<S, O>) -> Ran,
{
    let live_from = AtomicU64::new(0);
    let (tasks, waiting) = channel();
    let (done, answers) = channel();
    let waiting = Mutex::new(waiting);
    #[expect(
        clippy::disallowed_methods,
        reason = "each run is on one thread, and which candidate is taken is decided by their order"
    )]
    std::thread::scope(|threads| {
        for _ in 0..jobs.get() {
            let (done, waiting, trial, live_from) = (done.clone(), &waiting, &trial, &live_from);
            threads.spawn(move || work(waiting, &done, trial(), live_from));
        }
        let mut trials = Trials {
            tasks,
            answers,
            live_from: &live_from,
            serial: 0,
            ahead: jobs.get() * AHEAD,
            known: BTreeMap::new(),
            counted: BTreeSet::new(),
            most,
            watcher,
            ended: None,
        };
        search(&mut trials)
    })
}

/// Runs plans for as long as anybody may ask for more.
fn work<S, O>(
    tasks: &Mutex<Receiver<Task<S, O>>>,
    done: &Sender<Answer>,
    mut trial: impl FnMut(&Plan<S, O>) -> Ran,
    live_from: &AtomicU64,
) {
    loop {
        let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Task { serial, digest, plan }) = task else {
            return;
        };
        let mut answer = AnswerOnDrop {
            done,
            answer: Some(Answer {
                serial,
                digest,
                ran: None,
            }),
        };
        if serial >= live_from.load(Ordering::Relaxed) {
            let ran = trial(&plan);
            answer.answer.as_mut().expect("it is sent when dropped").ran = Some(ran);
        }
    }
}

/// A panic of the simulator is an answer too: whoever waits must not wait for good.
struct AnswerOnDrop<'a> {
    done: &'a Sender<Answer>,
    answer: Option<Answer>,
}

impl Drop for AnswerOnDrop<'_> {
    fn drop(&mut self) {
        // Nobody waits where the search has ended.
        let _ = self.answer.take().map(|answer| self.done.send(answer));
    }
}

impl<S: Serialize, O: Serialize> Trials<'_, S, O>
where
    Plan<S, O>: Clone,
{
    /// The first of some candidates that still fails: its place among them, the plan, and when it fails. None where
    /// none does, or where the search is over.
    pub(super) fn first_failing(
        &mut self,
        candidates: impl IntoIterator<Item = Plan<S, O>>,
    ) -> Option<(usize, Plan<S, O>, Micros)> {
        let mut candidates = candidates.into_iter();
        let mut waiting = VecDeque::new();
        for place in 0.. {
            while waiting.len() < self.ahead && self.ended.is_none() {
                let Some(plan) = candidates.next() else {
                    break;
                };
                waiting.push_back(self.begin(plan));
            }
            let tried = self.wait_for_first(&mut waiting);
            let Some((first, tried)) = waiting.pop_front().zip(tried) else {
                break;
            };
            if !self.count(first.digest) {
                break;
            }
            if let Tried::Fails(at) = tried {
                self.abandon();
                return Some((place, first.plan, at));
            }
        }
        self.abandon();
        None
    }

    /// What a plan has shown, if it was tried.
    pub(super) fn known(&self, plan: &Plan<S, O>) -> Option<&Tried> {
        let digest = digest(plan);
        self.counted.contains(&digest).then(|| &self.known[&digest])
    }

    /// How many plans were tried.
    pub(super) fn runs(&self) -> u64 {
        self.counted.len() as u64
    }

    /// Why the search is over, if it is.
    pub(super) fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Tells whoever waits how far it is.
    pub(super) fn tell(&self, plan: &Plan<S, O>) {
        self.watcher.shrunk(plan.items.len());
    }

    fn begin(&mut self, plan: Plan<S, O>) -> Waiting<S, O> {
        let digest = digest(&plan);
        let tried = self.known.get(&digest).cloned();
        let serial = tried.is_none().then(|| {
            let serial = self.serial;
            self.serial += 1;
            let plan = plan.clone();
            // A thread that has panicked is noticed by its answer.
            let _ = self.tasks.send(Task { serial, digest, plan });
            serial
        });
        Waiting {
            digest,
            serial,
            plan,
            tried,
        }
    }

    /// Waits until the first one that waits is done; none where there is none, or the search is over.
    fn wait_for_first(&mut self, waiting: &mut VecDeque<Waiting<S, O>>) -> Option<Tried> {
        loop {
            if self.ended.is_some() {
                return None;
            }
            if self.watcher.is_over() {
                self.ended = Some(Ended::Interrupted);
                return None;
            }
            let first = waiting.front()?;
            if let Some(tried) = &first.tried {
                return Some(tried.clone());
            }
            let Answer { serial, digest, ran } = self.answers.recv().ok()?;
            let Some(Ran { tried, events }) = ran else {
                if serial >= self.live_from.load(Ordering::Relaxed) {
                    // The thread has panicked, and the scope of the threads will as well.
                    self.ended = Some(Ended::Interrupted);
                }
                continue;
            };
            self.watcher.ran(events);
            // One that was begun for another round is still worth knowing, if it is asked for again.
            self.known.insert(digest, tried.clone());
            for one in waiting.iter_mut().filter(|one| one.serial == Some(serial)) {
                one.tried = Some(tried.clone());
            }
        }
    }

    /// Nobody waits for what was begun any more.
    fn abandon(&mut self) {
        self.live_from.store(self.serial, Ordering::Relaxed);
    }

    /// Counts a plan that was tried for the first time; false where no more may be.
    fn count(&mut self, digest: u128) -> bool {
        if self.counted.contains(&digest) {
            return true;
        }
        if self.runs() >= self.most {
            self.ended = Some(Ended::Spent);
            return false;
        }
        self.counted.insert(digest);
        true
    }
}

/// A plan's digest: that of all that is in it, as it stands in a file.
fn digest<S: Serialize, O: Serialize>(plan: &Plan<S, O>) -> u128 {
    let Plan {
        scenario: _,
        seed,
        lasts,
        settles,
        knobs,
        shape,
        items,
        fixed,
    } = plan;
    let all = (seed, lasts, settles, knobs, shape, items, fixed);
    let bytes = serde_json::to_vec(&all).expect("a plan can be written to a file");
    xxh3_128(&bytes)
}
