//! Other futures: how likely the violation is from each step of its story on.
//!
//! The world is copied when the step is done, and the copies run on by themselves: what the plan still does it does, and
//! all choices that are still to come are drawn anew, none of them fixed. A plan that was shrunk leaves little to chance,
//! as everything in it takes its plainest time; there, times are those of a calm day again.
//!
//! A fault that the plan has strike is no more certain than one that strikes by chance: in the futures of a step before it, it
//! does not.
//!
//! Where every future comes to the violation all the same, neither choices nor faults decide anything. Then the question is
//! what of the plan does: in the futures of a step, nothing happens any more that the plan would do after it.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use protocol::task::Program;

use crate::check::{Identity, Verdict};
use crate::kernel::storage::Store;
use crate::kernel::{Deployment, Knobs, Span, StepId};
use crate::run::{Left, Simulation};
use crate::world::{PlanOf, World};

/// How many futures a step has where nobody says otherwise.
pub const FUTURES: u32 = 20;

/// So many of so many futures have shown the violation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Odds {
    /// Those that have.
    pub fail: u32,
    /// All.
    pub of: u32,
}

impl Odds {
    /// In hundredths.
    #[must_use]
    pub fn percent(self) -> u32 {
        (u64::from(self.fail) * 100)
            .checked_div(self.of.into())
            .unwrap_or(0) as u32
    }

    /// Whether they rise to others by a quarter of all futures: less is what so few futures differ by anyway.
    fn rise_to(self, after: Odds) -> bool {
        let by = u64::from(after.fail.saturating_sub(self.fail));
        by > 0 && 4 * by >= u64::from(after.of)
    }
}

/// What of the plan happens in the futures of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// What clients and operators still do, and no fault that has not struck.
    #[default]
    Operations,
    /// Nothing any more.
    IsLeftOut,
}

/// The odds from the beginning on, and from each of some steps on. In the last of them the violation is there: it is no
/// question any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Futures {
    /// What of the plan happens in them.
    pub rest: Rest,
    /// Before anything of the plan has happened.
    pub at_first: Odds,
    /// When a step was done.
    pub after: BTreeMap<StepId, Odds>,
}

impl Futures {
    /// The step at which the odds rise the most, with those before it and after it; none where they nowhere rise by as much
    /// as counts. It is never the last step: that is the violation itself.
    #[must_use]
    pub fn turning_point(&self) -> Option<(StepId, Odds, Odds)> {
        let before = [self.at_first].into_iter().chain(self.after.values().copied());
        let but_last = self.after.len().saturating_sub(1);
        let rises = before
            .zip(self.after.iter().take(but_last))
            .map(|(before, (step, after))| (*step, before, *after));
        let rises = rises.filter(|(_, before, after)| before.rise_to(*after));
        // Of those that rise as much, the first one.
        rises.reduce(|most, next| {
            let by = |(_, before, after): &(StepId, Odds, Odds)| after.fail - before.fail;
            if by(&next) > by(&most) { next } else { most }
        })
    }

    /// The odds before the last step, where they rise in it by as much as counts: to all, for it is the violation itself.
    #[must_use]
    pub fn decided_at_last(&self) -> Option<Odds> {
        let before = self.after.values().rev().nth(1);
        let before = before.copied().unwrap_or(self.at_first);
        let all = Odds {
            fail: before.of,
            of: before.of,
        };
        before.rise_to(all).then_some(before)
    }

    /// Tries one more step, which is not the last one.
    pub(super) fn try_after<W: World, P: Program, S: Store>(
        &mut self,
        plan: &PlanOf<W>,
        identity: &Identity,
        step: StepId,
        tries: Tries,
        deployment: &(impl Fn() -> Deployment<P> + Sync),
    ) {
        // The last step of those that are asked for is not tried.
        let steps = [step, StepId(u64::MAX)];
        let tried = futures_with::<W, P, S>(plan, identity, &steps, tries, self.rest, deployment);
        self.after
            .extend(tried.after.get(&step).map(|odds| (step, *odds)));
    }
}

/// How futures are run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tries {
    /// How many from each step on.
    pub(super) each: u32,
    /// On how many threads. It makes no difference to what comes of it.
    pub(super) jobs: NonZeroUsize,
}

/// Runs the futures of a plan.
pub(super) fn futures<W: World, P: Program, S: Store>(
    plan: &PlanOf<W>,
    identity: &Identity,
    steps: &[StepId],
    tries: Tries,
    deployment: &(impl Fn() -> Deployment<P> + Sync),
) -> Futures {
    let of_all = futures_with::<W, P, S>(plan, identity, &[], tries, Rest::Operations, deployment);
    let rest = if of_all.at_first.fail == of_all.at_first.of {
        Rest::IsLeftOut
    } else {
        Rest::Operations
    };
    futures_with::<W, P, S>(plan, identity, steps, tries, rest, deployment)
}

fn futures_with<W: World, P: Program, S: Store>(
    plan: &PlanOf<W>,
    identity: &Identity,
    steps: &[StepId],
    tries: Tries,
    rest: Rest,
    deployment: &(impl Fn() -> Deployment<P> + Sync),
) -> Futures {
    let open = PlanOf::<W> {
        knobs: as_on_a_calm_day(&plan.knobs),
        ..plan.clone()
    };
    let jobs = u32::try_from(tries.jobs.get())
        .unwrap_or(u32::MAX)
        .min(tries.each.max(1));
    #[expect(
        clippy::disallowed_methods,
        reason = "each future is on one thread, and of what they show only sums are told"
    )]
    let shares: Vec<Futures> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs)
            .map(|job| {
                let open = &open;
                let salts = (1..=u64::from(tries.each))
                    .skip(job as usize)
                    .step_by(jobs as usize);
                scope.spawn(move || {
                    let question = Question {
                        open,
                        identity,
                        rest,
                        salts: salts.collect(),
                    };
                    share::<W, P, S>(plan, &question, steps, deployment())
                })
            })
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|share| share.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mut all = Futures {
        rest,
        ..Futures::default()
    };
    for share in shares {
        all.at_first = sum(all.at_first, share.at_first);
        for (step, odds) in share.after {
            let so_far = all.after.entry(step).or_default();
            *so_far = sum(*so_far, odds);
        }
    }
    all
}

