//! When two violations are one finding.

use std::collections::BTreeSet;
use std::fmt;

use protocol::host::Text;
use serde::{Deserialize, Serialize};

use super::Violation;

/// What makes violations of many seeds one finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The invariant's id.
    pub invariant: Text,
    /// The roles that it concerns, as the world tells them apart.
    pub roles: BTreeSet<Text>,
    /// The way in which it is violated, as its check declares it, with the place where there is one.
    pub class: Text,
}

impl Identity {
    /// The identity of a violation. What its text says is no part of it.
    #[must_use]
    pub fn of(violation: &Violation) -> Self {
        Identity {
            invariant: violation.invariant.clone(),
            roles: violation.roles.clone(),
            class: violation.class.clone(),
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roles: Vec<&str> = self.roles.iter().map(Text::as_str).collect();
        write!(f, "{} {}", self.invariant, self.class)?;
        if !roles.is_empty() {
            write!(f, " of {}", roles.join(" and "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Breach, Class, Invariant};

    const DIFFERS: Class = Class("differs");
    const GONE: Class = Class("gone");
    const INVARIANT: Invariant = Invariant {
        id: "X-1",
        statement: "it is there",
        classes: &[DIFFERS, GONE],
    };

    fn identity(who: &'static str, breach: Breach) -> Identity {
        let role = |who: &str| if who.contains('#') { "lane" } else { "primary" };
        Identity::of(&Violation::of(
            &INVARIANT,
            vec![Text::new_static(who)],
            breach,
            role,
        ))
    }

    #[test]
    fn words_and_names_make_no_difference() {
        assert_eq!(
            identity("site/a#1", Breach::new(DIFFERS, "lane 1 stood at 12").at("node")),
            identity("site/b#3", Breach::new(DIFFERS, "said otherwise").at("node")),
        );
    }

    #[test]
    fn roles_ways_and_places_do() {
        let one = identity("site/a#1", Breach::new(DIFFERS, "so").at("node"));
        assert_eq!(one.to_string(), "X-1 differs:node of lane");
        let others = [
            identity("site/a", Breach::new(DIFFERS, "so").at("node")),
            identity("site/a#1", Breach::new(GONE, "so").at("node")),
            identity("site/a#1", Breach::new(DIFFERS, "so").at("router")),
            identity("site/a#1", Breach::new(DIFFERS, "so")),
        ];
        for other in others {
            assert_ne!(one, other);
        }
    }

    #[test]
    #[should_panic(expected = "does not declare its class `lost`")]
    fn a_class_is_declared() {
        let _ = identity("site/a", Breach::new(Class("lost"), "so"));
    }
}
