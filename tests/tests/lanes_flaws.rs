//! Flaws of the documented protocol, each shown on a site where nothing goes wrong by itself.

use protocol::host::{Millis, Text, Value};
use protocol::lanes::app::catalogue::{Ask, Visitor};
use protocol::lanes::app::page::{Evidence, Page, digest_rows};
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use tests::lanes::pool::{HOST, Pool, answered_by, visitor};

/// A visitor without a role is handed over after the render, which is as if nothing
/// had run (`x-cfw-retry-safe: 1`); but what the render wrote is forwarded all the same, and then the front sends the
/// request to the primary (`lanes.md` 16; LR-30, LR-36).
#[test]
fn what_a_visitor_without_a_role_writes_on_a_lane_is_written_twice() {
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    // So that its interpreter knows of the lane when it boots, and mints no id of the lane's class.
    pool.kernel.evict(u32::MAX, pool.primary);
    for nth in 0..10 {
        pool.passes(40_000);
        let token = Text::from(format!("once {nth}"));
        let mut request = Ask::Enqueue.request(HOST, &visitor(0), &token);
        request.path = Text::from(format!("/queue/{nth}"));
        let response = pool.send(pool.front, request);
        assert_eq!((response.status, answered_by(&response)), (200, "primary"));
        let times = pool.number(
            pool.primary,
            "SELECT COUNT(*) FROM queue WHERE data = ?",
            &[Value::Text(token)],
        );
        let expected = match response.headers.get("x-cfw-failover") {
            Some(_) => 2,
            None => 1,
        };
        assert_eq!(times, Some(expected.into()));
        if expected == 2 {
            return;
        }
    }
    panic!("none of ten paths is routed to the lane");
}

/// An interpreter that booted before the first lane goes on leaving ids to the
/// database, which gives those of all classes in turn: then a lane mints one that is taken (`lanes.md` 18; LR-32).
#[test]
fn a_primary_that_booted_before_its_first_lane_takes_the_lanes_ids() {
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    let primary = Ask::Enqueue.request(HOST, &Visitor::default(), &"first".into());
    assert_eq!(answered_by(&pool.send(pool.front, primary)), "primary");
    let request = Pool::<ModelStore>::hop(&Ask::Enqueue, &visitor(1), "second");
    let lane = pool.lane(1);
    let response = pool.send(lane, request);
    assert_eq!(response.status, 421);
    let threw = "request-threw: statement 0 of the transaction: UNIQUE constraint failed: queue.item_id";
    assert!(pool.notes.0.iter().any(|(_, note)| note.to_string() == threw));
}

/// A lane catches up while a render waits, so the page shows one generation above and
/// another below (`lanes.md` 20; LR-22).
#[test]
fn a_page_that_waits_on_a_lane_shows_two_generations() {
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    let (lane, primary) = (pool.lane(1), pool.primary);
    let mut before = pool.kernel.store(primary).unwrap().fork();
    let ask = Ask::Waiting {
        nid: 3,
        pause: Millis(90_000),
    };
    let request = Pool::<ModelStore>::hop(&ask, &Visitor::default(), "t");
    let item = pool.post(lane, request);
    pool.passes(1_000);
    let edit = Ask::Edit { nid: 3 }.request(HOST, &Visitor::default(), &"edited".into());
    assert_eq!(answered_by(&pool.send(pool.front, edit)), "primary");
    let response = pool.answer(item, 120_000).expect("the page is rendered");
    let page = response.body.read::<Page>().unwrap();
    let after = pool.kernel.store(primary).unwrap();
    let same = |database: &mut ModelStore| -> Vec<bool> {
        let reads = page.evidence.iter().filter_map(|evidence| match evidence {
            Evidence::Read {
                statement, digest, ..
            } => Some((statement, digest)),
            Evidence::Wrote(_) => None,
        });
        reads
            .map(|(statement, digest)| digest_rows(&database.run(statement).outcome.unwrap()) == *digest)
            .collect()
    };
    assert_eq!(same(&mut before), [true, false]);
    assert_eq!(same(after), [false, true]);
}

/// Two who edit one node at once must not both have read the same. A lane that is behind sends its batch again, built on
/// what it read before, and the primary takes it at its word (`lanes.md` 14.4; LR-37).
#[test]
fn an_edit_on_a_lane_that_is_behind_overwrites_another() {
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    let (lane, primary) = (pool.lane(1), pool.primary);
    let edit = Ask::Edit { nid: 3 };
    for (party, token) in [(primary, "first"), (lane, "second")] {
        let response = pool.send(party, Pool::<ModelStore>::hop(&edit, &visitor(1), token));
        assert_eq!(response.status, 200);
    }
    let read = "SELECT edits FROM node_field_data WHERE nid = ?";
    assert_eq!(pool.number(primary, read, &[Value::from(3)]), Some(1.into()));
}
