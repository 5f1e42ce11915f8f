//! How requests are served (`replica-lanes`, Scaling and Routing a Request; `replica-settings`, REPLICA_MAX_LANES and
//! REPLICA_LAG_MS).

use protocol::host::{Millis, Request, Statement, Text, Value};
use protocol::lanes::app::catalogue::{Ask, Visitor};
use protocol::lanes::object::Version;
use protocol::number::Number;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::{EPOCH, Micros};
use tests::lanes::load::{admin_hop, admin_page};
use tests::lanes::pool::{Pool, answered_by, visitor};

use super::variants;

/// "The belief expires after LANES_TRUST_MS (60 seconds)." Of both variants.
#[test]
fn a_belief_expires_after_sixty_seconds() {
    for (name, version) in variants() {
        let mut pool = Pool::<SqliteStore>::installed_under(version);
        pool.provision(1);
        pool.passes(20_000);
        let by = |pool: &mut Pool<SqliteStore>, path: u32| {
            let response = pool.send(pool.front, admin_page(1, path));
            assert_eq!(response.status, 200);
            Text::new(answered_by(&response))
        };
        let lanes = (0..40)
            .find(|path| by(&mut pool, *path) == "r1")
            .expect("a path of the lane");
        let primarys = (0..40)
            .find(|path| by(&mut pool, *path) == "primary")
            .expect("a path of the primary");
        // The last word of the primary.
        assert_eq!(by(&mut pool, primarys), "primary");
        pool.passes(59_000);
        assert_eq!(by(&mut pool, lanes), "r1", "{name}: it is believed for a minute");
        pool.passes(1_000);
        assert_eq!(
            by(&mut pool, lanes),
            "primary",
            "{name}: what the lane answers is no word of the primary"
        );
        assert_eq!(
            by(&mut pool, lanes),
            "r1",
            "{name}: the primary has told of it again"
        );
    }
}

/// "The bound on how far behind a serving lane may fall": 30 s, and what an alarm may be late and a pull takes. Of both
/// variants.
#[test]
fn what_a_serving_lane_lacks_is_not_older_than_the_lag_bound() {
    let (bound, lateness, pull) = (30_000, 51, 500);
    for (name, version) in variants() {
        let mut pool = Pool::<SqliteStore>::installed_under(version);
        pool.provision(1);
        pool.passes(20_000);
        assert_eq!(pool.stage(1), "SERVING");
        let mut oldest = 0;
        for step in 0..1_200_u32 {
            if step % 28 == 0 {
                let edit = Ask::Edit { nid: 1 + step % 7 };
                let token = format!("edit {step}");
                pool.post(pool.primary, Pool::<SqliteStore>::hop(&edit, &visitor(1), &token));
            }
            pool.passes(250);
            oldest = oldest.max(lacked(&mut pool));
            assert_eq!(pool.stage(1), "SERVING", "{name}");
        }
        let most = bound + lateness + pull;
        assert!(
            oldest <= most,
            "{name}: the lane has lacked a record for {oldest} ms, the bound is {most}"
        );
        assert!(
            oldest > bound / 2,
            "{name}: the lane was behind by {oldest} ms at most, which shows little of a bound of {bound}"
        );
    }
}

/// For how many milliseconds the lane has lacked the oldest record that it lacks.
fn lacked(pool: &mut Pool<SqliteStore>) -> u64 {
    let lane = pool.lane(1);
    let applied = Statement::new(
        "SELECT v FROM cfw_meta WHERE k = ?",
        [Value::text("repl_applied")],
    );
    let applied = pool.kernel.read(lane, &applied).expect("it is read");
    let applied = applied
        .first()
        .and_then(Value::as_text)
        .map_or(Number::ZERO, Number::parse);
    let sealed = pool.number(
        pool.primary,
        "SELECT MIN(sealed_at) FROM cfw_repl_log WHERE generation > ?",
        &[Value::Number(applied)],
    );
    let now = EPOCH.0 + pool.kernel.now().0 / 1_000;
    sealed
        .and_then(Number::to_u64_exact)
        .map_or(0, |sealed| now.saturating_sub(sealed))
}

/// "A cached page is answered from the object's own SQLite without booting PHP": it passes by whoever waits for the gate. Of
/// both variants.
#[test]
fn cached_pages_do_not_queue_at_the_gate_behind_renders() {
    for (name, version) in variants() {
        let mut pool = with_cached_page(version);
        let waiting = Ask::Waiting {
            nid: 2,
            pause: Millis(4_000),
        };
        let mut renders = vec![pool.post(
            pool.primary,
            Pool::<SqliteStore>::hop(&waiting, &visitor(1), "waits"),
        )];
        pool.passes(1_000);
        renders.extend((0..10).map(|path| pool.post(pool.primary, admin_hop(1, path))));
        pool.passes(100);
        let took = cached_page(&mut pool);
        let most = Micros::from_millis(150);
        assert!(
            took <= most,
            "{name}: the cached page took {took}, and needs {most} at most"
        );
        assert!(
            pool.answer_all(renders) > Micros::from_millis(1_500),
            "{name}: the renders came after it"
        );
    }
}

/// What the document does not say: before renders that let nothing in, a cached page waits for its turn as any event does,
/// since the queue is the thread's and not the gate's. Of both variants.
#[test]
fn cached_pages_queue_for_the_thread_behind_renders_that_let_nothing_in() {
    for (name, version) in variants() {
        let mut pool = with_cached_page(version);
        for path in 0..10 {
            pool.post(pool.primary, admin_hop(1, path));
        }
        pool.passes(50);
        let took = cached_page(&mut pool);
        let least = Micros::from_millis(1_500);
        assert!(took >= least, "{name}: the cached page took only {took}");
    }
}

fn front_node() -> Request {
    let node = Ask::Node {
        nid: 1,
        history: false,
    };
    Pool::<SqliteStore>::hop(&node, &Visitor::default(), "cached")
}

/// A primary that has a page in its cache.
fn with_cached_page(version: Version) -> Pool<SqliteStore> {
    let mut pool = Pool::installed_under(version);
    assert_eq!(pool.send(pool.primary, front_node()).status, 200);
    pool
}

/// How long the page from the cache takes.
fn cached_page(pool: &mut Pool<SqliteStore>) -> Micros {
    let (asked, item) = (pool.kernel.now(), pool.post(pool.primary, front_node()));
    let response = pool.answer(item, 60_000).expect("it is answered");
    assert_eq!(response.headers.get("x-cfw-cache"), Some("HIT"));
    pool.kernel.now().since(asked)
}
