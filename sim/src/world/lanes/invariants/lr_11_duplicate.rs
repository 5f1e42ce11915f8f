//! LR-11. A record that a lane passes over, for it has it already, it really has.
//!
//! Each answer to a pull is looked at when it comes to a lane that takes records: what it carries at or below the lane's
//! position is passed over. Such a record must be one that the lane has applied since its copy, with the same
//! fingerprint; or its generation is not above the copy's, and the copy holds it. It cannot see a record that is passed
//! over in an apply by hand. Catches a history that is written anew below a lane's position (C01, C09).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::passed::Passed;
use crate::world::lanes::truth::wire::Heard;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Answer;
use protocol::lanes::meta::Key;
use protocol::lanes::object::labels;
use protocol::lanes::wire::{LogAnswer, Record};

/// It has neither.
const NEVER_APPLIED: Class = Class("never-applied");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-11",
        statement: "a record that a lane passes over as applied was applied by it, or is in its copy",
        classes: &[NEVER_APPLIED],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let Some(applied) = Truth::owes(&turn.before) else {
        return Judgement::NoSubject;
    };
    let Some(passed) = truth.passed.get(&turn.lane) else {
        return Judgement::NoSubject;
    };
    let mut judgement = Judgement::NoSubject;
    for heard in &turn.heard {
        let Heard::Answered {
            made,
            outcome: Ok(Answer::Response(response)),
            ..
        } = heard
        else {
            continue;
        };
        if made.label != labels::READ_LOG || turn.after.generation(Key::APPLIED) < Some(applied) {
            continue;
        }
        let Ok(answer) = response.body.read::<LogAnswer>() else {
            continue;
        };
        let records = answer.records.get().map_or(&[][..], Vec::as_slice);
        for record in records.iter().filter_map(|record| record.get()) {
            let generation = record.generation.or_nan().to_u64_exact();
            if generation.is_none_or(|generation| generation > applied) {
                continue;
            }
            judgement = judge(turn.lane, passed, record);
            if matches!(judgement, Judgement::Broken(_)) {
                return judgement;
            }
        }
    }
    judgement
}

fn judge(lane: u32, passed: &Passed, record: &Record) -> Judgement {
    let Some(generation) = record.generation.or_nan().to_u64_exact() else {
        return Judgement::NoSubject;
    };
    let applied = passed.records.get(&generation);
    let holds = match applied {
        Some(fingerprint) => record.fingerprint.as_str() == Some(fingerprint.as_str()),
        None => generation <= passed.base,
    };
    Judgement::that(holds, || {
        Breach::new(NEVER_APPLIED, format!(
            "lane {lane} passes over record {generation}, its copy is of {}, and of that generation it applied {applied:?}",
            passed.base
        )).between(
            (format!("record {generation}"), record.fingerprint.as_str().unwrap_or("no fingerprint")),
            ("what the lane has of it", super::told(applied)),
        )
    })
}
