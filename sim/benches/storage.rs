//! What the two stores cost: `cargo bench -p sim --bench storage`.
#![allow(missing_docs, reason = "a benchmark is its own caller")]

use divan::Bencher;
use protocol::host::{Statement, Value};
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::storage::{Store, Surroundings};

const ROWS: u32 = 20;
const CREATE: &str = "CREATE TABLE node (path TEXT PRIMARY KEY, n INTEGER NOT NULL, body TEXT)";
const UPSERT: &str = "INSERT INTO node (path, n, body) VALUES (?, ?, ?) \
                      ON CONFLICT (path) DO UPDATE SET n = excluded.n, body = excluded.body";
const SELECT: &str = "SELECT n, body FROM node WHERE path = ?";

fn main() {
    divan::main();
}

fn path(n: u32) -> Value {
    Value::text(format!("/path/{}", n % ROWS))
}

fn upsert(n: u32) -> Statement {
    Statement::new(
        UPSERT,
        [
            path(n),
            n.into(),
            Value::text("a body of some forty bytes, as a row may have"),
        ],
    )
}

fn run<S: Store>(store: &mut S, statement: &Statement) {
    divan::black_box(store.run(statement).expect("the statement runs"));
}

fn filled<S: Store>() -> (S::Pool, S) {
    let pool = S::Pool::default();
    let mut store = S::open(&pool);
    run(&mut store, &Statement::new(CREATE, []));
    (0..ROWS).for_each(|n| run(&mut store, &upsert(n)));
    (pool, store)
}

/// A turn: a mark, one upsert, and its commit.
#[divan::bench(types = [SqliteStore, ModelStore], sample_size = 2000)]
fn turn_with_one_upsert<S: Store>(bencher: Bencher) {
    let (_pool, mut store) = filled::<S>();
    let upserts: Vec<Statement> = (0..ROWS).map(upsert).collect();
    let mut next = upserts.iter().cycle();
    bencher.bench_local(|| {
        store.mark();
        if let Some(upsert) = next.next() {
            run(&mut store, upsert);
        }
        store.forget_all();
    });
}

/// One upsert more in a turn: what a statement costs by itself.
#[divan::bench(types = [SqliteStore, ModelStore], sample_size = 2000)]
fn upsert_within_a_turn<S: Store>(bencher: Bencher) {
    let (_pool, mut store) = filled::<S>();
    let upserts: Vec<Statement> = (0..ROWS).map(upsert).collect();
    let mut next = upserts.iter().cycle();
    let mut since_mark = 0;
    store.mark();
    bencher.bench_local(|| {
        if let Some(upsert) = next.next() {
            run(&mut store, upsert);
        }
        since_mark += 1;
        if since_mark == 100 {
            since_mark = 0;
            store.forget_all();
            store.mark();
        }
    });
}

#[divan::bench(types = [SqliteStore, ModelStore], sample_size = 2000)]
fn select_by_key<S: Store>(bencher: Bencher) {
    let (_pool, mut store) = filled::<S>();
    let selects: Vec<Statement> = (0..ROWS).map(|n| Statement::new(SELECT, [path(n)])).collect();
    let mut next = selects.iter().cycle();
    bencher.bench_local(|| {
        if let Some(select) = next.next() {
            run(&mut store, select);
        }
    });
}

#[divan::bench(types = [SqliteStore, ModelStore])]
fn open<S: Store>(bencher: Bencher) {
    let pool = S::Pool::default();
    bencher.bench_local(|| {
        let mut store = S::open(&pool);
        store.set_surroundings(Surroundings::default());
        store
    });
}

#[divan::bench(types = [SqliteStore, ModelStore])]
fn fork<S: Store>(bencher: Bencher) {
    let (_pool, mut store) = filled::<S>();
    bencher.bench_local(|| store.fork());
}

/// After one row has changed.
#[divan::bench(types = [SqliteStore, ModelStore])]
fn digest<S: Store>(bencher: Bencher) {
    let (_pool, mut store) = filled::<S>();
    let mut n = 0;
    bencher.bench_local(|| {
        n += 1;
        run(&mut store, &upsert(n));
        store.digest()
    });
}
