//! When two violations are one finding.

use std::collections::BTreeSet;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use super::Violation;

/// What makes violations of many seeds one finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// The first clause of a detail, with `#` for each word that holds a digit, and `…` for what is quoted or in parentheses:
/// numbers, names of objects, rows.
fn class(detail: &str) -> Text {
    // Quotes first: what is quoted can hold the other marks.
    let plain = without_between(&without_between(detail, "`\"", "`\""), "(", ")");
    let clause = plain.split(';').next().unwrap_or_default();
    let words = clause.split(' ').map(|word| {
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            "#"
        } else {
            word
        }
    });
    Text::from(words.collect::<Vec<_>>().join(" "))
}

/// A text with `…` for all that stands between one of the opening characters and the next of the closing ones.
fn without_between(text: &str, open: &str, close: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(|character| open.contains(character)) {
        plain += before;
        plain += "…";
        rest = inside
            .split_once(|character| close.contains(character))
            .map_or("", |(_, after)| after);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(invariant: &'static str, concerns: &[&'static str], detail: &'static str) -> Identity {
        Identity::of(&Violation {
            invariant: Text::new_static(invariant),
            concerns: concerns.iter().map(|who| Text::new_static(who)).collect(),
            detail: Text::new_static(detail),
            values: None,
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
    fn rows_make_none_and_tables_do() {
        let in_table = |detail| identity("LR-3", &["site/a"], detail);
        let one = in_table("record 5 on 3: in node, here (10, \"article\", \"a\"); there no other row");
        assert_eq!(
            one,
            in_table("record 9 on 7: in node, here (2, \"page\", \"b; c\"); there (2)")
        );
        assert_ne!(
            one,
            in_table("record 5 on 3: in router, here (10, \"article\", \"a\"); there")
        );
        assert_eq!(one.class, "record # on # in node, here …");
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
