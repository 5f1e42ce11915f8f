//! How far a serving lane may be behind (`replica-lanes`, Routing a Request; `replica-settings`, REPLICA_LAG_MS).

use protocol::host::{Statement, Value};
use protocol::lanes::app::catalogue::Ask;
use protocol::number::Number;
use sim::kernel::EPOCH;
use sim::kernel::storage::sqlite::SqliteStore;
use tests::lanes::pool::{Pool, visitor};

use super::variants;

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
        assert!(oldest > 0, "{name}: the lane was never behind: {oldest} ms");
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
