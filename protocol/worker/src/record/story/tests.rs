//! What a story leaves out, and what it must not leave out.

use super::*;
use crate::record::read;

fn told(lines: &str) -> Vec<String> {
    let (before, after) = ("{\"who\":\"counter/a\",\"life\":1,\"what\":", "}\n");
    let record: String = lines
        .lines()
        .map(|line| format!("{before}{}{after}", line.trim()))
        .collect();
    story("counter/a", &read(&record).expect("this is a record"))
}

#[test]
fn clocks_and_words_are_left_out() {
    let real = told(
        r#"{"event":{"now":1796014748575,"event":{"begin":{"alarm":{"scheduled":1796014748570,"retry_count":1,"is_retry":true}}}}}
        {"cross":{"function":"now","args":{},"answer":1796014748575}}
        {"cross":{"function":"set_alarm","args":{"at":1796014750575},"answer":null}}
        {"cross":{"function":"alarm","args":{},"answer":1796014750575}}
        {"cross":{"function":"sql","args":{"statement":{"sql":"x","params":[]}},"answer":{"Err":{"message":"no such table: t: SQLITE_ERROR"}}}}
        {"returned":{"began":0}}"#,
    );
    let native = told(
        r#"{"event":{"now":5,"event":{"begin":{"alarm":{"scheduled":5,"retry_count":1,"is_retry":true}}}}}
        {"cross":{"function":"now","args":{},"answer":5}}
        {"cross":{"function":"set_alarm","args":{"at":2005},"answer":null}}
        {"cross":{"function":"alarm","args":{},"answer":2005}}
        {"cross":{"function":"sql","args":{"statement":{"sql":"x","params":[]}},"answer":{"Err":{"kind":"no_such_table","table":"t"}}}}
        {"returned":{"began":0}}"#,
    );
    assert_eq!(real, native);
    assert_eq!(part_at(&real, &native), None);
    assert_eq!(real.len(), 6);
}

#[test]
fn what_was_asked_for_is_not() {
    let event =
        r#"{"event":{"now":5,"event":{"begin":{"alarm":{"scheduled":5,"retry_count":0,"is_retry":false}}}}}"#;
    let set = |at: u32| {
        told(&format!(
            "{event}\n{{\"cross\":{{\"function\":\"set_alarm\",\"args\":{{\"at\":{at}}},\"answer\":null}}}}"
        ))
    };
    let parting = part_at(&set(2005), &set(2006)).expect("one millisecond is a difference");
    assert_eq!(parting.at, 1);
    assert_eq!(
        parting.left.as_deref(),
        Some("life 1: set_alarm in 2000 ms -> null")
    );
    let shorter = part_at(&set(5), &set(5)[..1]).expect("one line less is a difference");
    assert_eq!((shorter.at, shorter.right), (1, None));
}
