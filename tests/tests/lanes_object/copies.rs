//! How lanes come by the primary's state (`lanes.md` 13.4, 13.5, 14.1 to 14.3, 15).

use super::*;

on_both_stores! {
    a_new_lane_comes_to_serve
    a_copy_is_torn_by_a_commit
    a_round_applies_what_the_primary_wrote
    a_withdrawn_lane_is_copied_anew
    an_overflowed_record_withdraws
    demand_grows_the_pool
    chunks_are_refused_with_the_contracts_words
    an_operator_applies_a_record_in_chunks
    a_snapshot_needs_what_is_mandatory
    a_lane_without_a_copy_sleeps
    an_operators_copy_and_a_forward_wait_for_each_other
    an_interrupted_copy_withdraws_nobody_and_begins_anew
    an_exchanged_segment_takes_effect
}

fn a_new_lane_comes_to_serve<S: Store>() {
    let mut site = serving_pool::<S>();
    assert_eq!(site.rows(LANE, NODES), ["1|front page"]);
    assert_eq!(
        site.notes(LANE, "stage-moved"),
        [
            "CREATED -> RESTORING",
            "RESTORING -> VERIFIED",
            "VERIFIED -> CATCHING_UP",
            "CATCHING_UP -> ELIGIBLE",
            "ELIGIBLE -> SERVING"
        ]
    );
    assert_eq!(
        (site.meta(LANE, "repl_applied"), site.meta(LANE, "commit_seq")),
        ("6".to_owned(), "6".to_owned())
    );
    assert_eq!(site.meta(MAIN, "lanes_provisioned"), "1");
    assert_eq!(site.meta(LANE, "hash_salt"), site.meta(MAIN, "hash_salt"));
    assert_eq!(site.meta(MAIN, "hash_salt").len(), 64);
    let page = site.ask(MAIN, Site::<S>::visit(Method::Get, "/", r#"{"calls":[]}"#));
    assert_eq!(page.headers.get("x-cfw-lanes"), Some("1"));
    assert_eq!(page.headers.get("x-cfw-replica"), Some("primary"));
    let read = r#"{"calls":[{"exec":{"sql":"SELECT title FROM node WHERE nid = 1"}}]}"#;
    let page = site.ask(LANE, Site::<S>::visit(Method::Get, "/node/1", read));
    assert_eq!((page.status, text(&page)), (200, "front page".to_owned()));
    assert_eq!(page.headers.get("x-cfw-replica"), Some("r1"));
}

fn a_copy_is_torn_by_a_commit<S: Store>() {
    let mut site = site::<S>();
    let first = site.post(MAIN, "action=provision&lane=1&budget=1", "");
    assert!(text(&first).contains(r#""done":false"#), "{}", text(&first));
    assert!(
        text(&first).contains(r#""cursor":{"generation":6,"index":3,"offset":0}"#),
        "{}",
        text(&first)
    );
    site.write(MAIN, &["UPDATE node SET title = 'b' WHERE nid = 1"]);
    let cursor = "%7B%22generation%22%3A6%2C%22index%22%3A3%2C%22offset%22%3A0%7D";
    let second = site.post(MAIN, &format!("action=provision&lane=1&cursor={cursor}"), "");
    assert_eq!(second.status, 409);
    assert!(text(&second).contains("the primary committed during the copy: began at 6, now 7"));
    assert_eq!(site.meta(LANE, "replica_stage"), "RESTORING");
    assert!(!site.meta(LANE, "repl_inflight").is_empty(), "the marker stays");
}

fn a_round_applies_what_the_primary_wrote<S: Store>() {
    let mut site = serving_pool::<S>();
    site.write(MAIN, &["UPDATE node SET title = 'b' WHERE nid = 1"]);
    site.write(MAIN, &["INSERT INTO node (nid, title) VALUES (2, 'c')"]);
    let round = site.post(LANE, "action=catchup", "");
    assert_eq!(
        text(&round),
        r#"{"ran":true,"reason":"","applied":8,"advertised":8,"records":2,"stage":"SERVING","admitted":true}"#
    );
    assert_eq!(site.rows(LANE, NODES), ["1|b", "2|c"]);
    assert_eq!(site.notes(LANE, "caches-purged").last().unwrap(), "round");
    // Left to itself, a serving lane catches up within its lag.
    site.write(MAIN, &["DELETE FROM node WHERE nid = 2"]);
    site.wait(31);
    assert_eq!(site.rows(LANE, NODES), ["1|b"]);
    assert_eq!(site.post(MAIN, "action=catchup", "").status, 409);
}

fn a_withdrawn_lane_is_copied_anew<S: Store>() {
    let mut site = serving_pool::<S>();
    assert_eq!(site.post(LANE, "action=stage&to=WITHDRAWN", "").status, 200);
    assert_eq!(site.post(LANE, "action=stage&to=SERVING", "").status, 409);
    assert_eq!(site.post(LANE, "action=stage", "").status, 400);
    // The lane's alarm asks; the primary's copies.
    site.wait(120);
    assert_eq!(site.notes(LANE, "copy-asked"), ["1"]);
    assert_eq!(site.notes(MAIN, "lane-provisioned"), ["1", "1"]);
    assert_eq!(site.meta(LANE, "replica_stage"), "SERVING");
    assert_eq!(site.meta(MAIN, "lane_repair"), "");
    assert_eq!(site.post(MAIN, "action=readmit&lane=0", "").status, 400);
    assert_eq!(site.get(MAIN, "action=readmit&lane=1").status, 405);
    assert_eq!(site.post(LANE, "action=readmit&lane=1", "").status, 409);
}

fn an_overflowed_record_withdraws<S: Store>() {
    let mut site = serving_pool::<S>();
    let many: Vec<String> = (0..501)
        .map(|nth| format!("UPDATE node SET title = '{nth}' WHERE nid = 1"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(site.write(MAIN, &many).status, 200);
    assert_eq!(site.rows(MAIN, LOG).last().unwrap(), "6|507|1");
    let round = site.post(LANE, "action=catchup", "");
    assert!(
        text(&round).contains("the record overflowed and carries no statements; this replica must restore")
    );
    assert_eq!(site.meta(LANE, "replica_stage"), "WITHDRAWN");
}

fn demand_grows_the_pool<S: Store>() {
    let mut site = site::<S>();
    let write = transaction(&["UPDATE node SET title = 'b' WHERE nid = 1"]);
    for _ in 0..20 {
        let visits = (0..6).map(|_| Site::<S>::visit(Method::Post, "/", &write));
        let items: Vec<u32> = visits.map(|visit| site.send(MAIN, visit)).collect();
        for item in items {
            assert_eq!(site.answer(item).status, 200);
        }
        site.wait(10);
    }
    // A copy takes longer than its one step only where a page's answer does: then a write between two tears it.
    site.wait(60);
    assert!(
        site.meta(MAIN, "lanes_provisioned").as_str() >= "1",
        "{}",
        site.story()
    );
    assert_eq!(site.meta(LANE, "replica_stage"), "SERVING");
}

fn chunks_are_refused_with_the_contracts_words<S: Store>() {
    let mut site = site::<S>();
    let chunk = r#"{"generation":6,"schemaVersion":"p1","table":"node","columns":["nid","title"],"rows":[[1,"a"]],"first":true,"done":true}"#;
    let refused = site.post(LANE, "action=restore", chunk);
    assert!(
        text(&refused).contains("schema mismatch: chunk p1, replica unknown"),
        "{}",
        text(&refused)
    );
    site.ask(LANE, Request::get("/__migrate"));
    let refused = site.post(LANE, "action=restore", chunk);
    assert_eq!(refused.status, 409);
    assert!(
        text(&refused).contains("restore incomplete: state:system.private_key"),
        "{}",
        text(&refused)
    );
    assert_eq!(site.meta(LANE, "repl_inflight"), "0:6");
    assert_eq!(site.post(MAIN, "action=restore", chunk).status, 409);
    assert_eq!(site.get(LANE, "action=restore").status, 405);
}

fn an_operator_applies_a_record_in_chunks<S: Store>() {
    let mut site = serving_pool::<S>();
    let applied = site.post(LANE, "action=apply&chunk=1", &record(6, 9, &["b", "c"]));
    assert_eq!(
        text(&applied),
        r#"{"action":"apply","reason":"","applied":9,"chunks":2}"#
    );
    assert_eq!(site.rows(LANE, NODES), ["1|c"]);
    assert_eq!(
        (site.meta(LANE, "commit_seq"), site.meta(LANE, "repl_inflight")),
        ("6".to_owned(), String::new())
    );
    let again = site.post(LANE, "action=apply", &record(6, 9, &["d"]));
    assert_eq!((again.status, text(&again).contains("duplicate")), (200, true));
    let gap = site.post(LANE, "action=apply", &record(10, 11, &["d"]));
    assert_eq!(
        (
            gap.status,
            text(&gap).contains("missing generation: applied 9, record needs 10")
        ),
        (409, true)
    );
}

fn a_snapshot_needs_what_is_mandatory<S: Store>() {
    let mut site = site::<S>();
    let plan = site.get(MAIN, "action=snapshot");
    assert_eq!(plan.status, 200);
    assert!(
        text(&plan).contains(r#"{"table":"cfw_meta","status":"LOCAL_EPHEMERAL","copy":false"#),
        "{}",
        text(&plan)
    );
    let page = text(&site.get(MAIN, "action=snapshot&table=node&limit=1"));
    assert!(
        page.contains(r#""table":"node","columns":["nid","title"],"rows":[[1,"front page"]]"#),
        "{page}"
    );
    site.write(MAIN, &["DELETE FROM key_value WHERE name = 'system.private_key'"]);
    let plan = site.get(MAIN, "action=snapshot");
    assert_eq!(plan.status, 409);
    assert!(
        text(&plan).ends_with(r#""missing":["state:system.private_key"]}"#),
        "{}",
        text(&plan)
    );
    let copied = site.post(MAIN, "action=provision&lane=1", "");
    assert!(text(&copied).contains("the primary is missing state:system.private_key"));
}

fn a_lane_without_a_copy_sleeps<S: Store>() {
    let mut site = site::<S>();
    let answer = site.write(LANE, &[]);
    assert_eq!(
        (answer.status, text(&answer).contains("the lane is CREATED")),
        (421, true)
    );
    site.wait(600);
    assert_eq!(site.notes(LANE, "alarm-phase"), Vec::<String>::new());
    assert!(!site.notes(MAIN, "alarm-phase").is_empty());
}

/// Suspected defect: an operator's copy holds the primary's gate and waits for the lane's, which a request holds that
/// forwards and waits for the primary's.
fn an_operators_copy_and_a_forward_wait_for_each_other<S: Store>() {
    let mut site = serving_pool::<S>();
    let update = transaction(&["UPDATE node SET title = 'b' WHERE nid = 1"]);
    let write = site.send(LANE, Site::<S>::visit(Method::Post, "/", &update));
    site.pass(10);
    let copy = site.send(MAIN, Request::get("/__replica?action=provision&lane=1"));
    site.wait(300);
    assert!(!site.is_answered(write) && !site.is_answered(copy));
    // Nobody else gets in, neither here nor there. The alarms and the fast lane do not ask for the gate.
    let visit = site.send(MAIN, Site::<S>::visit(Method::Get, "/", r#"{"calls":[]}"#));
    site.wait(1);
    assert!(!site.is_answered(visit));
}

fn an_interrupted_copy_withdraws_nobody_and_begins_anew<S: Store>() {
    let mut site = site::<S>();
    let pages: Vec<String> = (2..1_202)
        .map(|nid| format!("INSERT INTO node (nid, title) VALUES ({nid}, 'p')"))
        .collect();
    for some in pages.chunks(400) {
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        site.write(MAIN, &some);
    }
    let copy = site.send(MAIN, Request::get("/__replica?action=provision&lane=1"));
    site.pass(60);
    assert_eq!(site.meta(LANE, "replica_stage"), "RESTORING");
    site.reset(MAIN);
    site.wait(600);
    assert!(!site.is_answered(copy) || site.meta(LANE, "replica_stage") == "RESTORING");
    // The lane sleeps where it is: nobody queued it, and it does not ask while it is RESTORING.
    assert_eq!(site.meta(LANE, "replica_stage"), "RESTORING");
    let again = site.post(MAIN, "action=provision&lane=1", "");
    assert_eq!(again.status, 200, "{}", text(&again));
    site.wait(1);
    assert_eq!(site.meta(LANE, "replica_stage"), "SERVING");
    assert_eq!(site.rows(LANE, "SELECT COUNT(*) FROM node"), ["1201"]);
}

fn an_exchanged_segment_takes_effect<S: Store>() {
    let mut version = version();
    version.rules.flows.capture = |_, _, _, _| Ok(());
    let mut site = Site::<S>::new(version);
    site.install(MAIN);
    assert_eq!(site.rows(MAIN, LOG), Vec::<String>::new());
    assert_eq!(site.rows(MAIN, NODES), ["1|front page"]);
}
