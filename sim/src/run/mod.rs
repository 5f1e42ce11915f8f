//! One plan in, one verdict out: the only loop over events.
//!
//! A run is a pure function of a plan, a variant's rules and a kind of store. Sweeping, replaying, shrinking and
//! exploring choose plans and watch; none of them has a loop of its own.

mod against;
mod fork;
mod history;
mod panics;
mod pools;
mod skipped;
mod strike;
#[cfg(test)]
mod tests;
mod twice;
mod waiting;

use std::collections::BTreeMap;
use std::rc::Rc;

use protocol::host::Text;
use protocol::task::Program;

use crate::check::{Breach, Marks, Measures, NO_END, PANIC, PANICS, RUNAWAY, Verdict, Violation};
use crate::kernel::storage::Store;
pub use against::{Against, Parting};
pub use fork::Left;
pub use history::{History, Line};
use panics::Caught;
pub use pools::{Pools, StoreKind};
pub use skipped::{Acted, Skipped};
pub use twice::{OnTwoStores, run_on_two_stores, run_twice};

use crate::kernel::{
    BehaviourChain, Chance, ChoiceKey, Deployment, FullChain, Kernel, Micros, Observed, Observer, RunHash,
    StepId, Stepped, UnsupportedStatement,
};
use crate::plan::{Act, Fault};
use crate::world::{PlanOf, World};

/// How many events a run may take for each simulated second, before it counts as a runaway …
const EVENTS_PER_SECOND: u64 = 20_000;

/// … how many more for each item of the plan …
const EVENTS_PER_ITEM: u64 = 200;

/// … and how many in all, however long it is meant to be.
const EVENTS_MOST: u64 = 50_000_000;

/// What a run has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Whether all held.
    pub verdict: Verdict,
    /// The hash of what the protocol decided and answered.
    pub behaviour: RunHash,
    /// The hash of everything.
    pub full: RunHash,
    /// How many events there were.
    pub events: u64,
    /// How much time passed in the world.
    pub simulated: Micros,
    /// The marks that were passed.
    pub marks: Marks,
    /// How near it came to bounds.
    pub measures: Measures,
    /// What of the plan did not come to apply.
    pub skipped: Skipped,
}

/// What every run listens with, and whoever listens besides.
#[derive(Clone, Debug)]
struct Ears<O> {
    full: FullChain,
    behaviour: BehaviourChain,
    marks: Marks,
    others: O,
}

impl<O: Observer> Observer for Ears<O> {
    fn observe(&mut self, seen: &Observed<'_>) {
        self.full.observe(seen);
        self.behaviour.observe(seen);
        self.marks.observe(seen);
        self.others.observe(seen);
    }
}

/// The world listens too.
struct Hearing<'w, W>(&'w mut W);

impl<W: World> Observer for Hearing<'_, W> {
    fn observe(&mut self, seen: &Observed<'_>) {
        self.0.hear(seen);
    }
}

/// A run that is under way.
#[derive(Debug)]
pub struct Simulation<'p, W: World, P: Program, S: Store, O> {
    plan: &'p PlanOf<W>,
    kernel: Kernel<P, S>,
    world: W,
    ears: Ears<O>,
    /// When the plan's time begins: setting the world up can take some.
    begins: Micros,
    healing: bool,
    /// Where in the plan each item stands.
    items: Rc<BTreeMap<u32, usize>>,
    /// The items that have had their turns.
    acted: BTreeMap<u32, Acted>,
    /// Whether waits that do not end are violations.
    judges_waits: bool,
    /// What of the plan is still done.
    left: Left,
}

/// Runs a plan to its end. What the pool holds cannot be seen in the report: runs of one thread share one for speed.
pub fn run<W: World, P: Program, S: Store>(
    plan: &PlanOf<W>,
    deployment: Deployment<P>,
    pool: &S::Pool,
    others: impl Observer,
) -> Report {
    let mut simulation = Simulation::<W, P, S, _>::new(plan, deployment, pool, others);
    let verdict = simulation.conclude();
    simulation.report(verdict)
}

/// What a run has chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// When the plan's time has begun.
    pub begins: Micros,
    /// Each choice from then on, in the order they were made, with the alternative that it took.
    pub choices: Vec<(ChoiceKey, u64)>,
}

