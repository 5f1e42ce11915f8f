use proptest::prelude::*;
use serde::de::DeserializeOwned;

use super::*;
use crate::host::{Body, Headers, Payload, Text};
use crate::json::{Json, Object};
use crate::lanes::handoff::Handoff;
use crate::lanes::routing::{FailoverFacts, should_failover};
use crate::number::Number;

fn read<T: Payload + DeserializeOwned>(text: &str) -> std::sync::Arc<T> {
    Body::text(text).read().expect("a message")
}

/// Bytes that are read and written again unchanged.
#[track_caller]
fn stays<T: Payload + DeserializeOwned>(text: &str) {
    assert_eq!(read::<T>(text).encode(), text);
}

#[test]
fn a_record_stands_on_the_wire_as_deployed() {
    let statement = LoggedStatement::new("INSERT INTO t (id) VALUES (?)", vec![Json::from(1), Json::Null]);
    let record = Record {
        schema_version: Text::new("p1").into(),
        fingerprint: Text::new("f").into(),
        ..Record::sealed(5.into(), 6.into(), vec![statement])
    };
    let text = r#"{"generation":6,"parent":5,"schemaVersion":"p1","fingerprint":"f","overflowed":false,"statements":[{"sql":"INSERT INTO t (id) VALUES (?)","params":[1,null]}]}"#;
    assert_eq!(record.encode(), text);
    assert_eq!(*read::<Record>(text), record);
}

