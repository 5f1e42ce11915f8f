//! SQLite in memory.
