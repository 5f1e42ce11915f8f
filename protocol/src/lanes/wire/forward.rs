//! A forwarded batch, and the answer to it. What is made of them is told in [`forward`](crate::lanes::forward).

use super::{Field, message};
use crate::host::Text;
use crate::json::Json;
use crate::number::Number;

message! {
    /// One statement of a batch (`lanes.md` 14.4).
    ForwardStatement {
        /// The text, as the interpreter gave it.
        "sql" sql: Text,
        /// Its parameters, as the interpreter gave them: of every form (`lanes.md` 5, `positionalBindings`).
        "params" params: Json,
        /// The table it writes by [`write_target`](crate::sql::write_target); empty when that found none.
        "table" table: Text,
        /// The table into which the lane's driver minted an id.
        "minted" minted: Text,
    }
}

message! {
    /// The body of `POST action=forward` (`lanes.md` 13.3).
    ForwardBatch {
        /// The statements of all transactions of one request, in order.
        "statements" statements: Vec<Field<ForwardStatement>>,
        /// The generation at which the lane began to collect. It counts as whatever `Number()` makes of it.
        "parent" parent: Number,
        /// The tables into which the lane minted ids ([`partitioned_tables`](crate::lanes::forward::partitioned_tables)).
        "partitioned" partitioned: Vec<Field<Text>>,
        /// The lane and what tells this batch from its others, `LANE:TEXT`, where a variant of the protocol tells them
        /// apart.
        "batch" batch: Text,
    }
}

message! {
    /// The answer of `action=forward` (`lanes.md` 13.3 and 22.7).
    ForwardAnswer {
        /// What was done: a [`ForwardAction`](crate::lanes::forward::ForwardAction).
        "action" action: Text,
        /// Of a commit: the generation it was committed as.
        "generation" generation: Number,
        /// Why; empty for a commit.
        "reason" reason: Text,
        /// Of a conflict and a refusal: the primary's live generation.
        "primaryGeneration" primary_generation: Number,
        /// Of a commit: how many statements were appended behind it.
        "deferred" deferred: Number,
    }
}
