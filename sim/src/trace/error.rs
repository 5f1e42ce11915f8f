//! Why a trace is refused.

use protocol::host::Text;

use super::checks::NAME_MOST;
use super::read::{BYTES_MOST, LINE_MOST, LINES_MOST};
use super::{FORMAT, Part};
use crate::kernel::Micros;
use crate::plan::PlanError;
use crate::printable::brief;

/// Why a trace cannot be used: always a fault of the file.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct TraceError {
    /// Which line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub kind: TraceErrorKind,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceErrorKind {
    /// It could not be read at all.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// There is no line.
    #[error("expected the header of a trace, and the file is empty")]
    Empty,
    /// It is longer than any line of a trace.
    #[error("is longer than {LINE_MOST} bytes")]
    TooLong,
    /// There are more lines than any trace has.
    #[error("is past the {LINES_MOST} lines that are read")]
    TooMany,
    /// The whole is longer than any trace.
    #[error("is past the {BYTES_MOST} bytes that are read")]
    TooLarge,
    /// It begins with a byte order mark, which no JSON does.
    #[error("begins with a byte order mark: save the file without one")]
    ByteOrderMark,
    /// It is not text.
    #[error("is not UTF-8: {0}")]
    NotText(#[from] std::str::Utf8Error),
    /// It is not what it should be.
    #[error("{}{reason}", if field == "." { String::new() } else { format!("at {field}: ") })]
    Field {
        /// The path of the field; `.` is the whole line, which is not told.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It begins another trace.
    #[error("is a second header: a file holds one trace")]
    SecondHeader,
    /// It is of another version.
    #[error("is of format {found}; this drydock reads formats 1 to {FORMAT}: {}", why(*found))]
    Format {
        /// The version.
        found: u64,
    },
    /// It is of another world.
    #[error(
        "is of the world `{}`, which this drydock does not have; it has: {has}",
        brief(found)
    )]
    World {
        /// The world.
        found: Text,
        /// Those that there are.
        has: String,
    },
    /// The plan that it begins cannot be run.
    #[error("{0}")]
    Plan(#[from] PlanError),
    /// It names what this drydock does not have.
    #[error("at {field}: there is no {what} `{found}`; {known}")]
    Unknown {
        /// The path of the field.
        field: String,
        /// The kind of thing.
        what: &'static str,
        /// What was named.
        found: String,
        /// What was probably meant, and what there is.
        known: String,
    },
    /// An expectation names a mark that no run could pass.
    #[error("at expect.*.marks: {reason}")]
    Mark {
        /// What is wrong with it, and what there is.
        reason: String,
    },
    /// An item would never have its turn.
    #[error("at item.at: {at} is after the plan's time, which lasts {lasts}: it would never happen")]
    TooLate {
        /// When it would be.
        at: Micros,
        /// For how long plans act.
        lasts: Micros,
    },
    /// A name that is printed holds what would not stay on its line.
    #[error("at {field}: `{}` holds control characters", brief(found))]
    ControlCharacters {
        /// The path of the field.
        field: &'static str,
        /// What was named.
        found: Text,
    },
    /// A name that is printed is longer than any is.
    #[error("at {field}: `{}` is longer than {NAME_MOST} characters", brief(found))]
    LongName {
        /// The path of the field.
        field: &'static str,
        /// What was named.
        found: Text,
    },
    /// One choice is fixed twice.
    #[error("at fixed.key: {0} is there twice")]
    FixedTwice(Part),
    /// A certificate is about what is not there, or not there yet.
    #[error("at certificate.of: no line before this one has {0}")]
    OfNothing(Part),
    /// Two certificates are about one thing.
    #[error("at certificate.of: {0} has a certificate already")]
    CertifiedTwice(Part),
    /// The header does not say whose runs a certificate is about.
    #[error("at certificate: the header says of no variant that the trace was shrunk under it")]
    NotShrunk,
    /// Two items bear one number.
    #[error("item {0} is there twice: items are known by their numbers")]
    Twice(u32),
}

/// Why a trace of another format is not read.
fn why(format: u64) -> &'static str {
    if format > u64::from(FORMAT) {
        "a later drydock has written it, and it may say what this one would not do"
    } else {
        "no drydock has ever written such a trace"
    }
}
