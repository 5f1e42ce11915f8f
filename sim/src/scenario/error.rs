//! Why a scenario cannot be used.

use std::io;

/// A scenario that cannot be used: always a fault of who named it, or of its file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// There is none of this name.
    #[error("{0}; a file is named by a path that ends in .toml")]
    Unknown(String),
    /// The last part of a name is that of several.
    #[error("`{name}` is the name of more than one scenario: {known}")]
    Ambiguous {
        /// The name.
        name: String,
        /// Those that it can mean.
        known: String,
    },
    /// Its file cannot be read.
    #[error("cannot read {file}: {error}")]
    Io {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// Its file says what cannot be.
    #[error("{file}:{line}: {reason}")]
    File {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}
