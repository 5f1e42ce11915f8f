//! What the two stores cost, beside SQLite as rusqlite is ordinarily used: `cargo bench -p sim --bench storage`.
//!
//! Medians on one core of a busy 2-core Xeon, in ns. All three have the build flags of `.cargo/config.toml` (no
//! statistics on memory, no mutexes, fewer modules): ordinary SQLite without them is slower than the column says.
//!
//! | | `sqlite` | `model` | ordinary |
//! |---|---|---|---|
//! | `object`: three tables, in a pool | 509 | 232 | 50,000 |
//! | `object_that_writes`: and one row in a turn, undone | 1,452 | 397 | 56,780 |
//! | `turn_with_one_upsert` | 734 | 263 | 1,058 |
//! | `upsert_within_a_turn` | 503 | 254 | 553 |
//! | `select_by_key` | 493 | 218 | 585 |
//! | `record_applied`: one SELECT, three upserts, one transaction | 2,212 | 816 | 2,769 |
//! | `fork` | 8,662 | 32 | – |
//! | `digest` of 21 rows, one of them changed | 33,620 | 531 | – |
//!
//! Three quarters of a statement's time is SQLite's own. With pages of 4,096 bytes `record_applied` takes 2,332 and
//! `object_that_writes` 1,720.
#![allow(missing_docs, reason = "a benchmark is its own caller")]

use divan::{Bencher, black_box};
use protocol::host::{Statement, Value};
use rusqlite::Connection;
use rusqlite::types::{ToSqlOutput, Value as Raw, ValueRef};
use sim::kernel::storage::limits::Limits;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::storage::{Mark, Store};

const ROWS: u32 = 20;
const TABLES: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS node (path TEXT PRIMARY KEY, n INTEGER NOT NULL, body TEXT)",
    "CREATE TABLE IF NOT EXISTS config (k TEXT PRIMARY KEY, v)",
    "CREATE TABLE IF NOT EXISTS log (generation INTEGER PRIMARY KEY, parent INTEGER, body TEXT)",
];
const UPSERT: &str = "INSERT INTO node (path, n, body) VALUES (?, ?, ?) \
                      ON CONFLICT (path) DO UPDATE SET n = excluded.n, body = excluded.body";
const SET: &str = "INSERT INTO config (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v";
const GET: &str = "SELECT v FROM config WHERE k = ?";
const SELECT: &str = "SELECT n, body FROM node WHERE path = ?";

/// As the command has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

/// What is measured.
trait Subject: Sized {
    type Pool: Default;
    fn open(pool: &Self::Pool) -> Self;
    fn run(&mut self, statement: &Statement);
    fn begin(&mut self);
    fn commit(&mut self);
}

impl<S: Store> Subject for S {
    type Pool = S::Pool;

    fn open(pool: &S::Pool) -> Self {
        <S as Store>::open(pool, Limits::default())
    }

    fn run(&mut self, statement: &Statement) {
        black_box(Store::run(self, statement).outcome.expect("the statement runs"));
    }

    fn begin(&mut self) {
        self.mark();
    }

    fn commit(&mut self) {
        self.release(Mark(0));
    }
}

/// rusqlite as its guide has it: default pages, `prepare_cached`.
struct Ordinary(Connection);

impl Subject for Ordinary {
    type Pool = ();

    fn open((): &()) -> Self {
        let connection = Connection::open_in_memory().expect("a database in memory opens");
        connection.set_prepared_statement_cache_capacity(64);
        Ordinary(connection)
    }

    fn run(&mut self, statement: &Statement) {
        let params = statement.params.iter().map(|value| match value {
            Value::Number(number) => ToSqlOutput::from(number.to_f64()),
            Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Null | Value::Bytes(_) => panic!("no statement here has such a parameter"),
        });
        let mut prepared = self.0.prepare_cached(&statement.sql).expect("it is SQL");
        let width = prepared.column_count();
        let mut rows = prepared
            .query(rusqlite::params_from_iter(params))
            .expect("it can be bound");
        let mut read: Vec<Vec<Raw>> = Vec::new();
        while let Some(row) = rows.next().expect("it runs") {
            read.push((0..width).map(|at| row.get(at).expect("it is a value")).collect());
        }
        black_box(read);
    }

    fn begin(&mut self) {
        self.run(&Statement::new("BEGIN", []));
    }

    fn commit(&mut self) {
        self.run(&Statement::new("COMMIT", []));
    }
}

fn path(n: u32) -> Value {
    Value::text(format!("/path/{}", n % ROWS))
}

fn upsert(n: u32) -> Statement {
    let body = Value::text("a body of some forty bytes, as a row may have");
    Statement::new(UPSERT, [path(n), n.into(), body])
}

