//! The object of a site, primary and lane, in the kernel: each flow from end to end, on both stores.

use protocol::host::{Method, Request, Response};
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use tests::lanes::Site;
use tests::lanes::application::version;
use tests::lanes::world::transaction;

/// The primary, and its first lane.
const MAIN: &str = "example.com";
const LANE: &str = "example.com#r1";

const LOG: &str = "SELECT parent, generation, overflowed FROM cfw_repl_log ORDER BY generation";

/// Makes a test of each flow for each store.
macro_rules! on_both_stores {
    ($($flow:ident)*) => {$(
        mod $flow {
            use super::*;

            #[test]
            fn on_model() {
                super::$flow::<ModelStore>();
            }

            #[test]
            fn on_sqlite() {
                super::$flow::<SqliteStore>();
            }
        }
    )*};
}

on_both_stores! {
    records_chain
    statements_before_a_failure_are_logged
    a_batch_is_committed_refused_or_in_conflict
    deferred_rows_come_without_a_parent
    a_new_lane_comes_to_serve
    a_copy_is_torn_by_a_commit
    a_round_applies_what_the_primary_wrote
    a_write_on_a_lane_is_forwarded
    a_lane_that_is_behind_sends_again
    a_withdrawn_lane_is_copied_anew
    an_overflowed_record_withdraws
    what_a_lane_may_not_do_is_handed_back
    a_fence_holds_and_the_fast_lane_does_not_ask
    demand_grows_the_pool
    a_session_that_a_lane_does_not_know_nudges_it
    a_herd_shares_one_render
    chunks_are_refused_with_the_contracts_words
    bad_input_changes_nothing
    what_a_request_collected_goes_with_it_when_it_throws
    an_operator_applies_a_record_in_chunks
    an_object_tells_where_it_stands
    a_snapshot_needs_what_is_mandatory
    an_attempt_is_begun_once
    a_site_that_forwards_nothing_refuses_writes_on_lanes
    a_lane_without_a_copy_sleeps
    an_operators_copy_and_a_forward_wait_for_each_other
    two_seals_overlap
    a_variable_is_overridden_in_kv
    a_site_that_only_reads_refuses_writes
    an_exchanged_segment_takes_effect
    an_interrupted_copy_withdraws_nobody_and_begins_anew
}

fn site<S: Store>() -> Site<S> {
    let mut site = Site::new(version());
    site.install(MAIN);
    site
}

fn records_chain<S: Store>() {
    let mut site = site::<S>();
    site.write(MAIN, &["INSERT INTO node (nid, title) VALUES (2, 'a')"]);
    site.write(
        MAIN,
        &[
            "UPDATE node SET title = 'b' WHERE nid = 2",
            "UPDATE node SET title = 'c' WHERE nid = 9",
        ],
    );
    // The sequence advances first: the first record builds on what it is after the first of six writes.
    assert_eq!(site.rows(MAIN, LOG), ["1|6|0", "6|7|0", "7|9|0"]);
    assert_eq!(site.meta(MAIN, "commit_seq"), "9");
}

const NODES: &str = "SELECT nid, title FROM node ORDER BY nid";

/// Copies the site to the lane and lets it catch up.
fn serving<S: Store>() -> Site<S> {
    let mut site = site::<S>();
    let copied = site.post(MAIN, "action=provision&lane=1", "");
    assert_eq!(copied.status, 200, "{}", copied.body.to_text());
    site.wait(1);
    assert_eq!(site.meta(LANE, "replica_stage"), "SERVING", "{}", site.story());
    site
}

fn text(response: &Response) -> String {
    response.body.to_text().to_string()
}

fn statements_before_a_failure_are_logged<S: Store>() {
    let mut site = site::<S>();
    let failed = site.write(
        MAIN,
        &[
            "INSERT INTO node (nid, title) VALUES (2, 'a')",
            "INSERT INTO node (nid, title) VALUES (1, 'again')",
        ],
    );
    assert_eq!(failed.status, 500);
    assert_eq!(
        site.rows(MAIN, NODES),
        ["1|front page"],
        "the transaction is taken back"
    );
    // Memory is not: the statement that ran before the one that failed is in the log.
    assert_eq!(site.rows(MAIN, LOG), ["1|6|0", "6|7|0"]);
}

