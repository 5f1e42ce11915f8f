//! Ids of new rows: who mints which.

use super::Defect;
use crate::host::Text;
use crate::lanes::MOST_LANES;
use crate::lanes::forward::{self, ForwardStatement};
use crate::lanes::minting::HighestIds;
use crate::lanes::object::defects as object;
use crate::lanes::partition::{self, IdStride, PartitionFacts, Writer};
use crate::number::Number;

const ONE: Number = Number::integer(1);

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "partition-by-the-count",
        &["H37", "G01"],
        &["LR-32"],
        "ids are partitioned by how many lanes there are, which changes, and not by how many there can be",
        |rules| {
            rules.partition.writer = |facts| Writer {
                lane: facts.lane,
                lanes: facts.provisioned.js_max(facts.lane),
            };
        },
    ),
    Defect::new(
        "class-by-a-hash",
        &["G05"],
        &["LR-32"],
        "a lane's class is derived from its name, and two lanes have one",
        |rules| {
            rules.partition.writer = |facts| Writer {
                lane: facts.lane % Number::integer(2),
                lanes: MOST_LANES,
            };
        },
    ),
    Defect::new(
        "no-class-for-the-last-lane",
        &["H25"],
        &["LR-32"],
        "there are as many classes as lanes, so that the last lane has the primary's",
        |rules| {
            rules.partition.stride = |writer| IdStride {
                offset: writer.lane % writer.lanes,
                stride: writer.lanes,
            };
        },
    ),
    Defect::new(
        "primary-leaves-ids-to-the-database",
        &["G03"],
        &["LR-32"],
        "only lanes mint: the primary's new rows have the ids that its database gives",
        |rules| rules.minting.is_partitioned = |writer| writer.lane.js_ge(ONE),
    ),
    Defect::new(
        "nobody-mints",
        &["G03", "H39"],
        &["LR-32", "LR-34"],
        "no driver gives an id",
        |rules| rules.minting.mint = |_| None,
    ),
    Defect::new(
        "forget-the-marks",
        &["G09"],
        &["LR-33"],
        "the stored mark of what was forwarded does not count: an object that was reset mints the same ids again",
        |rules| {
            rules.minting.base = |highest| {
                HighestIds {
                    marked: Number::ZERO,
                    ..*highest
                }
                .base()
            };
        },
    ),
    Defect::new(
        "clear-the-marks-at-the-answer",
        &["G07"],
        &["LR-33"],
        "the answer to a batch clears the marks of its ids, before its record has come",
        |rules| rules.flows.flush.answered = object::clear_the_marks,
    ),
    Defect::new(
        "mint-what-is-there",
        &[],
        &["LR-33", "LR-34", "LR-38"],
        "the next id may be the highest that is there: `>=` in place of `>`",
        |rules| {
            rules.partition.next_id =
                |rules, after, writer| partition::next_lane_id(rules, after - ONE, writer);
        },
    ),
    Defect::new(
        "mint-by-the-table-alone",
        &[],
        &["LR-33"],
        "only the rows of its own copy count: what a transaction has buffered, what was forwarded and what was minted do not",
        |rules| rules.minting.base = |highest| highest.in_table,
    ),
    Defect::new(
        "forget-what-is-buffered",
        &[],
        &["LR-33", "LR-34"],
        "two inserts of one transaction get one id",
        |rules| {
            rules.minting.base = |highest| {
                HighestIds {
                    buffered: Number::ZERO,
                    memo: Number::ZERO,
                    ..*highest
                }
                .base()
            };
        },
    ),
    Defect::new(
        "no-high-water",
        &[],
        &["LR-33"],
        "a lane marks none of the ids that it has forwarded",
        |rules| rules.forwarding.high_water = |_: &[ForwardStatement]| Default::default(),
    ),
    Defect::new(
        "lowest-is-high-water",
        &["H42"],
        &["LR-33"],
        "of several ids of one table the mark is one too low",
        |rules| {
            rules.forwarding.high_water = |statements| {
                let marks = forward::lane_high_water(statements);
                marks
                    .into_iter()
                    .map(|(table, id)| (table, id - Number::integer(257)))
                    .collect()
            };
        },
    ),
    Defect::new(
        "defer-with-the-id",
        &["H39"],
        &["LR-32", "LR-34"],
        "a row of the log of events keeps the id that a lane gave it without knowing the table's rows",
        |rules| {
            rules.forwarding.deferrable = |rules, statement| {
                forward::deferrable(rules, statement).map(|_| ForwardStatement {
                    table: Text::new_static("watchdog").into(),
                    ..statement.clone()
                })
            };
        },
    ),
    Defect::new(
        "no-partition-without-forwarding",
        &[],
        &["LR-32"],
        "a primary that believes lanes do not forward mints all ids",
        |rules| {
            rules.partition.writer = |facts| {
                partition::id_partition(&PartitionFacts {
                    write_forward: facts.lane.js_gt(Number::ZERO),
                    ..*facts
                })
            };
        },
    ),
];
