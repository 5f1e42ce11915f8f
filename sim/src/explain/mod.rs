//! Explaining a violation: what led to it, in words; at which step it was decided.
//!
//! A run is listened to ([`Account`]), and what came before what is a graph ([`Past`]). The story is the causal past of the
//! violation, in order and in the world's words ([`Story`]). Where it was decided is tried: other futures are run from
//! each of its steps on ([`Futures`]).
//!
//! What is known of causes is what the platform sees: messages, turns of one party, commits, what the plan brings about. A
//! turn counts as depending on every earlier turn of its object, as nobody can see what of the object's memory and rows it
//! made use of.

mod account;
mod draw;
mod faults;
mod futures;
mod line;
mod past;
mod story;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use protocol::host::Text;
use protocol::task::Program;

pub use account::{Account, Arrow, Clause, Happened, Told};
pub use draw::{dot, mermaid};
pub use futures::{FUTURES, Futures, Odds, Rest};
pub use line::Line;
pub use past::Past;
pub use story::{Entry, Story};

use crate::check::{Identity, Verdict, Violation};
use crate::kernel::storage::Store;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::storage::sqlite::SqliteStore;
use crate::kernel::{Deployment, Micros, Origin, StepId};
use crate::plan::{Act, Fault};
use crate::run::{Simulation, StoreKind};
use crate::world::{PlanOf, World};
use futures::Tries;

/// How a violation is to be explained.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// On which store.
    pub store: StoreKind,
    /// How many futures are tried at once. It makes no difference to what comes of it.
    pub jobs: NonZeroUsize,
    /// How many futures are tried from each step on; with none the turning point is not looked for.
    pub futures: u32,
}

/// What led to a violation.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// What does not hold.
    pub violation: Violation,
    /// When the plan's time began.
    pub begins: Micros,
    /// When the violation was seen.
    pub ends: Micros,
    /// What happened.
    pub story: Story,
    /// Which lines of the story depend on which others: their places among [`Story::lines`].
    pub arrows: Vec<(usize, usize)>,
    /// How likely it was, from each of its steps on; none where that was not asked for.
    pub futures: Option<Futures>,
}

/// Explains what a run of a plan violates; the verdict, where it violates nothing. Each thread has a deployment of its own.
///
/// # Errors
/// What the run shows, where that is no violation.
pub fn explain<W: World, P: Program>(
    plan: &PlanOf<W>,
    settings: Settings,
    deployment: impl Fn() -> Deployment<P> + Sync,
) -> Result<Explanation, Verdict> {
    match settings.store {
        StoreKind::Sqlite => explain_on::<W, P, SqliteStore>(plan, settings, &deployment),
        StoreKind::Model => explain_on::<W, P, ModelStore>(plan, settings, &deployment),
    }
}

fn explain_on<W: World, P: Program, S: Store>(
    plan: &PlanOf<W>,
    settings: Settings,
    deployment: &(impl Fn() -> Deployment<P> + Sync),
) -> Result<Explanation, Verdict> {
    let pool = S::Pool::default();
    let mut simulation = Simulation::<W, P, S, _>::new(plan, deployment(), &pool, Account::default());
    let verdict = simulation.conclude();
    let Verdict::Violated(violation) = verdict else {
        return Err(verdict);
    };
    let begins = simulation.begins();
    let at_rest = simulation.is_over();
    let seen = (!at_rest).then(|| StepId(simulation.kernel().steps()));
    let ends = simulation.kernel().now();
    let mut account = std::mem::take(simulation.others());
    let acted = add_items::<W>(plan, begins, &simulation_acted(plan, &simulation), &mut account);
    let past = Past::of(&account, &acted);
    let judged = seen.and_then(|seen| judged_in(&account, &violation, seen));
    let before = past.before(&anchors(&account, &violation, judged, seen));
    let mut story = Story::of::<W>(&account, &before, plan, &violation, judged);
    let futures = (settings.futures > 0).then(|| {
        let tries = Tries {
            each: settings.futures,
            jobs: settings.jobs,
        };
        let identity = Identity::of(&violation);
        futures_of::<W, P, S>(plan, &identity, &mut story, tries, deployment)
    });
    let steps: Vec<StepId> = story.lines().map(|line| line.step).collect();
    let arrows = past.among(&steps);
    Ok(Explanation {
        violation,
        begins,
        ends,
        story,
        arrows,
        futures,
    })
}

/// How often a row of lines that are not told is halved, to find where in it something was decided.
const HALVINGS: usize = 16;

