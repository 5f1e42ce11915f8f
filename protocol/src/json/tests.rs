use proptest::prelude::*;

use super::*;

#[track_caller]
fn stringified(text: &str) -> String {
    Json::parse(text).expect("JSON").to_string()
}

#[test]
fn keys_stand_as_in_javascript() {
    // node -p 'JSON.stringify(JSON.parse(...))'
    assert_eq!(
        stringified(r#"{"b":1,"10":2,"a":3,"2":4,"01":5,"4294967295":6,"b":7}"#),
        r#"{"2":4,"10":2,"b":7,"a":3,"01":5,"4294967295":6}"#
    );
    assert_eq!(stringified(r#"{"__proto__":1,"":2}"#), r#"{"__proto__":1,"":2}"#);
}

#[test]
fn numbers_stand_as_in_javascript() {
    assert_eq!(
        stringified("[1.0,1e21,-0,9007199254740993]"),
        "[1,1e+21,0,9007199254740992]"
    );
    assert_eq!(
        Json::Array(vec![Number::NAN.into(), Number::INFINITY.into()]).to_string(),
        "[null,null]"
    );
}

#[test]
fn a_value_reads_as_a_text_or_a_number() {
    let value = Json::parse(r#"[1,null,[2,{"a":1}],true]"#).expect("JSON");
    assert_eq!(value.to_text(), "1,,2,[object Object],true");
    assert_eq!(Json::parse("[[7]]").expect("JSON").to_number(), Number::from(7));
    assert_eq!(Json::Array(Vec::new()).to_number(), Number::ZERO);
    assert!(Json::Object(Object::default()).to_number().is_nan());
}

#[test]
fn what_is_refused_is_refused_without_a_panic() {
    for text in [
        "", " ", "[", "]", "[1", "{\"a\"", "{\"a\":", "[1 2]", "[,]", "{1:2}", "nul", "\"", "\"\\\"", "01",
        "1 1",
    ] {
        assert!(Json::parse(text).is_err(), "{text} is no JSON");
    }
    assert!(Json::parse(&"[".repeat(100_000)).is_err());
    assert!(Json::parse(&format!("{}{}", "[".repeat(120), "]".repeat(120))).is_ok());
}

/// node -p 'JSON.parse("[1e999,-1e999]")'
#[test]
fn a_number_beyond_a_double_is_infinite() {
    assert_eq!(
        Json::parse(" [1e999 , -1e999,5e-324] ").expect("JSON"),
        Json::Array(vec![
            Number::INFINITY.into(),
            Number::NEG_INFINITY.into(),
            Number::parse("5e-324").into()
        ])
    );
}

#[test]
fn half_a_surrogate_pair_reads_as_a_replacement_character() {
    // What JavaScript reads, after `toWellFormed()`: node -p 'JSON.stringify(JSON.parse(...).toWellFormed())'
    for (json, text) in [
        (r#""\ud800""#, "\u{fffd}"),
        (r#""a\udc00b""#, "a\u{fffd}b"),
        (r#""\ud83d\ud83d\uDEA2""#, "\u{fffd}🚢"),
        (r#""\udea2\ud83d""#, "\u{fffd}\u{fffd}"),
        (r#""\\ud800""#, "\\ud800"),
        (r#""\ud83d\\udea2""#, "\u{fffd}\\udea2"),
    ] {
        assert_eq!(
            Json::parse(json).map_err(|error| error.to_string()),
            Ok(text.into()),
            "{json}"
        );
    }
    assert_eq!(
        stringified(r#"{"\ud83d":["\ud83d"]}"#),
        "{\"\u{fffd}\":[\"\u{fffd}\"]}"
    );
}

#[test]
fn texts_keep_what_separates_tokens_elsewhere() {
    assert_eq!(
        stringified("{ \"a,:]}\\\\\" : [ \"\\\"\" , \" x\\u0020\" ] ,\n\"\" :{} }"),
        "{\"a,:]}\\\\\":[\"\\\"\",\" x \"],\"\":{}}"
    );
}

/// Any JSON as `serde_json` holds it; keys stay short, so that some come twice.
fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        prop::num::f64::NORMAL.prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::vec((".{0,2}", inner), 0..4)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// What another reader read.
fn same(json: &Json, value: &serde_json::Value) -> bool {
    match (json, value) {
        (Json::Null, serde_json::Value::Null) => true,
        (Json::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Json::Number(a), serde_json::Value::Number(b)) => *a == Number::parse(&b.to_string()),
        (Json::Text(a), serde_json::Value::String(b)) => a == b,
        (Json::Array(a), serde_json::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), serde_json::Value::Object(b)) => {
            a.len() == b.len() && b.iter().all(|(key, b)| a.get(key).is_some_and(|a| same(a, b)))
        }
        _ => false,
    }
}

proptest! {
    #[test]
    fn a_text_is_read_as_by_serde_json(value in any_value(), is_pretty in any::<bool>()) {
        let text = if is_pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.expect("a value is written");
        let json = Json::parse(&text).expect("JSON");
        prop_assert!(same(&json, &value), "{text} was read as {json}");
    }

    #[test]
    fn what_is_json_to_serde_json_is_json(text in "[\\[\\]{}:,\"\\\\ntrue0-9.e \\-]{0,12}") {
        let other = serde_json::from_str::<serde_json::Value>(&text);
        let is_out_of_range = matches!(&other, Err(error) if error.to_string().starts_with("number out of range"));
        prop_assert!(is_out_of_range || other.is_ok() == Json::parse(&text).is_ok(), "{text:?}");
    }
}

#[test]
fn a_body_of_many_keys_is_read_in_the_time_of_its_length() {
    // Where each key is looked up among all others, this takes minutes; so the test fails by not ending.
    let many = 200_000_u32;
    let indices = (0..many).rev().map(|at| format!("\"{at}\":0"));
    let names = (0..many).rev().map(|at| format!("\"k{at}\":0"));
    let again = (0..many).map(|at| format!("\"k{at}\":{at}"));
    let body: Vec<String> = names.chain(indices).chain(again).collect();
    let read = Json::parse(&format!("{{{}}}", body.join(","))).expect("JSON");
    let indices = (0..many).map(|at| (Text::from(at.to_string()), 0.into()));
    let names = (0..many)
        .rev()
        .map(|at| (Text::from(format!("k{at}")), at.into()));
    let expected = indices.chain(names).collect::<Vec<(Text, Json)>>();
    let held = read.as_object().expect("an object");
    let wrong = held
        .iter()
        .zip(&expected)
        .find(|(held, expected)| held != expected);
    assert_eq!(
        (held.len(), wrong),
        (expected.len(), None),
        "keys stand as in JavaScript, the last value of each"
    );
}

proptest::proptest! {
    /// Few keys or many, an object that is collected is the one that is set key by key.
    #[test]
    fn an_object_collected_is_the_object_set_key_by_key(
        entries in proptest::collection::vec(("[0-3]{0,2}|[ab]", 0..9_i32), 0..60)
    ) {
        let mut set = Object::default();
        for (key, value) in &entries {
            set.set(key, *value);
        }
        proptest::prop_assert_eq!(entries.into_iter().collect::<Object>(), set);
    }
}