fn sum(one: Odds, other: Odds) -> Odds {
    Odds {
        fail: one.fail + other.fail,
        of: one.of + other.of,
    }
}

/// What is asked of some futures.
struct Question<'p, W: World> {
    /// The plan, with a platform that leaves something to chance.
    open: &'p PlanOf<W>,
    identity: &'p Identity,
    rest: Rest,
    salts: Vec<u64>,
}

impl<'p, W: World> Question<'p, W> {
    /// The odds from where a run is.
    fn odds<P: Program, S: Store>(&self, simulation: &mut Simulation<'p, W, P, S, ()>) -> Odds {
        let fails = |salt: &&u64| {
            let mut other = simulation.otherwise(self.open, **salt);
            other.leave_of_the_plan(match self.rest {
                Rest::Operations => Left::Operations,
                Rest::IsLeftOut => Left::Nothing,
            });
            let verdict = other.conclude();
            matches!(&verdict, Verdict::Violated(violation) if Identity::of(violation) == *self.identity)
        };
        Odds {
            fail: self.salts.iter().filter(fails).count() as u32,
            of: self.salts.len() as u32,
        }
    }
}

/// The futures of the salts of a question.
fn share<'p, W: World, P: Program, S: Store>(
    plan: &'p PlanOf<W>,
    question: &Question<'p, W>,
    steps: &[StepId],
    deployment: Deployment<P>,
) -> Futures {
    let pool = S::Pool::default();
    let mut simulation = Simulation::<W, P, S, ()>::new(plan, deployment, &pool, ());
    let mut futures = Futures {
        rest: question.rest,
        at_first: question.odds(&mut simulation),
        after: BTreeMap::new(),
    };
    let Some((last, before)) = steps.split_last() else {
        return futures;
    };
    for step in before {
        while simulation.kernel().steps() < step.0 {
            // The run is known to come this far.
            if simulation.advance().is_some() {
                return futures;
            }
        }
        futures.after.insert(*step, question.odds(&mut simulation));
    }
    let all = question.salts.len() as u32;
    futures.after.insert(*last, Odds { fail: all, of: all });
    futures
}

/// These knobs, with the times of a calm day where theirs are fixed to one value. Those of alarms stay: what counts as
/// late is held against them.
fn as_on_a_calm_day(knobs: &Knobs) -> Knobs {
    let calm = Knobs::calm();
    let open = |own: Span, calm: Span| if own.least == own.most { calm } else { own };
    Knobs {
        latency: open(knobs.latency, calm.latency),
        notice: open(knobs.notice, calm.notice),
        confirm: open(knobs.confirm, calm.confirm),
        service: open(knobs.service, calm.service),
        ..knobs.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odds(fail: u32) -> Odds {
        Odds { fail, of: 20 }
    }

    #[test]
    fn the_turning_point_is_where_the_odds_rise_the_most() {
        let after = [(3, 4), (5, 3), (8, 18), (9, 20)];
        let futures = Futures {
            rest: Rest::Operations,
            at_first: odds(2),
            after: after.map(|(step, fail)| (StepId(step), odds(fail))).into(),
        };
        assert_eq!(futures.turning_point(), Some((StepId(8), odds(3), odds(18))));
        assert_eq!(odds(18).percent(), 90);
    }

    #[test]
    fn of_equal_rises_the_first_one_counts() {
        let futures = Futures {
            rest: Rest::Operations,
            at_first: odds(0),
            after: [(1, 10), (2, 20), (3, 20)]
                .map(|(step, fail)| (StepId(step), odds(fail)))
                .into(),
        };
        assert_eq!(futures.turning_point().map(|(step, ..)| step), Some(StepId(1)));
    }

    #[test]
    fn what_a_few_futures_differ_by_anyway_is_no_rise() {
        let futures = |after: u32| Futures {
            rest: Rest::Operations,
            at_first: odds(15),
            after: [(StepId(1), odds(after)), (StepId(2), odds(20))].into(),
        };
        assert_eq!(futures(19).turning_point(), None);
        assert!(futures(20).turning_point().is_some());
    }

    #[test]
    fn without_a_rise_there_is_none() {
        let futures = Futures {
            rest: Rest::Operations,
            at_first: odds(20),
            after: [(StepId(1), odds(20))].into(),
        };
        assert_eq!(futures.turning_point(), None);
    }

    #[test]
    fn the_violation_itself_is_no_turning_point() {
        let futures = Futures {
            rest: Rest::Operations,
            at_first: odds(0),
            after: [(StepId(1), odds(2)), (StepId(2), odds(20))].into(),
        };
        assert_eq!(futures.turning_point(), None);
        assert_eq!(futures.decided_at_last(), Some(odds(2)));
    }

    #[test]
    fn a_violation_that_most_come_to_anyway_is_not_decided_at_last() {
        let futures = |before: u32| Futures {
            rest: Rest::Operations,
            at_first: odds(before),
            after: [(StepId(1), odds(20))].into(),
        };
        assert_eq!(
            futures(15).decided_at_last(),
            Some(odds(15)),
            "it rises by a quarter"
        );
        assert_eq!(futures(16).decided_at_last(), None, "it rises by less");
    }
}
