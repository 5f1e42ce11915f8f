use proptest::prelude::*;

use super::*;
use crate::host::{End, Text, Value};
use crate::json::Json;
use crate::lanes::meta::{Key, Write};
use crate::lanes::rules::Rules;
use crate::lanes::wire::{Field, LoggedStatement, Record};
use crate::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

fn record(parent: i32, generation: i32, statements: usize) -> Record {
    let statement = LoggedStatement::new("INSERT INTO t (id) VALUES (?)", vec![Json::from(1)]);
    Record {
        schema_version: Text::new("p1").into(),
        fingerprint: Text::new("f").into(),
        ..Record::sealed(parent.into(), generation.into(), vec![statement; statements])
    }
}

fn at(applied: i32) -> Position {
    Position {
        applied: applied.into(),
        inflight: None,
    }
}

fn options(chunk_size: Number) -> ApplyOptions<'static> {
    ApplyOptions {
        local_schema: Some("p1"),
        chunk_size,
    }
}

fn batches(application: Application) -> Batches {
    match application {
        Application::Runs { batches, .. } => batches,
        Application::Stays(plan) => panic!("{plan:?}"),
    }
}

#[test]
fn a_statement_that_cannot_be_bound_rolls_its_chunk_back() {
    let mut broken = record(5, 6, 3);
    if let Field::Is(statements) = &mut broken.statements {
        statements[1] = Field::Other(Json::Null);
    }
    let batches = batches(apply_record(RULES, &at(5), &broken, &options(2.into())));
    assert_eq!(batches.len(), 2, "the marker and the chunk that breaks");
    let (statements, end, unbound) = batches[1].clone().into_parts();
    assert_eq!((statements.len(), end), (1, End::Rollback));
    assert_eq!(unbound, Some(Unbound::NoText { at: 1 }));
}

#[test]
fn meta_is_written_only_where_it_differs() {
    let statement = Write::number(Key::APPLIED, 6.into()).into_statement();
    assert!(statement.sql.ends_with("WHERE v <> excluded.v"));
    assert_eq!(statement.params, [Value::text("repl_applied"), Value::text("6")]);
}

#[test]
fn no_limit_however_it_is_said_is_one_chunk() {
    for size in [Number::INFINITY, Number::integer(4)] {
        assert_eq!(
            batches(apply_record(RULES, &at(5), &record(5, 6, 4), &options(size))).len(),
            1
        );
    }
    assert_eq!(
        batches(apply_record(
            RULES,
            &at(5),
            &record(5, 6, 4),
            &options(-Number::INFINITY)
        ))
        .len(),
        5
    );
}

/// What `Math.min`, `slice` and `>=` make of NaN.
#[test]
fn a_limit_that_is_no_number_applies_nothing() {
    let application = apply_record(RULES, &at(5), &record(5, 6, 4), &options(Number::NAN));
    assert_eq!(application.answer(&at(5)).applied, Field::Is(6.into()));
    let nothing = Batch {
        writes: Vec::new(),
        unbound: None,
    };
    assert_eq!(batches(application), [nothing]);
}

proptest! {
    /// What a lane at `applied` takes is exactly what builds on `applied`.
    #[test]
    fn exactly_the_chains_with_equal_parent_apply(applied in 0..12i32, parent in -1..12i32, generation in -1..14i32) {
        let plan = plan_apply(RULES, &at(applied), &record(parent, generation, 1), Some("p1"));
        let chains = parent == applied && generation > parent;
        prop_assert_eq!(plan == Plan::Apply, chains, "{:?}", plan);
        let passed = parent >= 0 && generation > parent && generation <= applied;
        prop_assert_eq!(plan.action() == ApplyAction::Duplicate, passed, "{:?}", plan);
    }

    /// However a record is cut, its statements run once and in order, and only the last chunk moves the position.
    #[test]
    fn chunks_lose_and_repeat_nothing(count in 0..20usize, size in -2..25i32) {
        let batches = batches(apply_record(RULES, &at(5), &record(5, 6, count), &options(size.into())));
        let is_sql = |write: &&Write| matches!(write, Write::Sql(_));
        let ran: usize = batches.iter().map(|batch| batch.writes.iter().filter(is_sql).count()).sum();
        prop_assert_eq!(ran, count);
        let landing = Write::number(Key::APPLIED, 6.into());
        let lands: Vec<bool> = batches.iter().map(|batch| batch.writes.contains(&landing)).collect();
        prop_assert_eq!(lands.iter().filter(|lands| **lands).count(), 1);
        prop_assert_eq!(lands.last(), Some(&true));
        let marked = batches[0].writes == mark_inflight(Inflight { from: 5.into(), to: 6.into() });
        prop_assert_eq!(marked, batches.len() > 1);
    }

    #[test]
    fn any_stored_text_is_a_position(applied in ".{0,12}", inflight in ".{0,12}") {
        let position = read_position(&PositionFacts { applied: Some(&applied), inflight: Some(&inflight) });
        prop_assert!(position.applied.is_finite());
        prop_assert_eq!(position.inflight.is_some(), !inflight.is_empty());
    }
}

#[test]
fn a_record_without_statements_moves_the_position_whatever_the_chunk_size() {
    for size in [
        Number::NAN,
        Number::ZERO,
        Number::from(-1),
        Number::from(1),
        Number::INFINITY,
    ] {
        let batches = batches(apply_record(RULES, &at(5), &record(5, 6, 0), &options(size)));
        let written: Vec<_> = batches
            .into_iter()
            .flat_map(|batch| batch.into_parts().0)
            .collect();
        let position = Write::number(Key::APPLIED, 6.into()).into_statement();
        assert_eq!(written, [position], "chunk size {size}");
    }
}
