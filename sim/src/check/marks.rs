//! Marks: named places that a run has passed.

use std::collections::BTreeMap;

use crate::kernel::{Observed, Observer, What};

/// How often each mark was passed. A mark is `await LABEL`, `note LABEL`, `fault KIND` or
/// `subject INVARIANT`, which counts how often that invariant had something to judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    awaits: BTreeMap<&'static str, u64>,
    notes: BTreeMap<&'static str, u64>,
    faults: BTreeMap<&'static str, u64>,
    subjects: BTreeMap<&'static str, u64>,
}

impl Marks {
    /// All marks that were passed, with how often.
    pub fn iter(&self) -> impl Iterator<Item = (String, u64)> {
        let named = |kind: &'static str, counts: &BTreeMap<&'static str, u64>| {
            counts
                .iter()
                .map(|(name, count)| (format!("{kind} {name}"), *count))
                .collect::<Vec<_>>()
        };
        let all = [
            named("await", &self.awaits),
            named("note", &self.notes),
            named("fault", &self.faults),
            named("subject", &self.subjects),
        ];
        all.into_iter().flatten()
    }

    /// How often a mark was passed.
    #[must_use]
    pub fn count(&self, mark: &str) -> u64 {
        let Some((kind, name)) = mark.split_once(' ') else {
            return 0;
        };
        let counts = match kind {
            "await" => &self.awaits,
            "note" => &self.notes,
            "fault" => &self.faults,
            "subject" => &self.subjects,
            _ => return 0,
        };
        counts.get(name).copied().unwrap_or(0)
    }

    /// Counts what another run has passed too.
    pub fn add(&mut self, other: &Marks) {
        for (all, more) in [
            (&mut self.awaits, &other.awaits),
            (&mut self.notes, &other.notes),
            (&mut self.faults, &other.faults),
            (&mut self.subjects, &other.subjects),
        ] {
            for (name, count) in more {
                *all.entry(name).or_default() += count;
            }
        }
    }

    /// The same marks, and what the invariants had to judge. One that had nothing is no mark.
    #[must_use]
    pub fn with_subjects(self, mut subjects: BTreeMap<&'static str, u64>) -> Self {
        subjects.retain(|_, count| *count > 0);
        Marks { subjects, ..self }
    }
}

impl Observer for Marks {
    fn observe(&mut self, seen: &Observed<'_>) {
        let counter = match seen.what {
            What::Called { label, .. } | What::Began { label, .. } => self.awaits.entry(label.0),
            What::Noted { note, .. } => self.notes.entry(note.label.0),
            What::Fault { kind } => self.faults.entry(kind.name()),
            _ => return,
        };
        *counter.or_default() += 1;
    }
}
