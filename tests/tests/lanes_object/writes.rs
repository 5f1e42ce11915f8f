//! What the primary writes down, and takes from lanes (`lanes.md` 13.1 to 13.3, 14.4).

use super::*;

on_both_stores! {
    records_chain
    statements_before_a_failure_are_logged
    a_batch_is_committed_refused_or_in_conflict
    deferred_rows_come_without_a_parent
    a_write_on_a_lane_is_forwarded
    a_lane_that_is_behind_sends_again
    what_a_request_collected_goes_with_it_when_it_throws
    a_site_that_forwards_nothing_refuses_writes_on_lanes
    a_site_that_only_reads_refuses_writes
    two_seals_overlap
    an_attempt_is_begun_once
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

fn a_write_on_a_lane_is_forwarded<S: Store>() {
    let mut site = serving_pool::<S>();
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
    let mut site = serving_pool::<S>();
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

fn what_a_request_collected_goes_with_it_when_it_throws<S: Store>() {
    let mut site = serving_pool::<S>();
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

fn a_site_that_only_reads_refuses_writes<S: Store>() {
    let mut version = version();
    version.variables.replica_read_only = Some("1".into());
    let mut site = Site::<S>::new(version);
    site.ask(MAIN, Request::get("/__migrate"));
    let answer = site.write(MAIN, &["INSERT INTO node (nid, title) VALUES (1, 'a')"]);
    assert_eq!(answer.status, 421, "no lane, and a replica all the same");
    assert_eq!(answer.headers.get("x-cfw-replica"), Some("primary"));
}

fn two_seals_overlap<S: Store>() {
    let mut site = serving_pool::<S>();
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
