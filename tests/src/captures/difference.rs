//! Where this reading of the contract and the one that comes with the streams part.

use std::collections::BTreeSet;

use super::reading::{Definitions, Entries, Lens, Qualifier, Reading, Sweeps, read};
use super::{Captures, Entry, Stream};

/// One way in which the other reading differs, and why this one stands.
pub struct Explanation {
    /// Names it in the table.
    pub letter: char,
    /// What differs, and what decides.
    pub text: &'static str,
    /// This reading, changed in that way; none when only a name is written otherwise.
    lens: Option<Lens>,
}

/// All of them.
pub const EXPLANATIONS: [Explanation; 5] = [
    Explanation {
        letter: 'A',
        text: "the application writes `main.` before the name of an index, and the streams have it stripped. The index was \
               made before that, so `main.` is what `CREATE INDEX` writes there: no table of a lane, and no truth. Here \
               an index of a cache counts as local, and one whose name looks like a field's as truth.",
        lens: Some(Lens {
            qualifier: Qualifier::Restored,
            ..Lens::CONTRACT
        }),
    },
    Explanation {
        letter: 'B',
        text: "the index forwards definitions like any other write. By section 18 the driver sends one that is outside of \
               a transaction by itself, and there the guard refuses it (vector `guardCall`: \"exec authoritative, \
               collector\").",
        lens: Some(Lens {
            definitions: Definitions::Forwarded,
            ..Lens::CONTRACT
        }),
    },
    Explanation {
        letter: 'C',
        text: "the index takes a sweep of expired rows for one also when its bound is a name. The contract wants the \
               question mark itself (vector `expiryGcTable`: `timestamp < :ts` is none), so the application's own sweeps \
               are forwarded.",
        lens: Some(Lens {
            sweeps: Sweeps::Bound,
            ..Lens::CONTRACT
        }),
    },
    Explanation {
        letter: 'D',
        text: "the index learns the collection of an update or a delete in `key_value` from its conditions. By the \
               contract only an insert tells (vector `keyValueTarget`: \"DELETE refuses\"), so those are refused.",
        lens: Some(Lens {
            entries: Entries::OfConditions,
            ..Lens::CONTRACT
        }),
    },
    Explanation {
        letter: 'E',
        text: "the index writes a reason's collection only where it is `state`, and cuts a name at its dot. The vectors \
               have `key_value:form` (`planForward`) and `main.cache_x` (`writeTargetTable`).",
        lens: None,
    },
];

/// All of them together: the lens under which the two must agree in everything.
const INDEX: Lens = Lens {
    qualifier: Qualifier::Restored,
    definitions: Definitions::Forwarded,
    sweeps: Sweeps::Bound,
    entries: Entries::OfConditions,
};

/// Which explanations a request needs; none when the readings agree as they are.
///
/// # Errors
/// What no explanation covers: the readings differ with all of them taken into account, or differ without that any of
/// them changes anything.
pub fn explanations(captures: &Captures, stream: &Stream, reading: &Reading) -> Result<Vec<char>, String> {
    let unexplained = difference(&stream.entry, &read(captures, stream, INDEX)?, as_named_there);
    if !unexplained.is_empty() {
        return Err(unexplained.join("\n"));
    }
    let differs = difference(&stream.entry, reading, str::to_owned);
    if differs.is_empty() {
        return Ok(Vec::new());
    }
    let mut letters = Vec::new();
    for explanation in &EXPLANATIONS {
        let changes = match explanation.lens {
            Some(lens) => read(captures, stream, lens)? != *reading,
            None => reading
                .refused_by_primary
                .iter()
                .any(|origin| as_named_there(origin) != *origin),
        };
        if changes {
            letters.push(explanation.letter);
        }
    }
    if letters.is_empty() {
        Err(differs.join("\n"))
    } else {
        Ok(letters)
    }
}

/// What differs; nothing when they agree.
fn difference(entry: &Entry, reading: &Reading, name: fn(&str) -> String) -> Vec<String> {
    let theirs = &entry.if_run_on_a_lane;
    let set = |items: &mut dyn Iterator<Item = String>| {
        let items: BTreeSet<String> = items.collect();
        items.into_iter().collect::<Vec<_>>().join(", ")
    };
    let pairs = [
        (
            "forwarded",
            reading.forwarded.to_string(),
            theirs.statements_to_forward.to_string(),
        ),
        (
            "minted",
            set(&mut reading.minted.iter().cloned()),
            set(&mut theirs.minted_tables.iter().cloned()),
        ),
        (
            "refused",
            set(&mut reading.refused_by_primary.iter().map(|origin| name(origin))),
            set(&mut theirs.refused_because_of.iter().cloned()),
        ),
        (
            "logged",
            reading.logged.to_string(),
            entry.statements_the_primary_would_log.to_string(),
        ),
    ];
    pairs
        .into_iter()
        .filter(|(_, ours, theirs)| ours != theirs)
        .map(|(what, ours, theirs)| format!("{what}: {ours}; by the index {theirs}"))
        .collect()
}

/// The index's names of origins: cut at a dot, and with the collection only where it is `state`.
fn as_named_there(origin: &str) -> String {
    match origin.split_once(':') {
        Some((table @ ("key_value" | "key_value_expire"), collection)) if collection != "state" => {
            table.to_owned()
        }
        _ => origin.split('.').next().unwrap_or(origin).to_owned(),
    }
}
