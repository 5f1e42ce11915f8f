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
    assert!(Json::parse("1e999").is_err());
    assert!(Json::parse(&"[".repeat(100_000)).is_err());
    assert!(Json::parse(&format!("{}{}", "[".repeat(120), "]".repeat(120))).is_ok());
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
