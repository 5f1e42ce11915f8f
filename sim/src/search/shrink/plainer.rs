//! Steps that leave a plan's parts where they are and make them plainer.
//!
//! How long the world has to come to rest is no such step: with less of it whatever is still under way at the end would
//! count as never done, which is another failure under the same name. For the same reason no item may come after the
//! time of faults.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Steps;
use crate::kernel::{Knobs, Micros, Span};
use crate::plan::{Act, Fault, Item, Plan, plainer};

/// Whether an item happens at its time, and not when a call does.
fn is_timed<O>(item: &Item<O>) -> bool {
    !matches!(item.act, Act::Fault(Fault::Call { .. }))
}

/// The plan up to the time at which it fails: what comes later has no part in it.
pub(super) fn cut<S: Clone, O: Clone>(plan: &Plan<S, O>, failed_at: Micros) -> Plan<S, O> {
    let mut rest = plan.clone();
    rest.items.retain(|item| !is_timed(item) || item.at <= failed_at);
    rest.lasts = plan.lasts.min(failed_at);
    rest
}

/// A shorter time of faults, but no shorter than it takes until the last item.
pub(super) fn lasts<S: Clone, O: Clone>(plan: &Plan<S, O>) -> Steps<'_, S, O> {
    let timed = plan.items.iter().filter(|item| is_timed(item));
    let last = timed.map(|item| item.at).max().unwrap_or(Micros::ZERO);
    let shorter = plainer::lengths(plan.lasts.0).map(Micros);
    Box::new(shorter.filter(move |lasts| *lasts >= last).map(|lasts| Plan {
        lasts,
        ..plan.clone()
    }))
}

/// Each item sooner after the one before it, together with all that come later.
pub(super) fn gaps<S: Clone, O: Clone>(plan: &Plan<S, O>) -> Steps<'_, S, O> {
    let timed = plan.items.iter().filter(|item| is_timed(item));
    let instants: BTreeSet<_> = timed.map(|item| item.at).collect();
    let before = [Micros::ZERO].into_iter().chain(instants.clone());
    Box::new(before.zip(instants).flat_map(move |(before, at)| {
        let gap = at.since(before);
        plainer::lengths(gap.0).map(move |shorter| {
            let earlier = gap.since(Micros(shorter));
            let mut sooner = plan.clone();
            for item in sooner
                .items
                .iter_mut()
                .filter(|item| is_timed(item) && item.at >= at)
            {
                item.at = item.at.since(earlier);
            }
            sooner
        })
    }))
}

/// Each item earlier, by itself.
pub(super) fn times<S: Clone, O: Clone>(plan: &Plan<S, O>) -> Steps<'_, S, O> {
    each_item(plan, |item| {
        let earlier = plainer::lengths(item.at.0).map(Micros);
        earlier.map(|at| Item { at, ..item.clone() }).collect()
    })
}

/// The items in the order of their times, as a reader expects them.
pub(super) fn order<S: Clone, O: Clone>(plan: &Plan<S, O>) -> Steps<'_, S, O> {
    let is_ordered = plan.items.is_sorted_by_key(|item| item.at);
    let ordered = (!is_ordered).then(|| {
        let mut ordered = plan.clone();
        ordered.items.sort_by_key(|item| item.at);
        ordered
    });
    Box::new(ordered.into_iter())
}

/// A plainer shape.
pub(super) fn shapes<'p, S: Clone, O: Clone>(
    plan: &'p Plan<S, O>,
    plainer: fn(&S) -> Vec<S>,
) -> Steps<'p, S, O> {
    let shapes = plainer(&plan.shape).into_iter();
    Box::new(shapes.map(|shape| Plan {
        shape,
        ..plan.clone()
    }))
}

/// Each act plainer.
pub(super) fn acts<'p, S: Clone, O: Clone>(
    plan: &'p Plan<S, O>,
    operations: fn(&O) -> Vec<O>,
) -> Steps<'p, S, O> {
    each_item(plan, move |item| {
        let acts: Vec<_> = match &item.act {
            Act::Operation(operation) => operations(operation).into_iter().map(Act::Operation).collect(),
            Act::Fault(fault) => plainer::faults(fault).into_iter().map(Act::Fault).collect(),
        };
        let with = |act| Item { act, ..item.clone() };
        acts.into_iter().map(with).collect()
    })
}

/// Each fixed choice with an alternative that is plainer.
pub(super) fn alternatives<S: Clone, O: Clone>(plan: &Plan<S, O>) -> Steps<'_, S, O> {
    let places = plan.fixed.iter().enumerate();
    Box::new(places.flat_map(move |(place, choice)| {
        plainer::counts(choice.alternative, 0).map(move |alternative| {
            let mut with = plan.clone();
            with.fixed[place].alternative = alternative;
            with
        })
    }))
}