#[test]
fn messages_keep_their_keys_and_their_order() {
    stays::<Chunk>(
        r#"{"generation":7,"schemaVersion":"p1","table":"node","columns":["nid"],"rows":[[1.5],["a"]],"first":true,"ddl":["CREATE TABLE node (nid)"],"expect":["node"],"origin":"https://a","hashSalt":"s","done":false}"#,
    );
    stays::<Cursor>(r#"{"generation":7,"index":1,"offset":400}"#);
    stays::<Head>(
        r#"{"role":"primary","generation":9,"fingerprint":null,"schemaVersion":"p1","position":{"applied":0,"inflight":{"from":5,"to":7}}}"#,
    );
    stays::<ForwardAnswer>(r#"{"action":"commit","generation":9,"reason":"","deferred":0}"#);
    stays::<ForwardAnswer>(r#"{"action":"conflict","reason":"c","primaryGeneration":8}"#);
    stays::<RestoreAnswer>(
        r#"{"ok":false,"reason":"r","stage":"RESTORING","statements":2,"missing":["state:x"]}"#,
    );
}

#[test]
fn a_reason_cut_within_a_character_does_not_make_a_body_unreadable() {
    // `slice(0, 120)` in a refusal's text (`lanes.md` 11), written by `JSON.stringify`.
    let cut = r"not a read and not replica-local: UPDATE node SET title = '\ud83d";
    let whole = "not a read and not replica-local: UPDATE node SET title = '\u{fffd}";
    let forward = read::<ForwardAnswer>(&format!(r#"{{"action":"refuse","reason":"{cut}"}}"#));
    assert_eq!(forward.reason.as_str(), Some(whole));
    let restore = read::<RestoreAnswer>(&format!(r#"{{"ok":false,"reason":"{cut}"}}"#));
    assert_eq!(restore.reason.as_str(), Some(whole));
    let chunk = read::<Chunk>(r#"{"rows":[["\ud800","\ud83d\udea2"]]}"#);
    assert_eq!(chunk.encode(), "{\"rows\":[[\"\u{fffd}\",\"🚢\"]]}");
}

#[test]
fn what_is_not_as_it_should_be_is_kept() {
    let record = read::<Record>(r#"{"generation":"6","parent":null,"overflowed":1,"statements":[5,null]}"#);
    assert_eq!(record.generation, Field::Other(Json::text("6")));
    assert_eq!(record.parent, Field::Other(Json::Null));
    assert!(record.fingerprint.is_missing() && !record.overflowed.is_true());
    assert_eq!(
        record.encode(),
        r#"{"generation":"6","parent":null,"overflowed":1,"statements":[5,null]}"#
    );
    assert_eq!(record.schema_version.to_text(), "undefined");
    stays::<Record>(r#"{"0":"an index stands first","generation":1,"later":{"x":[1]},"b":2}"#);
}

#[test]
fn numbers_are_javascripts() {
    stays::<Cursor>(r#"{"generation":1e+21,"index":9007199254740992,"offset":0.1}"#);
    let nothing = Cursor::at(Number::NAN, Number::INFINITY, -Number::ZERO);
    assert_eq!(nothing.encode(), r#"{"generation":null,"index":null,"offset":0}"#);
}

#[test]
fn null_is_no_message_and_says_where() {
    let error = Body::text("null").read::<Record>().expect_err("null");
    assert_eq!(
        error.to_string(),
        "the body is not a Record: at .: null holds no fields"
    );
    assert!(Body::text("{\"generation\":").read::<Record>().is_err());
    assert_eq!(*read::<Record>("[1]"), Record::default());
}

#[test]
fn a_cursor_is_stored_as_a_text() {
    assert_eq!(Cursor::parse(""), Ok(None));
    assert_eq!(Cursor::parse("null"), Ok(None));
    assert_eq!(Cursor::parse("7"), Ok(Some(Cursor::default())));
    assert!(Cursor::parse("{").is_err());
    let cursor = Cursor::at(7.into(), 1.into(), 400.into());
    assert_eq!(Cursor::parse(&cursor.encode()), Ok(Some(cursor)));
}

#[test]
fn the_protocols_values_are_told_as_deployed() {
    use crate::lanes::log::{Inflight, Position, position_trust};
    let marker = Inflight {
        from: 5.into(),
        to: 7.into(),
    };
    let position = Position {
        applied: 5.into(),
        inflight: Some(marker),
    };
    assert_eq!(
        PositionView::from(&position).encode(),
        r#"{"applied":5,"inflight":{"from":5,"to":7}}"#
    );
    let trust = TrustView::of(&position, position_trust(&position)).encode();
    let text = r#"{"trusted":false,"validAt":5,"reason":"a chunked apply of generation 7 was interrupted after 5; some chunks committed and the position did not"}"#;
    assert_eq!(trust, text);
    let plan = crate::lanes::restore::plan_restore(
        &crate::lanes::rules::Rules::DOCUMENTED,
        &[Text::new("watchdog")],
    );
    assert_eq!(
        PlannedTable::from(&plan[0]).encode(),
        r#"{"table":"watchdog","status":"PRIMARY_ONLY_SIDE_EFFECT","copy":false,"reason":"an effect a replica must never perform"}"#
    );
    let head = Head {
        fingerprint: Field::or_null(None),
        ..Head::default()
    };
    assert_eq!(head.encode(), r#"{"fingerprint":null}"#);
}

#[test]
fn headers_are_read_as_they_are_written() {
    let mut headers = Headers::default();
    Advertisement::default().write(&mut headers);
    assert_eq!(headers, Headers::default());
    let told = Advertisement {
        lanes: 3.into(),
        epoch: 2.into(),
    };
    told.write(&mut headers);
    assert_eq!(Advertisement::read(&headers), told);
    let fence = FenceAnswer {
        applied: 3.into(),
        required: Number::NAN,
    };
    fence.write(&mut headers);
    assert_eq!(FenceAnswer::read(&headers), Some(fence));
    let retried = Retried {
        refused_by: Answerer::Lane(4.into()),
        reason: "session".into(),
    };
    retried.write(&mut headers);
    assert_eq!(Retried::read(&headers), Some(retried));
    assert_eq!(Answerer::read("primary"), Some(Answerer::Primary));
    assert_eq!(Answerer::read("r0"), None);
}

#[test]
fn only_a_clean_handoff_is_sent_on() {
    for (handoff, sent_on) in [(Handoff::Clean, true), (Handoff::Dirty, false)] {
        let mut headers = Headers::default();
        hand_back(handoff, "session", &mut headers);
        let facts = FailoverFacts {
            status: handoff.status(),
            headers: &headers,
        };
        assert_eq!(should_failover(&facts), sent_on);
    }
}

#[test]
fn a_parameter_is_as_deep_in_any_message_as_by_itself() {
    for depth in [
        1,
        100,
        Json::DEPTH - 5,
        Json::DEPTH - 1,
        Json::DEPTH,
        Json::DEPTH + 1,
    ] {
        let params = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let record = format!(r#"{{"statements":[{{"sql":"x","params":{params}}}]}}"#);
        let answer = format!(r#"{{"records":[{record}]}}"#);
        let reads = (
            Json::parse(&params).is_ok(),
            Body::text(record.as_str()).read::<ForwardBatch>().is_ok(),
            Body::text(record).read::<Record>().is_ok(),
            Body::text(answer).read::<LogAnswer>().is_ok(),
        );
        let fits = depth <= Json::DEPTH;
        assert_eq!(
            reads,
            (fits, fits, fits, fits),
            "what is forwarded is logged, and a lane asks for it"
        );
    }
}

fn any_number() -> impl Strategy<Value = Number> {
    prop::num::f64::ANY.prop_map(Number::from_f64)
}

/// Any JSON, with the keys of the wire among its keys.
fn any_json() -> impl Strategy<Value = Json> {
    let key = prop_oneof![
        prop::sample::select(vec![
            "generation",
            "parent",
            "schemaVersion",
            "fingerprint",
            "overflowed",
            "statements",
            "sql",
            "params",
            "minted",
            "action",
            "partitioned",
            "$",
            "v",
            "table",
            "columns",
            "rows",
            "first",
            "done",
            "index",
            "offset",
            "records",
            "0",
            "7",
        ])
        .prop_map(Text::new),
        "[a-z]{0,3}".prop_map(Text::from),
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        prop::sample::select(vec!["1e21", "-1e-7", "9007199254740993", "0.1"])
            .prop_map(|text| Number::parse(text).into()),
        ".{0,4}".prop_map(Json::text),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|entries| Json::Object(entries.into_iter().collect::<Object>())),
        ]
    })
}

/// Reads any JSON as a message: what it writes reads as the same message, and none but `null` is refused.
fn round_trip<T>(json: &Json) -> Result<(), TestCaseError>
where
    T: Payload + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    match Body::text(json.to_string()).read::<T>() {
        Ok(message) => {
            let again = Body::text(message.encode()).read::<T>();
            prop_assert_eq!(again.as_deref(), Ok(&*message));
        }
        Err(error) => {
            prop_assert_eq!(json, &Json::Null);
            prop_assert!(!error.field.is_empty());
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_json_reads_as_any_message(json in any_json()) {
        round_trip::<Record>(&json)?;
        round_trip::<LogAnswer>(&json)?;
        round_trip::<Chunk>(&json)?;
        round_trip::<SnapshotPlan>(&json)?;
        round_trip::<Cursor>(&json)?;
        round_trip::<Head>(&json)?;
        round_trip::<RestoreAnswer>(&json)?;
        round_trip::<StageAnswer>(&json)?;
        round_trip::<ApplyAnswer>(&json)?;
        round_trip::<CatchUpAnswer>(&json)?;
        round_trip::<ForwardBatch>(&json)?;
        round_trip::<ForwardAnswer>(&json)?;
    }

    /// What is shared inside one process says the same as what is encoded.
    #[test]
    fn a_shared_message_reads_as_an_encoded_one(generation in any_number(), offset in any_number()) {
        let cursor = std::sync::Arc::new(Cursor::at(generation, 1.into(), offset));
        let (shared, encoded) = (Body::typed(cursor.clone()), Body::text(cursor.encode()));
        prop_assert_eq!(shared.read::<Cursor>(), encoded.read::<Cursor>());
        prop_assert_eq!(shared, encoded);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,40}") {
        let _ = Body::text(text.clone()).read::<Record>();
        let _ = Cursor::parse(&text);
        let _ = Answerer::read(&text);
    }

    #[test]
    fn any_json_is_written_as_it_was(json in any_json()) {
        let text = json.to_string();
        prop_assert_eq!(Json::parse(&text).expect("what was written").to_string(), text);
    }
}
