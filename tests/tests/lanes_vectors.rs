//! The vectors of flows, run against the object itself: what a test plays are its neighbours, and nothing else.

use std::collections::BTreeSet;

use protocol::host::{Answer, Body, Label, Method, Request, Response};
use protocol::json::{Json, Object};
use protocol::lanes::admission::{MANDATORY_COLLECTIONS, MANDATORY_STATE};
use protocol::lanes::object::{labels, serve_path};
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use tests::lanes::application::{told, version};
use tests::lanes::desk::{Desk, digest};

/// What each lane of the vectors is named.
const LANE: &str = "example.com#r1";

fn vectors(file: &str) -> Vec<Object> {
    let path = format!("{}/vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the vectors are there");
    // The vectors' rows are numbers, which the real table of this name cannot hold: another one stands for it.
    let text = text.replace("key_value", "path_alias");
    let all = Json::parse(&text).expect("they are JSON");
    let all = all.as_array().expect("they are a list");
    all.iter()
        .map(|vector| vector.as_object().expect("each is an object").clone())
        .collect()
}

fn field<'a>(json: &'a Json, key: &str) -> &'a Json {
    static NULL: Json = Json::Null;
    json.as_object()
        .and_then(|object| object.get(key))
        .unwrap_or(&NULL)
}

fn items(json: &Json) -> &[Json] {
    json.as_array().unwrap_or_default()
}

fn parts(vector: &Object) -> (String, &Json, &Json) {
    let get = |key| vector.get(key).expect("a vector has it");
    (get("name").to_text().to_string(), get("input"), get("expect"))
}

/// A lane as a vector gives it: its schema is `p1`, its tables are those that the steps name, and it holds whatever is
/// mandatory but the gap.
fn lane<S: Store>(given: &Json, steps: &[Json]) -> Desk<S> {
    let mut desk = Desk::new(version(), LANE);
    desk.run("CREATE TABLE cfw_meta (k TEXT PRIMARY KEY, v TEXT NOT NULL)");
    desk.run(
        "CREATE TABLE key_value (collection TEXT, name TEXT, value BLOB, PRIMARY KEY (collection, name))",
    );
    desk.run("CREATE TABLE t (id INTEGER)");
    let tables = steps
        .iter()
        .map(|step| field(field(step, "chunk"), "table").to_text());
    for table in tables.collect::<BTreeSet<_>>() {
        if table != "null" {
            desk.run(&format!("CREATE TABLE \"{table}\" (id INTEGER PRIMARY KEY)"));
        }
    }
    let gap: Vec<String> = items(field(given, "gap"))
        .iter()
        .map(|entry| entry.to_text().to_string())
        .collect();
    let state = MANDATORY_STATE.map(|name| ("state", name, format!("state:{name}")));
    let whole = MANDATORY_COLLECTIONS.map(|name| (name, "any", format!("{name}:*")));
    for (collection, name, told) in state.into_iter().chain(whole) {
        if !gap.contains(&told) {
            desk.run(&format!(
                "INSERT INTO key_value (collection, name, value) VALUES ('{collection}', '{name}', 'v')"
            ));
        }
    }
    let mut meta = vec![("schema_version".to_owned(), "p1".to_owned())];
    if let Some(stage) = field(given, "stage").as_text() {
        meta.push(("replica_stage".to_owned(), stage.to_string()));
    }
    if let Some(stored) = field(given, "meta").as_object() {
        meta.extend(
            stored
                .iter()
                .map(|(key, value)| (key.to_string(), value.to_text().to_string())),
        );
    }
    for (key, value) in meta {
        desk.run(&format!(
            "INSERT INTO cfw_meta (k, v) VALUES ('{key}', '{value}')"
        ));
    }
    desk
}

fn body(response: &Response) -> Json {
    Json::parse(&response.body.to_text()).expect("an answer is JSON")
}

/// What a vector expects of the keys it names; a key that is not there is the empty text.
fn check_meta<S: Store>(name: &str, desk: &mut Desk<S>, expect: &Json) {
    let wanted = field(expect, "meta").as_object().cloned().unwrap_or_default();
    for (key, value) in wanted.iter() {
        let rows = desk
            .run(&format!("SELECT v FROM cfw_meta WHERE k = '{key}'"))
            .rows;
        let stored = rows.first().map(|row| told(row)).unwrap_or_default();
        assert_eq!(stored, value.to_text().as_str(), "{name}: {key}");
    }
    if let Some(purges) = field(expect, "purges").as_number() {
        let purged = u32::try_from(desk.noted(labels::PURGED)).expect("few");
        assert_eq!(purges, purged.into(), "{name}: purges");
    }
}

