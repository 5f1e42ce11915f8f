//! What is wrong with a log is told with its line.

use super::read;

const ONE: &str = "1111111111111111111111111111111111111111111111111111111111111111";
const TWO: &str = "2222222222222222222222222222222222222222222222222222222222222222";

fn record(parent: u64, generation: u64, fingerprint: &str, sql: &str) -> String {
    format!(
        r#"{{"generation":{generation},"parent":{parent},"schemaVersion":"p1","fingerprint":"{fingerprint}","overflowed":false,"statements":[{{"sql":"{sql}","params":[]}}]}}"#
    )
}

const NODE: &str = "UPDATE node SET title = 1";
const STATE: &str = "UPDATE key_value SET value = 1";

fn broken(text: &str) -> Vec<String> {
    let log = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let told = log
        .broken(None)
        .into_iter()
        .map(|breach| format!("{}: {breach}", breach.line));
    told.collect()
}

#[test]
fn a_chain_holds_in_each_form() {
    let records = [
        record(3, 5, ONE, NODE),
        record(5, 6, TWO, STATE),
        record(6, 9, TWO, NODE),
    ];
    let lines = records.join("\n");
    let list = format!("[{}]", records.join(",\n"));
    let answer = format!(r#"{{"generation":11,"records":{list},"overflowed":[]}}"#);
    for text in [&lines, &list, &answer, &format!("{answer}\n{answer}\n{lines}")] {
        assert_eq!(broken(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_chain_that_does_not_hold_is_told_with_its_line() {
    let text = [
        record(3, 5, ONE, NODE),
        record(4, 6, ONE, NODE),
        record(6, 6, ONE, NODE),
    ]
    .join("\n");
    assert_eq!(
        broken(&text),
        [
            "2: LR-1: record 6 builds on 4, and the record before it is 5",
            "3: LR-1: record 6 builds on 6, which is not before it",
            "3: LR-1: record 6 stands behind record 6",
            "3: LR-2: record 6 was another one in line 2",
        ]
    );
}

#[test]
fn a_record_does_not_change_from_one_answer_to_the_next() {
    let answer = |records: &str| format!(r#"{{"generation":9,"records":[{records}],"overflowed":[]}}"#);
    let (old, new) = (record(3, 5, ONE, NODE), record(3, 5, ONE, STATE));
    let text = format!("{}\n{}", answer(&old), answer(&new));
    assert_eq!(broken(&text), ["2: LR-2: record 5 was another one in line 1"]);
    assert_eq!(broken(&format!("{}\n{}", answer(&old), answer(&old))), [""; 0]);
}

#[test]
fn a_log_that_starts_later_is_no_answer() {
    let log = read(record(3, 5, ONE, NODE).as_bytes()).expect("it can be read");
    assert_eq!(log.broken(Some(3)), []);
    assert_eq!(log.broken(Some(2)).len(), 1);
}

#[test]
fn what_overflowed_carries_nothing_and_is_listed() {
    let full = record(3, 5, ONE, NODE).replace(r#""overflowed":false"#, r#""overflowed":true"#);
    let answer = format!(r#"{{"generation":4,"records":[{full}],"overflowed":[]}}"#);
    assert_eq!(
        broken(&answer),
        [
            "1: LR-6: record 5 overflowed and carries 1 statements",
            "1: LR-7: the primary stood at 4 and has record 5",
            "1: LR-6: the answer lists [] as overflowed, and its records say [5]",
        ]
    );
}

#[test]
fn a_fingerprint_changes_with_what_it_covers_only() {
    let follows = |sql| broken(&[record(3, 5, ONE, NODE), record(5, 6, TWO, sql)].join("\n"));
    assert_eq!(follows(STATE), [""; 0]);
    assert_eq!(
        follows("ALTER TABLE node ADD x"),
        [""; 0],
        "nobody can tell what it changes"
    );
    assert_eq!(
        follows(NODE),
        ["2: fingerprint: record 6 writes nothing that it covers, and it is not that of record 5"]
    );
    assert_eq!(
        broken(&record(3, 5, "f", NODE)),
        ["1: fingerprint: that of record 5 is no digest"]
    );
}

#[test]
fn what_cannot_be_read_is_told_with_line_and_field() {
    let told = |bytes: &[u8]| read(bytes).expect_err("it cannot be read").to_string();
    let good = record(3, 5, ONE, NODE);
    let bad = good.replace(r#""parent":3"#, r#""parent":"3""#);
    assert!(
        told(format!("{good}\n{bad}").as_bytes()).starts_with("line 2: parent: invalid type"),
        "{bad}"
    );
    let inside = format!("{{\"generation\":9,\n\"records\":[{good},\n{bad}]}}");
    assert!(told(inside.as_bytes()).starts_with("line 3: parent: invalid type"));
    assert!(told(format!("{good}\n{{").as_bytes()).starts_with("line 2: EOF"));
    assert_eq!(told(b"{}\n\xff"), "line 2: these bytes are not UTF-8");
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(told(deep.as_bytes()).starts_with("line 1: "));
    let deep = good.replace("[]", &deep);
    assert!(told(deep.as_bytes()).contains("recursion limit"));
}
