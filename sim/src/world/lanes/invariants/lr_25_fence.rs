//! LR-25. Who asks for a generation at least is shown one, or refused.
//!
//! Each page that a lane answers with status 200 to a request that requires a generation must read as the primary did at
//! that generation or a later one, whatever tier answers. A page that reads the same at both is as good as the newer one.
//! What is no number, and a blank, no generation is enough for. It cannot see a page whose reads the oracle cannot run. Catches S25 (the fast lane and the herd ask for no fence), and
//! a clock that runs ahead of the contents (S33, H9).

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::runs::Run;
use crate::world::lanes::truth::standing::Generation;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Response;
use protocol::lanes::app::page::Page;
use protocol::lanes::header;
use protocol::number::Number;

/// It is shown an earlier one, or none at all.
const TOO_EARLY: Class = Class("too-early");
/// What it requires is no generation.
const NO_FENCE: Class = Class("no-fence");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-25",
        statement: "a request that requires a generation is shown it or a later one, or is refused",
        classes: &[TOO_EARLY, NO_FENCE],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for (run, response) in turn.answers() {
        match judge(truth, turn.lane, run, response) {
            Judgement::NoSubject => {}
            Judgement::Holds => judgement = Judgement::Holds,
            broken @ Judgement::Broken(_) => return broken,
        }
    }
    judgement
}

fn judge(truth: &mut Truth, lane: u32, run: &Run, response: &Response) -> Judgement {
    let Some(required) = required(run) else {
        return Judgement::NoSubject;
    };
    if response.status == 503 {
        return Judgement::Holds;
    }
    let Ok(page) = response.body.read::<Page>() else {
        return Judgement::NoSubject;
    };
    if response.status != 200 {
        return Judgement::NoSubject;
    }
    let Some(required) = required else {
        return Judgement::broken(
            Breach::new(NO_FENCE, format!("lane {lane} was asked for what is no generation, and shows a page")).between(
                ("a request whose fence no generation passes", "no page"),
                (format!("lane {lane}"), "a page"),
            ),
        );
    };
    // A lane stands near the newest one most of the time.
    let later: Vec<Generation> = truth
        .history
        .range(required..)
        .rev()
        .map(|(at, _)| *at)
        .collect();
    let newest = truth.history.keys().next_back().copied();
    for generation in later {
        // A state that is not known, or a read that cannot be run: nobody can tell.
        match truth.shows(&page, generation) {
            Some(true) => return Judgement::Holds,
            Some(false) => {}
            None => return Judgement::NoSubject,
        }
    }
    let detail = format!(
        "lane {lane} was asked for a page of generation {required} or later and answered with an earlier one; the newest \
         generation is {}",
        told(newest)
    );
    Judgement::broken(Breach::new(TOO_EARLY, detail).between(
        ("the page must be of", format!("{required} or later")),
        (format!("the page of lane {lane}"), "of an earlier generation, or of none"),
    ))
}

/// What a request requires, if it requires anything: none where no generation is enough.
fn required(run: &Run) -> Option<Option<Generation>> {
    let text = run.request()?.headers.get(header::REQUIRE_GENERATION)?;
    // `Number('')` is 0, which every lane has reached: who sends the field wants a fence (`lanes.md` 16).
    let number = if text.trim().is_empty() { Number::NAN } else { Number::parse(text) };
    let whole = number.floor();
    let least = if whole.js_eq(number) { whole } else { whole + Number::integer(1) };
    Some(if least.js_le(Number::ZERO) { Some(0) } else { least.to_u64_exact() })
}
