//! Plain tables.
