use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{from_str, from_value, json, to_string, to_value};

use super::{any_number, number};
use crate::number::Number;

#[test]
fn written_as_json_stringify_writes() {
    for (value, expected) in [
        (0.0, "0"),
        (-0.0, "0"),
        (5.0, "5"),
        (-5.0, "-5"),
        (1.5, "1.5"),
        (0.0001, "0.0001"),
        (0.00001, "0.00001"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (9_007_199_254_740_992.0, "9007199254740992"),
        (9_223_372_036_854_775_808.0, "9223372036854776000"),
        (1e20, "100000000000000000000"),
        (-1e21, "-1e+21"),
        (5e-324, "5e-324"),
        (f64::NAN, "null"),
        (f64::INFINITY, "null"),
        (f64::NEG_INFINITY, "null"),
    ] {
        assert_eq!(to_string(&number(value)).unwrap(), expected);
    }
}

#[test]
fn stands_in_structures_and_values() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "kind")]
    enum Message {
        Position { epoch: Number, position: Option<Number> },
    }
    let message = Message::Position {
        epoch: number(1e21),
        position: Some(number(1.5)),
    };
    let text = r#"{"kind":"Position","epoch":1e+21,"position":1.5}"#;
    assert_eq!(to_string(&message).unwrap(), text);
    assert_eq!(from_str::<Message>(text).unwrap(), message);
    let value = to_value(&message).unwrap();
    assert_eq!(value, json!({"kind": "Position", "epoch": 1e21, "position": 1.5}));
    assert_eq!(from_value::<Message>(value).unwrap(), message);
    assert_eq!(to_value(Number::from(5)).unwrap(), json!(5));
    assert_eq!(to_value(Number::NAN).unwrap(), json!(null));
}

/// Fails without serde_json's feature `float_roundtrip`: its quick parser is at times one unit in the last
/// place off.
#[test]
fn read_correctly_rounded() {
    for (text, expected) in [
        ("5", 5.0),
        ("5.0", 5.0),
        ("-0", -0.0),
        ("9007199254740993", 9_007_199_254_740_992.0),
        ("18446744073709551615", 18_446_744_073_709_551_616.0),
        ("-9223372036854775808", -9_223_372_036_854_775_808.0),
        (
            "123456789012345678901234567890",
            123_456_789_012_345_678_901_234_567_890.0,
        ),
        (
            "9007199254740993.00000000000000000000000000001",
            9_007_199_254_740_994.0,
        ),
        ("1e+21", 1e21),
        ("122.416294033786585", 122.41629403378658),
        ("31.245270191439438", 31.245270191439438),
        ("121.48791951161945", 121.48791951161945),
        ("8.95e-308", 8.95e-308),
        ("2.2250738585072011e-308", 2.225073858507201e-308),
        ("2.4703282292062328e-324", 5e-324),
        ("1.7976931348623158e308", f64::MAX),
    ] {
        assert_eq!(from_str::<Number>(text).unwrap(), number(expected), "{text}");
        assert_eq!(Number::parse(text), number(expected), "{text}");
    }
}

#[test]
fn everything_else_is_refused_with_a_reason() {
    for (text, reason) in [
        (r#""6""#, r#"invalid type: string "6", expected a number"#),
        ("true", "invalid type: boolean `true`, expected a number"),
        ("null", "invalid type: null, expected a number"),
        ("[1]", "invalid type: sequence, expected a number"),
        ("{}", "invalid type: map, expected a number"),
        ("1e999", "number out of range"),
        ("NaN", "expected value"),
        ("0x10", "trailing characters"),
        ("+1", "expected value"),
        (".5", "expected value"),
    ] {
        let error = from_str::<Number>(text).unwrap_err().to_string();
        assert!(error.starts_with(reason), "{text}: {error}");
    }
    let error = from_value::<Number>(json!("6")).unwrap_err().to_string();
    assert_eq!(error, r#"invalid type: string "6", expected a number"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn written_as_printed_and_read_back(n in any_number()) {
        let text = to_string(&n).unwrap();
        if n.is_finite() {
            prop_assert_eq!(&text, &n.to_string());
            let expected = if n.js_eq(Number::ZERO) { Number::ZERO } else { n };
            prop_assert_eq!(from_str::<Number>(&text).unwrap(), expected);
            prop_assert_eq!(from_value::<Number>(to_value(n).unwrap()).unwrap(), expected);
        } else {
            prop_assert_eq!(text, "null");
        }
    }

    #[test]
    fn long_decimals_read_alike(text in "-?[1-9][0-9]{0,30}(\\.[0-9]{1,30})?([eE][-+]?[0-9]{1,2})?") {
        prop_assert_eq!(from_str::<Number>(&text).unwrap(), Number::parse(&text));
    }
}
