//! A lane's part of the alarm, and how it asks for another copy (`lanes.md` 14.3 and 15).

use super::admission::{Stage, StageName};
use super::meta::{Key, Write, present};
use super::rules::Rules;
use crate::host::Millis;
use crate::number::Number;

/// The time between two rounds of a lane that does not serve yet.
pub const ROUND_EVERY: Number = Number::integer(2_000);

/// How long an object without requests sleeps at least.
pub const KEEP_WARM: Millis = Millis(240_000);

/// The writes with which a withdrawn lane asks for another copy, before it posts `action=readmit`; nothing in another
/// stage (`requestReadmission`, `lanes.md` 14.3).
///
/// They stay when the post fails: the lane is CREATED, and waits.
pub fn ask_for_copy(rules: &Rules, stage: &StageName, asks: Option<&str>) -> Option<Vec<Write>> {
    if *stage != Stage::Withdrawn.into() {
        return None;
    }
    let mut writes = (rules.copies.restart)();
    writes.extend((rules.admission.set_stage)(rules, stage, &Stage::Created.into()).write());
    writes.push(Write::number(Key::READMIT_ASKS, asked(asks) + Number::integer(1)));
    Some(writes)
}

/// How often a lane has asked, of [`Key::READMIT_ASKS`].
pub fn asked(asks: Option<&str>) -> Number {
    Number::parse(present(asks).unwrap_or("0"))
}

/// What the end of the alarm's lane phase is decided by.
#[derive(Clone, Debug)]
pub struct LanePhaseFacts<'a> {
    /// The stage afterwards.
    pub stage: StageName,
    /// Whether a round of catching up ran.
    pub round_ran: bool,
    /// Whether this alarm asked for a copy.
    pub asked_now: bool,
    /// [`Key::READMIT_ASKS`].
    pub asks: Option<&'a str>,
}

/// What follows the alarm's lane phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LanePhase {
    /// The ordinary body of the alarm.
    GoesOn,
    /// The body ends; the alarm comes again after so many milliseconds.
    Again(Number),
    /// The body ends and nothing is armed. The lane sleeps until somebody sends it something.
    Sleeps,
}

/// What follows the alarm's lane phase (`lanes.md` 15).
///
/// A lane that was CREATED and never asked, and one that is RESTORING, arms nothing.
pub fn after_lane_phase(rules: &Rules, facts: &LanePhaseFacts<'_>) -> LanePhase {
    if facts.stage == Stage::Serving.into() {
        return LanePhase::GoesOn;
    }
    let has_asked = facts.stage == Stage::Created.into() && present(facts.asks).is_some();
    if facts.asked_now || has_asked {
        LanePhase::Again((rules.copies.backoff_ms)(asked(facts.asks)))
    } else if facts.round_ran {
        LanePhase::Again(ROUND_EVERY)
    } else {
        LanePhase::Sleeps
    }
}

/// When the alarm of a SERVING lane is due, at the end of a run: within the lag that is allowed, so that it catches up
/// (`lanes.md` 15).
pub fn serving_alarm(now: Millis, lag: Millis, armed: Option<Millis>) -> Millis {
    let due = now.after(lag);
    armed.map_or(due, |armed| armed.min(due))
}

/// When the alarm of an idle object comes again: no sooner than [`KEEP_WARM`] from now.
pub fn idle_after(idle: Millis) -> Millis {
    idle.max(KEEP_WARM)
}

#[cfg(test)]
mod tests;