fn alone(_: Label, _: Option<&Request>) -> protocol::host::CallOutcome {
    digest("fp")
}

fn copies_land<S: Store>() {
    for vector in vectors("restoreFlow") {
        let (name, input, expect) = parts(&vector);
        let steps = items(field(input, "steps"));
        let mut desk = lane::<S>(field(input, "lane"), steps);
        for (step, wanted) in steps.iter().zip(items(field(expect, "results"))) {
            let restart = if field(step, "restart").is_true() {
                "&restart=1"
            } else {
                ""
            };
            let chunk = Body::text(field(step, "chunk").to_string());
            let path = format!("/__replica?action=restore{restart}");
            let answer = desk.ask(Request::post(path, chunk), alone);
            assert_eq!(body(&answer), *wanted, "{name}");
            assert_eq!(answer.status == 200, field(wanted, "ok").is_true(), "{name}");
        }
        check_meta(&name, &mut desk, expect);
        let rows = field(expect, "rows").as_object().cloned().unwrap_or_default();
        for (table, count) in rows.iter() {
            let there = desk.run(&format!("SELECT * FROM \"{table}\"")).rows.len() as u64;
            assert_eq!(count.to_number(), there.into(), "{name}: {table}");
        }
    }
}

/// The vectors abbreviate why a lane is not admitted to one word, which stands in the refusal.
fn check_round(name: &str, answer: &Json, wanted: &Json) {
    for key in ["ran", "applied", "advertised", "records", "stage", "admitted"] {
        assert_eq!(field(answer, key), field(wanted, key), "{name}: {key}");
    }
    let (reason, word) = (
        field(answer, "reason").to_text(),
        field(wanted, "reason").to_text(),
    );
    assert!(reason.contains(word.as_str()), "{name}: {reason} without {word}");
    assert_eq!(reason.is_empty(), word.is_empty(), "{name}: {reason}");
}

