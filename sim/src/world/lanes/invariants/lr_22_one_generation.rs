//! LR-22. What a lane answers is what the primary would have answered at one generation.
//!
//! The page tells what it read, with digests. The oracle reads the same on the primary's state at the generations that the
//! lane can have shown: a page that was rendered for this request shows one at which the lane stood between its coming and
//! the answer, any other page (from a cache, or of a herd) one at which the lane ever stood. Reads of caches are left out:
//! they are each object's own. A page whose reads the oracle cannot run has no subject.
//! Catches a catch-up in the middle of a render.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::kernel::Micros;
use crate::world::lanes::setup;
use crate::world::lanes::truth::runs::Run;
use crate::world::lanes::truth::standing::Generation;
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
    for heard in turn.lasting() {
        let Heard::Finished {
            run,
            outcome: Ok(Some(response)),
            ..
        } = heard
        else {
            continue;
        };
        match judge(truth, turn.lane, run.as_deref(), response) {
            Judgement::NoSubject => {}
            Judgement::Holds => judgement = Judgement::Holds,
            broken @ Judgement::Broken(_) => return broken,
        }
    }
    judgement
}

fn judge(truth: &mut Truth, lane: u32, run: Option<&Run>, response: &Response) -> Judgement {
    let tier = response.headers.get(header::CACHE);
    if response.status != 200 || tier.is_none() {
        return Judgement::NoSubject;
    }
    let Ok(page) = response.body.read::<Page>() else {
        return Judgement::NoSubject;
    };
    // Rendered before anybody looked.
    if page.token == setup::TOKEN {
        return Judgement::NoSubject;
    }
    let is_shared = response.headers.get(header::HERD).is_some();
    let rendered = tier == Some("RENDER") && !is_shared;
    let since = run.filter(|_| rendered).map_or(Micros::ZERO, |run| run.since);
    let generations = truth.stood_since(lane, since);
    let known = truth.known_pages.get(&page.digest);
    if known.is_some_and(|known| generations.contains(known)) {
        return Judgement::Holds;
    }
    let mut unknown = generations.is_empty();
    for generation in &generations {
        match truth.shows(&page, *generation) {
            Some(true) => {
                truth.known_pages.insert(page.digest.clone(), *generation);
                return Judgement::Holds;
            }
            Some(false) => {}
            None => unknown = true,
        }
    }
    if unknown {
        return Judgement::NoSubject;
    }
    let stood: Vec<String> = generations.iter().map(Generation::to_string).collect();
    let stood = stood.join(", ");
    Judgement::broken(
        Breach::new(OF_NONE, format!(
            "lane {lane} answered `{}` with a page of no generation at which it can have stood ({stood})",
            page.token
        ))
        .between(
            ("a page of one of the generations", &stood),
            (format!("the page of lane {lane}"), "of none of them"),
        ),
    )
}