/// Runs a plan to its end, and keeps its choices. It makes the same ones as without that.
pub fn run_and_keep<W: World, P: Program, S: Store>(
    plan: &PlanOf<W>,
    deployment: Deployment<P>,
    pool: &S::Pool,
    others: impl Observer,
) -> Chosen {
    let mut simulation = Simulation::<W, P, S, _>::new(plan, deployment, pool, others);
    simulation.kernel.keep_choices();
    simulation.conclude();
    Chosen {
        begins: simulation.begins,
        choices: simulation.kernel.chance().kept().to_vec(),
    }
}

impl<'p, W: World, P: Program, S: Store, O: Observer> Simulation<'p, W, P, S, O> {
    /// A run that has not begun. See [`run`] for the pool.
    pub fn new(plan: &'p PlanOf<W>, deployment: Deployment<P>, pool: &S::Pool, others: O) -> Self {
        let chance = Chance::new(plan.seed, &[]);
        let mut kernel = Kernel::new(deployment, pool, chance, plan.knobs.clone(), BTreeMap::new());
        let world = W::new(plan, &mut kernel);
        let begins = kernel.now();
        // What comes before the plan's time is the seed's alone. A draw that cannot hit is counted only where choices are
        // fixed or kept: so nothing would be at its place, were it fixed from the beginning on.
        kernel.fix_choices(&plan.fixed);
        kernel.arm_aims(plan.aims());
        for item in &plan.items {
            if !matches!(item.act, Act::Fault(Fault::Call { .. })) {
                kernel.schedule_item(item.id, begins.after(item.at));
            }
            if let Act::Fault(Fault::Rewind { object, back }) = &item.act {
                kernel.schedule_bookmark(item.id, object, begins.after(item.at.since(*back)));
            }
        }
        let ears = Ears {
            full: FullChain::default(),
            behaviour: BehaviourChain::default(),
            marks: Marks::default(),
            others,
        };
        Simulation {
            plan,
            kernel,
            world,
            ears,
            begins,
            healing: false,
            items: Rc::new(
                (plan.items.iter().enumerate())
                    .map(|(at, item)| (item.id, at))
                    .collect(),
            ),
            acted: BTreeMap::new(),
            judges_waits: true,
            left: Left::All,
        }
    }

    /// Says whether waits that do not end are violations, as they are where nobody says otherwise.
    pub fn judge_waits(&mut self, judges: bool) {
        self.judges_waits = judges;
    }

    /// Runs on to the end, wherever the protocol's code panics.
    pub fn conclude(&mut self) -> Verdict {
        let plan = self.plan;
        panics::caught(|| self.finish()).unwrap_or_else(|caught| match caught {
            Caught::Unsupported(UnsupportedStatement(what)) => {
                Verdict::Void(Text::from(format!("the store does not run `{what}`")))
            }
            // What fails in the simulator is no finding about the protocol.
            Caught::Panic { place, message } if place.contains("sim/src/") => {
                panic!(
                    "the simulator itself has failed at {place}: {message} (seed {} of {})",
                    plan.seed, plan.scenario
                )
            }
            Caught::Panic { place, message } => {
                let breach = Breach::new(PANICS, format!("{place}: {message}")).at(place);
                Verdict::Violated(Violation::of(&PANIC, Vec::new(), breach, W::role))
            }
        })
    }

    /// Runs on to the end.
    pub fn finish(&mut self) -> Verdict {
        loop {
            if let Some(verdict) = self.advance() {
                return verdict;
            }
        }
    }

