//! A plan that was shrunk, as a trace: it is run again before anybody is told of it.

use std::collections::BTreeMap;

use protocol::host::Text;

use super::Smallest;
use super::removal::{parts, without};
use crate::check::{Identity, Pattern, Verdict, Violation};
use crate::kernel::Deployment;
use crate::plan::Plan;
use crate::run::{History, Pools, Report, StoreKind};
use crate::trace::{Certificate, Expectation, Expected, Instead, Part, Shrunk, Trace};
use crate::world::{PlanOf, World};

/// A trace that was shrunk, and what its runs have shown.
#[derive(Clone, Debug, PartialEq)]
pub struct HandedOver<Shape, Operation> {
    /// The trace.
    pub trace: Trace<Shape, Operation>,
    /// What it violates.
    pub violation: Violation,
    /// Why the other store has shown nothing, where it has not: it does not run each statement.
    pub void_there: Option<Text>,
}

/// Why a plan that was shrunk is not handed over: always a fault of the tool, or of the machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotHandedOver {
    /// Two runs of it differ.
    #[error("{0}")]
    NotDeterministic(Verdict),
    /// It does not fail any more.
    #[error("the smaller trace does not fail any more: {0}")]
    Holds(Verdict),
    /// The world has no such variant.
    #[error("there is no variant `{0}`")]
    NoVariant(Text),
}

/// Runs a plan that was shrunk twice, and on the other store, and makes a trace of it: what is expected of the variant, and
/// of the world's first one where all holds there; both with the faults that must take effect, as without them neither shows
/// anything. `from` is how many items there were before.
///
/// # Errors
/// [`NotHandedOver`] where it does not show what it should.
pub fn hand_over<W: World>(
    smallest: &Smallest<W::Shape, W::Operation>,
    variant: &str,
    from: usize,
    store: StoreKind,
) -> Result<HandedOver<W::Shape, W::Operation>, NotHandedOver> {
    let (plan, pools) = (&smallest.plan, Pools::default());
    let deployment =
        |variant: &str| W::deployment(variant).ok_or_else(|| NotHandedOver::NoVariant(Text::new(variant)));
    let failing = deployment(variant)?;
    let report = pools.run_twice::<W>(store, plan, &failing);
    let both = pools.run_on_both::<W, _>(store, plan, &failing);
    for report in [&report, &both.report] {
        if let Verdict::NotDeterministic(_) = report.verdict {
            return Err(NotHandedOver::NotDeterministic(report.verdict.clone()));
        }
    }
    let Verdict::Violated(violation) = report.verdict.clone() else {
        return Err(NotHandedOver::Holds(report.verdict));
    };
    let mut expect = BTreeMap::new();
    let named = |variant: &str, expected| (Text::new(variant), expected);
    expect.extend(expectation(&report, &report).map(|expected| named(variant, expected)));
    let first = W::variants().first().map_or(variant, |variant| variant.name);
    if first != variant {
        let there = pools.run_twice::<W>(store, plan, &deployment(first)?);
        if there.verdict == Verdict::Passed {
            expect.extend(expectation(&there, &report).map(|expected| named(first, expected)));
        }
    }
    let mut history = History::default();
    pools.run::<W>(store, plan, failing, &mut history);
    let trace = Trace {
        plan: plan.clone(),
        expect,
        shrunk: Some(shrunk(variant, from)),
        certificates: smallest.certificates.clone(),
        history: history.0,
    };
    Ok(HandedOver {
        trace,
        violation,
        void_there: both.void,
    })
}

/// What is expected of a run that has shown this, with the faults that took effect both there and where the plan fails; none
/// where it has shown nothing.
#[must_use]
pub fn expectation(report: &Report, failing: &Report) -> Option<Expectation> {
    let marks = failing.marks.iter().map(|(mark, _)| mark);
    let faults = marks.filter(|mark| mark.starts_with("fault ") && report.marks.count(mark) > 0);
    let marks = faults.map(Text::from).collect();
    Some(Expectation {
        marks,
        ..Expectation::of(report)?
    })
}

/// What a run shows without each part of a plan; the first part without which it fails in the same way.
///
/// # Errors
/// That part: the plan is not 1-minimal.
pub fn certify<W: World>(
    plan: &PlanOf<W>,
    deployment: &Deployment<W::Program>,
    identity: &Identity,
    store: StoreKind,
) -> Result<Vec<Certificate>, Part> {
    let pools = Pools::default();
    let certified = parts(plan).map(|of| {
        let rest = without(plan, &of);
        let report = pools.run::<W>(store, &rest, deployment.clone(), ());
        match &report.verdict {
            Verdict::Violated(violation) if Identity::of(violation) == *identity => Err(of),
            verdict => Ok(Certificate {
                of,
                instead: Instead::of(verdict),
            }),
        }
    });
    certified.collect()
}

/// A plan that a search has come to so far, as a trace that can be replayed: nobody knows yet whether it is 1-minimal.
#[must_use]
pub fn so_far<W: World>(
    plan: &PlanOf<W>,
    identity: &Identity,
    variant: &str,
    from: usize,
) -> Trace<W::Shape, W::Operation> {
    let expected = Expectation {
        outcome: Expected::Violated(Pattern::from(identity)),
        marks: Vec::new(),
        behaviour: None,
        full: None,
    };
    Trace {
        plan: Plan::clone(plan),
        expect: BTreeMap::from([(Text::new(variant), expected)]),
        shrunk: Some(shrunk(variant, from)),
        certificates: Vec::new(),
        history: Vec::new(),
    }
}

fn shrunk(variant: &str, from: usize) -> Shrunk {
    Shrunk {
        variant: Text::new(variant),
        from: u32::try_from(from).unwrap_or(u32::MAX),
    }
}