/// Something else in place of each item, one at a time.
fn each_item<'p, S: Clone, O: Clone>(
    plan: &'p Plan<S, O>,
    others: impl Fn(&Item<O>) -> Vec<Item<O>> + 'p,
) -> Steps<'p, S, O> {
    let places = plan.items.iter().enumerate();
    Box::new(places.flat_map(move |(place, item)| {
        others(item).into_iter().map(move |other| {
            let mut with = plan.clone();
            with.items[place] = other;
            with
        })
    }))
}

/// A platform on which everything takes the same short time, and nothing breaks.
const fn plain() -> Knobs {
    Knobs {
        latency: Span::millis(5, 5),
        late_by: Span::millis(100, 100),
        duplicate_after: Span::millis(100, 100),
        cancel_after: Span::millis(10, 10),
        notice: Span::millis(50, 50),
        confirm: Span::millis(1, 1),
        service: Span::millis(1, 1),
        alarm_lateness: Span::millis(0, 0),
        alarm_late_by: Span::millis(1_000, 1_000),
        alarm_sync: Span::millis(1, 1),
        idle: Span::millis(10_000, 10_000),
        reset_after: Span::millis(0, 0),
        overlap: Span::millis(1_000, 1_000),
        deploy_reach: Span::millis(0, 0),
        ..Knobs::calm()
    }
}

/// A plainer platform: all of it first, then all faults off, then knob by knob.
pub(super) fn knobs<S: Clone, O: Clone>(plan: &Plan<S, O>) -> Steps<'_, S, O> {
    let whole = [plain(), plan.knobs.healed()].into_iter();
    let whole = whole.filter(|knobs| *knobs != plan.knobs && plan.knobs != plain());
    let single = knob_by_knob(&plan.knobs);
    Box::new(whole.chain(single).map(|knobs| Plan {
        knobs,
        ..plan.clone()
    }))
}

/// Each knob as it stands in a file, so that one that is added to the platform is made plainer too.
fn knob_by_knob(knobs: &Knobs) -> impl Iterator<Item = Knobs> + use<> {
    let fields = |knobs: &Knobs| match serde_json::to_value(knobs).expect("knobs can be written") {
        Value::Object(fields) => fields,
        _ => unreachable!("knobs are a table"),
    };
    let (found, plain, calm) = (fields(knobs), fields(&plain()), fields(&Knobs::calm()));
    let mut plainer = Vec::new();
    for (name, value) in &found {
        for other in plainer_values(value, &plain[name], &calm[name]) {
            let mut fields = found.clone();
            fields.insert(name.clone(), other);
            plainer.extend(serde_json::from_value(Value::Object(fields)));
        }
    }
    plainer.into_iter()
}

/// What is plainer than a knob's value: the plain one; for a span that will not be, always its one end or its other
/// one, or else that of a calm day.
fn plainer_values(found: &Value, plain: &Value, calm: &Value) -> Vec<Value> {
    if found == plain {
        return Vec::new();
    }
    let mut plainer = vec![plain.clone()];
    if let Ok(span) = serde_json::from_value::<Span>(found.clone())
        && span.least < span.most
    {
        let ends = [span.least, span.most].map(Span::exactly);
        plainer.extend(ends.map(|span| serde_json::to_value(span).expect("a span can be written")));
        plainer.extend((found != calm).then(|| calm.clone()));
    }
    plainer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Episode, Ratio};

    #[test]
    fn knobs_come_to_be_plain_one_by_one() {
        let mut knobs = Knobs {
            request_loss: Episode::once(Ratio { hits: 1, of: 3 }),
            commit_stall: Episode {
                begins: Ratio { hits: 1, of: 3 },
                ends: Ratio::ALWAYS,
                least: Micros(7),
            },
            clock_skew: Micros(5),
            name_missing: true,
            ..Knobs::calm()
        };
        let mut steps = 0;
        while let Some(plainer) = knob_by_knob(&knobs).next() {
            assert_ne!(plainer, knobs);
            knobs = plainer;
            steps += 1;
        }
        assert_eq!(knobs, plain());
        assert_eq!(steps, 18, "14 spans, and the four that are not calm");
    }

    #[test]
    fn a_span_that_must_not_be_plain_has_an_end_to_be() {
        let knobs = Knobs {
            latency: Span::millis(2, 90),
            ..plain()
        };
        let latencies: Vec<_> = knob_by_knob(&knobs).map(|knobs| knobs.latency).collect();
        let exactly = |millis| Span::millis(millis, millis);
        assert_eq!(
            latencies,
            [exactly(5), exactly(2), exactly(90), Span::millis(1, 20)]
        );
    }
}
