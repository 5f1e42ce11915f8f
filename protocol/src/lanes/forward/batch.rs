//! The wire: what a lane sends to `action=forward`.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::host::Text;
use crate::json::Json;
use crate::lanes::bridge::SqlStatement;
use crate::lanes::codec::Encoded;
use crate::lanes::rules::Rules;
use crate::number::Number;
use crate::sql::{BindError, Bound, Params, positional_bindings};

/// One statement of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ForwardStatement {
    /// The text, as the interpreter gave it.
    pub sql: Text,
    /// Its parameters, as the interpreter gave them.
    #[serde(default, skip_serializing_if = "Params::is_absent")]
    pub params: Params<Encoded>,
    /// The table it writes by [`write_target`](crate::sql::write_target); empty when that found none.
    #[serde(default)]
    pub table: Text,
    /// The table into which the lane's driver minted an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minted: Option<Text>,
}

impl ForwardStatement {
    /// The statement as a lane collects it (`lanes.md` 14.4).
    pub fn collected(rules: &Rules, statement: &SqlStatement) -> Self {
        ForwardStatement {
            sql: statement.sql.clone(),
            params: statement.params.clone(),
            table: Text::new((rules.statements.write_target)(&statement.sql).unwrap_or_default()),
            minted: statement.minted.clone(),
        }
    }

    /// The table, in lower case as the rules compare it.
    pub(super) fn folded_table(&self) -> String {
        self.table.to_lowercase()
    }

    /// Binds its parameters by position (`lanes.md` 5).
    ///
    /// # Errors
    /// As [`positional_bindings`].
    pub fn bind(&self) -> Result<Bound<Encoded>, BindError> {
        positional_bindings(&self.sql, &self.params)
    }
}

/// The body of `POST action=forward`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ForwardBatch {
    /// The statements of all transactions of one request, in order. In JSON, anything but a list reads as none.
    #[serde(default, deserialize_with = "list_or_nothing")]
    pub statements: Vec<ForwardStatement>,
    /// The generation at which the lane began to collect. In JSON, whatever `Number()` makes of what is there.
    #[serde(default = "missing_number", deserialize_with = "coerced_number")]
    pub parent: Number,
    /// The tables into which the lane minted ids ([`partitioned_tables`](super::partitioned_tables)).
    #[serde(default)]
    pub partitioned: Vec<Text>,
}

/// `Number(undefined)`
fn missing_number() -> Number {
    Number::NAN
}

/// `planForward` takes a batch without a list for an empty one; an item that is no statement is an error.
fn list_or_nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ForwardStatement>, D::Error> {
    struct List;
    impl<'de> Visitor<'de> for List {
        type Value = Vec<ForwardStatement>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of statements")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut statements = Vec::new();
            while let Some(statement) = list.next_element()? {
                statements.push(statement);
            }
            Ok(statements)
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Vec::new())
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }
        #[expect(
            clippy::disallowed_types,
            reason = "serde hands a JSON number over as a double"
        )]
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }
    }
    deserializer.deserialize_any(List)
}

/// `Number(value)` of any JSON value (`lanes.md` 13.3: "planForward with `Number(parent)`").
fn coerced_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
    Json::deserialize(deserializer).map(|value| value.to_number())
}
