use protocol::ecma::JsString;
use protocol::host::End;
use protocol::lanes::bridge::{SqlTxn, read_payload};
use protocol::lanes::guard::SqlCall;
use protocol::number::Number;

use super::guard::passed_payload;
use super::{Js, Stop};

fn js(text: &str) -> Js {
    serde_json::from_str(text).unwrap()
}

#[test]
fn special_values_are_what_they_stand_for() {
    for (text, value) in [
        (r#"{"$js": "NaN"}"#, Js::Number(Number::NAN)),
        (r#"{"$js": "-Infinity"}"#, Js::Number(Number::NEG_INFINITY)),
        (r#"{"$js": "-0"}"#, Js::Number(-Number::ZERO)),
        (r#"{"$js": "undefined"}"#, Js::Undefined),
        (
            r#"{"$utf16": [56832, 97]}"#,
            Js::Text(JsString::from(vec![56832, 97])),
        ),
        (r#"{"$": "x"}"#, Js::object([("$", "x".into())])),
    ] {
        assert_eq!(js(text), value, "{text}");
    }
    for bad in [
        r#"{"$js": "nan"}"#,
        r#"{"$js": 1}"#,
        r#"{"$utf16": [65536]}"#,
        r#"{"$utf16": "a"}"#,
    ] {
        assert!(serde_json::from_str::<Js>(bad).is_err(), "{bad}");
    }
}

#[test]
fn nothing_that_differs_is_equal() {
    for (a, b, difference) in [
        ("0", r#"{"$js": "-0"}"#, Some(": 0, expected -0")),
        (r#"{"$js": "NaN"}"#, r#"{"$js": "NaN"}"#, None),
        (
            "null",
            r#"{"$js": "undefined"}"#,
            Some(": null, expected undefined"),
        ),
        (r#"{"a": 1, "b": 2}"#, r#"{"b": 2, "a": 1}"#, None),
        (r#"{"a": {"$js": "undefined"}}"#, "{}", None),
        (r#"{"a": null}"#, "{}", Some(".a: null, expected undefined")),
        ("{}", r#"{"a": [1]}"#, Some(".a: undefined, expected [1]")),
        ("[1, [2, 3]]", "[1, [2, 4]]", Some("[1][1]: 3, expected 4")),
        ("[]", "[1]", Some(": 0 items, expected 1")),
        ("[]", "{}", Some(": [], expected {}")),
        ("1", r#""1""#, Some(": 1, expected \"1\"")),
    ] {
        assert_eq!(js(a).difference(&js(b)).as_deref(), difference, "{a} and {b}");
    }
}

#[test]
fn coercion_is_javascripts() {
    for (text, string, number) in [
        ("null", "null", "0"),
        (r#"{"$js": "undefined"}"#, "undefined", "NaN"),
        ("true", "true", "1"),
        (r#"["5"]"#, "5", "5"),
        ("[]", "", "0"),
        ("[1, null, [2]]", "1,,2", "NaN"),
        ("{}", "[object Object]", "NaN"),
        (r#"" 0x10 ""#, " 0x10 ", "16"),
    ] {
        let value = js(text);
        assert_eq!(
            (
                value.to_text().to_string().as_str(),
                value.to_number().to_string().as_str()
            ),
            (string, number)
        );
    }
}

#[test]
fn values_of_the_wire_go_both_ways() {
    let value = js(r#"{"b": [1, null, "x"], "a": {"$js": "undefined"}}"#);
    let decoded: serde_json::Value = value.decode().unwrap();
    assert_eq!(Js::encode(&decoded), value);
    assert!(matches!(
        js(r#"[{"$js": "NaN"}]"#).decode::<serde_json::Value>(),
        Err(Stop::Unheld(_))
    ));
    assert!(matches!(
        js(r#"{"$utf16": [56832]}"#).decode::<String>(),
        Err(Stop::Unheld(_))
    ));
}

#[test]
fn a_guard_that_changes_what_passes_does_not_answer_unchanged() {
    let payload = r#"{"statements":[{"sql":"SELECT 1"}],"read":null}"#;
    let mut passed: SqlTxn = read_payload(payload).expect("a transaction");
    let answer = |passed| passed_payload(payload, &SqlCall::Transaction(passed));
    assert_eq!(answer(passed.clone()), "unchanged");
    passed.end = End::Rollback;
    assert!(
        answer(passed).starts_with("changed to "),
        "the runner must compare what passed with the payload: a guard that rolls back reads is another guard"
    );
}
