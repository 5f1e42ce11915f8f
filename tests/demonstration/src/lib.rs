//! demonstration.