fn batch(parent: u32, sql: &str, table: &str) -> String {
    format!(r#"{{"statements":[{{"sql":"{sql}","table":"{table}"}}],"parent":{parent},"partitioned":[]}}"#)
}

fn a_batch_is_committed_refused_or_in_conflict<S: Store>() {
    let mut site = site::<S>();
    let update = "UPDATE node SET title = 'b' WHERE nid = 1";
    let mut forward = |parent, sql, table| {
        let answer = site.post(MAIN, "action=forward", &batch(parent, sql, table));
        (answer.status, text(&answer))
    };
    let conflict = r#"{"action":"conflict","reason":"the lane read generation 5 and the primary is at 6","primaryGeneration":6}"#;
    assert_eq!(forward(5, update, "node"), (409, conflict.to_owned()));
    let refusal = r#"{"action":"refuse","reason":"sequences originates a value a lane may not mint","primaryGeneration":6}"#;
    assert_eq!(
        forward(5, "UPDATE sequences SET value = 2", "sequences"),
        (422, refusal.to_owned())
    );
    let commit = r#"{"action":"commit","generation":7,"reason":"","deferred":0}"#;
    assert_eq!(forward(6, update, "node"), (200, commit.to_owned()));
    assert_eq!(site.rows(MAIN, NODES), ["1|b"]);
    assert_eq!(site.rows(MAIN, LOG), ["1|6|0", "6|7|0"]);
    assert_eq!(
        site.post(LANE, "action=forward", &batch(7, update, "node"))
            .status,
        409
    );
}

fn deferred_rows_come_without_a_parent<S: Store>() {
    let mut site = site::<S>();
    let body = r#"{"statements":[{"sql":"INSERT INTO watchdog (message) VALUES (?)","params":["m"],"table":"watchdog"}],"parent":0}"#;
    let answer = site.post(MAIN, "action=forward", body);
    assert_eq!(
        text(&answer),
        r#"{"action":"commit","generation":6,"reason":"","deferred":1}"#
    );
    assert_eq!(site.rows(MAIN, "SELECT wid, message FROM watchdog"), ["1|m"]);
    assert_eq!(site.rows(MAIN, LOG).len(), 1, "they are not replicated");
}

fn a_new_lane_comes_to_serve<S: Store>() {
    let mut site = serving::<S>();
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
    let mut site = serving::<S>();
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

fn a_write_on_a_lane_is_forwarded<S: Store>() {
    let mut site = serving::<S>();
    let sql = "INSERT INTO node (nid, title) VALUES (258, 'from a lane')";
    let written = format!(r#"{{"calls":[{{"txn":{{"statements":[{{"sql":"{sql}","minted":"node"}}]}}}}]}}"#);
    let answer = site.ask(LANE, Site::<S>::visit(Method::Post, "/node/add", &written));
    assert_eq!(answer.status, 200, "{}", text(&answer));
    assert_eq!(site.rows(MAIN, NODES), ["1|front page", "258|from a lane"]);
    assert_eq!(site.rows(LANE, NODES), ["1|front page"], "the lane took it back");
    assert_eq!(site.meta(LANE, "lane_high:node"), "258");
    assert_eq!(site.notes(LANE, "batch-answered"), ["committed"]);
    assert_eq!(site.calls("forward-batch"), 1);
    site.post(LANE, "action=catchup", "");
    assert_eq!(site.rows(LANE, NODES), ["1|front page", "258|from a lane"]);
}

fn a_lane_that_is_behind_sends_again<S: Store>() {
    let mut site = serving::<S>();
    site.write(MAIN, &["UPDATE node SET title = 'b' WHERE nid = 1"]);
    let answer = site.write(LANE, &["UPDATE node SET title = 'c' WHERE nid = 1"]);
    assert_eq!(answer.status, 200);
    assert_eq!(site.notes(LANE, "batch-answered"), ["again at 7", "committed"]);
    assert_eq!(
        site.rows(MAIN, NODES),
        ["1|c"],
        "though the lane had read the title before"
    );
    let answer = site.write(LANE, &["UPDATE sequences SET value = 1"]);
    assert_eq!(answer.status, 500, "there is no such table to speculate on");
    let answer = site.write(LANE, &["INSERT INTO node (title) VALUES ('no id')"]);
    assert_eq!(answer.status, 200, "an id that nobody minted is the primary's");
}

fn a_withdrawn_lane_is_copied_anew<S: Store>() {
    let mut site = serving::<S>();
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
    let mut site = serving::<S>();
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

fn what_a_lane_may_not_do_is_handed_back<S: Store>() {
    let mut site = serving::<S>();
    let mail = r#"{"calls":[{"capability":"cfwMail"}]}"#;
    let exec = r#"{"calls":[{"exec":{"sql":"UPDATE node SET title = 'b' WHERE nid = 1"}}]}"#;
    let caught = r#"{"ignores":true,"calls":[{"capability":"cfwMail"}]}"#;
    for (program, capability) in [(mail, "cfwMail"), (exec, "cfwSqlExec"), (caught, "cfwMail")] {
        let answer = site.ask(LANE, Site::<S>::visit(Method::Post, "/x", program));
        assert_eq!(answer.status, 421, "{}", text(&answer));
        assert_eq!(answer.headers.get("x-cfw-requires-primary"), Some(capability));
        assert_eq!(answer.headers.get("x-cfw-retry-safe"), Some("1"));
        assert_eq!(answer.headers.get("x-cfw-cache"), Some("REFUSED"));
    }
    let lost = site.write(LANE, &["UPDATE config SET data = 1 WHERE name = 'none'"]);
    assert_eq!(lost.status, 200);
    site.post(LANE, "action=stage&to=WITHDRAWN", "");
    let answer = site.ask(LANE, Site::<S>::visit(Method::Post, "/x", mail));
    assert_eq!(
        (answer.status, answer.headers.get("x-cfw-requires-primary")),
        (421, Some("serve"))
    );
}

fn a_fence_holds_and_the_fast_lane_does_not_ask<S: Store>() {
    let mut site = serving::<S>();
    let read = r#"{"calls":[{"exec":{"sql":"SELECT title FROM node WHERE nid = 1"}}]}"#;
    let fenced = |generation: &str| {
        let mut request = Site::<S>::visit(Method::Get, "/p", read);
        request
            .headers
            .set("x-cfw-require-generation", generation.to_owned());
        request
    };
    for (generation, status) in [("7", 503), (" ", 503), ("6", 200)] {
        let answer = site.ask(LANE, fenced(generation));
        assert_eq!(answer.status, status, "generation {generation:?}");
    }
    // The page is kept now, and nobody asks for the fence, or for the stage.
    site.post(LANE, "action=stage&to=WITHDRAWN", "");
    let answer = site.ask(LANE, fenced("99"));
    assert_eq!(
        (answer.status, answer.headers.get("x-cfw-cache")),
        (200, Some("HIT"))
    );
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

fn a_session_that_a_lane_does_not_know_nudges_it<S: Store>() {
    let mut site = serving::<S>();
    let cookie = format!("SESS{}=78e094846386248b8a5685a8a2dd4568", "0".repeat(32));
    let visit = |roles: &str| {
        let program = format!(r#"{{"calls":[],"roles":"{roles}"}}"#);
        let mut request = Site::<S>::visit(Method::Get, "/user", &program);
        request.headers.set("cookie", cookie.clone());
        request
    };
    site.write(
        MAIN,
        &["INSERT INTO sessions (sid, uid, timestamp) VALUES ('TIkEn6fkVm-NaFDE5eDlIfIXxgfFJXI2XRRnMxjurwI', 1, 5)"],
    );
    // A lane whose interpreter has not booted says that something may have happened.
    let answer = site.ask(LANE, visit("editor"));
    assert_eq!(
        (answer.status, answer.headers.get("x-cfw-retry-safe")),
        (500, Some("0"))
    );
    site.wait(1);
    assert_eq!(site.notes(LANE, "round-nudged").len(), 1);
    let answer = site.ask(LANE, visit("editor"));
    assert_eq!(answer.status, 200, "{}", text(&answer));
    let answer = site.ask(LANE, visit("anonymous"));
    assert_eq!(
        (answer.status, answer.headers.get("x-cfw-requires-primary")),
        (421, Some("session"))
    );
}

fn a_herd_shares_one_render<S: Store>() {
    let mut site = site::<S>();
    let mut request = Site::<S>::visit(Method::Get, "/user", r#"{"calls":[],"roles":"editor"}"#);
    request.headers.set("cookie", format!("SESS{}=a", "0".repeat(32)));
    // A render holds the thread, so that only who comes during an await finds the gate taken: the digest of a seal.
    let delete = transaction(&["DELETE FROM node"]);
    let write = site.send(MAIN, Site::<S>::visit(Method::Post, "/", &delete));
    site.pass(10);
    let items: Vec<u32> = (0..3).map(|_| site.send(MAIN, request.clone())).collect();
    assert_eq!(site.answer(write).status, 200);
    let herds: Vec<bool> = items
        .into_iter()
        .map(|item| site.answer(item).headers.get("x-cfw-herd").is_some())
        .collect();
    assert_eq!(herds, [false, true, true]);
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

fn bad_input_changes_nothing<S: Store>() {
    let mut site = serving::<S>();
    let before = (
        site.rows(MAIN, LOG),
        site.rows(LANE, "SELECT k, v FROM cfw_meta ORDER BY k"),
    );
    for action in ["restore", "apply", "forward"] {
        for body in ["", "[", "null", "7", "{}"] {
            for name in [MAIN, LANE] {
                let answer = site.post(name, &format!("action={action}"), body);
                assert!(answer.status >= 400, "{name} {action} {body}: {}", answer.status);
            }
        }
    }
    assert_eq!(site.get(MAIN, "action=none").status, 404);
    assert_eq!(site.ask(MAIN, Request::get("/other")).status, 404);
    assert_eq!(
        site.post(MAIN, "action=provision&lane=1&cursor=%7B", "").status,
        500
    );
    assert_eq!(site.post(MAIN, "action=provision", "").status, 409);
    assert_eq!(site.get(MAIN, "").status, 200);
    let after = (
        site.rows(MAIN, LOG),
        site.rows(LANE, "SELECT k, v FROM cfw_meta ORDER BY k"),
    );
    assert_eq!(before, after);
}

fn what_a_request_collected_goes_with_it_when_it_throws<S: Store>() {
    let mut site = serving::<S>();
    let program = r#"{"calls":[{"txn":{"statements":[{"sql":"UPDATE node SET title = 'b' WHERE nid = 1"}]}},{"capability":"cfwMail"}]}"#;
    let answer = site.ask(LANE, Site::<S>::visit(Method::Post, "/x", program));
    assert_eq!(answer.status, 421, "the primary may be asked");
    assert_eq!(site.notes(LANE, "batch-dropped"), ["1 statements"]);
    // A page that fails, and says so by itself, has returned: what it collected is committed.
    let program = program.replacen('{', r#"{"ignores":true,"#, 1);
    let answer = site.ask(LANE, Site::<S>::visit(Method::Post, "/x", &program));
    assert_eq!(answer.status, 500, "a batch was answered meanwhile");
    assert_eq!(site.rows(MAIN, NODES), ["1|b"]);
}

fn record(parent: u32, generation: u32, titles: &[&str]) -> String {
    let statements = titles
        .iter()
        .map(|title| format!(r#"{{"sql":"UPDATE node SET title = ? WHERE nid = 1","params":["{title}"]}}"#));
    let statements: Vec<String> = statements.collect();
    format!(
        r#"{{"generation":{generation},"parent":{parent},"schemaVersion":"p1","fingerprint":"f","overflowed":false,"statements":[{}]}}"#,
        statements.join(",")
    )
}

fn an_operator_applies_a_record_in_chunks<S: Store>() {
    let mut site = serving::<S>();
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

fn an_object_tells_where_it_stands<S: Store>() {
    let mut site = serving::<S>();
    for (name, role) in [(MAIN, "primary"), (LANE, "r1")] {
        let head = text(&site.get(name, ""));
        for part in [
            &format!(r#""role":"{role}","generation":6,"fingerprint":""#),
            r#""schemaVersion":"p1""#,
            r#""rowsCovered":5,"tablesAbsent":[]"#,
            r#""trusted":true"#,
        ] {
            assert!(head.contains(part), "{part} in {head}");
        }
    }
    let log = text(&site.get(MAIN, "action=log&since=x&limit=0"));
    assert!(
        log.starts_with(r#"{"generation":6,"records":[{"generation":6,"parent":1,"schemaVersion":"p1""#),
        "{log}"
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

fn an_attempt_is_begun_once<S: Store>() {
    let mut site = site::<S>();
    let mut request = Site::<S>::visit(Method::Post, "/", &transaction(&["DELETE FROM node"]));
    request
        .headers
        .set("x-cfw-attempt", "3f2b8c1e-0000-4000-8000-000000000001");
    assert_eq!(site.ask(MAIN, request.clone()).status, 200);
    assert_eq!(site.ask(MAIN, request.clone()).status, 503);
    assert_eq!(site.notes(MAIN, "attempt-known").len(), 1);
    // The marker goes when nobody can come back any more.
    site.wait(1_000);
    assert_eq!(site.ask(MAIN, request).status, 200);
}

fn a_site_that_forwards_nothing_refuses_writes_on_lanes<S: Store>() {
    let mut version = version();
    version.variables.write_forward = Some("0".into());
    let mut site = Site::<S>::new(version);
    site.install(MAIN);
    site.post(MAIN, "action=provision&lane=1", "");
    site.wait(1);
    let answer = site.write(LANE, &["UPDATE node SET title = 'b' WHERE nid = 1"]);
    assert_eq!(answer.status, 421);
    assert!(
        text(&answer).contains("not a read and not replica-local: UPDATE node SET title"),
        "{}",
        text(&answer)
    );
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
    let mut site = serving::<S>();
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

fn two_seals_overlap<S: Store>() {
    let mut site = serving::<S>();
    // The alarm seals in its finally, and a request at its end: both find what the other has left.
    site.write(MAIN, &["UPDATE node SET title = 'b' WHERE nid = 1"]);
    for nth in 0..40 {
        let update = format!("UPDATE node SET title = 'c{nth}' WHERE nid = 1");
        site.send(
            MAIN,
            Site::<S>::visit(Method::Post, "/", &transaction(&[&update])),
        );
        site.pass(997);
    }
    site.wait(60);
    let log = site.rows(MAIN, LOG);
    let chained = log
        .windows(2)
        .all(|pair| pair[0].split('|').nth(1) == pair[1].split('|').next());
    assert!(chained && log.len() == 42, "{log:?}");
    assert_eq!(site.rows(LANE, NODES), ["1|c39"]);
}

fn a_variable_is_overridden_in_kv<S: Store>() {
    let mut version = version();
    version.policy.reads_overrides = true;
    let mut site = Site::<S>::new(version);
    site.configure("env:WRITE_FORWARD", "0");
    site.install(MAIN);
    site.post(MAIN, "action=provision&lane=1", "");
    site.wait(60);
    let answer = site.write(LANE, &["UPDATE node SET title = 'b' WHERE nid = 1"]);
    assert_eq!(answer.headers.get("x-cfw-requires-primary"), Some("cfwSqlTxn"));
}

fn a_site_that_only_reads_refuses_writes<S: Store>() {
    let mut version = version();
    version.variables.replica_read_only = Some("1".into());
    let mut site = Site::<S>::new(version);
    site.ask(MAIN, Request::get("/__migrate"));
    let answer = site.write(MAIN, &["INSERT INTO node (nid, title) VALUES (1, 'a')"]);
    assert_eq!(answer.status, 421, "no lane, and a replica all the same");
    assert_eq!(answer.headers.get("x-cfw-replica"), Some("primary"));
}

fn an_exchanged_segment_takes_effect<S: Store>() {
    let mut version = version();
    version.rules.flows.capture = |_, _, _, _| Ok(());
    let mut site = Site::<S>::new(version);
    site.install(MAIN);
    assert_eq!(site.rows(MAIN, LOG), Vec::<String>::new());
    assert_eq!(site.rows(MAIN, NODES), ["1|front page"]);
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
