//! LR-21. A lane shows a page only while it serves, or one that it served.
//!
//! Each answer of a lane to a request for a page is looked at. Where the lane was SERVING from the request's coming to the
//! answer it may say what it likes (LR-22 asks what). Otherwise a page, whatever its status, must read as the primary did
//! at a generation at which this lane once served; and what is no page must hand over (421) or fail (500 and above). It
//! cannot see a page whose reads the oracle cannot run. Catches pages of a copy that has not become whole (S25's fast lane).

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::setup;
use crate::world::lanes::truth::runs::Run;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Response;
use protocol::lanes::admission::Stage;
use protocol::lanes::app::page::Page;

/// The page is of no generation that it served.
const NEVER_SERVED: Class = Class("never-served");
/// It is no page, and hands nothing over.
const NO_PAGE: Class = Class("no-page");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-21",
        statement: "a lane answers a page only while it serves, or with a page of a generation that it served",
        classes: &[NEVER_SERVED, NO_PAGE],
    },
    triage: Triage::Reworded("a page that outlives a withdrawal may be one that the lane rightly held"),
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for (run, response) in turn.answers() {
        match judge(truth, turn, run, response) {
            Judgement::NoSubject => {}
            Judgement::Holds => judgement = Judgement::Holds,
            broken @ Judgement::Broken(_) => return broken,
        }
    }
    judgement
}

fn judge(truth: &mut Truth, turn: &Turn, run: &Run, response: &Response) -> Judgement {
    if response.status == 421 || !run.asks_for_page() {
        return Judgement::NoSubject;
    }
    let serving = Some(Stage::Serving);
    if turn.before.stage() == serving && truth.stages_since(turn.lane, run.since).all(|at| at == serving) {
        return Judgement::Holds;
    }
    let Ok(page) = response.body.read::<Page>() else {
        if response.status >= 500 {
            return Judgement::NoSubject;
        }
        let (stage, status) = (told(turn.after.stage()), response.status);
        return Judgement::broken(
            Breach::new(NO_PAGE, format!("lane {} is {stage} and answered {status}, which is no page", turn.lane)).between(
                (format!("a lane that is {stage}"), "421, or a page that it served"),
                ("it answered", status),
            ),
        );
    };
    if page.token == setup::TOKEN {
        return Judgement::NoSubject;
    }
    let mut unknown = false;
    for generation in truth.served_since(turn.lane, Default::default()) {
        match truth.shows(&page, generation) {
            Some(true) => return Judgement::Holds,
            Some(false) => {}
            None => unknown = true,
        }
    }
    if unknown {
        return Judgement::NoSubject;
    }
    Judgement::broken(Breach::new(NEVER_SERVED, format!(
        "lane {} is {} and answered a page that is that of no generation at which it served",
        turn.lane,
        told(turn.after.stage())
    )))
}
