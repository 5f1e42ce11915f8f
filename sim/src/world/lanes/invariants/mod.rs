//! What must hold of replica lanes, one file each.
//!
//! A check is a function over what is [true](super::truth) and over one thing that has happened: a turn of the primary, a
//! turn of a lane, the answer of a front, a call on the wire, what a client was told, or the end of the run. It says
//! whether it had a subject: an invariant that never had one has shown nothing.
//!
//! # What of each invariant is checked
//! LR-26 promises nothing that could be checked: what sessions are not shown again is measured, and a sweep tells it.
//!
//! | invariant | how it is checked |
//! |---|---|
//! | LR-1 | as worded |
//! | LR-2 | as worded |
//! | LR-3 | as worded |
//! | LR-4 | as worded |
//! | LR-5 | as worded |
//! | LR-6 | as worded |
//! | LR-7 | reworded: a primary that is restored to an earlier state comes with rewinds; until then there is one history |
//! | LR-8 | as worded |
//! | LR-9 | as worded |
//! | LR-10 | as worded |
//! | LR-11 | as worded |
//! | LR-12 | as worded |
//! | LR-13 | as worded |
//! | LR-14 | reworded: only what was true on the lane can become untrue by its moves; what a copy brings may be stale by design |
//! | LR-15 | as worded |
//! | LR-16 | as worded |
//! | LR-17 | as worded |
//! | LR-18 | as worded |
//! | LR-19 | as worded |
//! | LR-20 | reworded: that head, fingerprint and position come from one reading is checked by its consequence: the states are equal |
//! | LR-21 | reworded: a page that outlives a withdrawal may be one that the lane rightly held |
//! | LR-22 | as worded |
//! | LR-23 | as worded |
//! | LR-24 | reworded: judged when a pull begins, for how long it takes is the primary's load; that pulls come at all is LR-L2's |
//! | LR-25 | as worded |
//! | LR-27 | as worded |
//! | LR-28 | as worded |
//! | LR-29 | as worded |
//! | LR-30 | as worded |
//! | LR-31 | as worded |
//! | LR-32 | as worded |
//! | LR-33 | reworded: an id is used when the primary takes it: of a batch that is refused nothing is left, and its ids are free |
//! | LR-34 | reworded: ids of deleted rows are not counted: the catalogue's tables do not remember them |
//! | LR-35 | as worded |
//! | LR-36 | as worded |
//! | LR-37 | reworded: serializability is checked on one kind of read-modify-write, for which it is exact |
//! | LR-38 | as worded |
//! | LR-39 | reworded: checked on the transaction that creates a node, of which every part can be told |
//! | LR-40 | reworded: forwarding is off where a front was last told so: nothing tells it of a change at once |
//! | LR-41 | reworded: no run limits the rows of a day: what follows from them is tested by itself |
//! | LR-42 | reworded: a lane that was taken away is counted on: nobody tells the primary |
//! | LR-L1 | as worded |
//! | LR-L2 | as worded |
//! | LR-L3 | as worded |
//! | LR-L4 | reworded: a copy needs that the primary seals nothing while it lasts: how long that is at most is measured and told |
//! | LR-L5 | reworded: that the number of hops is bounded is LR-29's: no front asks a third object |
//! | LR-L6 | reworded: that many copies at once do not starve the primary is LR-L5's: requests end |
//! | LR-L7 | reworded: judged from the primary's answer on; that a belief ends is LR-31's |

use protocol::host::Outcome;

use super::truth::clients::Attempt;
use super::truth::runs::Run;
use super::truth::wire::Called;
use super::truth::{Truth, Turn};
use crate::check::{Breach, Invariant};

/// What a check has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// There was nothing to judge.
    NoSubject,
    /// It holds.
    Holds,
    /// It does not: how.
    Broken(Breach),
}

impl Judgement {
    /// This, or where it holds or has no subject, another one as well.
    pub(super) fn or(self, other: impl FnOnce() -> Judgement) -> Self {
        match self {
            Judgement::NoSubject => other(),
            Judgement::Holds => match other() {
                Judgement::NoSubject => Judgement::Holds,
                other => other,
            },
            Judgement::Broken(_) => self,
        }
    }

    /// Whether something that was there holds.
    pub(super) fn that(holds: bool, breach: impl FnOnce() -> Breach) -> Self {
        if holds {
            Judgement::Holds
        } else {
            Judgement::broken(breach())
        }
    }

    /// Something that was there does not hold.
    pub(super) fn broken(breach: Breach) -> Self {
        Judgement::Broken(breach)
    }
}

/// Whom a violation concerns where it is a client that was told something wrong, or nothing.
pub const CLIENT: &str = "client";

/// A value that may not be there, for people.
pub(super) fn told<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| value.to_string())
}

/// Where a check stands.
#[derive(Clone, Copy, Debug)]
pub enum Stand {
    /// After each turn of the primary, and after what befalls it.
    Primary(fn(&mut Truth, &Turn) -> Judgement),
    /// After each turn of a lane, and after what befalls it.
    Lane(fn(&mut Truth, &Turn) -> Judgement),
    /// When a front has ended a visitor's request.
    Front(fn(&mut Truth, &Run, &Outcome) -> Judgement),
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

macro_rules! checks {
    ($($file:ident)*) => {
        $(mod $file;)*

        /// All of them, by id.
        pub const CHECKS: [Check; [$(stringify!($file)),*].len()] = [$($file::CHECK),*];
    };
}

checks! {
    lr_01_chain
    lr_02_kept
    lr_03_complete
    lr_04_recorded
    lr_05_fingerprint
    lr_06_overflow
    lr_07_forward
    lr_08_moves
    lr_09_exact
    lr_10_crash
    lr_11_duplicate
    lr_12_schema
    lr_13_overflow_passed
    lr_14_kept
    lr_15_one_copy
    lr_16_whole
    lr_17_in_place
    lr_18_sealed_copy
    lr_19_stages
    lr_20_admission
    lr_21_while_serving
    lr_22_one_generation
    lr_23_withdrawn
    lr_24_staleness
    lr_25_fence
    lr_27_origin
    lr_28_spread
    lr_29_failover
    lr_30_retry_safe
    lr_31_target
    lr_32_classes
    lr_33_once_minted
    lr_34_above
    lr_35_untouched
    lr_36_once
    lr_37_lost_update
    lr_38_acknowledged
    lr_39_whole_batch
    lr_40_writes_to_primary
    lr_41_growth
    lr_42_counted
    lr_l1_serving
    lr_l2_wakes
    lr_l3_readmitted
    lr_l4_admitted
    lr_l5_ends
    lr_l6_one_restore
    lr_l7_new_pool
}

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

#[cfg(test)]
mod tests;
