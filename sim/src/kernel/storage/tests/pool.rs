//! A database that is used again is as good as a new one.

use protocol::host::{Millis, Value};

use super::super::limits::Limits;
use super::super::sqlite::{SqlitePool, SqliteStore};
use super::super::{Ran, Store, StoreError, Surroundings};
use super::statement;

const A: &str = "CREATE TABLE a (k TEXT PRIMARY KEY, v)";
const B: &str =
    "CREATE TABLE IF NOT EXISTS b (k INTEGER PRIMARY KEY AUTOINCREMENT, v DEFAULT CURRENT_TIMESTAMP)";
const C: &str = "CREATE INDEX c ON a (v)";
const D: &str = "CREATE TABLE d (x CHECK (length(x) < 4))";

/// What is done to a store, and everything that it can be asked afterwards.
#[derive(Clone, Copy)]
enum Do {
    Run(&'static str),
    Mark,
    RollBackTo(u32),
    Release(u32),
    ForgetAll,
    Fork,
    Look,
}
use Do::{ForgetAll, Fork, Look, Mark, Release, RollBackTo, Run};

/// Lives of objects, one after another.
const LIVES: &[&[Do]] = &[
    &[Run(A), Run(B), Run(C), Run("INSERT INTO a VALUES ('x', 1)"), Look],
    // The same tables, in a turn that is taken back and made again.
    &[
        Mark,
        Mark,
        Run(A),
        Mark,
        Run(B),
        Run(C),
        Run("INSERT INTO b (v) VALUES (random())"),
        Mark,
        Run("INSERT INTO b DEFAULT VALUES"),
        RollBackTo(3),
        Look,
        RollBackTo(2),
        Look,
        Run("SELECT * FROM b"),
        Run(B),
        Run("INSERT INTO b DEFAULT VALUES"),
        RollBackTo(1),
        Look,
        Run(A),
        Run(B),
        Run("SELECT * FROM c"),
        Run("SELECT * FROM b"),
        ForgetAll,
        Look,
    ],
    // Fewer tables, other tables, and a look in the middle.
    &[Run(A), Run(B), Run("DELETE FROM a"), Run(C), Look],
    &[Run(A), Look, Run(B), Run(C), Look],
    &[Run(A), Run(D), Run("INSERT INTO d VALUES ('long')"), Look],
    &[
        Run("SELECT * FROM a"),
        Run(A),
        Run("INSERT INTO a VALUES (?, 1)"),
        Look,
    ],
    &[
        Run(D),
        Run("PRAGMA data_version"),
        Run("DROP TABLE d"),
        Run(D),
        Look,
    ],
    &[
        Mark,
        Run(D),
        Run("ALTER TABLE d ADD COLUMN y"),
        Run("SELECT * FROM d"),
        Look,
        RollBackTo(0),
        Look,
    ],
    // A fork in the midst of the groundwork, and after it.
    &[
        Mark,
        Run(A),
        Mark,
        Run(B),
        Fork,
        Run(C),
        RollBackTo(1),
        Run(B),
        Release(1),
        Look,
    ],
    &[
        Mark,
        Run(A),
        Run(B),
        Run(C),
        Run("INSERT INTO a VALUES ('x', 2)"),
        Fork,
        Look,
        RollBackTo(0),
        Run(A),
        Look,
    ],
    // Out of the savepoints, the base among them.
    &[
        Run(A),
        Run(B),
        Run(C),
        Run("INSERT INTO a VALUES ('x', 3)"),
        Mark,
        Run("INSERT INTO a VALUES ('y', 3)"),
        Run("INSERT OR ROLLBACK INTO a VALUES ('x', 4)"),
        Look,
        RollBackTo(0),
        Look,
    ],
    &[
        Mark,
        Run(A),
        Run("INSERT OR ROLLBACK INTO a VALUES ('x', 4), ('x', 5)"),
        Look,
        RollBackTo(0),
        Look,
    ],
    &[
        Run("CREATE TABLE e (k PRIMARY KEY ON CONFLICT ROLLBACK)"),
        Mark,
        Run("INSERT INTO e VALUES (1)"),
        Run("INSERT INTO e VALUES (1)"),
        Look,
    ],
    &[
        Run(A),
        Run(B),
        Run(C),
        Run("SELECT name, rootpage FROM sqlite_schema"),
        Run("SELECT * FROM sqlite_sequence"),
        Look,
    ],
];

#[derive(Debug, PartialEq)]
enum Seen {
    Ran(Ran),
    All(super::super::Contents, u128),
}

fn live(pool: &SqlitePool, life: &[Do]) -> Vec<Seen> {
    let mut store = SqliteStore::open(pool, Limits::default());
    store.set_surroundings(Surroundings {
        now: Millis(1_700_000_000_000),
        entropy: 7,
    });
    let mut seen = Vec::new();
    for what in life {
        match *what {
            Run(sql) => seen.push(Seen::Ran(store.run(&statement(sql, &[])))),
            Mark => drop(store.mark()),
            RollBackTo(mark) => store.rollback_to(super::super::Mark(mark)),
            Release(mark) => store.release(super::super::Mark(mark)),
            ForgetAll => store.forget_all(),
            Fork => store = store.fork(),
            Look => seen.push(Seen::All(store.contents(), store.digest())),
        }
    }
    seen
}

#[test]
fn each_life_is_as_in_a_new_database() {
    let pool = SqlitePool::default();
    for _ in 0..3 {
        for (at, life) in LIVES.iter().enumerate() {
            assert_eq!(live(&pool, life), live(&SqlitePool::default(), life), "life {at}");
        }
    }
}

/// Two objects of one class at once, and the pool's databases in another order each time.
#[test]
fn lives_may_overlap() {
    let pool = SqlitePool::default();
    let mut stores: Vec<SqliteStore> = Vec::new();
    for round in 0..20_usize {
        let mut store = SqliteStore::open(&pool, Limits::default());
        for sql in [A, B, C] {
            assert_eq!(
                store.run(&statement(sql, &[])).outcome.map(|rows| rows.rows),
                Ok(Vec::new())
            );
        }
        let put = statement(
            "INSERT INTO a VALUES (?, ?)",
            &[Value::text("k"), (round as u32).into()],
        );
        assert_eq!(
            store.run(&put).outcome.map(|rows| rows.rows),
            Ok(Vec::new()),
            "it was empty"
        );
        stores.push(store);
        if round % 3 == 2 {
            stores.swap_remove(round % stores.len());
        }
        for store in &mut stores {
            assert_eq!(store.contents()["a"].len(), 1);
        }
    }
}

#[test]
fn the_pool_keeps_to_the_limits() {
    let pool = SqlitePool::default();
    let narrow = Limits {
        columns: 1,
        ..Limits::default()
    };
    drop(live(&pool, LIVES[0]));
    let mut store = SqliteStore::open(&pool, narrow);
    let ran = store.run(&statement(A, &[])).outcome;
    assert!(matches!(ran, Err(StoreError::Sql(_))), "{ran:?}");
}

/// The second object of a class makes no table: a pool that never helps would pass all the tests above.
#[test]
fn groundwork_is_done_once() {
    let pool = SqlitePool::default();
    for (tables, is_groundwork) in [
        ([A, B, C].as_slice(), true),
        (&[D], true),
        (&["CREATE TABLE f AS SELECT 1"], false),
    ] {
        for nth in 0..3 {
            let mut store = SqliteStore::open(&pool, Limits::default());
            for sql in tables {
                store.run(&statement(sql, &[]));
            }
            assert_eq!(store.found_its_groundwork(), is_groundwork && nth > 0);
            store.run(&statement("SELECT 1", &[]));
        }
    }
}

/// SQLite prepares anew, unasked: each statement after something is undone in a transaction that has changed the
/// schema, and a statement with a parameter for its LIMIT at each new value.
#[test]
fn nothing_is_prepared_twice() {
    let mut store = SqliteStore::open(&SqlitePool::default(), Limits::default());
    let turn = store.mark();
    for sql in [A, B] {
        store.run(&statement(sql, &[]));
    }
    for nth in 0..4_u32 {
        let batch = store.mark();
        for (sql, params) in [
            ("INSERT INTO a (k) VALUES (?)", [nth.into()].as_slice()),
            (
                "SELECT k FROM a WHERE k > ? ORDER BY k LIMIT ?",
                &[nth.into(), nth.into()],
            ),
        ] {
            let ran = store.run(&statement(sql, params)).outcome;
            assert!(ran.is_ok(), "{ran:?}");
        }
        store.rollback_to(batch);
        store.release(batch);
    }
    store.release(turn);
    assert_eq!(store.prepared_anew(), 0);
}
