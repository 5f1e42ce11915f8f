//! Single faults in place of random ones.
//!
//! A rate is an accident that waits for each call and each commit. Where the failure needs a kind of fault, it is made
//! to strike just where it did: first as choices that the plan fixes, which changes nothing else, and then, where a plan
//! has a fault for it, as an item that names the call, or the object and the instant.

use std::collections::BTreeSet;

use protocol::host::{Millis, SqlErrorKind};
use serde_json::Value;
use strum::VariantArray as _;

use super::Steps;
use super::account::{Account, Struck};
use crate::kernel::{
    Aim, CallFault, ChoiceKey, FaultKind, FixedChoice, Knobs, Micros, Purpose, ResetCause, Span, Way,
};
use crate::plan::{Act, Fault, Item, Plan};

/// How many calls, or instants, a single fault is tried at.
const PLACES_MOST: usize = 24;

/// Under how many numbers a fault is tried that befalls an object.
const NUMBERS: u32 = 4;

/// How many choices are fixed in place of one rate. Where it has struck more often, it is no accident.
const FIXED_MOST: usize = 200;

/// Rates off, and what they had strike fixed: all at once, and then knob by knob.
pub(super) fn rates<'p, S: Clone, O: Clone>(plan: &'p Plan<S, O>, account: &Account) -> Steps<'p, S, O> {
    let on: BTreeSet<_> = FaultKind::VARIANTS
        .iter()
        .map(|kind| plan.knobs.switch(*kind))
        .filter(|switch| switch.is_on())
        .filter_map(|switch| switch.knob)
        .collect();
    let mut steps = Vec::new();
    if on.len() > 1 {
        steps.extend(without_rates(plan, &on, account));
    }
    for knob in on {
        steps.extend(without_rates(plan, &BTreeSet::from([knob]), account));
    }
    Box::new(steps.into_iter())
}

fn without_rates<S: Clone, O: Clone>(
    plan: &Plan<S, O>,
    off: &BTreeSet<&str>,
    account: &Account,
) -> Option<Plan<S, O>> {
    let purposes: BTreeSet<_> = FaultKind::VARIANTS
        .iter()
        .map(|kind| plan.knobs.switch(*kind))
        .filter(|switch| switch.knob.is_some_and(|knob| off.contains(knob)))
        .filter_map(|switch| switch.purpose)
        .collect();
    let fixed: BTreeSet<_> = plan.fixed.iter().map(|choice| &choice.key).collect();
    let struck: Vec<_> = account
        .choices
        .iter()
        .filter(|(key, alternative)| {
            purposes.contains(&key.purpose) && *alternative > 0 && !fixed.contains(key)
        })
        .map(|(key, alternative)| FixedChoice {
            key: key.clone(),
            alternative: *alternative,
        })
        .collect();
    if struck.is_empty() || struck.len() > FIXED_MOST {
        return None;
    }
    let mut single = plan.clone();
    single.knobs = rates_off(&plan.knobs, off);
    single.fixed.extend(struck);
    Some(single)
}

/// These knobs never begin. How long what they begin lasts stays, for those choices that are fixed.
fn rates_off(knobs: &Knobs, off: &BTreeSet<&str>) -> Knobs {
    let mut fields = serde_json::to_value(knobs).expect("knobs can be written");
    for knob in off {
        match &mut fields[knob] {
            Value::Object(lasting) => lasting.insert("begins".to_owned(), "0 in 1".into()),
            once => Some(std::mem::replace(once, "0 in 1".into())),
        };
    }
    serde_json::from_value(fields).expect("a rate of nothing is a rate")
}

/// An item in place of each choice that has a fault strike.
pub(super) fn items<'p, S: Clone, O: Clone>(plan: &'p Plan<S, O>, account: &Account) -> Steps<'p, S, O> {
    let mut steps = Vec::new();
    let last = plan.items.iter().map(|item| item.id).max();
    let free = last.map_or(0, |last| last.saturating_add(1));
    for choice in plan.fixed.iter().filter(|choice| choice.alternative > 0) {
        let call = call_fault(&choice.key, &plan.knobs, account);
        let (faults, numbers) = match call {
            Some(fault) => (at_each_call(&choice.key, fault, account), 1),
            // What such a fault draws, as how many commits survive it, depends on its number.
            None => (object_faults(&choice.key, &plan.knobs, account), NUMBERS),
        };
        let faults = faults.into_iter();
        let numbered =
            faults.flat_map(|fault| (free..free.saturating_add(numbers)).map(move |id| (id, fault.clone())));
        steps.extend(numbered.map(|(id, (at, fault))| {
            let mut aimed = plan.clone();
            aimed.fixed.retain(|fixed| fixed.key != choice.key);
            // When the time of faults is over, none strikes.
            aimed.lasts = plan.lasts.max(at);
            aimed.items.push(Item {
                id,
                at,
                act: Act::Fault(fault),
            });
            aimed
        }));
    }
    Box::new(steps.into_iter())
}

