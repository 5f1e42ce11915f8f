//! Limits and faults, which stand above both stores.

use protocol::host::{SqlErrorKind as Kind, Text, Value};

use super::super::guard::Fault;
use super::super::limits::{Limits, ROW_BYTES_NEWER, ROW_BYTES_OLDER};
use super::super::model::ModelStore;
use super::super::sqlite::SqliteStore;
use super::super::{Store, StoreError};
use super::{blob, fresh, kind_of_refusal, run, statement};

const CREATE: &str = "CREATE TABLE t (a, b)";
const PUT: &str = "INSERT INTO t (a, b) VALUES (?, ?)";

fn limits_can_be_set<S: Store>() {
    let limits = Limits {
        parameters: 1,
        statement_bytes: 40,
        row_bytes: 100_000,
        ..Limits::default()
    };
    let mut store = S::open(&S::Pool::default(), limits);
    run(&mut store, CREATE, &[]);
    assert_eq!(
        kind_of_refusal(&mut store, PUT, &[1.into(), 2.into()]),
        Kind::TooManyParameters
    );
    let written_out = "INSERT INTO t (a) VALUES (?)";
    assert_eq!(
        kind_of_refusal(&mut store, written_out, &[blob(&vec![0; 100_001])]),
        Kind::TooBig
    );
    run(&mut store, written_out, &[blob(&vec![0; 80_000])]);
    let long = format!("{CREATE}{}", " ".repeat(40));
    assert_eq!(kind_of_refusal(&mut store, &long, &[]), Kind::TooBig);
}

fn a_row_as_large_as_was_seen_fits<S: Store>() {
    for row_bytes in [ROW_BYTES_OLDER, ROW_BYTES_NEWER] {
        let limits = Limits {
            row_bytes,
            ..Limits::default()
        };
        let mut store = S::open(&S::Pool::default(), limits);
        run(&mut store, CREATE, &[]);
        run(
            &mut store,
            PUT,
            &[blob(&vec![0; row_bytes - 10_000]), Value::Null],
        );
        let fat = [blob(&vec![0; row_bytes + 1]), Value::Null];
        assert_eq!(kind_of_refusal(&mut store, PUT, &fat), Kind::TooBig);
    }
}

/// `platform.md` section 4, items 7 and 8.
fn a_fault_breaks_the_object_or_throws<S: Store>() {
    for (kind, breaks) in [
        (Kind::Full, true),
        (Kind::Io, true),
        (Kind::NoMemory, true),
        (Kind::Interrupted, true),
        (Kind::TooBig, false),
        (Kind::Other, false),
    ] {
        let mut store = fresh::<S>();
        run(&mut store, CREATE, &[]);
        store.guard().arm(Fault { after: 2, kind });
        let text = "INSERT INTO t (a) VALUES (1); INSERT INTO t (a) VALUES (2); INSERT INTO t (a) VALUES (3)";
        let ran = store.run(&statement(text, &[]));
        assert!(ran.struck, "{kind:?}");
        assert_eq!(ran.writes.tables(), [Text::new_static("t")]);
        match ran.outcome {
            Err(StoreError::Broken(error)) if breaks => assert_eq!(error.kind, kind),
            Err(StoreError::Sql(error)) if !breaks => assert_eq!(error.kind, kind),
            other => panic!("{kind:?}: {other:?}"),
        }
        // The store is as it was before the statement, and the fault is used up.
        assert_eq!(store.guard().disarm(), None);
        assert_eq!(run(&mut store, "SELECT COUNT(*) FROM t", &[]), [[Value::from(2)]]);
    }
}

on_both_stores!(
    limits_can_be_set,
    a_row_as_large_as_was_seen_fits,
    a_fault_breaks_the_object_or_throws,
);

/// A width that only one of the two knows to refuse is unsupported in the other.
#[test]
fn a_table_may_be_too_wide() {
    let limits = Limits {
        columns: 1,
        ..Limits::default()
    };
    let mut sqlite = SqliteStore::open(&Default::default(), limits);
    assert_eq!(kind_of_refusal(&mut sqlite, CREATE, &[]), Kind::Other);
    let mut model = ModelStore::open(&Default::default(), limits);
    let ran = model.run(&statement(CREATE, &[])).outcome;
    assert!(matches!(ran, Err(StoreError::Unsupported(_))), "{ran:?}");
}
