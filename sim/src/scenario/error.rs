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

/// Says that there is no such thing, what comes nearest to it, and what there is.
pub fn unknown<'a>(what: &str, found: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let near = nearest(found, &known).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    format!(
        "there is no {what} `{found}`\n  {near}there is: {}",
        known.join(", ")
    )
}

/// The name that was probably meant: the one with the fewest edits, where those are few for its length.
fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let edits = |name: &str| strsim::damerau_levenshtein(found, name);
    let nearest = known.iter().min_by_key(|name| edits(name))?;
    (edits(nearest) * 3 <= nearest.chars().count().max(3)).then_some(nearest)
}
