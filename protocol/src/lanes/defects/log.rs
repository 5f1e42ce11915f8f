//! The log: how it is written, read and applied.

use super::Defect;
use crate::host::Text;
use crate::lanes::admission::Move;
use crate::lanes::catch_up::{self, Pull, PullEnd};
use crate::lanes::changes;
use crate::lanes::log::{self, ApplyRefusal, Plan};
use crate::lanes::meta::{Key, Write};
use crate::lanes::object::defects as object;
use crate::lanes::seal::{Buffer, SealPlan, plan_seal};
use crate::lanes::wire::{Field, Record};
use crate::number::Number;

const ONE: Number = Number::integer(1);

/// A record that passes a check which is left out: as it should have been.
fn passed(record: &Record, edit: impl FnOnce(&mut Record)) -> Record {
    let mut record = record.clone();
    edit(&mut record);
    record
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "dense-generations",
        &["H1"],
        &["LR-L1", "LR-L3"],
        "a record must lead to the next generation, although one request can advance several: every lane is withdrawn",
        |rules| {
            rules.log.plan_apply = |rules, position, record, schema| {
                let (parent, generation) = (record.parent.or_nan(), record.generation.or_nan());
                match log::plan_apply(rules, position, record, schema) {
                    Plan::Apply if !generation.js_eq(parent + ONE) => Plan::Refuse(ApplyRefusal::Missing {
                        applied: position.applied,
                        parent,
                    }),
                    plan => plan,
                }
            };
        },
    ),
    Defect::new(
        "leave-it-to-the-next-seal",
        &["H7"],
        &["LR-4", "LR-38"],
        "a request that others wait behind leaves what it has written unsealed, and the next one's record holds both",
        |rules| rules.flows.seal.begin = object::leave_it_to_the_next_seal,
    ),
    Defect::new(
        "clock-from-the-head",
        &["H9"],
        &["LR-14", "LR-25"],
        "a lane's commit sequence follows what the primary tells of itself, and not what the lane has applied",
        |rules| rules.flows.catch_up.clock = object::clock_from_the_head,
    ),
    Defect::new(
        "key-value-is-nobodys",
        &["H17"],
        &["LR-3", "LR-4"],
        "the key-value tables are taken for derived as a whole: what the primary writes there is not logged",
        |rules| {
            rules.inventory.enters_log = |rules, table| {
                !table.starts_with("key_value") && changes::enters_log(rules, table)
            };
        },
    ),
    Defect::new(
        "resume-from-what-was-received",
        &["C13"],
        &["LR-8", "LR-9", "LR-13"],
        "a pull that ends at a record which is refused leaves the position at the newest generation that was told",
        |rules| rules.flows.catch_up.records = object::resume_from_what_was_received,
    ),
    Defect::new(
        "copy-lands-and-position-does-not",
        &["C17"],
        &["LR-8", "LR-9", "LR-11"],
        "what lands clears the marker and does not move the position: the same records are applied once more",
        |rules| rules.log.land = |_| vec![Write::clear(Key::INFLIGHT)],
    ),
    Defect::new(
        "note-nothing-of-a-transaction",
        &[],
        &["LR-3", "LR-4"],
        "statements of a transaction are not noted, also when it has committed",
        |rules| rules.seal.noted = |_| 0,
    ),
    Defect::new(
        "note-all-but-the-last",
        &[],
        &["LR-3", "LR-4"],
        "the last statement of a transaction is not noted",
        |rules| {
            rules.seal.noted = |facts| {
                if facts.committed {
                    facts.ran.saturating_sub(1)
                } else {
                    0
                }
            };
        },
    ),
    Defect::new(
        "build-on-the-one-before",
        &[],
        &["LR-1"],
        "a record's parent is one generation too low",
        |rules| rules.seal.open = |parent| Buffer::opened_at(parent - ONE),
    ),
    Defect::new(
        "seal-as-the-next",
        &[],
        &["LR-7", "LR-3", "LR-18", "LR-9"],
        "a record's generation is one above the commit sequence, which does not follow",
        |rules| {
            rules.seal.plan = |parent, sequence| match plan_seal(parent, sequence) {
                SealPlan::Seal(generation) => SealPlan::Seal(generation + ONE),
                plan => plan,
            };
        },
    ),
    Defect::new(
        "seal-nothing",
        &[],
        &["LR-4", "LR-3", "LR-L1"],
        "what was captured is dropped when it is sealed, though the sequence has advanced",
        |rules| rules.seal.plan = |_, sequence| SealPlan::AdvanceAndDrop(sequence + ONE),
    ),
    Defect::new(
        "advance-where-it-need-not",
        &[],
        &["LR-1"],
        "a parent that equals the sequence counts as below it: a record builds on itself",
        |rules| {
            rules.seal.plan = |parent, sequence| {
                if sequence.js_lt(parent) {
                    plan_seal(parent, sequence)
                } else {
                    SealPlan::Seal(sequence)
                }
            };
        },
    )
    .unseen("the sequence advances before a buffer opens, so no parent equals it: a batch that writes nothing would"),
    Defect::new(
        "trust-what-was-interrupted",
        &[],
        &["LR-8", "LR-9", "LR-10"],
        "a position is trusted although an apply or a copy was interrupted",
        |rules| {
            rules.log.position_trust = |position| {
                log::position_trust(&log::Position {
                    inflight: None,
                    ..*position
                })
            };
        },
    )
    .unseen("the stage says so too: a lane that is being copied to is RESTORING, and no round cuts a record in chunks"),
    Defect::new(
        "apply-what-was-applied",
        &[],
        &["LR-8", "LR-9"],
        "a record that leads to where the lane stands is applied once more: `<` in place of `<=`",
        |rules| {
            rules.log.plan_apply = |rules, position, record, schema| {
                match log::plan_apply(rules, position, record, schema) {
                    Plan::Duplicate { generation } if generation.js_eq(position.applied) => Plan::Apply,
                    plan => plan,
                }
            };
        },
    ),
    Defect::new(
        "apply-behind-a-gap",
        &[],
        &["LR-8", "LR-9"],
        "a record is applied that builds on a generation which the lane has not reached",
        |rules| {
            rules.log.plan_apply = |rules, position, record, schema| {
                match log::plan_apply(rules, position, record, schema) {
                    Plan::Refuse(ApplyRefusal::Missing { .. }) => Plan::Apply,
                    plan => plan,
                }
            };
        },
    ),
    Defect::new(
        "apply-what-branches-off",
        &["C01"],
        &["LR-8", "LR-9"],
        "a record is applied that builds on a generation which the lane has passed",
        |rules| {
            rules.log.plan_apply = |rules, position, record, schema| {
                match log::plan_apply(rules, position, record, schema) {
                    Plan::Refuse(ApplyRefusal::OutOfOrder { .. }) => Plan::Apply,
                    plan => plan,
                }
            };
        },
    ),
    Defect::new(
        "apply-any-schema",
        &[],
        &["LR-12", "LR-8", "LR-9"],
        "the schema of a record is not compared with the lane's",
        |rules| {
            rules.log.plan_apply = |rules, position, record, schema| {
                let own = Field::or_null(schema.map(Text::new));
                log::plan_apply(rules, position, &passed(record, |record| record.schema_version = own), schema)
            };
        },
    ),
    Defect::new(
        "apply-what-overflowed",
        &[],
        &["LR-13", "LR-6", "LR-9"],
        "a record that overflowed is applied as if it carried its statements",
        |rules| {
            rules.log.plan_apply = |rules, position, record, schema| {
                let whole = passed(record, |record| record.overflowed = false.into());
                log::plan_apply(rules, position, &whole, schema)
            };
        },
    ),
    Defect::new(
        "apply-without-a-fingerprint",
        &[],
        &["LR-8", "LR-9"],
        "a record without a fingerprint is applied",
        |rules| {
            rules.log.plan_apply = |rules, position, record, schema| {
                let signed = passed(record, |record| {
                    if record.fingerprint.as_str().is_none_or(str::is_empty) {
                        record.fingerprint = Text::new_static("f").into();
                    }
                });
                log::plan_apply(rules, position, &signed, schema)
            };
        },
    ),
    Defect::new(
        "never-reach-the-head",
        &[],
        &["LR-L1", "LR-24"],
        "a lane that is one generation behind takes itself for level",
        |rules| {
            rules.catch_up.after_head = |rules, stage, applied, head| {
                if (applied + ONE).js_lt(head.generation.to_number()) {
                    catch_up::after_head(rules, stage, applied, head)
                } else {
                    Pull::Nothing
                }
            };
        },
    ),
    Defect::new(
        "pull-past-the-next",
        &[],
        &["LR-L1", "LR-L6"],
        "a lane asks for what comes after the generation that follows its own",
        |rules| {
            rules.catch_up.after_head =
                |rules, stage, applied, head| match catch_up::after_head(rules, stage, applied, head) {
                    Pull::After {
                        since,
                        to_catching_up,
                    } => Pull::After {
                        since: since + ONE,
                        to_catching_up,
                    },
                    pull => pull,
                };
        },
    ),
    Defect::new(
        "keep-caches-after-records",
        &["H5"],
        &["LR-14"],
        "a round that has applied records empties no cache",
        |rules| {
            rules.catch_up.after_records = |applied, count| PullEnd {
                purges: false,
                ..catch_up::after_records(applied, count)
            };
        },
    ),
    Defect::new(
        "purge-before-one-is-applied",
        &[],
        &["LR-14"],
        "a round that has applied one record empties no cache: `count > 1` in place of `count > 0`",
        |rules| {
            rules.catch_up.after_records = |applied, count| PullEnd {
                purges: count > 1,
                ..catch_up::after_records(applied, count)
            };
        },
    ),
    Defect::new(
        "clock-stands-still",
        &["S49"],
        &["LR-14"],
        "a round moves the position and not the commit sequence",
        |rules| {
            rules.catch_up.after_records = |applied, count| PullEnd {
                writes: Vec::new(),
                ..catch_up::after_records(applied, count)
            };
        },
    ),
    Defect::new(
        "stay-after-a-refusal",
        &[],
        &["LR-L1", "LR-24"],
        "a lane that must refuse a record is not withdrawn, and asks for it for ever",
        |rules| {
            rules.catch_up.withdraw = |_, stage| Move::AlreadyThere(stage.clone());
        },
    ),
    Defect::new(
        "digest-of-nothing",
        &[],
        &["LR-5"],
        "the fingerprint covers no row",
        |rules| rules.fingerprint.canonical_bytes = |_| Vec::new(),
    ),
    Defect::new(
        "digest-of-one-table",
        &[],
        &["LR-5"],
        "the fingerprint covers one of its two tables",
        |rules| {
            rules.fingerprint.canonical_bytes = |rows| {
                let kept: Vec<_> = rows.iter().filter(|row| row.table == "key_value").cloned().collect();
                crate::lanes::fingerprint::canonical_bytes(&kept)
            };
        },
    ),
    Defect::new(
        "append-forwarded-unlogged",
        &[],
        &["LR-3", "LR-4"],
        "what a lane has forwarded is committed and not logged",
        |rules| rules.inventory.forwarded_enters_log = |_| false,
    ),
];
