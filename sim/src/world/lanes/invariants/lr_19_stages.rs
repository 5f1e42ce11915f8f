//! LR-19. Stages move as they may.
//!
//! Each value that is put under the stage within a turn is a move.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::lanes::admission::{Stage, can_transition};
use protocol::lanes::meta::Key;

/// A move that is none of them: from this stage to that.
const ILLEGAL: Class = Class("illegal");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-19",
        statement: "only the legal moves of stages are made",
        classes: &[ILLEGAL],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    let mut at = turn.before.stage();
    let mut judgement = Judgement::NoSubject;
    for put in turn.puts(Key::STAGE) {
        let to = Stage::named(put);
        let legal = matches!((at, to), (Some(from), Some(to)) if can_transition(from, to));
        judgement = Judgement::that(legal, || Breach::new(ILLEGAL, format!("lane {} moved from {} to {put}", turn.lane, told(at))).at(format_args!("{}-to-{}", told(at), told(to))).between((format!("lane {}", turn.lane), format!("a legal move from {}", told(at))), ("it moved to", put)));
        if !legal {
            break;
        }
        at = to;
    }
    judgement
}
