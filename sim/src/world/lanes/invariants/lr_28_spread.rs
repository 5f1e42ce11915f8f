//! LR-28. Only pages are spread over lanes.
//!
//! Each call that a front makes to a lane is for `/__serve`, and what an owner asks goes to the primary. Objects call each
//! other as they must, and are not looked at. Catches H33 (an export, or a migration, on a lane).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::wire::Called;

/// A lane is asked for what is no page, or the owner goes to a lane.
const NO_PAGE: Class = Class("no-page");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-28",
        statement: "a front asks lanes for pages only; an owner is answered by the primary",
        classes: &[NO_PAGE],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Call(check)],
};

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    if truth.lane_of(&called.who).is_some() {
        return Judgement::NoSubject;
    }
    let to_primary = called.to.0 == truth.site;
    let path = called.request.path.as_str();
    let is_page = path == "/__serve" || path.starts_with("/__serve?");
    if to_primary && is_page {
        return Judgement::NoSubject;
    }
    Judgement::that(to_primary || is_page, || {
        Breach::new(NO_PAGE, format!("{} asks {} for {path}", called.caller(), called.asked()))
    })
}
