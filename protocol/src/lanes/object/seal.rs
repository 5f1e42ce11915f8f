//! Sealing what was captured as a record of the log (`lanes.md` 13.2).

use super::flows::two_segments;
use super::{Cx, Failure, Next, Segment, SiteObject, Value, Version, labels, sequence, state, store};
use crate::host::{Answer, Text};
use crate::lanes::meta::Key;
use crate::lanes::seal::{SealPlan, store_record};
use crate::lanes::wire::{Field, Record};
use crate::task::{On, Resume, Step};

/// A seal on its way. Two can overlap: one awaits its digest while the other begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sealing {
    /// The record, without its fingerprint, once the state was read.
    record: Option<Record>,
}

/// The segments of a seal.
#[derive(Clone, Copy, Debug)]
pub struct SealSteps {
    /// First: store the pending advances, take the buffer, read the state, begin its digest.
    pub begin: Segment<Sealing>,
    /// With the digest: store the record.
    pub store: Segment<Sealing>,
}

impl SealSteps {
    /// As documented.
    pub const DOCUMENTED: SealSteps = SealSteps { begin, store };
}

two_segments!(Sealing, seal, begin, store);

fn begin(
    sealing: &mut Sealing,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let Some((record, bytes)) = take(site, version, cx)? else {
        return Ok(Step::Return(Value::Nothing));
    };
    sealing.record = Some(record);
    let digest = cx.digest(labels::SEAL_DIGEST, &bytes);
    Ok(Step::Await(On::Call(digest)))
}

/// Stores the pending advances, takes the buffer, and reads the state: the record without its fingerprint, and the
/// bytes that the fingerprint is the digest of. Nothing where nothing is sealed.
pub(super) fn take(
    site: &mut SiteObject,
    version: &Version,
    cx: &mut Cx<'_, '_>,
) -> Result<Option<(Record, Vec<u8>)>, Failure> {
    let sequence = site.flush_pending(cx)?;
    let Some(buffer) = site.buffer.take() else {
        return Ok(None);
    };
    let generation = match (version.rules.seal.plan)(buffer.parent(), sequence) {
        SealPlan::Seal(generation) => generation,
        SealPlan::AdvanceAndSeal(generation) => {
            store::set(cx, Key::COMMIT_SEQUENCE.0, &generation.to_string())?;
            generation
        }
        SealPlan::AdvanceAndDrop(generation) => {
            store::set(cx, Key::COMMIT_SEQUENCE.0, &generation.to_string())?;
            cx.note(
                labels::SEAL_DROPPED,
                format!("{} -> {generation}", buffer.parent()),
            );
            return Ok(None);
        }
    };
    let record = Record {
        schema_version: Field::or_null(sequence::schema(cx)?),
        ..buffer.into_record(generation)
    };
    Ok(Some((record, state::read(cx)?.bytes(version))))
}

fn store(
    sealing: &mut Sealing,
    _: &mut SiteObject,
    _: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if let (Answer::Digest(digest), Some(record)) = (resume.answer()?, sealing.record.take()) {
        keep(record, digest, cx)?;
    }
    Ok(Step::Return(Value::Nothing))
}

/// Stores a record with its fingerprint.
pub(super) fn keep(mut record: Record, fingerprint: Text, cx: &mut Cx<'_, '_>) -> Result<(), Failure> {
    record.fingerprint = Field::Is(fingerprint);
    cx.sql(&store_record(&record, cx.now()))?;
    let sealed = format!("{} -> {}", record.parent.or_nan(), record.generation.or_nan());
    cx.note(labels::SEALED, Text::from(sealed));
    Ok(())
}