    /// Takes one event; the verdict when there is none left, or something is violated.
    pub fn advance(&mut self) -> Option<Verdict> {
        let next = self.kernel.earliest().filter(|key| key.at <= self.ends());
        let Some(key) = next else {
            if !self.healing {
                // Nothing is left to happen but what troubles hold up: it ends with them.
                self.heal();
                return None;
            }
            if self.plan.items.is_empty() && self.plan.fixed.is_empty() {
                return Some(Verdict::Void(Text::new_static("the plan does nothing")));
            }
            if self.kernel.turns() == 0 {
                return Some(Verdict::Void(Text::new_static(
                    "no object and no front Worker had a single turn",
                )));
            }
            return Some(
                self.at_rest()
                    .map_or_else(Verdict::Violated, |()| Verdict::Passed),
            );
        };
        if !self.healing && key.at > self.heals() {
            self.heal();
            return None;
        }
        if self.kernel.steps() >= self.bound() {
            return Some(Verdict::Violated(self.runaway()));
        }
        let stepped = self
            .kernel
            .step(key, &mut (&mut self.ears, Hearing(&mut self.world)))
            .expect("the earliest event is there");
        let checked = match stepped {
            Stepped::Item(item) => {
                self.act(item);
                Ok(())
            }
            Stepped::Answered { item, outcome } => self.world.answered(item, &outcome, &mut self.kernel),
            Stepped::Left(item) => {
                self.has_gone(item);
                self.world.left(item);
                Ok(())
            }
            Stepped::Weather => Ok(()),
            Stepped::Party(party) => self.world.moved(party, &mut self.kernel),
        };
        let looks = self.judges_waits && self.kernel.steps().is_multiple_of(waiting::EVERY);
        let checked = checked.and_then(|()| if looks { self.no_circle() } else { Ok(()) });
        checked.err().map(Verdict::Violated)
    }

    /// Whether all holds when the world has come to rest. A circle of waits is why other things do not.
    fn at_rest(&mut self) -> Result<(), Violation> {
        if !self.judges_waits {
            return self.world.settled(&mut self.kernel);
        }
        self.no_circle()?;
        self.world.settled(&mut self.kernel)?;
        self.nothing_in_vain()
    }

    /// When the time of faults is over.
    fn heals(&self) -> Micros {
        self.begins.after(self.plan.lasts)
    }

    /// When everything must have come to rest.
    fn ends(&self) -> Micros {
        self.heals().after(self.plan.settles)
    }

    /// The time of faults is over: the platform is well again, and what it held up moves.
    fn heal(&mut self) {
        self.healing = true;
        self.kernel.pass_until(self.heals());
        self.kernel.set_knobs(self.plan.knobs.healed());
        self.kernel.disarm_aims();
        let heard_by = &mut (&mut self.ears, Hearing(&mut self.world));
        self.kernel.clear_troubles(heard_by);
    }

    fn act(&mut self, id: u32) {
        let item = &self.plan.items[self.items[&id]];
        match (self.left, &item.act) {
            (Left::Nothing, _) | (Left::Operations, Act::Fault(_)) => return,
            _ => {}
        }
        let applied = match &item.act {
            Act::Operation(operation) => self.world.perform(id, operation, &mut self.kernel).is_some(),
            // The time of faults is over, whatever the plan says.
            Act::Fault(_) if self.healing => false,
            // What is not there cannot break.
            Act::Fault(fault) => self.break_something(id, fault).is_some(),
        };
        let step = StepId(self.kernel.steps());
        self.acted.insert(id, Acted { step, applied });
    }

    fn bound(&self) -> u64 {
        let seconds = self.plan.lasts.after(self.plan.settles).0 / 1_000_000 + 1;
        let of_items = (self.plan.items.len() as u64).saturating_mul(EVENTS_PER_ITEM);
        seconds
            .saturating_mul(EVENTS_PER_SECOND)
            .saturating_add(of_items)
            .min(EVENTS_MOST)
    }

    fn runaway(&self) -> Violation {
        let detail = format!(
            "{} events in {} and no end",
            self.kernel.steps(),
            self.kernel.now()
        );
        Violation::of(&RUNAWAY, Vec::new(), Breach::new(NO_END, detail), W::role)
    }

    /// What the run has shown so far.
    pub fn report(&self, verdict: Verdict) -> Report {
        Report {
            verdict,
            behaviour: self.ears.behaviour.0.finish(),
            full: self.ears.full.0.finish(),
            events: self.kernel.steps(),
            simulated: self.kernel.now(),
            marks: self.ears.marks.clone().with_subjects(self.world.subjects()),
            measures: self.world.measures(),
            skipped: self.skipped(),
        }
    }

    /// When the plan's time has begun.
    #[must_use]
    pub fn begins(&self) -> Micros {
        self.begins
    }

    /// The world.
    pub fn world(&mut self) -> &mut W {
        &mut self.world
    }

    /// The world's kernel.
    pub fn kernel(&mut self) -> &mut Kernel<P, S> {
        &mut self.kernel
    }

    /// Whoever listens besides the run itself.
    pub fn others(&mut self) -> &mut O {
        &mut self.ears.others
    }
}
