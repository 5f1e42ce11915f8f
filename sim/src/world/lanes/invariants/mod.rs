//! What must hold of replica lanes, one file each.
//!
//! A check is a function over what is [true](super::truth) and over one thing that has happened: a turn of the primary, a
//! turn of a lane, a call on the wire, what a client was told, or the end of the run. It says whether it had a subject:
//! an invariant that never had one has shown nothing.

mod lr_01_chain;
mod lr_02_kept;
mod lr_03_complete;
mod lr_04_recorded;
mod lr_06_overflow;
mod lr_07_forward;
mod lr_08_moves;
mod lr_09_exact;
mod lr_10_crash;
mod lr_13_overflow_passed;
mod lr_16_whole;
mod lr_17_in_place;
mod lr_19_stages;
mod lr_20_admission;
mod lr_22_one_generation;
mod lr_23_withdrawn;
mod lr_36_once;
mod lr_37_lost_update;
mod lr_38_acknowledged;
mod lr_l1_serving;
mod lr_l5_ends;

use protocol::host::Text;

use super::truth::clients::Attempt;
use super::truth::wire::Called;
use super::truth::{Truth, Turn};
use crate::check::Invariant;

/// What a check has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// There was nothing to judge.
    NoSubject,
    /// It holds.
    Holds,
    /// It does not: the two values that disagree.
    Broken(Text),
}

impl Judgement {
    /// Whether something that was there holds.
    pub(super) fn that(holds: bool, detail: impl FnOnce() -> String) -> Self {
        if holds {
            Judgement::Holds
        } else {
            Judgement::Broken(Text::from(detail()))
        }
    }
}

/// Where a check stands.
#[derive(Clone, Copy, Debug)]
pub enum Stand {
    /// After each turn of the primary, and after what befalls it.
    Primary(fn(&mut Truth, &Turn) -> Judgement),
    /// After each turn of a lane, and after what befalls it.
    Lane(fn(&mut Truth, &Turn) -> Judgement),
    /// When somebody begins a call.
    Call(fn(&mut Truth, &Called) -> Judgement),
    /// When a client is told something.
    Told(fn(&mut Truth, &Attempt) -> Judgement),
    /// When everything has come to rest.
    Rest(fn(&mut Truth) -> Judgement),
}

/// How much of an invariant's wording its check proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triage {
    /// It is checked as it is worded.
    AsWorded,
    /// It is checked in another wording, and this is why.
    Reworded(&'static str),
}

/// An invariant with its checks.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The invariant.
    pub invariant: Invariant,
    /// What of it is checked.
    pub triage: Triage,
    /// Where.
    pub stands: &'static [Stand],
}

/// All of them, by id.
pub const CHECKS: [Check; 21] = [
    lr_01_chain::CHECK,
    lr_02_kept::CHECK,
    lr_03_complete::CHECK,
    lr_04_recorded::CHECK,
    lr_06_overflow::CHECK,
    lr_07_forward::CHECK,
    lr_08_moves::CHECK,
    lr_09_exact::CHECK,
    lr_10_crash::CHECK,
    lr_13_overflow_passed::CHECK,
    lr_16_whole::CHECK,
    lr_17_in_place::CHECK,
    lr_19_stages::CHECK,
    lr_20_admission::CHECK,
    lr_22_one_generation::CHECK,
    lr_23_withdrawn::CHECK,
    lr_36_once::CHECK,
    lr_37_lost_update::CHECK,
    lr_38_acknowledged::CHECK,
    lr_l1_serving::CHECK,
    lr_l5_ends::CHECK,
];

/// The invariants, for lists.
pub const INVARIANTS: [Invariant; CHECKS.len()] = {
    let mut invariants = [CHECKS[0].invariant; CHECKS.len()];
    let mut at = 0;
    while at < CHECKS.len() {
        invariants[at] = CHECKS[at].invariant;
        at += 1;
    }
    invariants
};