/// What a choice has happen to a call, if it has.
fn call_fault(key: &ChoiceKey, knobs: &Knobs, account: &Account) -> Option<CallFault> {
    let length = |purpose, span| drawn(key, purpose, span, account);
    Some(match key.purpose {
        Purpose::RequestLoss => CallFault::LoseRequest,
        Purpose::AnswerLoss => CallFault::LoseAnswer,
        Purpose::RequestLate => CallFault::DelayRequest(length(Purpose::RequestLateBy, knobs.late_by)),
        Purpose::AnswerLate => CallFault::DelayAnswer(length(Purpose::AnswerLateBy, knobs.late_by)),
        Purpose::Duplicate => CallFault::Duplicate(length(Purpose::DuplicateAfter, knobs.duplicate_after)),
        Purpose::Cancel => CallFault::Cancel(length(Purpose::CancelAfter, knobs.cancel_after)),
        _ => return None,
    })
}

/// The longest of the lengths that were drawn for such a choice, which is the one that is most likely to matter.
fn drawn(key: &ChoiceKey, purpose: Purpose, span: Span, account: &Account) -> Millis {
    let drawn = account.choices.iter().filter(|(drawn, _)| {
        drawn.purpose == purpose
            && (&drawn.origin, &drawn.at, &drawn.label) == (&key.origin, &key.at, &key.label)
    });
    let most = drawn.map(|(_, alternative)| *alternative).max().unwrap_or(0);
    Millis(span.least.after(Micros(most)).0.div_ceil(1_000))
}

fn at_each_call(key: &ChoiceKey, fault: CallFault, account: &Account) -> Vec<(Micros, Fault)> {
    let calls = &account.heard.calls;
    let made = calls
        .iter()
        .find(|((who, label), _)| *who == key.at && *label == key.label.as_str());
    let made = made.map_or(0, |(_, made)| *made);
    let aims = (0..made).take(PLACES_MOST).map(|nth| Aim {
        caller: key.at.clone(),
        label: key.label.clone(),
        nth,
    });
    aims.map(|aim| (Micros::ZERO, Fault::Call { aim, fault }))
        .collect()
}

/// What a choice has befall an object, or has stand between it and another party: wherever such a thing was seen.
fn object_faults(key: &ChoiceKey, knobs: &Knobs, account: &Account) -> Vec<(Micros, Fault)> {
    let of_kind = |kind: FaultKind| knobs.switch(kind).purpose == Some(key.purpose);
    let struck = account.heard.struck.iter();
    let struck = struck.filter(|struck| of_kind(struck.kind) && struck.who == key.at);
    let faults = struck.flat_map(|struck| {
        let at = struck.at.since(account.begins);
        // Some must be there before they strike; and of two events of one instant either may come first.
        let instants = [at, at.after(Micros(1)), at.since(Micros(1))];
        let like_it = like(struck, knobs);
        instants
            .into_iter()
            .flat_map(move |at| like_it.clone().into_iter().map(move |fault| (at, fault)))
    });
    let mut tried = Vec::new();
    for fault in faults {
        if tried.len() < PLACES_MOST && !tried.contains(&fault) {
            tried.push(fault);
        }
    }
    tried
}

/// The faults of a plan that are like one that was seen.
fn like(struck: &Struck, knobs: &Knobs) -> Vec<Fault> {
    let object = struck.who.clone();
    let fault = match (struck.kind, struck.to.clone()) {
        (FaultKind::Reset, _) => {
            let causes = ResetCause::VARIANTS.iter();
            let reset = |cause: &ResetCause| Fault::Reset {
                object: object.clone(),
                cause: *cause,
            };
            return causes.map(reset).collect();
        }
        (FaultKind::Evicted, _) => Fault::Evict { object },
        (FaultKind::Displaced, _) => Fault::Displace {
            object,
            overlap: knobs.overlap.most,
        },
        (FaultKind::KvFailed, _) => Fault::KvOutage {
            lasts: knobs.kv_failure.least.max(Micros::from_millis(1)),
        },
        (FaultKind::BrokerRestarted, _) => Fault::BrokerRestart,
        (FaultKind::FrontRestarted, _) => Fault::Restart { front: object },
        (FaultKind::CommitFailed, _) => Fault::CommitFailure { object },
        (FaultKind::CommitStalled, _) => Fault::CommitStall {
            object,
            lasts: knobs.commit_stall.least,
        },
        (FaultKind::StorageRefused, _) => Fault::Statement {
            object,
            after: 0,
            error: SqlErrorKind::Full,
        },
        (FaultKind::Partitioned, Some(to)) => Fault::Partition {
            from: object,
            to,
            way: Way::default(),
            lasts: knobs.partition.least.max(Micros::from_millis(1)),
        },
        (FaultKind::Clogged, Some(to)) => Fault::Clog {
            from: object,
            to,
            lasts: knobs.clog.least,
        },
        _ => return Vec::new(),
    };
    vec![fault]
}
