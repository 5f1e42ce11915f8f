//! LR-L6. A record costs each lane one copy at most.
//!
//! Judged when a round of a lane's own withdraws it: the record that it has refused must not be one that its copy holds
//! already. A copy is never older than the records that were there when it began, so a lane that was copied to because of
//! a record is not withdrawn for it again, and there is no loop. Which of an answer's records was refused is told by what
//! they are: the one that the lane has not come to, where that overflowed, does not follow on where the lane stands, or
//! has another schema; else the first that overflowed. It cannot see that a record is refused whose answer nobody has
//! heard. That the primary
//! goes on to answer while many lanes are copied to is LR-L5's; but lanes that ask without a pause take its gate from its
//! visitors. So it is judged as well when a lane asks: each time it waits longer than before, and two seconds at the least.
//! What failed is run again sooner, and an operator can have one ask at once: a few in two seconds are none too many.
//! And where lanes were queued for a copy, none is at rest any more: what stays queued is copied for ever.

use super::{Check, Judgement, Stand, Triage, lr_16_whole};
use crate::check::{Breach, Class, Invariant};
use crate::kernel::Micros;
use crate::world::lanes::truth::standing::Generation;
use crate::world::lanes::truth::heard::ASKS;
use crate::world::lanes::truth::wire::{Called, Heard};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::{Answer, Text};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::lanes::object::labels;
use protocol::lanes::wire::{Field, LogAnswer, Record};

/// The same record costs another one.
const AGAIN: Class = Class("again");

/// A lane asks without a pause.
const NO_PAUSE: Class = Class("no-pause");

/// Lanes are queued at rest.
const STAYS_QUEUED: Class = Class("stays-queued");

/// How long a lane that has asked waits at the least (`lanes.md` 3).
const BACKOFF: Micros = Micros::from_millis(2_000);

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-L6",
        statement: "a lane is not withdrawn for a record that its copy holds, and does not ask for copies without a pause; at \
                    rest none is queued for one",
        classes: &[AGAIN, NO_PAUSE, STAYS_QUEUED],
    },
    triage: Triage::Reworded("that many copies at once do not starve the primary is LR-L5's: requests end"),
    stands: &[Stand::Lane(check), Stand::Call(asks), Stand::Rest(rest)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let mut stages = turn.puts(Key::STAGE);
    if !stages.any(|stage| *stage == Stage::Withdrawn.as_str()) {
        return Judgement::NoSubject;
    }
    let base = truth.passed.get(&turn.lane).map_or(0, |passed| passed.base);
    let mut judgement = Judgement::NoSubject;
    for heard in &turn.heard {
        let Some(refused) = refused(turn, heard) else {
            continue;
        };
        if refused <= base {
            let detail = format!(
                "lane {} is withdrawn for record {refused}, and its copy is of {base}",
                turn.lane
            );
            return Judgement::broken(Breach::new(AGAIN, detail).between(
                ("a record after the lane's copy", format!("after {base}")),
                ("the record that is refused", refused),
            ));
        }
        judgement = Judgement::Holds;
    }
    judgement
}

fn asks(truth: &mut Truth, called: &Called) -> Judgement {
    let lane = truth.lane_of(&called.who).filter(|lane| *lane > 0);
    let (labels::ASK_READMIT, Some(lane)) = (called.label, lane) else {
        return Judgement::NoSubject;
    };
    let before = truth.asks.get(&lane).filter(|asks| asks.len() == ASKS);
    let Some(first) = before.and_then(|asks| asks.front()) else {
        return Judgement::Holds;
    };
    let within = truth.now.since(*first);
    Judgement::that(within >= BACKOFF, || {
        Breach::new(NO_PAUSE, format!("lane {lane} asks for a copy for the {}th time within {within}", ASKS + 1))
            .between(("so many asks take at least", BACKOFF), ("they took", within))
    })
}

/// A primary that lacks what is mandatory copies to nobody, and so takes nobody out of its queue; nor does one that has
/// never copied: nothing wakes it.
fn rest(truth: &mut Truth) -> Judgement {
    if !truth.has_queued || truth.copied.is_empty() || lr_16_whole::missing(&truth.primary).is_some() {
        return Judgement::NoSubject;
    }
    match truth.primary.meta(Key::REPAIRS) {
        None => Judgement::Holds,
        Some(queued) => Judgement::broken(
            Breach::new(STAYS_QUEUED, format!("the primary still has lanes queued for a copy: {queued}"))
                .between(("at rest", "none is queued"), ("queued are", queued)),
        ),
    }
}

/// The record that a lane has refused with the answer that it has heard in a turn.
fn refused(turn: &Turn, heard: &Heard) -> Option<Generation> {
    let Heard::Answered {
        made,
        outcome: Ok(Answer::Response(response)),
        ..
    } = heard
    else {
        return None;
    };
    if made.label != labels::READ_LOG {
        return None;
    }
    let answer = response.body.read::<LogAnswer>().ok()?;
    let records = || answer.records.get().into_iter().flatten().filter_map(Field::get);
    let applied = turn.after.number(Key::APPLIED);
    let next = records().find(|record| record.generation.to_number().js_gt(applied));
    let follows = |record: &&Record| {
        let own = turn.after.schema().map(Text::as_str);
        record.parent.to_number() == applied && own.is_some() && record.schema_version.as_str() == own
    };
    let overflowed = || records().find(|record| record.overflowed.is_true());
    let cannot_follow = next.filter(|record| record.overflowed.is_true() || !follows(record));
    let refused = cannot_follow.or_else(overflowed)?;
    refused.generation.to_number().to_u64_exact()
}
