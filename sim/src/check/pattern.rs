//! What is said of an identity by whoever expects a failure or knows of one.

use std::collections::BTreeSet;
use std::fmt;

use protocol::host::Text;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{GENERAL, Identity, Invariant};

/// Which failures are meant: those of one invariant, or of them only some. As an invariant's id alone, or as all three.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// The invariant's id.
    pub invariant: Text,
    /// The roles that it concerns; any where nothing is said.
    pub roles: Option<BTreeSet<Text>>,
    /// The way in which it is violated, with its place; any where nothing is said.
    pub class: Option<Text>,
}

impl Pattern {
    /// Any failure of this invariant.
    #[must_use]
    pub fn any(invariant: impl Into<Text>) -> Self {
        Pattern {
            invariant: invariant.into(),
            roles: None,
            class: None,
        }
    }

    /// Whether a failure is one of them.
    #[must_use]
    pub fn covers(&self, identity: &Identity) -> bool {
        self.invariant == identity.invariant
            && self.roles.as_ref().is_none_or(|roles| *roles == identity.roles)
            && self.class.as_ref().is_none_or(|class| *class == identity.class)
    }
}

impl From<&Identity> for Pattern {
    fn from(identity: &Identity) -> Self {
        Pattern {
            invariant: identity.invariant.clone(),
            roles: Some(identity.roles.clone()),
            class: Some(identity.class.clone()),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.invariant)?;
        if let Some(class) = &self.class {
            write!(f, " {class}")?;
        }
        match &self.roles {
            Some(roles) if !roles.is_empty() => {
                let roles: Vec<&str> = roles.iter().map(Text::as_str).collect();
                write!(f, " of {}", roles.join(" and "))
            }
            _ => Ok(()),
        }
    }
}

/// A pattern that says more than the invariant.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    invariant: Text,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    roles: Option<BTreeSet<Text>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class: Option<Text>,
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Pattern {
            invariant,
            roles,
            class,
        } = self.clone();
        if roles.is_none() && class.is_none() {
            return invariant.serialize(to);
        }
        let whole = Whole {
            invariant,
            roles,
            class,
        };
        whole.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Either)
    }
}

/// Reads a pattern as it stands: a text is the invariant's id.
struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = Pattern;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an invariant's id, or an object of invariant, roles and class")
    }

    fn visit_str<E>(self, id: &str) -> Result<Pattern, E> {
        Ok(Pattern::any(Text::new(id)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Pattern, A::Error> {
        let Whole {
            invariant,
            roles,
            class,
        } = Whole::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Pattern {
            invariant,
            roles,
            class,
        })
    }
}

/// The names that a world has for identities: what else a file names cannot be.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// Its invariants.
    pub invariants: &'static [Invariant],
    /// Its roles.
    pub roles: &'static [&'static str],
}

/// A name that a world does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotKnown {
    /// Which field says it: `invariant`, `roles` or `class`.
    pub field: &'static str,
    /// What it is: an invariant, a role, a class.
    pub what: &'static str,
    /// What was named.
    pub found: Text,
    /// What there is.
    pub known: Vec<&'static str>,
}

impl Vocabulary {
    /// Whether all that is named is there.
    ///
    /// # Errors
    /// The first name that is not.
    pub fn check(&self, pattern: &Pattern) -> Result<(), NotKnown> {
        let all = || self.invariants.iter().chain(&GENERAL);
        let not_known = |field, what, found: &Text, known: Vec<&'static str>| {
            Err(NotKnown {
                field,
                what,
                found: found.clone(),
                known,
            })
        };
        let Some(invariant) = all().find(|invariant| invariant.id == pattern.invariant) else {
            let ids = all().map(|invariant| invariant.id).collect();
            return not_known("invariant", "invariant", &pattern.invariant, ids);
        };
        let mut roles = pattern.roles.iter().flatten();
        if let Some(role) = roles.find(|role| !self.roles.contains(&role.as_str())) {
            return not_known("roles", "role", role, self.roles.to_vec());
        }
        match &pattern.class {
            Some(class) if !invariant.classes.iter().any(|known| known.is_of(class)) => {
                let known = invariant.classes.iter().map(|class| class.0).collect();
                not_known("class", "class", class, known)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{NO_END, RUNAWAY};

    const WORDS: Vocabulary = Vocabulary {
        invariants: &[],
        roles: &["lane"],
    };

    fn read(text: &str) -> Pattern {
        serde_json::from_str(text).expect("it is a pattern")
    }

    #[test]
    fn an_id_alone_means_any_failure_of_it() {
        let pattern = read(r#""RUNAWAY""#);
        assert_eq!(pattern, Pattern::any("RUNAWAY"));
        assert_eq!(
            serde_json::to_string(&pattern).expect("it is written"),
            r#""RUNAWAY""#
        );
    }

    #[test]
    fn a_whole_identity_means_itself() {
        let identity = Identity {
            invariant: RUNAWAY.id.into(),
            roles: BTreeSet::from(["lane".into()]),
            class: NO_END.0.into(),
        };
        let pattern = Pattern::from(&identity);
        assert!(pattern.covers(&identity));
        let other = Identity {
            roles: BTreeSet::new(),
            ..identity
        };
        assert!(!pattern.covers(&other), "another role is another failure");
        let written = serde_json::to_string(&pattern).expect("it is written");
        assert_eq!(read(&written), pattern);
        assert_eq!(pattern.to_string(), "RUNAWAY no-end of lane");
    }

    #[test]
    fn what_a_world_does_not_have_is_named() {
        let wrong = |text: &str| WORDS.check(&read(text)).expect_err("it is not there").field;
        assert_eq!(wrong(r#""RUNAWAYS""#), "invariant");
        assert_eq!(wrong(r#"{"invariant":"RUNAWAY","roles":["line"]}"#), "roles");
        assert_eq!(wrong(r#"{"invariant":"RUNAWAY","class":"ends"}"#), "class");
        let right = read(r#"{"invariant":"PANIC","roles":["lane"],"class":"panics:a.rs:7"}"#);
        assert_eq!(WORDS.check(&right), Ok(()));
    }
}