/// The futures of the steps of a story, and of those between which the odds jump where nothing is told: the one at which they
/// do is told then.
fn futures_of<W: World, P: Program, S: Store>(
    plan: &PlanOf<W>,
    identity: &Identity,
    story: &mut Story,
    tries: Tries,
    deployment: &(impl Fn() -> Deployment<P> + Sync),
) -> Futures {
    let last_hidden = story.entries.iter().filter_map(|entry| entry.hidden().last());
    let steps: BTreeSet<StepId> = story.lines().chain(last_hidden).map(|line| line.step).collect();
    let steps: Vec<StepId> = steps.into_iter().collect();
    let mut futures = futures::futures::<W, P, S>(plan, identity, &steps, tries, deployment);
    for _ in 0..HALVINGS {
        let Some((step, ..)) = futures.turning_point() else {
            break;
        };
        let between = story.hidden_before(step, &futures);
        let Some(middle) = between.get(between.len() / 2) else {
            story.unfold(step);
            break;
        };
        futures.try_after::<W, P, S>(plan, identity, *middle, tries, deployment);
    }
    futures
}

/// The step that a violation is about, which was seen in this one: the last one in which those that it concerns did something.
/// An object is judged when its turn is over, and what it did there came before.
fn judged_in(account: &Account, violation: &Violation, seen: StepId) -> Option<StepId> {
    let concerns = &violation.concerns;
    let tells = |who: &Text, clause: &Clause| {
        *clause != Clause::Durable && (concerns.is_empty() || concerns.contains(who))
    };
    let steps = account.steps.range(..=seen).rev();
    let mut own =
        steps.filter(|(_, happened)| happened.clauses.iter().any(|(who, clause)| tells(who, clause)));
    let last = account.steps.keys().next_back();
    own.next().map(|(step, _)| *step).or(last.copied())
}

/// In which step each item of the plan had its turn.
fn simulation_acted<W: World, P: Program, S: Store, O: crate::kernel::Observer>(
    plan: &PlanOf<W>,
    simulation: &Simulation<'_, W, P, S, O>,
) -> BTreeMap<u32, StepId> {
    let acted = plan.items.iter().filter_map(|item| {
        let acted = simulation.acted(item.id).filter(|acted| acted.applied)?;
        Some((item.id, acted.step))
    });
    acted.collect()
}

/// Adds the turns of the plan's items to what happened, and answers those that have a step of their own: a fault that is
/// aimed at a call strikes in the step in which that leaves.
fn add_items<W: World>(
    plan: &PlanOf<W>,
    begins: Micros,
    acted: &BTreeMap<u32, StepId>,
    account: &mut Account,
) -> BTreeMap<u32, StepId> {
    let mut own = BTreeMap::new();
    for item in &plan.items {
        let Some(step) = acted.get(&item.id).copied() else {
            continue;
        };
        if let Act::Fault(Fault::Call { aim, .. }) = &item.act {
            if let Some(happened) = account.steps.get_mut(&step) {
                happened
                    .clauses
                    .push((aim.caller.clone(), Clause::Aimed(item.id)));
            }
            continue;
        }
        let happened = account.steps.entry(step).or_insert_with(|| Happened {
            at: begins.after(item.at),
            origin: Some(Origin::Item(item.id)),
            clauses: Vec::new(),
        });
        // The plan is no party.
        happened.clauses.insert(
            0,
            (Text::from(format!("item {}", item.id)), Clause::Item(item.id)),
        );
        own.insert(item.id, step);
    }
    own
}

/// The steps that the violation is seen by: the judged one, and the one in which it was seen, where anything happens in that:
/// what others do can leave alone whom it concerns. Of one that only shows when everything has come to rest, the last
/// steps of those that it concerns, or of all where it says of none, or of a client, whose request may be anywhere; and as it
/// may be about something that never came, all steps in which the plan or a fault did something or a client was told something.
fn anchors(
    account: &Account,
    violation: &Violation,
    judged: Option<StepId>,
    seen: Option<StepId>,
) -> BTreeSet<StepId> {
    if let Some(judged) = judged {
        let happens = |step: &StepId| {
            let clauses = account.steps.get(step).map(|happened| &happened.clauses);
            clauses.is_some_and(|clauses| clauses.iter().any(|(_, clause)| *clause != Clause::Durable))
        };
        return seen.filter(happens).into_iter().chain([judged]).collect();
    }
    let concerns = &violation.concerns;
    let is_of_objects = concerns.iter().any(|who| account.last.contains_key(who));
    let is_all = !is_of_objects || concerns.iter().any(|who| who == "client");
    let last = account
        .last
        .iter()
        .filter(|(who, _)| is_all || concerns.contains(who));
    let struck = account.steps.iter().filter(|(_, happened)| struck(happened));
    let last = last.map(|(_, step)| *step);
    last.chain(struck.map(|(step, _)| *step)).collect()
}

fn struck(happened: &Happened) -> bool {
    let tells = |clause: &Clause| {
        matches!(
            clause,
            Clause::Fault(_) | Clause::Aimed(_) | Clause::Item(_) | Clause::Answered { .. } | Clause::Left(_)
        )
    };
    happened.clauses.iter().any(|(_, clause)| tells(clause))
}
