//! What a run says at its end, beside passed and failed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// What was run without gating, by name.
#[derive(Default)]
pub struct Report {
    uncertain: Mutex<BTreeMap<String, String>>,
    unheld: Mutex<BTreeMap<String, String>>,
}

impl Report {
    /// An `uncertain` vector was run.
    pub fn uncertain(&self, name: &str, outcome: &str) {
        insert(&self.uncertain, name, outcome);
    }

    /// A vector's input cannot be held.
    pub fn unheld(&self, name: &str, why: &str) {
        insert(&self.unheld, name, why);
    }
}

fn insert(lines: &Mutex<BTreeMap<String, String>>, name: &str, line: &str) {
    let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    lines.insert(name.to_owned(), line.to_owned());
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, lines) in [
            ("uncertain vectors, run and not gating", &self.uncertain),
            ("inputs that a typed port cannot hold", &self.unheld),
        ] {
            let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            writeln!(f, "{title}: {}", lines.len())?;
            for (name, line) in lines.iter() {
                writeln!(f, "    {name}: {line}")?;
            }
        }
        Ok(())
    }
}
