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
    assert!(Json::parse(r#""\ud83d""#).is_err());
    assert!(Json::parse(&"[".repeat(100_000)).is_err());
    assert!(Json::parse(&format!("{}{}", "[".repeat(120), "]".repeat(120))).is_ok());
}
