//! JavaScript numbers.
