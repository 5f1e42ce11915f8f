//! LR-2. What a lane could have read of the log stays as it is.
//!
//! A record can be read once its commit is durable. A crash takes away only what was not, so records may vanish with an
//! incarnation and with nothing else. The primary never truncates its log (`lanes.md` 2).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::{Truth, Turn};

/// A record is not there any more.
const GONE: Class = Class("gone");
/// A record says something else than it did.
const CHANGED: Class = Class("changed");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-2",
        statement: "a record that a lane could have read never changes or disappears",
        classes: &[GONE, CHANGED],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check), Stand::Rest(rest)],
};

fn check(_: &mut Truth, turn: &Turn) -> Judgement {
    if turn.after.log == turn.before.log || turn.is_reset() {
        return Judgement::NoSubject;
    }
    let lost = turn
        .before
        .log
        .iter()
        .find(|(generation, record)| turn.after.log.get(*generation) != Some(record));
    match lost {
        None => Judgement::Holds,
        Some((generation, before)) => {
            let (class, detail, after) = match turn.after.log.get(generation) {
                None => (GONE, format!("record {generation} is gone"), "nothing".to_owned()),
                Some(after) => (
                    CHANGED,
                    format!("record {generation} was {before:?} and is {after:?}"),
                    format!("{after:?}"),
                ),
            };
            let was = (format!("record {generation} was"), format!("{before:?}"));
            Judgement::broken(Breach::new(class, detail).between(was, ("it is", after)))
        }
    }
}

/// Between two seals only the newest records are read again; at rest all of them are.
fn rest(truth: &mut Truth) -> Judgement {
    let Some(read) = truth.at_rest.as_ref().filter(|read| !read.log.is_empty()) else {
        return Judgement::NoSubject;
    };
    let lost = truth.primary.log.iter().find(|(generation, record)| read.log.get(*generation) != Some(record));
    match lost {
        None => Judgement::Holds,
        Some((generation, _)) => {
            let class = if read.log.contains_key(generation) { CHANGED } else { GONE };
            Judgement::broken(Breach::new(
                class,
                format!("record {generation} is not what it was when it was sealed"),
            )
            .concerning(truth.named(0)))
        }
    }
}
