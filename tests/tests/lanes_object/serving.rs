//! What a request meets (`lanes.md` 14.5, 16, 17).

use super::*;

on_both_stores! {
    what_a_lane_may_not_do_is_handed_back
    a_fence_holds_and_the_fast_lane_does_not_ask
    a_session_that_a_lane_does_not_know_nudges_it
    a_herd_shares_one_render
    bad_input_changes_nothing
    an_object_tells_where_it_stands
    a_variable_is_overridden_in_kv
}

fn what_a_lane_may_not_do_is_handed_back<S: Store>() {
    let mut site = serving_pool::<S>();
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
    let mut site = serving_pool::<S>();
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

fn a_session_that_a_lane_does_not_know_nudges_it<S: Store>() {
    let mut site = serving_pool::<S>();
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

fn bad_input_changes_nothing<S: Store>() {
    let mut site = serving_pool::<S>();
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

fn an_object_tells_where_it_stands<S: Store>() {
    let mut site = serving_pool::<S>();
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
