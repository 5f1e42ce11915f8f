//! What a lane must refuse, as requests.

use std::sync::Arc;

use protocol::host::{Body, Payload, Request, Text};
use protocol::json::Json;
use protocol::lanes::app::SCHEMA;
use protocol::lanes::wire::{Chunk, Field, LoggedStatement, Record};
use protocol::number::Number;

use super::shape::Forged;

/// A generation that no run reaches.
const FAR: Number = Number::integer(1 << 30);

/// The request that brings it to a lane at this position. Each is wrong in one way only.
pub(super) fn request(forged: Forged, applied: Number) -> Request {
    let one = Number::integer(1);
    match forged {
        Forged::ChunkOfAnotherSchema => restore(Chunk {
            schema_version: Text::new_static("another").into(),
            ..chunk()
        }),
        Forged::ChunkOfAnOwnTable => restore(Chunk {
            table: Text::new_static("cfw_meta").into(),
            ..chunk()
        }),
        Forged::ChunkOfAnotherWidth => restore(Chunk {
            rows: vec![Json::Array(vec![Json::text("one"), Json::text("two")])].into(),
            ..chunk()
        }),
        Forged::ChunkWithoutGeneration => restore(Chunk {
            generation: Number::NAN.into(),
            ..chunk()
        }),
        // It promises no tables, so that it begins no copy of its own.
        Forged::ChunkOfAnotherGeneration => restore(Chunk {
            expect: Field::Missing,
            done: Field::Missing,
            ..chunk()
        }),
        Forged::RecordOfAnotherSchema => apply(Record {
            schema_version: Text::new_static("another").into(),
            ..record(applied, applied + one)
        }),
        Forged::RecordAhead => apply(record(FAR, FAR + one)),
        Forged::RecordBranchingOff => apply(record(applied - one, applied + one)),
        Forged::RecordOnceMore => apply(record(applied - one, applied)),
        Forged::RecordOverflowed => apply(Record {
            overflowed: true.into(),
            ..record(applied, applied + one)
        }),
        Forged::RecordWithoutFingerprint => apply(Record {
            fingerprint: Text::default().into(),
            ..record(applied, applied + one)
        }),
    }
}

/// A chunk that would empty a table, and be a whole copy by itself.
fn chunk() -> Chunk {
    Chunk {
        generation: FAR.into(),
        schema_version: Text::new_static(SCHEMA).into(),
        table: Text::new_static("node").into(),
        columns: vec![Json::text("nid")].into(),
        rows: Vec::<Json>::new().into(),
        first: true.into(),
        expect: vec![Json::text("node")].into(),
        done: true.into(),
        ..Chunk::default()
    }
}

/// A record that would empty a table.
fn record(parent: Number, generation: Number) -> Record {
    let statements = vec![LoggedStatement::new("DELETE FROM node", Vec::new())];
    Record {
        schema_version: Text::new_static(SCHEMA).into(),
        fingerprint: Text::new_static("forged").into(),
        ..Record::sealed(parent, generation, statements)
    }
}

fn restore(chunk: Chunk) -> Request {
    Request::post("/__replica?action=restore", Body::typed(Arc::new(chunk)))
}

/// Applied as the primary's own: its body is JSON, as `action=apply` has it.
fn apply(record: Record) -> Request {
    Request::post("/__replica?action=apply", Body::text(record.encode()))
}
