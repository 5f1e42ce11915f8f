//! Failures that are known: a file of those that a sweep may show without failing, each with a reason, an owner, and a day
//! until which that holds.

use std::collections::BTreeSet;
use std::fmt;

use protocol::host::Text;
use serde::{Deserialize, Deserializer, Serialize};

use crate::check::{Identity, NotKnown, Pattern};
use crate::scenario::{ScenarioError, Source, unknown};
use crate::world::{World, vocabulary};

/// A failure that is known.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Known {
    /// The invariant that is violated.
    pub invariant: Text,
    /// The roles that it concerns; any where the file does not say.
    pub roles: Option<BTreeSet<Text>>,
    /// The way it comes about; any where the file does not say.
    pub class: Option<Text>,
    /// Why it may be for now.
    pub reason: Text,
    /// Who mends it.
    pub owner: Text,
    /// The last day on which it may be.
    pub expires: Date,
}

impl Known {
    /// Whether a failure is this one.
    #[must_use]
    pub fn covers(&self, identity: &Identity) -> bool {
        self.pattern().covers(identity)
    }

    /// Which failures it means.
    #[must_use]
    pub fn pattern(&self) -> Pattern {
        Pattern {
            invariant: self.invariant.clone(),
            roles: self.roles.clone(),
            class: self.class.clone(),
        }
    }
}

/// A failure as the file has it, to be pasted there: known for this day, by nobody yet.
#[must_use]
pub fn entry(identity: &Identity, reason: &str, expires: Date) -> String {
    let entry = Entry {
        failure: [Pasted {
            invariant: &identity.invariant,
            roles: &identity.roles,
            class: &identity.class,
            reason,
            owner: NOBODY,
            expires: expires.to_string(),
        }],
    };
    toml::to_string(&entry).expect("texts can be written")
}

/// Who owns what nobody has taken on.
const NOBODY: &str = "nobody yet";

#[derive(Serialize)]
struct Entry<'a> {
    failure: [Pasted<'a>; 1],
}

#[derive(Serialize)]
struct Pasted<'a> {
    invariant: &'a str,
    roles: &'a BTreeSet<Text>,
    class: &'a str,
    reason: &'a str,
    owner: &'a str,
    expires: String,
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// A text that is no day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no day: expected one as 2027-01-31")]
pub struct NoDate(String);

impl std::str::FromStr for Date {
    type Err = NoDate;

    fn from_str(text: &str) -> Result<Self, NoDate> {
        let no_date = || NoDate(text.escape_debug().to_string());
        let is_form = |(at, byte): (usize, u8)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        if text.len() != 10 || !text.bytes().enumerate().all(is_form) {
            return Err(no_date());
        }
        let number = |from: usize, to: usize| text[from..to].parse::<u16>().ok();
        let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
            return Err(no_date());
        };
        let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            2 => 28 + u16::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return Err(no_date()),
        };
        if !(1..=days).contains(&day) {
            return Err(no_date());
        }
        let small = |number: u16| u8::try_from(number).map_err(|_| no_date());
        Ok(Date {
            year,
            month: small(month)?,
            day: small(day)?,
        })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    #[serde(default)]
    failure: Vec<Known>,
}

/// Reads a file of known failures of a world.
///
/// # Errors
/// [`ScenarioError`] with the first line that says what cannot be.
pub fn read<W: World>(source: &Source) -> Result<Vec<Known>, ScenarioError> {
    let File { failure } = source.parse()?;
    for (nth, known) in failure.iter().enumerate() {
        let at = nth.to_string();
        let refuse = |field: &str, reason: &str| source.refuse(&["failure", &at, field], reason);
        vocabulary::<W>().check(&known.pattern()).map_err(|not_known| {
            let NotKnown {
                field,
                what,
                found,
                known,
            } = not_known;
            let reason = unknown(what, &found, known);
            refuse(field, &format!("at failure.{field}: {reason}"))
        })?;
        for (field, text) in [("reason", &known.reason), ("owner", &known.owner)] {
            if text.trim().is_empty() || text.chars().any(char::is_control) {
                return Err(refuse(field, &format!("{field} is empty, or not on one line")));
            }
        }
        if failure[..nth].iter().any(|earlier| same(earlier, known)) {
            return Err(refuse("invariant", "this failure is there twice"));
        }
    }
    Ok(failure)
}

