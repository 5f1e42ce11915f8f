//! What the interpreter can call in its object, and which of it a lane lets through (`lanes.md` 11).

use std::fmt;

/// The functions that read only.
const SAFE: [&str; 11] = [
    "cfwStats",
    "cfwServeStats",
    "cfwZlib",
    "cfwLog",
    "cfwImageUrl",
    "cfwHttpCacheGet",
    "cfwFileRead",
    "cfwFileList",
    "cfwFileStat",
    "cfwFilePublicBase",
    "cfwModules",
];

/// The two ways to the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bridge {
    /// `cfwSqlExec`: one statement, committed at once.
    Exec,
    /// `cfwSqlTxn`: a transaction, which can be rolled back.
    Transaction,
}

/// What a capability can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// Reads, or changes nothing that outlives the request.
    Safe,
    /// Runs SQL: it depends on the statements.
    Sql(Bridge),
    /// Changes state outside of the lane, or may.
    Mutating,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Capability::Safe => "safe",
            Capability::Sql(_) => "sql",
            Capability::Mutating => "mutating",
        })
    }
}

/// `classifyCapability`: by its name, whose case counts; what is not known can mutate (`lanes.md` 11).
pub fn classify_capability(name: &str) -> Capability {
    match name {
        "cfwSqlExec" => Capability::Sql(Bridge::Exec),
        "cfwSqlTxn" => Capability::Sql(Bridge::Transaction),
        name if SAFE.contains(&name) => Capability::Safe,
        _ => Capability::Mutating,
    }
}
