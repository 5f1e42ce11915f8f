//! The catalogue says of each entry what becomes of it.

use std::collections::BTreeSet;

use super::{ABLATED, ABSENT, UNSEEN, all};
use crate::lanes::changes::CHANGES;

/// The entries of the sections that concern lanes or the platform.
const ENTRIES: &[&str] = &[
    "H1", "H3", "H5", "H7", "H9", "H11", "H13", "H15", "H17", "H21", "H23", "H25", "H27", "H29", "H31",
    "H33", "H35", "H37", "H39", "H41", "H42", "H43", "H45", "H47", "H49", "H51", "H53", "H55", "S1", "S3",
    "S5", "S7", "S9", "S11", "S13", "S15", "S17", "S19", "S21", "S23", "S25", "S27", "S29", "S31", "S33",
    "S35", "S37", "S39", "S41", "S43", "S45", "S47", "S49", "S51", "A01", "A03", "A05", "A07", "A09", "A11",
    "A13", "A15", "A17", "A19", "C01", "C03", "C05", "C07", "C09", "C11", "C13", "C15", "C17", "C19", "C21",
    "G01", "G03", "G05", "G07", "G09",
];

#[test]
fn each_entry_is_planted_or_says_why_it_is_not() {
    let planted = all().flat_map(|defect| defect.sources.iter().copied());
    let ablated = ABLATED.iter().map(|(entry, _)| *entry);
    let there: BTreeSet<&str> = planted.chain(ablated).collect();
    let absent: BTreeSet<&str> = ABSENT.iter().map(|(entry, _)| *entry).collect();
    let entries: BTreeSet<&str> = ENTRIES.iter().copied().collect();
    for entry in &entries {
        assert!(
            there.contains(entry) != absent.contains(entry),
            "{entry} is planted, or `ABSENT` says why it is not; and not both"
        );
    }
    for entry in there.union(&absent) {
        assert!(entries.contains(entry), "{entry} is no entry of the catalogue");
    }
}

#[test]
fn what_is_ablated_is_a_change() {
    for (entry, change) in ABLATED {
        assert!(
            CHANGES.iter().any(|known| known.name == *change),
            "{entry}: there is no change `{change}`"
        );
    }
}

#[test]
fn what_is_not_seen_is_a_change() {
    for (change, why) in UNSEEN {
        assert!(
            CHANGES.iter().any(|known| known.name == *change),
            "there is no change `{change}`, of which it says: {why}"
        );
    }
}

#[test]
fn a_defect_is_known_by_one_name() {
    let mut names = BTreeSet::new();
    for defect in all() {
        assert!(names.insert(defect.name), "{} is planted twice", defect.name);
        assert!(
            !defect.invariants.is_empty(),
            "{} says what catches it",
            defect.name
        );
        let plain = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(
            defect.name.chars().all(plain),
            "{} is a name for a command line",
            defect.name
        );
        assert!(
            !defect.name.starts_with("without-"),
            "{} is no change's",
            defect.name
        );
    }
}
