//! LR-L7. A front that has heard of the new pool routes to it.
//!
//! Judged when a front asks an object for a page without effects: where the primary has told it within the time of a
//! belief how many lanes there are, it asks the lane that the affinity gives among so many. Of several numbers that it was
//! told the highest is the newest: pools only grow. Where an override of `REPLICA_COUNT` says more, that counts in its
//! place, and nothing is judged. Fronts that the primary has not told since may follow an older pointer: that ends with
//! their belief (LR-31), or with the first answer of the primary. Catches a belief that an older epoch replaces, and one
//! that is kept when it is over.

use super::lr_31_target;
use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::kernel::Micros;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::wire::Called;
use protocol::ecma::JsString;
use protocol::host::{Method, Request};
use protocol::lanes::front::labels;
use protocol::lanes::routing::{AffinityFacts, affinity_key, fnv1a32};
use protocol::lanes::session::session_cookie_value;

/// It asks another object.
const ELSEWHERE: Class = Class("elsewhere");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L7",
        statement: "a front that the primary has lately told of the pool spreads requests over all of it",
        classes: &[ELSEWHERE],
    },
    triage: Triage::Reworded("judged from the primary's answer on; that a belief ends is LR-31's"),
    stands: &[Stand::Call(check)],
};

/// For how long a belief counts for certain: a little less than it does (`lanes.md` 3).
const TRUST: Micros = Micros::from_millis(59_990);

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    let first = called.run.as_ref().filter(|run| run.calls().next().is_none());
    let visitors = first.and_then(|run| run.request());
    let Some(request) = visitors.filter(|_| matches!(called.label, labels::ASK_LANE | labels::ASK_PRIMARY)) else {
        return Judgement::NoSubject;
    };
    if !matches!(request.method, Method::Get | Method::Head) || !called.request.path.starts_with("/__serve") {
        return Judgement::NoSubject;
    }
    let lately = truth.now.since(TRUST);
    let told: Vec<_> = truth.announced.since(&called.who, called.incarnation, lately).collect();
    let lanes = told.iter().map(|told| told.lanes).max().unwrap_or(0);
    if !told.iter().any(|told| told.by_primary && told.lanes == lanes) {
        return Judgement::NoSubject;
    }
    // An override that says more counts in its place.
    if lr_31_target::set(truth, called) > lanes {
        return Judgement::NoSubject;
    }
    let Some(asked) = truth.number_of(&called.to.0) else {
        return Judgement::NoSubject;
    };
    let due = bucket(request, lanes);
    Judgement::that(asked == due, || {
        Breach::new(ELSEWHERE, format!(
            "{} was told of {lanes} lanes and asks {}, where affinity gives lane {due}",
            called.caller(),
            called.asked()
        ))
        .between((format!("of {lanes} lanes"), due), ("it asks", asked))
    })
}

/// The lane that the affinity of a request gives, of so many; 0 is the primary.
fn bucket(request: &Request, lanes: u32) -> u32 {
    let affinity = affinity_key(&AffinityFacts {
        session: session_cookie_value(request.headers.get("cookie")),
        address: request.headers.get("cf-connecting-ip"),
        pathname: request.path.split('?').next().unwrap_or_default(),
    });
    fnv1a32(&JsString::from(affinity.as_str())) % (lanes + 1)
}
