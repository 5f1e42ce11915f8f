//! How requests are served (`replica-lanes`, Scaling and Routing a Request; `replica-settings`, REPLICA_MAX_LANES and
//! REPLICA_LAG_MS).

use protocol::host::{Statement, Text, Value};
use protocol::lanes::app::catalogue::{Ask, Visitor};
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
        let mut by = |pool: &mut Pool<SqliteStore>, path: u32| {
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
            "{name}: the lane was never behind: {oldest} ms"
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

/// "A cached page is answered from the object's own SQLite without booting PHP": it does not queue behind renders. It waits
/// for the one that holds the thread, and for no other. Of both variants.
#[test]
fn cached_pages_do_not_queue_behind_renders() {
    for (name, version) in variants() {
        let mut pool = Pool::<SqliteStore>::installed_under(version);
        let node = Ask::Node {
            nid: 1,
            history: false,
        };
        let cached = || Pool::<SqliteStore>::hop(&node, &Visitor::default(), "cached");
        assert_eq!(pool.send(pool.primary, cached()).status, 200);
        let renders: Vec<u32> = (0..10)
            .map(|path| pool.post(pool.primary, admin_hop(1, path)))
            .collect();
        pool.passes(50);
        let (asked, item) = (pool.kernel.now(), pool.post(pool.primary, cached()));
        let response = pool.answer(item, 60_000).expect("it is answered");
        let took = pool.kernel.now().since(asked);
        assert_eq!(response.headers.get("x-cfw-cache"), Some("HIT"), "{name}");
        // One render and one page from the cache, and the way there and back.
        let most = Micros::from_millis(200 + 20 + 50 + 2 * 20 + 10);
        assert!(
            took <= most,
            "{name}: the cached page took {took}, of ten renders' two seconds"
        );
        assert!(
            pool.answer(renders[9], 60_000).is_some(),
            "{name}: the last render came after it"
        );
    }
}