fn rounds_catch_up<S: Store>() {
    for vector in vectors("catchUpFlow") {
        let (name, input, expect) = parts(&vector);
        let steps = items(field(input, "steps"));
        let mut desk = lane::<S>(field(input, "lane"), steps);
        for (step, wanted) in steps.iter().zip(items(field(expect, "results"))) {
            let answer = desk.ask(Request::get("/__replica?action=catchup"), |label, _| {
                let text = match label {
                    labels::READ_HEAD => field(step, "head").to_string(),
                    labels::READ_LOG => format!(r#"{{"records":{}}}"#, field(step, "records")),
                    _ => return digest("fp"),
                };
                Ok(Answer::Response(Response::new(200, Body::text(text))))
            });
            check_round(&name, &body(&answer), wanted);
        }
        check_meta(&name, &mut desk, expect);
    }
}

fn batches_are_sent_at_most_twice<S: Store>() {
    for vector in vectors("flushForwardRetry") {
        let (name, input, expect) = parts(&vector);
        let given = Json::Object(Object::from_iter([("stage", Json::text("SERVING"))]));
        let mut desk = lane::<S>(&given, &[]);
        desk.run("CREATE TABLE node (nid INTEGER PRIMARY KEY, title TEXT)");
        let parent = field(input, "parent");
        desk.run(&format!(
            "INSERT INTO cfw_meta (k, v) VALUES ('commit_seq', '{parent}')"
        ));
        let write = r#"{"calls":[{"txn":{"statements":[{"sql":"INSERT INTO node (nid, title) VALUES (258, 'a')","minted":"node"}]}}]}"#;
        let request = Request {
            method: Method::Post,
            body: Body::text(write),
            ..Request::get(serve_path("/"))
        };
        let (mut sends, mut answers) = (Vec::new(), items(field(input, "answers")).iter());
        let answer = desk.ask(request, |label, request| {
            let Some(request) = request else {
                return digest(label.0);
            };
            let sent = Json::parse(&request.body.to_text()).expect("a batch is JSON");
            sends.push(field(&sent, "parent").clone());
            let next = answers.next().expect("no more is sent than is answered");
            Ok(Answer::Response(Response::new(200, Body::text(next.to_string()))))
        });
        assert_eq!(Json::Array(sends), *field(expect, "sends"), "{name}");
        let handed_back = answer.headers.get("x-cfw-requires-primary") == Some("forward");
        assert_eq!(Json::Bool(handed_back), *field(expect, "handedBack"), "{name}");
        let marks = desk
            .run("SELECT v FROM cfw_meta WHERE k = 'lane_high:node'")
            .rows
            .len();
        assert_eq!(Json::Bool(marks == 1), *field(expect, "marksLaneHigh"), "{name}");
    }
}

/// The statements of one request, each run by itself, with NULL for each parameter.
fn visit(statements: &[Json]) -> Request {
    let calls = statements.iter().map(|sql| {
        let nulls = sql.to_text().matches('?').count();
        let exec = [
            ("sql", sql.clone()),
            ("params", Json::Array(vec![Json::Null; nulls])),
        ];
        Json::Object(Object::from_iter([(
            "exec",
            Json::Object(Object::from_iter(exec)),
        )]))
    });
    let calls: Vec<Json> = calls.collect();
    let program = Json::Object(Object::from_iter([("calls", Json::Array(calls))]));
    Request {
        method: Method::Post,
        body: Body::text(program.to_string()),
        ..Request::get(serve_path("/"))
    }
}

/// A batch of these statements, as a lane at `parent` would forward it.
fn batch(statements: &[Json], parent: &str) -> Request {
    let statements = statements.iter().map(|sql| {
        let nulls = vec![Json::Null; sql.to_text().matches('?').count()];
        let table = Json::text("node");
        let entries = [
            ("sql", sql.clone()),
            ("params", Json::Array(nulls)),
            ("table", table.clone()),
            ("minted", table),
        ];
        Json::Object(Object::from_iter(entries))
    });
    let batch = Json::Object(Object::from_iter([
        ("statements", Json::Array(statements.collect())),
        ("parent", Json::text(parent)),
        ("partitioned", Json::Array(vec![Json::text("node")])),
    ]));
    Request::post("/__replica?action=forward", Body::text(batch.to_string()))
}

/// A request seals at its end, so what a vector writes before a seal is one request. Where it looks into a request
/// under way, or ends the incarnation within one, only the kernel could say what follows.
#[test]
fn records_are_sealed() {
    let within = |ops: &[Json]| ops.iter().any(|op| field(op, "op").to_text() == "crash");
    let (mut ran, mut left_out) = (0, 0);
    for vector in vectors("sealFlow") {
        let (name, input, expect) = parts(&vector);
        let (given, ops) = (field(input, "primary"), items(field(input, "ops")));
        if within(ops) {
            left_out += 1;
            continue;
        }
        ran += 1;
        let mut desk = lane::<SqliteStore>(&Json::Null, &[]);
        if !field(given, "replica").is_true() {
            desk.rename("example.com");
        }
        desk.run("INSERT INTO cfw_meta (k, v) VALUES ('replica_stage', 'SERVING')");
        let sequence = field(given, "commitSeq");
        desk.run(&format!(
            "INSERT INTO cfw_meta (k, v) VALUES ('commit_seq', '{sequence}')"
        ));
        desk.run("CREATE TABLE node (nid INTEGER PRIMARY KEY, title TEXT)");
        desk.run("CREATE TABLE cache_render (cid TEXT)");
        desk.run("CREATE TABLE sessions (sid TEXT PRIMARY KEY, timestamp INTEGER)");
        desk.ask(Request::get("/other"), alone);
        for record in items(field(given, "log")) {
            let (generation, parent) = (field(record, "generation"), field(record, "parent"));
            desk.run(&format!(
                "INSERT INTO cfw_repl_log (generation, parent, statements) VALUES ({generation}, {parent}, '[]')"
            ));
        }
        let mut written = Vec::new();
        for op in ops {
            let request = match field(op, "op").to_text().as_str() {
                "write" => {
                    let times = field(op, "times")
                        .as_number()
                        .and_then(|times| times.to_u32_exact());
                    written.extend((0..times.unwrap_or(1)).map(|_| field(op, "sql").clone()));
                    continue;
                }
                "forward" => batch(items(field(op, "sqls")), &sequence.to_text()),
                "seal" => visit(&std::mem::take(&mut written)),
                "look" => continue,
                other => panic!("{name}: no operation {other}"),
            };
            let answer = desk.ask(request, alone);
            assert_eq!(answer.status, 200, "{name}: {}", answer.body.to_text());
        }
        let log = desk.run(
            "SELECT generation, parent, overflowed, json_array_length(statements) FROM cfw_repl_log ORDER BY generation",
        );
        let log: Vec<String> = log.rows.iter().map(|row| told(row)).collect();
        let wanted = items(field(expect, "log")).iter().map(|record| {
            let number = |key| field(record, key).as_number().unwrap_or_default();
            let overflowed = u8::from(field(record, "overflowed").is_true());
            let (generation, parent, statements) =
                (number("generation"), number("parent"), number("statements"));
            format!("{generation}|{parent}|{overflowed}|{statements}")
        });
        assert_eq!(log, wanted.collect::<Vec<_>>(), "{name}");
        let stored = desk.run("SELECT v FROM cfw_meta WHERE k = 'commit_seq'").rows;
        assert_eq!(
            told(&stored[0]),
            field(expect, "commitSeq").to_text().as_str(),
            "{name}"
        );
    }
    assert_eq!((ran, left_out), (13, 1));
}

/// Whatever a neighbour answers, the object answers, and lets the next request in.
#[test]
fn neighbours_that_answer_nonsense_stop_nobody() {
    let lost = || Err(protocol::host::CallError::thrown("lost"));
    let bodies = [
        "",
        "[",
        "null",
        "7",
        "{}",
        r#"{"records":[null,7,{}],"generation":"9"}"#,
        r#"{"ok":true,"action":7}"#,
    ];
    let answers = bodies
        .map(|body| Ok(Answer::Response(Response::new(200, Body::text(body)))))
        .into_iter()
        .chain([lost()]);
    let write = [Json::text("UPDATE node SET title = 'a'")];
    for answer in answers {
        for (name, request) in [
            (LANE, Request::get("/__replica?action=catchup")),
            (LANE, forwarding(&write)),
            ("example.com", Request::get("/__replica?action=provision&lane=1")),
        ] {
            let given = Json::Object(Object::from_iter([
                ("stage", Json::text("SERVING")),
                (
                    "meta",
                    Json::Object(Object::from_iter([("repl_applied", Json::text("1"))])),
                ),
            ]));
            let mut desk = lane::<ModelStore>(&given, &[]);
            desk.rename(name);
            desk.run("CREATE TABLE node (nid INTEGER PRIMARY KEY, title TEXT)");
            let mut asked = 0;
            let response = desk.ask(request, |_, request| {
                asked += 1;
                assert!(asked < 1_000, "it never gives up");
                request.map_or_else(|| digest("fp"), |_| answer.clone())
            });
            assert!(asked > 0 && response.status >= 200, "{name}");
            assert_eq!(desk.ask(Request::get("/other"), alone).status, 404);
        }
    }
}

/// A visitor's request that runs these statements in one transaction.
fn forwarding(statements: &[Json]) -> Request {
    let texts = statements
        .iter()
        .map(|sql| tests::lanes::world::transaction(&[sql.to_text().as_str()]));
    Request {
        method: Method::Post,
        body: Body::text(texts.collect::<String>()),
        ..Request::get(serve_path("/"))
    }
}

#[test]
fn copies_land_on_model() {
    copies_land::<ModelStore>();
}

#[test]
fn copies_land_on_sqlite() {
    copies_land::<SqliteStore>();
}

#[test]
fn rounds_catch_up_on_model() {
    rounds_catch_up::<ModelStore>();
}

#[test]
fn rounds_catch_up_on_sqlite() {
    rounds_catch_up::<SqliteStore>();
}

#[test]
fn batches_are_sent_at_most_twice_on_model() {
    batches_are_sent_at_most_twice::<ModelStore>();
}

#[test]
fn batches_are_sent_at_most_twice_on_sqlite() {
    batches_are_sent_at_most_twice::<SqliteStore>();
}
