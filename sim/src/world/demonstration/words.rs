//! The demonstration in words.

use demonstration::labels;
use protocol::host::Label;

use super::Operation;
use crate::printable::brief;
use crate::world::words::Phrase;

const PHRASES: [(Label, Phrase); 22] = [
    (
        labels::ADDS,
        Phrase::asks("waits for its turn", "its turn").routine(),
    ),
    (
        labels::DIGEST,
        Phrase::asks("digests a new record", "the digest is there"),
    ),
    (
        labels::NUDGE,
        Phrase::does("tells {to} that there is something to pull"),
    ),
    (
        labels::FIRST_NUDGE,
        Phrase::asks("tells {to} that it follows from now on", "that is answered"),
    ),
    (
        labels::PULL,
        Phrase::asks("asks {to} for the log", "the log comes"),
    ),
    (
        labels::FORWARD,
        Phrase::asks("hands the addition on to {to}", "{to} answers"),
    ),
    (
        labels::CONFIGURE,
        Phrase::asks("reads which counter it serves", "the configuration comes").routine(),
    ),
    (
        labels::LEARN,
        Phrase::asks("reads which followers there are", "KV answers").routine(),
    ),
    (
        labels::LEARN_NEARBY,
        Phrase::asks("looks for followers in the edge cache", "the cache answers").routine(),
    ),
    (
        labels::LISTEN,
        Phrase::asks("listens for followers at the broker", "a message comes").routine(),
    ),
    (
        labels::TELL,
        Phrase::does("tells KV which followers it has seen").routine(),
    ),
    (
        labels::TELL_NEARBY,
        Phrase::does("tells the edge cache which followers it has seen").routine(),
    ),
    (
        labels::PUBLISH,
        Phrase::does("tells the broker which followers it has seen").routine(),
    ),
    (labels::REACH, Phrase::asks("asks {to}", "{to} answers")),
    (
        labels::PAUSE,
        Phrase::asks("pauses after a failed call", "the pause is over").routine(),
    ),
    (
        labels::RETRY,
        Phrase::asks("asks {to} in another try", "{to} answers"),
    ),
    (labels::REFUSED, Phrase::does("refuses the addition: {detail}")),
    (
        labels::REPEATED,
        Phrase::does("knows the token, and answers as before: {detail}"),
    ),
    (labels::SEALED, Phrase::does("seals record {detail}")),
    (labels::LEFT_OUT, Phrase::does("leaves a record out: {detail}")),
    (labels::APPLIED, Phrase::does("applies records up to {detail}")),
    (labels::ROUTED, Phrase::does("chooses {detail}").routine()),
];

/// What is said of a place.
pub(super) fn phrase(label: Label) -> Option<Phrase> {
    let found = PHRASES.iter().find(|(of, _)| *of == label);
    found.map(|(_, phrase)| *phrase)
}

/// The roles that violations tell apart.
pub(super) const ROLES: [&str; 4] = ["counter", "follower", "front", "client"];

/// The role of a party, or of a client.
pub(super) fn role(who: &str) -> &'static str {
    let begin = who.split(['/', ' ']).next().unwrap_or_default();
    let found = ROLES.into_iter().find(|role| *role == begin);
    found.unwrap_or("client")
}

/// A party, in words.
pub(super) fn party(who: &str) -> String {
    match who.split_once('/') {
        Some(("counter", _)) => "the counter".to_owned(),
        Some(("follower", name)) => match name.rsplit_once("#f") {
            Some((_, number)) => format!("follower {number}"),
            None => who.to_owned(),
        },
        _ => who.to_owned(),
    }
}

/// Who acts, and what they do, in words.
pub(super) fn operation(operation: &Operation) -> (&'static str, String) {
    let through = |follower: &Option<u32>| {
        follower.map_or_else(String::new, |follower| format!(" through follower {follower}"))
    };
    match operation {
        Operation::Add {
            front,
            follower,
            by,
            token,
        } => (
            "client",
            format!(
                "adds {by}{}, as `{}`, at front {front}",
                through(follower),
                brief(token)
            ),
        ),
        Operation::Read { front, follower } => (
            "client",
            format!("reads the value{}, at front {front}", through(follower)),
        ),
        Operation::Follow { front, follower } => (
            "operator",
            format!("lets follower {follower} follow, at front {front}"),
        ),
        Operation::Nudge { follower } => ("operator", format!("nudges follower {follower}")),
        Operation::ResetCounter { front } => ("operator", format!("resets the counter, at front {front}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_label_has_one_phrase() {
        for label in labels::ALL {
            assert!(phrase(label).is_some(), "`{}` has no phrase", label.0);
        }
        assert_eq!(PHRASES.len(), labels::ALL.len());
    }

    #[test]
    fn parties_have_words() {
        assert_eq!(party("counter/main"), "the counter");
        assert_eq!(party("follower/main#f2"), "follower 2");
        assert_eq!(party("front 1"), "front 1");
    }

    #[test]
    fn parties_have_roles() {
        let roles = ["counter/main", "follower/main#f2", "front 1", "client"].map(role);
        assert_eq!(roles, ROLES);
    }
}
