use std::collections::BTreeSet;

use proptest::prelude::*;

use super::any_number;
use crate::lanes::partition::*;
use crate::lanes::rules::Rules;
use crate::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

const LARGEST: u32 = 256;

fn writer(lane: u32, lanes: u32) -> Writer {
    Writer {
        lane: lane.into(),
        lanes: lanes.into(),
    }
}

/// A highest id in a table: anything that leaves room for the next one below 2^53.
fn any_base() -> impl Strategy<Value = Number> {
    let exact = 0..=(1_i64 << 53) - 1 - i64::from(LARGEST + 1);
    prop_oneof![
        4 => exact.prop_map(Number::from),
        2 => (0..10_000_i64).prop_map(Number::from),
        1 => (-10_000_i64..0).prop_map(Number::from),
        1 => (0..1_000_000_i64).prop_map(|n| Number::from(n) / Number::from(8)),
    ]
}

proptest! {
    /// So ids of different writers never meet, whatever the base of each: a class has one residue, and no other has it.
    #[test]
    fn every_writer_stays_in_its_class(base in any_base(), lanes in 0..=LARGEST) {
        for lane in 0..=lanes {
            let id = next_lane_id(RULES, base, writer(lane, lanes));
            prop_assert!(id.is_safe_integer() && id.js_gt(base) && id.js_gt(Number::ZERO));
            prop_assert_eq!(id % Number::from(lanes + 1), Number::from(lane));
        }
    }

    #[test]
    fn no_id_of_the_class_is_passed_over(base in any_base(), lanes in 0..=LARGEST) {
        let ids: BTreeSet<Number> = (0..=lanes).map(|lane| next_lane_id(RULES, base, writer(lane, lanes))).collect();
        let first = Number::ZERO.js_max(base.floor()) + Number::integer(1);
        let expected: BTreeSet<Number> = (0..=lanes).map(|n| first + Number::from(n)).collect();
        prop_assert_eq!(ids, expected, "the next ids of all writers are the next so many numbers");
    }

    #[test]
    fn a_lane_beyond_the_partition_mints_ids_of_another(base in any_base(), lanes in 0..=LARGEST, lane in 0..=LARGEST) {
        let (inside, beyond) = (lane % (lanes + 1), lane % (lanes + 1) + lanes + 1);
        prop_assert_eq!(next_lane_id(RULES, base, writer(inside, lanes)), next_lane_id(RULES, base, writer(beyond, lanes)));
    }

    #[test]
    fn any_numbers_are_answered(after in any_number(), lane in any_number(), lanes in any_number()) {
        next_lane_id(RULES, after, Writer { lane, lanes });
    }
}

#[test]
fn a_primary_shares_its_ids_once_it_ever_had_a_lane() {
    let facts = |write_forward, lane, provisioned| PartitionFacts {
        write_forward,
        lane: Number::integer(lane),
        provisioned: Number::integer(provisioned),
    };
    for (facts, expected) in [
        (facts(true, 0, 0), writer(0, 0)),
        (facts(true, 0, 1), writer(0, 256)),
        (facts(true, 7, 0), writer(7, 256)),
        (facts(false, 0, 1), writer(0, 0)),
        (facts(false, 7, 7), writer(0, 0)),
    ] {
        assert_eq!(id_partition(&facts), expected, "{facts:?}");
    }
}
