//! Named edits of the rules: those that mend them, and those that break them to test the tester.

use super::{Rules, apply_where_it_fits};
use crate::{counter, follower};

/// A named edit of the rules. A planted defect is one too.
#[derive(Clone, Copy)]
pub struct Change {
    /// Its name.
    pub id: &'static str,
    /// What must hold, and does not without the change; of a defect, what does not hold with it.
    pub invariant: &'static str,
    /// How that comes about, in one line.
    pub reason: &'static str,
    /// A committed trace that shows it.
    pub trace: Option<&'static str>,
    /// The edit.
    pub apply: fn(&mut Rules),
}

/// Without its function, whose address differs from process to process.
impl std::fmt::Debug for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

/// What mends the document, in the order in which it is applied.
pub const CHANGES: &[Change] = &[
    Change {
        id: "apply-where-it-fits",
        invariant: "a follower's value is the sum of the records up to its position, which never moves back",
        reason: "of two overlapping pulls the older answer can arrive last: look at the position again before applying",
        trace: Some("traces/demonstration/older-answer-last.jsonl"),
        apply: |rules| rules.apply = apply_where_it_fits,
    },
    Change {
        id: "take-unsealed-back",
        invariant: "the counter's value is the sum of its sealed records, where no addition is under way",
        reason: "an incarnation that ends at the digest's await leaves a value that no record accounts for",
        trace: Some("traces/demonstration/reset-at-the-digest.jsonl"),
        apply: |rules| {
            rules.take_back = counter::take_unsealed_back;
            rules.watch_over = counter::watch_over_unsealed;
        },
    },
    Change {
        id: "nameless-starts-over",
        invariant: "a follower catches up when the faults have ended",
        reason: "an instance that an alarm has woken before its name was stored never learns it: it ends, so that a \
                 request finds one that does",
        trace: Some("traces/demonstration/woken-before-its-name-was-stored.jsonl"),
        apply: |rules| rules.starts_over = |name| name.is_none(),
    },
];

/// What breaks the protocol, each alone, on top of all changes.
pub const DEFECTS: &[Change] = &[
    Change {
        id: "token-not-checked",
        invariant: "each token is added at most once",
        reason: "the counter does not look for the token: an addition whose answer was lost is repeated and counts twice",
        trace: Some("traces/demonstration/token-asked-twice.jsonl"),
        apply: |rules| rules.answered_before = |_| None,
    },
    Change {
        id: "gate-not-taken",
        invariant: "each record's parent is the record before it",
        reason: "additions do not take the gate: two interleave at the digest, and two records share a parent",
        trace: Some("traces/demonstration/two-adds-at-one-digest.jsonl"),
        apply: |rules| rules.add.enter = counter::enter_without_gate,
    },
    Change {
        id: "alarm-not-set-again",
        invariant: "a follower catches up when the faults have ended",
        reason: "the alarm's finally does not set it again: after a lost nudge the follower stays behind",
        trace: Some("traces/demonstration/nudge-lost-and-no-alarm.jsonl"),
        apply: |rules| rules.alarm.leave = follower::leave_alarm_unset,
    },
];