fn make_tables<S: Subject>(subject: &mut S) {
    for sql in TABLES {
        subject.run(&Statement::new(sql, []));
    }
}

fn filled<S: Subject>(pool: &S::Pool) -> S {
    let mut subject = S::open(pool);
    make_tables(&mut subject);
    (0..ROWS).for_each(|n| subject.run(&upsert(n)));
    subject.run(&Statement::new(SET, [Value::text("applied"), 0.into()]));
    subject
}

/// A turn: a mark, one upsert, and its commit.
#[divan::bench(types = [SqliteStore, ModelStore, Ordinary], sample_size = 2000)]
fn turn_with_one_upsert<S: Subject>(bencher: Bencher) {
    let mut subject = filled::<S>(&S::Pool::default());
    let upserts: Vec<Statement> = (0..ROWS).map(upsert).collect();
    let mut next = upserts.iter().cycle();
    bencher.bench_local(|| {
        subject.begin();
        next.next().into_iter().for_each(|upsert| subject.run(upsert));
        subject.commit();
    });
}

/// One upsert more in a turn: what a statement costs by itself.
#[divan::bench(types = [SqliteStore, ModelStore, Ordinary], sample_size = 2000)]
fn upsert_within_a_turn<S: Subject>(bencher: Bencher) {
    let mut subject = filled::<S>(&S::Pool::default());
    let upserts: Vec<Statement> = (0..ROWS).map(upsert).collect();
    let mut next = upserts.iter().cycle();
    let mut since_mark = 0;
    subject.begin();
    bencher.bench_local(|| {
        next.next().into_iter().for_each(|upsert| subject.run(upsert));
        since_mark += 1;
        if since_mark == 100 {
            since_mark = 0;
            subject.commit();
            subject.begin();
        }
    });
}

/// A lane's turn for one record: what is applied is compared with the record's parent, two rows and what is applied
/// are written, and that is one transaction.
#[divan::bench(types = [SqliteStore, ModelStore, Ordinary], sample_size = 1000)]
fn record_applied<S: Subject>(bencher: Bencher) {
    let mut subject = filled::<S>(&S::Pool::default());
    let upserts: Vec<Statement> = (0..ROWS).map(upsert).collect();
    let mut next = upserts.iter().cycle();
    let applied = Statement::new(GET, [Value::text("applied")]);
    let set: Vec<Statement> = (0..ROWS)
        .map(|n| Statement::new(SET, [Value::text("applied"), n.into()]))
        .collect();
    let mut generations = set.iter().cycle();
    bencher.bench_local(|| {
        subject.begin();
        subject.run(&applied);
        next.by_ref().take(2).for_each(|upsert| subject.run(upsert));
        generations.next().into_iter().for_each(|set| subject.run(set));
        subject.commit();
    });
}

#[divan::bench(types = [SqliteStore, ModelStore, Ordinary], sample_size = 2000)]
fn select_by_key<S: Subject>(bencher: Bencher) {
    let mut subject = filled::<S>(&S::Pool::default());
    let selects: Vec<Statement> = (0..ROWS).map(|n| Statement::new(SELECT, [path(n)])).collect();
    let mut next = selects.iter().cycle();
    bencher.bench_local(|| next.next().into_iter().for_each(|select| subject.run(select)));
}

/// An object with its three tables, from beginning to end: the database of the one before it, which wrote nothing.
#[divan::bench(types = [SqliteStore, ModelStore, Ordinary], sample_size = 100)]
fn object<S: Subject>(bencher: Bencher) {
    let pool = S::Pool::default();
    drop(filled::<S>(&pool));
    bencher.bench_local(|| make_tables(&mut S::open(&pool)));
}

/// The same with one row written, which has to be undone for the next.
#[divan::bench(types = [SqliteStore, ModelStore, Ordinary], sample_size = 100)]
fn object_that_writes<S: Subject>(bencher: Bencher) {
    let pool = S::Pool::default();
    drop(filled::<S>(&pool));
    let upsert = upsert(1);
    bencher.bench_local(|| {
        let mut subject = S::open(&pool);
        make_tables(&mut subject);
        subject.begin();
        subject.run(&upsert);
        subject.commit();
    });
}

#[divan::bench(types = [SqliteStore, ModelStore])]
fn fork<S: Store>(bencher: Bencher) {
    let mut store = filled::<S>(&S::Pool::default());
    bencher.bench_local(|| store.fork());
}

/// After one row has changed.
#[divan::bench(types = [SqliteStore, ModelStore])]
fn digest<S: Store>(bencher: Bencher) {
    let mut store = filled::<S>(&S::Pool::default());
    let mut n = 0;
    bencher.bench_local(|| {
        n += 1;
        Subject::run(&mut store, &upsert(n));
        store.digest()
    });
}