fn same(one: &Known, other: &Known) -> bool {
    (&one.invariant, &one.roles, &one.class) == (&other.invariant, &other.roles, &other.class)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::demonstration::DemonstrationWorld;

    const ONE: &str = r#"
[[failure]]
invariant = "DM-2"
reason = "the document says so"
owner = "sites"
expires = "2027-01-31"
"#;

    fn told(text: &str) -> Result<Vec<Known>, String> {
        let source = Source::of("known.toml", text);
        read::<DemonstrationWorld>(&source).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_says_what_is_known() {
        let known = told(ONE).expect("it is well formed");
        assert_eq!(known.len(), 1);
        assert_eq!(known[0].expires.to_string(), "2027-01-31");
        let identity = |invariant: &'static str| Identity {
            invariant: invariant.into(),
            roles: BTreeSet::from(["counter".into()]),
            class: "other-sum".into(),
        };
        assert!(known[0].covers(&identity("DM-2")));
        assert!(!known[0].covers(&identity("DM-1")));
        let narrow = told(&format!("{ONE}roles = [\"follower\"]\n")).expect("it is well formed");
        assert!(!narrow[0].covers(&identity("DM-2")), "it is of other roles");
        assert_eq!(told(""), Ok(Vec::new()));
    }

    #[test]
    fn an_entry_to_paste_is_read_as_what_was_found() {
        let identity = Identity {
            invariant: "DM-2".into(),
            roles: BTreeSet::from(["counter".into(), "follower".into()]),
            class: "other-sum".into(),
        };
        let day = "2027-01-31".parse().expect("a day");
        let known = told(&entry(&identity, "seed 7 says \"no\"", day)).expect("it can be pasted");
        assert!(known[0].covers(&identity));
        assert_eq!(known[0].pattern(), Pattern::from(&identity));
        assert_eq!((known[0].owner.as_str(), known[0].expires), (NOBODY, day));
    }

    #[test]
    fn what_is_malformed_is_refused_by_line_and_field() {
        let with = |before: &str, after: &str| {
            assert!(ONE.contains(before));
            told(&ONE.replacen(before, after, 1)).expect_err("it is malformed")
        };
        let cases = [
            (with("owner", "ownr"), "known.toml:5: ", "did you mean `owner`?"),
            (
                with("DM-2", "DM-22"),
                "known.toml:3: at failure.invariant: there is no invariant `DM-22`",
                "did you mean `DM-2`?",
            ),
            (
                with("2027-01-31", "2027-02-30"),
                "known.toml:6: ",
                "`2027-02-30` is no day: expected one as 2027-01-31",
            ),
            (with("2027-01-31", "soon"), "known.toml:6: ", "`soon` is no day"),
            (with("\"sites\"", "\" \""), "known.toml:5: ", "owner is empty"),
            (with("owner = \"sites\"\n", ""), "known.toml:2: ", "owner"),
            (
                with("owner", "roles = [\"folower\"]\nowner"),
                "known.toml:5: at failure.roles: there is no role `folower`",
                "did you mean `follower`?",
            ),
            (
                with("owner", "class = \"other-some\"\nowner"),
                "known.toml:5: at failure.class: there is no class `other-some`",
                "did you mean `other-sum`?",
            ),
            (
                with("[[failure]]", "[[failures]]"),
                "known.toml:2: ",
                "did you mean `failure`?",
            ),
        ];
        for (error, place, part) in cases {
            assert!(
                error.starts_with(place) && error.contains(part),
                "expected {place}…{part} in {error}"
            );
        }
        let twice = told(&format!("{ONE}{ONE}")).expect_err("it is there twice");
        assert!(
            twice.starts_with("known.toml:9: this failure is there twice"),
            "{twice}"
        );
    }

    #[test]
    fn days_are_days() {
        let parse = |text: &str| text.parse::<Date>();
        assert!(parse("2028-02-29").is_ok());
        for no_day in [
            "2027-02-29",
            "2100-02-29",
            "2027-13-01",
            "2027-00-01",
            "2027-01-00",
            "2027-1-1",
            "2027-01-011",
            "２０２７-01-01",
        ] {
            assert!(parse(no_day).is_err(), "{no_day}");
        }
        assert!(parse("2027-01-31").expect("a day") < parse("2027-02-01").expect("a day"));
    }
}
