//! The wire: what objects send each other, as types whose JSON is the deployed JSON.
//!
//! One type a message serves both ends. Its writer sets fields to values; its reader finds in each [`Field`] what came,
//! be it missing or of another kind, because the deployed reader takes any JSON and answers a bad field with a refusal
//! and not with a parse error ([`plan_apply`](super::log::plan_apply), [`chunk_refusal`](super::restore::chunk_refusal)).
//! Keys stand in the order in which the deployed code writes them; keys that nobody knows are kept and written after
//! them. The one JSON body that is no message is `null`, whose fields JavaScript cannot ask for. Source: `lanes.md` 5,
//! 9, 10, 13, 17.
//!
//! A flag counts only when it is exactly `true`: [`Field::is_true`] (`lanes.md` 19.7).

mod answer;
mod chunk;
mod cursor;
mod field;
mod forward;
mod head;
mod header;
mod record;
mod view;

pub use answer::{ApplyAnswer, CatchUpAnswer, RestoreAnswer, StageAnswer};
pub use chunk::{Chunk, PlannedTable, SnapshotPlan};
pub use cursor::{Cursor, CursorError};
pub use field::{Field, Shape};
pub use forward::{ForwardAnswer, ForwardBatch, ForwardStatement};
pub use head::{Head, PositionView, TrustView, VerdictView};
pub use header::{Advertisement, Answerer, FenceAnswer, Retried, hand_back};
pub use record::{LogAnswer, LoggedStatement, Record};

/// Defines a message: a struct of [`Field`]s with their keys on the wire, and its way from and to JSON.
macro_rules! message {
    (
        $(#[$about:meta])*
        $Name:ident {
            $($(#[$what:meta])* $key:literal $field:ident: $Type:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $Name {
            $($(#[$what])* pub $field: $crate::lanes::wire::Field<$Type>,)*
            /// Keys that nobody knows, as they came.
            pub rest: $crate::json::Object,
        }

        impl $crate::lanes::wire::Shape for $Name {
            const DEPTH: usize = $crate::lanes::wire::field::around(&[$(<$Type as $crate::lanes::wire::Shape>::DEPTH),*]);

            fn shape(value: $crate::json::Json) -> Result<Self, $crate::json::Json> {
                let $crate::json::Json::Object(mut entries) = value else {
                    return Err(value);
                };
                Ok($Name {
                    $($field: $crate::lanes::wire::Field::of(entries.take($key)),)*
                    rest: entries,
                })
            }
        }

        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                // How many there will be is not told: a missing field is no entry, and JSON needs no count.
                let mut map = serializer.serialize_map(None)?;
                let (indices, names) = self.rest.by_index();
                for (key, value) in indices {
                    map.serialize_entry(key, value)?;
                }
                $(if !self.$field.is_missing() {
                    map.serialize_entry($key, &self.$field)?;
                })*
                for (key, value) in names {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::lanes::wire::field::message(deserializer)
            }
        }

        impl $crate::host::Payload for $Name {
            fn encode(&self) -> String {
                $crate::lanes::wire::field::encode(self)
            }
        }
    };
}
use message;

#[cfg(test)]
mod tests;
