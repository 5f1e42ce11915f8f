//! The inputs that a typed port cannot hold.
//!
//! Each stands here by name with its reason, and the run prints them. The suite fails when there are more than one in
//! a hundred, when a listed vector does not exist, and when one of them can be held after all.

/// `(file::vector name, why it cannot be held)`.
pub const UNHOLDABLE: &[(&str, &str)] = &[(
    "shouldFailover::status as text",
    "the status of a response is a number of three digits wherever one can be made",
)];

/// At most one in this many vectors may be listed.
pub const ONE_IN: usize = 100;
