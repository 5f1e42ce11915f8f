//! The story of a plan in a few words, and the name that a trace of it is kept under.

use crate::check::Identity;
use crate::kernel::Purpose;
use crate::plan::{Act, Fault, Plan};
use crate::world::{PlanOf, World};

/// How many words of an operation are told.
const WORDS_MOST: usize = 6;

/// How many parts of a story a name has.
const PARTS_MOST: usize = 4;

/// What a plan does, in order, each in a few words and without values: two traces of one failure that do the same are
/// one.
#[must_use]
pub fn story<W: World>(plan: &PlanOf<W>) -> Vec<String> {
    let mut items: Vec<_> = plan.items.iter().map(|item| (item.at, &item.act)).collect();
    // What is aimed at a call has no time of its own.
    items.sort_by_key(|(at, act)| match act {
        Act::Fault(Fault::Call { .. }) => (false, *at),
        _ => (true, *at),
    });
    let told = items.into_iter().map(|(_, act)| match act {
        Act::Operation(operation) => slug(&W::operation_in_words(operation, &plan.shape).1, WORDS_MOST),
        Act::Fault(fault) => kind::<W>(fault),
    });
    let mut story: Vec<String> = told.collect();
    // Which of two events of one instant comes first is no story.
    let fixed = plan.fixed.iter().map(|choice| choice.key.purpose);
    story.extend(
        fixed
            .filter(|purpose| *purpose != Purpose::Order)
            .map(|purpose| kind_of(&purpose)),
    );
    story
}

/// The name of a trace that shows this failure by this story.
#[must_use]
pub fn name(identity: &Identity, story: &[String]) -> String {
    let mut parts: Vec<&str> = story.iter().map(String::as_str).collect();
    parts.dedup();
    let more = parts.len() > PARTS_MOST;
    parts.truncate(PARTS_MOST);
    let mut name = slug(&identity.invariant, usize::MAX);
    for part in parts {
        name += "-";
        name += part;
    }
    if more {
        name += "-and-more";
    }
    name
}

/// The first clause of a text in lower case, words with hyphens between them, without numbers.
fn slug(text: &str, words_most: usize) -> String {
    let clause = if words_most == usize::MAX {
        text
    } else {
        text.split([',', ':', '(']).next().unwrap_or_default()
    };
    let words = clause.split(|character: char| !character.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    // An invariant's id is told with its number.
    let words =
        words.filter(|word| words_most == usize::MAX || !word.bytes().all(|byte| byte.is_ascii_digit()));
    let words: Vec<_> = words.take(words_most).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

/// What kind of fault it is, whom it strikes by role, and of what cause it is: another cause is another story.
fn kind<W: World>(fault: &Fault) -> String {
    let kind = kind_of(fault);
    match fault {
        Fault::Call { aim, fault } => format!("{}-at-{}", kind_of(fault), slug(&aim.label, WORDS_MOST)),
        Fault::Reset { object, cause } => format!("{kind}-{}-by-{}", W::role(object), kind_of(cause)),
        Fault::StorageError { object, error, .. } | Fault::Statement { object, error, .. } => {
            format!(
                "{kind}-{}-by-{}",
                W::role(object),
                kind_of(error).replace('_', "-")
            )
        }
        Fault::Evict { object }
        | Fault::Displace { object, .. }
        | Fault::CommitStall { object, .. }
        | Fault::CommitFailure { object }
        | Fault::Rewind { object, .. } => format!("{kind}-{}", W::role(object)),
        Fault::Partition { from, to, .. } | Fault::Clog { from, to, .. } | Fault::Clone { from, to } => {
            format!("{kind}-{}-and-{}", W::role(from), W::role(to))
        }
        // What version a number is, the variant says.
        Fault::Deploy { .. }
        | Fault::Cancel { .. }
        | Fault::KvOutage { .. }
        | Fault::BrokerRestart
        | Fault::Restart { .. } => kind,
    }
}

/// How files name a variant.
fn kind_of(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(kind)) => kind,
        Ok(serde_json::Value::Object(kinds)) => kinds.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Whether nothing can be taken out of a plan by itself, as far as these certificates tell.
#[must_use]
pub fn is_1_minimal<S, O>(plan: &Plan<S, O>, certificates: usize) -> bool {
    certificates == plan.items.len() + plan.fixed.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::read;
    use crate::world::demonstration::DemonstrationWorld;
    use crate::world::lanes::LanesWorld;

    fn named<W: World>(file: &str, invariant: &'static str) -> String {
        let trace = read::<W>(file.as_bytes()).expect("it is a trace");
        let identity = Identity {
            invariant: invariant.into(),
            roles: Default::default(),
            class: Default::default(),
        };
        name(&identity, &story::<W>(&trace.plan))
    }

    #[test]
    fn another_cause_is_another_story() {
        let race = include_str!("../../../traces/lanes/seal-in-one-turn.jsonl");
        let of = |file: &str| {
            let trace = read::<LanesWorld>(file.as_bytes()).expect("it is a trace");
            story::<LanesWorld>(&trace.plan)
        };
        let moved = race.replace("\"cause\":\"machine\"", "\"cause\":\"moved\"");
        assert_ne!(race, moved, "the trace has a machine fail");
        assert_ne!(of(race), of(&moved));
    }

    #[test]
    fn a_name_tells_the_invariant_and_the_story() {
        let race = include_str!("../../../traces/lanes/seal-in-one-turn.jsonl");
        assert_eq!(
            named::<LanesWorld>(race, "LR-4"),
            "lr-4-creates-a-node-reset-primary-by-machine"
        );
        let lost = include_str!("../../../traces/lanes/watch-the-copy.jsonl");
        assert_eq!(
            named::<LanesWorld>(lost, "LR-L2"),
            "lr-l2-lose-request-at-post-chunk-has-the-primary-begin-the-copy"
        );
        let late = include_str!("../../../traces/demonstration/older-answer-last.jsonl");
        assert_eq!(
            named::<DemonstrationWorld>(late, "DM-1"),
            "dm-1-delay-answer-at-pull-log-lets-follower-follow-adds"
        );
    }
}
