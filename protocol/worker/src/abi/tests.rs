//! The texts that both sides of the seam have agreed on. The shell is written to these.

use protocol::host::{Body, Millis, SqlErrorKind, Value};
use protocol::number::Number;

use super::*;

const CALL: CallId = CallId {
    task: TaskId(2),
    nth: 1,
};
const AT: Label = Label("a-place");

#[test]
fn each_function_has_its_own_name() {
    let mut names = SEAM.to_vec();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SEAM.len());
    let encoded: Vec<Function> = SEAM
        .iter()
        .map(|name| serde_json::from_str(&format!("\"{name}\"")).expect("a function reads its name"))
        .collect();
    assert!(
        encoded
            .iter()
            .zip(SEAM)
            .all(|(function, name)| function.name() == *name)
    );
}

#[test]
fn arguments_are_these_texts() {
    assert_eq!(encode(&Now {}), "{}");
    assert_eq!(encode(&SetAlarm { at: None }), r#"{"at":null}"#);
    assert_eq!(
        encode(&Sleep {
            call: CALL,
            label: AT,
            delay: Millis(5)
        }),
        r#"{"call":{"task":2,"nth":1},"label":"a-place","delay":5}"#
    );
    assert_eq!(
        encode(&Digest {
            call: CALL,
            label: AT,
            bytes: HexadecimalOf(&[0, 255])
        }),
        r#"{"call":{"task":2,"nth":1},"label":"a-place","bytes":"00ff"}"#
    );
    let stub = Stub::new(Namespace::new("counter"), ObjectName::new("a\"b"));
    let request = Request::post("/add?x=1", Body::text("\u{feff}é"));
    assert_eq!(
        encode(&Call {
            call: CALL,
            label: AT,
            stub: &stub,
            request: &request
        }),
        "{\"call\":{\"task\":2,\"nth\":1},\"label\":\"a-place\",\
         \"stub\":{\"namespace\":\"counter\",\"name\":\"a\\\"b\",\"serial\":0},\
         \"request\":{\"method\":\"POST\",\"path\":\"/add?x=1\",\"headers\":[],\"body\":\"\u{feff}é\"}}"
    );
}

#[test]
fn values_that_json_would_change_are_kept() {
    let numbers = [
        Number::from(7),
        -Number::ZERO,
        Number::INFINITY,
        Number::NEG_INFINITY,
    ];
    let params: Vec<_> = numbers.into_iter().map(Value::Number).collect();
    let statement = Statement::new("SELECT ?", params.clone());
    let text = encode(&Sql {
        statement: &statement,
    });
    assert_eq!(
        text,
        r#"{"statement":{"sql":"SELECT ?","params":[7,{"number":"-0"},{"number":"Infinity"},{"number":"-Infinity"}]}}"#
    );
    let rows = r#"{"Ok":{"columns":["a"],"rows":[[7,{"number":"-0"},{"number":"Infinity"},{"number":"-Infinity"}]]}}"#;
    let answer: <Sql<'_> as Crosses>::Answer = serde_json::from_str(rows).expect("these are rows");
    assert_eq!(answer.expect("these are rows").rows, [params]);
}

#[test]
fn the_runtime_s_words_for_an_error_tell_its_kind() {
    let text = r#"{"Err":{"at":1,"error":{"message":"UNIQUE constraint failed: t.a: SQLITE_CONSTRAINT"}}}"#;
    let answer: <Transaction<'_> as Crosses>::Answer = serde_json::from_str(text).expect("this is an answer");
    let failed = Failed::from(answer.expect_err("it failed"));
    assert_eq!((failed.at, failed.error.kind), (1, SqlErrorKind::Unique));
    assert_eq!(failed.error.table.as_deref(), Some("t"));
    let known = SqlFailure::Known(failed.error);
    let again: SqlFailure = serde_json::from_str(&encode(&known)).expect("an error reads its text");
    assert_eq!(again, known);
}
