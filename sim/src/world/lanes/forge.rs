//! What a lane must refuse, as requests.

use std::sync::Arc;

use protocol::host::{Body, Payload, Request, Text};
use protocol::json::Json;
use protocol::lanes::app::SCHEMA;
use protocol::lanes::wire::{Chunk, LoggedStatement, Record};
use protocol::number::Number;

use super::shape::Forged;

/// A generation that no run reaches.
const FAR: Number = Number::integer(1 << 30);

/// The request that brings it.
pub(super) fn request(forged: Forged) -> Request {
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
        Forged::RecordOfAnotherSchema => apply(Record {
            schema_version: Text::new_static("another").into(),
            ..record()
        }),
        Forged::RecordAhead => apply(record()),
        Forged::RecordOverflowed => apply(Record {
            overflowed: true.into(),
            ..record()
        }),
        Forged::RecordWithoutFingerprint => apply(Record {
            fingerprint: Text::default().into(),
            ..record()
        }),
    }
}

/// A chunk that would empty a table.
fn chunk() -> Chunk {
    Chunk {
        generation: FAR.into(),
        schema_version: Text::new_static(SCHEMA).into(),
        table: Text::new_static("node").into(),
        columns: vec![Json::text("nid")].into(),
        rows: Vec::<Json>::new().into(),
        first: true.into(),
        expect: vec![Json::text("node")].into(),
        ..Chunk::default()
    }
}

/// A record that would empty a table.
fn record() -> Record {
    let statements = vec![LoggedStatement::new("DELETE FROM node", Vec::new())];
    Record {
        schema_version: Text::new_static(SCHEMA).into(),
        fingerprint: Text::new_static("forged").into(),
        ..Record::sealed(FAR, FAR + Number::integer(1), statements)
    }
}

fn restore(chunk: Chunk) -> Request {
    Request::post("/__replica?action=restore", Body::typed(Arc::new(chunk)))
}

/// Applied as the primary's own: its body is JSON, as `action=apply` has it.
fn apply(record: Record) -> Request {
    Request::post("/__replica?action=apply", Body::text(record.encode()))
}
