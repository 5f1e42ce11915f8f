//! Where an object stands, as it tells others.

use super::{Field, message};
use crate::host::Text;
use crate::json::Json;
use crate::number::Number;

message! {
    /// The answer of `GET /__replica` (`lanes.md` 17). A lane reads `generation`, `fingerprint` and `schemaVersion` of it
    /// (14.2); the other keys are for operators, and those that the contract does not spell are ours.
    Head {
        /// `primary` or `r<n>`.
        "role" role: Text,
        /// The live commit sequence: on the primary it can be ahead of its log.
        "generation" generation: Number,
        /// The fingerprint of its state, or `null`.
        "fingerprint" fingerprint: Text,
        /// Its schema text, or `null`.
        "schemaVersion" schema_version: Text,
        /// Entries of the collection `state` that a copy must hold.
        "mandatoryState" mandatory_state: Vec<Field<Text>>,
        /// Collections of which a copy must hold something.
        "mandatoryCollections" mandatory_collections: Vec<Field<Text>>,
        /// How many rows the fingerprint covers.
        "rowsCovered" rows_covered: Number,
        /// The tables of the fingerprint that do not exist here.
        "tablesAbsent" tables_absent: Vec<Field<Text>>,
        /// Where it stands in the log.
        "position" position: PositionView,
        /// What that position is worth.
        "trust" trust: TrustView,
        /// Whether a copy in its place would be admitted.
        "verdict" verdict: VerdictView,
    }
}

message! {
    /// A position in the log (`lanes.md` 5, `readPosition`).
    PositionView {
        /// The generation applied in full; -1 when unreadable.
        "applied" applied: Number,
        /// The marker of an apply in several chunks: `null`, or `{from, to}`.
        "inflight" inflight: Json,
    }
}

message! {
    /// What a position is worth (`lanes.md` 5, `positionTrust`).
    TrustView {
        /// Whether a record may be applied on it.
        "trusted" trusted: bool,
        /// The generation up to which it is certain.
        "validAt" valid_at: Number,
        /// Why it is not trusted.
        "reason" reason: Text,
    }
}

message! {
    /// Whether a lane may serve (`lanes.md` 6, `admissionVerdict`).
    VerdictView {
        /// Whether it may.
        "admitted" admitted: bool,
        /// The stage that it may take, or has.
        "stage" stage: Text,
        /// Why not.
        "refusals" refusals: Vec<Field<Text>>,
    }
}
