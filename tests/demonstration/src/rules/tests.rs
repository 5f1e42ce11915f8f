use std::collections::BTreeSet;

use protocol::number::Number;

use super::*;
use crate::wire::{LogPage, Record};

/// A page of records, each given as (generation, parent).
fn page(records: &[(u32, u32)]) -> LogPage {
    let record = |&(generation, parent): &(u32, u32)| Record {
        generation: generation.into(),
        parent: parent.into(),
        by: Number::from(1),
        token: "token".into(),
        digest: "digest".into(),
    };
    LogPage {
        head: Number::from(9),
        records: records.iter().map(record).collect(),
    }
}

/// What the rule applies, by generation, and the reasons for what it leaves out.
fn outcome(rule: fn(&PullFacts<'_>) -> Application, applied_now: u32, answer: &LogPage) -> (String, String) {
    let application = rule(&PullFacts {
        asked_from: Number::ZERO,
        applied_now: applied_now.into(),
        answer,
    });
    let applied: Vec<_> = application
        .records
        .iter()
        .map(|record| record.generation.to_string())
        .collect();
    let left_out: Vec<_> = application.left_out.iter().map(ToString::to_string).collect();
    (applied.join(" "), left_out.join("; "))
}

#[test]
fn documented_applies_whatever_it_is_sent() {
    assert_eq!(outcome(apply, 2, &page(&[(1, 0), (2, 1)])).0, "1 2");
}

#[test]
fn hardened_applies_what_follows_the_position_now() {
    let duplicate = "record 1 is in the copy, which stands at 2";
    let gap = "record 4 follows 3, and the copy stands at 2";
    for (applied_now, records, applied, left_out) in [
        (0, vec![(1, 0), (2, 1)], "1 2", String::new()),
        (2, vec![(1, 0), (3, 2)], "3", duplicate.to_owned()),
        (2, vec![(1, 0), (4, 3)], "", format!("{duplicate}; {gap}")),
        (2, vec![(5, 2)], "5", String::new()),
        (2, vec![], "", String::new()),
    ] {
        let answer = page(&records);
        assert_eq!(
            outcome(apply_where_it_fits, applied_now, &answer),
            (applied.to_owned(), left_out),
            "{records:?}"
        );
    }
}

#[test]
fn a_value_may_stand_at_the_limit_and_not_above_it() {
    let limit = Number::from(10);
    assert_eq!(admit(&AddFacts { value: limit, limit }), Ok(()));
    let value = Number::from(11);
    let refusal = admit(&AddFacts { value, limit }).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the counter would stand at 11, above its limit of 10"
    );
}

#[test]
fn routes() {
    let believed = BTreeSet::from([2, 5]);
    for (purpose, asked, target) in [
        (Purpose::Read, None, Target::Follower(2)),
        (Purpose::Read, Some(7), Target::Follower(7)),
        (Purpose::Write, None, Target::Counter),
        (Purpose::Write, Some(7), Target::Follower(7)),
        (Purpose::Operate, Some(7), Target::Counter),
    ] {
        let facts = RouteFacts {
            purpose,
            asked,
            believed: &believed,
        };
        assert_eq!(route(&facts), target, "{facts:?}");
    }
}

#[test]
fn each_variant_has_one_name_and_can_be_had_by_it() {
    let names: BTreeSet<_> = variants().map(|(name, _)| name).collect();
    assert_eq!(names.len(), variants().count());
    for name in names {
        assert!(variant(name).is_some(), "{name}");
    }
    assert!(variant("no such variant").is_none());
}

#[test]
fn rules_print_without_addresses() {
    assert!(!format!("{:?} {CHANGES:?} {DEFECTS:?}", hardened()).contains("0x"));
}
