//! What an object answers to the acts of `/__replica` (`lanes.md` 17). The keys are those of the flow vectors.

use super::{Field, message};
use crate::host::Text;
use crate::number::Number;

message! {
    /// The answer to a chunk: 200 when `ok`, else 409 (`lanes.md` 14.1).
    RestoreAnswer {
        /// Whether the chunk has landed; of the last chunk, whether the copy is whole.
        "ok" ok: bool,
        /// Why not.
        "reason" reason: Text,
        /// The lane's stage afterwards.
        "stage" stage: Text,
        /// How many statements were executed.
        "statements" statements: Number,
        /// Of the last chunk: what the copy lacks.
        "missing" missing: Vec<Field<Text>>,
    }
}

message! {
    /// The answer to `action=stage`: 200 when `moved`, else 409.
    StageAnswer {
        /// The stage afterwards.
        "stage" stage: Text,
        /// Whether it is another one than before.
        "moved" moved: bool,
        /// Why not.
        "reason" reason: Text,
    }
}

message! {
    /// The answer to `action=apply`, or of one record of a round: 200 unless refused (`lanes.md` 5, `applyRecord`).
    ApplyAnswer {
        /// `apply`, `duplicate` or `refuse`.
        "action" action: Text,
        /// Why it was not applied.
        "reason" reason: Text,
        /// The position afterwards.
        "applied" applied: Number,
        /// How many chunks were committed.
        "chunks" chunks: Number,
    }
}

message! {
    /// The answer to `action=catchup`: 200 when it `ran`, else 409 (`lanes.md` 14.2).
    CatchUpAnswer {
        /// Whether the round asked the primary.
        "ran" ran: bool,
        /// Why not, or what stopped it, or why the lane is not admitted.
        "reason" reason: Text,
        /// The position afterwards.
        "applied" applied: Number,
        /// The generation that the primary told of; 0 when it was not asked.
        "advertised" advertised: Number,
        /// How many records were applied.
        "records" records: Number,
        /// The stage afterwards.
        "stage" stage: Text,
        /// Whether the lane was admitted.
        "admitted" admitted: bool,
    }
}
