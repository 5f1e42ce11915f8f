//! Any text as any message of the wire: nothing panics, what was read is read again as the same, and whatever a lane
//! can be sent is judged.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::host::{Body, Payload};
use protocol::lanes::forward::{Attempt, ForwardFacts, after_answer, plan_forward, split_forward};
use protocol::lanes::log::{ApplyOptions, Position, apply_record};
use protocol::lanes::restore::{Place, chunk_refusal, restore_statements};
use protocol::lanes::rules::Rules;
use protocol::lanes::wire::{
    ApplyAnswer, CatchUpAnswer, Chunk, Cursor, ForwardAnswer, ForwardBatch, Head, LogAnswer, Record,
    RestoreAnswer, SnapshotPlan, StageAnswer,
};
use protocol::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

fn read<T: Payload + serde::de::DeserializeOwned + Clone>(json: &str) -> Option<T> {
    let message = Body::text(json).read::<T>().ok()?;
    let again = Body::text(message.encode())
        .read::<T>()
        .expect("what was written is read");
    // A number beyond a double is infinite, and infinity is written as null: so the texts are compared.
    assert_eq!(message.encode(), again.encode());
    Some((*message).clone())
}

fuzz_target!(|json: &str| {
    let _ = (
        read::<LogAnswer>(json),
        read::<Head>(json),
        read::<SnapshotPlan>(json),
    );
    let _ = (
        read::<RestoreAnswer>(json),
        read::<StageAnswer>(json),
        read::<ApplyAnswer>(json),
    );
    let _ = read::<CatchUpAnswer>(json);
    if let Some(answer) = read::<ForwardAnswer>(json) {
        let _ = after_answer(Attempt::First, &answer).to_string();
    }
    if let Some(batch) = read::<ForwardBatch>(json)
        && let Ok(statements) = batch.read_statements()
    {
        let facts = ForwardFacts {
            statements: &split_forward(RULES, &statements).commit,
            parent: batch.parent.to_number(),
            primary_generation: Number::integer(7),
            partitioned: &batch.read_partitioned(),
        };
        let _ = plan_forward(RULES, &facts).reason();
    }
    if let Some(record) = read::<Record>(json) {
        let position = Position {
            applied: record.parent.or_nan(),
            inflight: None,
        };
        for chunk_size in [Number::INFINITY, Number::integer(1)] {
            let options = ApplyOptions {
                local_schema: record.schema_version.as_str(),
                chunk_size,
            };
            let _ = apply_record(RULES, &position, &record, &options).answer(&position);
        }
    }
    if let Some(chunk) = read::<Chunk>(json)
        && chunk_refusal(RULES, &chunk, chunk.schema_version.as_str(), None).is_none()
    {
        for statement in restore_statements(&chunk) {
            assert_eq!(statement.sql.matches('?').count(), statement.params.len());
        }
    }
    if let Some(cursor) = read::<Cursor>(json) {
        let _ = Place::of(&cursor);
    }
});
