//! LR-23. What a withdrawn lane held influences nothing.
//!
//! Until a new copy is whole, a lane answers no page, whatever its status (it hands over, or says that it cannot), and
//! forwards nothing. An answer of any other tier than those two shows something.
//! Catches S25 (the fast lane asks for no stage), and a lane that renders from what it held.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::standing::Standing;
use crate::world::lanes::truth::wire::Called;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::admission::Stage;
use protocol::lanes::header;
use protocol::lanes::object::labels;

/// It shows a page, in this stage.
const SHOWS: Class = Class("shows");
/// It forwards a batch, in this stage.
const FORWARDS: Class = Class("forwards");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-23",
        statement: "from its withdrawal to its next whole copy a lane shows and forwards nothing",
        classes: &[SHOWS, FORWARDS],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(shows), Stand::Call(forwards)],
};

/// Whether a lane in this stage holds nothing that counts.
fn is_out(stage: Option<Stage>) -> bool {
    matches!(stage, Some(Stage::Withdrawn | Stage::Created | Stage::Restoring))
}

fn shows(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !is_out(turn.before.stage()) || !is_out(turn.after.stage()) {
        return Judgement::NoSubject;
    }
    let mut judgement = Judgement::NoSubject;
    for (run, response) in turn.answers() {
        let Some(tier) = response.headers.get(header::CACHE) else {
            continue;
        };
        // A page that was begun while the lane served is LR-21's and LR-22's.
        let began_out = truth.stages_since(turn.lane, run.since).all(is_out);
        let showed = !matches!(tier, "REFUSED" | "STALE") && began_out;
        judgement = Judgement::that(!showed, || {
            Breach::new(SHOWS, format!("lane {} is {} and answered {tier}", turn.lane, told(turn.after.stage()))).at(told(turn.after.stage())).between((format!("a lane that is {}", told(turn.after.stage())), "no page"), (format!("lane {}", turn.lane), tier))
        });
        if showed {
            break;
        }
    }
    judgement
}

fn forwards(truth: &mut Truth, called: &Called) -> Judgement {
    if called.label != labels::FORWARD {
        return Judgement::NoSubject;
    }
    let Some(lane) = truth.lane_of(&called.who) else {
        return Judgement::NoSubject;
    };
    let stage = truth.standing(lane).and_then(Standing::stage);
    Judgement::that(!is_out(stage), || {
        Breach::new(FORWARDS, format!("lane {lane} is {} and forwards", told(stage))).at(told(stage))
    })
}
