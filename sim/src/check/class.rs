//! The ways in which an invariant is violated.

use std::fmt;

/// One way in which an invariant is violated. Its check declares it: it stays what it is, whatever the words say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class(pub &'static str);

impl Class {
    /// The class of an identity that this is, or is with a place: `differs` of `differs:node`.
    #[must_use]
    pub fn is_of(self, class: &str) -> bool {
        class.split(PLACE).next() == Some(self.0)
    }
}

/// What stands between a class and the place where a check tells several apart: a table, a stage, a line of code.
pub(super) const PLACE: char = ':';

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
