//! Taking things out of a plan: its items, and the choices that it fixes.

use super::Steps;
use crate::plan::Plan;
use crate::trace::Part;

/// All that can be taken out, in order.
pub(super) fn parts<S, O>(plan: &Plan<S, O>) -> impl Iterator<Item = Part> {
    let items = plan.items.iter().map(|item| Part::Item(item.id));
    let fixed = plan.fixed.iter().map(|choice| Part::Fixed(choice.key.clone()));
    items.chain(fixed)
}

/// The plan without one part.
pub(super) fn without<S: Clone, O: Clone>(plan: &Plan<S, O>, part: &Part) -> Plan<S, O> {
    let mut rest = plan.clone();
    match part {
        Part::Item(id) => rest.items.retain(|item| item.id != *id),
        Part::Fixed(key) => rest.fixed.retain(|choice| choice.key != *key),
    }
    rest
}

/// The plan without so many parts in a row, from the first one on.
pub(super) fn without_chunks<S: Clone, O: Clone>(plan: &Plan<S, O>, size: usize) -> Steps<'_, S, O> {
    let parts = plan.items.len() + plan.fixed.len();
    let chunks = (0..parts).step_by(size);
    Box::new(chunks.map(move |from| without_range(plan, from, from + size)))
}

fn without_range<S: Clone, O: Clone>(plan: &Plan<S, O>, from: usize, to: usize) -> Plan<S, O> {
    let items = plan.items.len();
    let mut rest = plan.clone();
    rest.items.drain(from.min(items)..to.min(items));
    let fixed = from.saturating_sub(items)..to.saturating_sub(items).min(plan.fixed.len());
    rest.fixed.drain(fixed);
    rest
}
