//! LR-22. What a lane answers is what the primary would have answered at one generation.
//!
//! The page tells what it read, with digests. The oracle reads the same on the primary's state at each generation that
//! the lane served at since the request can have come, and if that is none, at each one ever. Reads of caches are left
//! out: they are each object's own. A page whose reads the oracle cannot run has no subject.
//! Catches a catch-up in the middle of a render.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::setup;
use crate::world::lanes::truth::wire::Heard;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Response;
use protocol::lanes::app::page::Page;
use protocol::lanes::header;

/// It is of none.
const OF_NONE: Class = Class("of-none");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-22",
        statement: "every page of a lane is that of one generation",
        classes: &[OF_NONE],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for heard in &turn.heard {
        let Heard::Finished {
            outcome: Ok(Some(response)),
            ..
        } = heard
        else {
            continue;
        };
        match judge(truth, turn.lane, response) {
            Judgement::NoSubject => {}
            Judgement::Holds => judgement = Judgement::Holds,
            broken @ Judgement::Broken(_) => return broken,
        }
    }
    judgement
}

fn judge(truth: &mut Truth, lane: u32, response: &Response) -> Judgement {
    if response.status != 200 || response.headers.get(header::CACHE).is_none() {
        return Judgement::NoSubject;
    }
    let Ok(page) = response.body.read::<Page>() else {
        return Judgement::NoSubject;
    };
    // Rendered before anybody looked.
    if page.token == setup::TOKEN {
        return Judgement::NoSubject;
    }
    if truth.known_pages.contains(&page.digest) {
        return Judgement::Holds;
    }
    let mut generations = truth.served_since(lane, Default::default());
    generations.extend(truth.history.keys().rev().copied());
    let mut unknown = generations.is_empty();
    for generation in generations {
        match truth.shows(&page, generation) {
            Some(true) => {
                truth.known_pages.insert(page.digest.clone());
                return Judgement::Holds;
            }
            Some(false) => {}
            None => unknown = true,
        }
    }
    if unknown {
        return Judgement::NoSubject;
    }
    Judgement::broken(Breach::new(OF_NONE, format!(
        "lane {lane} answered `{}` with a page that is that of no generation",
        page.token
    )))
}
