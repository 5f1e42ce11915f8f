//! When two violations are one finding.

use std::collections::BTreeSet;

use protocol::host::Text;

use super::Violation;

/// What makes violations of many seeds one finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The invariant's id.
    pub invariant: Text,
    /// The roles that it concerns: the namespaces of objects, and `front`.
    pub roles: BTreeSet<Text>,
    /// What the detail says, apart from its values: how it came to be violated, where a check tells several ways apart.
    /// Of a panic, its place.
    pub class: Text,
}

impl Identity {
    /// The identity of a violation.
    #[must_use]
    pub fn of(violation: &Violation) -> Self {
        let role = |who: &Text| Text::new(who.split(['/', ' ']).next().unwrap_or_default());
        Identity {
            invariant: violation.invariant.clone(),
            roles: violation.concerns.iter().map(role).collect(),
            class: if violation.invariant == "PANIC" {
                Text::new(violation.detail.split(": ").next().unwrap_or_default())
            } else {
                class(&violation.detail)
            },
        }
    }
}

/// The first clause of a detail, with `#` for each number and each name that holds one, and `…` for what is quoted.
fn class(detail: &str) -> Text {
    let clause = detail.split(';').next().unwrap_or_default();
    let unquoted = clause
        .split('`')
        .enumerate()
        .map(|(nth, part)| if nth % 2 == 0 { part } else { "…" })
        .collect::<String>();
    let words = unquoted.split(' ').map(|word| {
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            "#"
        } else {
            word
        }
    });
    Text::from(words.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(invariant: &'static str, concerns: &[&'static str], detail: &'static str) -> Identity {
        Identity::of(&Violation {
            invariant: Text::new_static(invariant),
            concerns: concerns.iter().map(|who| Text::new_static(who)).collect(),
            detail: Text::new_static(detail),
        })
    }

    #[test]
    fn values_and_names_make_no_difference() {
        assert_eq!(
            identity(
                "DM-1",
                &["follower/main#f1"],
                "follower/main#f1 stood at 12 and now at 9"
            ),
            identity(
                "DM-1",
                &["follower/main#f3"],
                "follower/main#f3 stood at 3 and now at 1"
            ),
        );
        assert_eq!(
            identity(
                "DM-4",
                &["counter/main"],
                "records 1 and 2 both are `t1`; and more"
            ),
            identity("DM-4", &["counter/other"], "records 7 and 9 both are `a token`"),
        );
    }

    #[test]
    fn roles_and_ways_do() {
        let one = identity("LR-9", &["lane/main#1"], "it is VERIFIED at 7");
        assert_ne!(one, identity("LR-9", &["lane/main#1"], "it is COPYING at 7"));
        assert_ne!(one, identity("LR-9", &["front 0"], "it is VERIFIED at 7"));
        assert_ne!(one, identity("LR-8", &["lane/main#1"], "it is VERIFIED at 7"));
    }

    #[test]
    fn a_panic_is_known_by_its_place() {
        let at = |detail| identity("PANIC", &[], detail);
        assert_eq!(
            at("protocol/src/a.rs:7: index 3"),
            at("protocol/src/a.rs:7: index 4")
        );
        assert_ne!(
            at("protocol/src/a.rs:7: index 3"),
            at("protocol/src/a.rs:8: index 3")
        );
    }
}
