//! Where scenarios come from: those that are built in, and files of a user.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use protocol::host::Text;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::check::check;
use super::explain::explain;
use super::{Scenario, ScenarioError, unknown};

/// The files that are built in, by the path below the folder of scenarios.
macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$((
            $name,
            concat!("scenarios/", $name, ".toml"),
            include_str!(concat!("../../../scenarios/", $name, ".toml")),
        )),+]
    };
}

/// The scenarios that come with the tool: name, file, text. One row each, in the order in which they are listed and
/// swept.
const BUILT_IN: &[(&str, &str, &str)] = files![
    "lanes/calm",
    "lanes/chaos",
    "lanes/copy",
    "lanes/forward",
    "lanes/ids",
    "lanes/fence",
    "lanes/quiet",
    "lanes/overflow",
    "lanes/autoscale",
    "lanes/saturation",
    "lanes/pool256",
    "lanes/settings",
    "lanes/deploy",
    "lanes/crowd",
    "lanes/rewind",
    "lanes/level",
    "lanes/pages",
    "lanes/slow",
    "demonstration",
];

/// How a path is told from a name.
const ENDING: &str = ".toml";

/// A scenario file whose text has not been looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    name: Text,
    file: Text,
    text: Cow<'static, str>,
}

/// The part of a scenario that tells its world.
#[derive(Deserialize)]
struct AnyScenario {
    world: Text,
}

/// The names of the scenarios that come with the tool.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, ..)| *name)
}

/// All scenarios that come with the tool.
pub fn built_in() -> impl Iterator<Item = Source> {
    BUILT_IN.iter().map(|(name, file, text)| Source {
        name: Text::new_static(name),
        file: Text::new_static(file),
        text: Cow::Borrowed(*text),
    })
}

/// The scenario that a user means: a path that ends in `.toml`, the name of one that is built in, or the last part of
/// such a name where no other has it.
///
/// # Errors
/// [`ScenarioError`] where there is none, or more than one, or the file cannot be read.
pub fn find(named: &str) -> Result<Source, ScenarioError> {
    if named.ends_with(ENDING) {
        return Source::open(named);
    }
    if let Some(exactly) = built_in().find(|source| source.name == named) {
        return Ok(exactly);
    }
    let last_part = |source: &Source| source.name.rsplit('/').next() == Some(named);
    let mut alike: Vec<_> = built_in().filter(last_part).collect();
    if alike.len() > 1 {
        return Err(ScenarioError::Ambiguous {
            name: named.to_owned(),
            known: alike
                .iter()
                .map(|source| source.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        });
    }
    alike
        .pop()
        .ok_or_else(|| ScenarioError::Unknown(unknown("scenario", named, names())))
}

impl Source {
    /// Reads a file of a user. The scenario is called as the file is, without folder and ending.
    ///
    /// # Errors
    /// [`ScenarioError`] where it cannot be read.
    pub fn open(file: &str) -> Result<Self, ScenarioError> {
        let text = fs::read_to_string(file).map_err(|error| ScenarioError::Io {
            file: file.to_owned(),
            error,
        })?;
        let name = Path::new(file).file_stem().unwrap_or_default();
        Ok(Source {
            name: Text::from(name.to_string_lossy()),
            file: Text::new(file),
            text: Cow::Owned(text),
        })
    }

    /// A file of this text.
    #[cfg(test)]
    pub(crate) fn of(file: &str, text: &str) -> Self {
        Source {
            name: Text::new(file),
            file: Text::new(file),
            text: Cow::Owned(text.to_owned()),
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// What a user calls it on the command line: its file where it is not built in.
    #[must_use]
    pub fn named(&self) -> &Text {
        match self.text {
            Cow::Borrowed(_) => &self.name,
            Cow::Owned(_) => &self.file,
        }
    }

    /// The path of its file, for messages.
    #[must_use]
    pub fn file(&self) -> &Text {
        &self.file
    }

    /// Which world it is of.
    ///
    /// # Errors
    /// [`ScenarioError`] where it does not say so.
    pub fn world(&self) -> Result<Text, ScenarioError> {
        let AnyScenario { world } = self.parse()?;
        Ok(world)
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// [`ScenarioError`] with the first line that says what a generator does not understand, or what cannot be.
    pub fn read<Own: DeserializeOwned>(&self) -> Result<Scenario<Own>, ScenarioError> {
        let scenario = Scenario {
            name: self.name.clone(),
            ..self.parse::<Scenario<Own>>()?
        };
        check(&scenario, self)?;
        Ok(scenario)
    }

    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, ScenarioError> {
        let place = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
        let reader = toml::Deserializer::parse(&self.text)
            .map_err(|error| self.refuse_at(place(&error), error.message()))?;
        serde_path_to_error::deserialize(reader).map_err(|error| {
            let reason = explain(error.path(), error.inner().message());
            self.refuse_at(place(error.inner()), &reason)
        })
    }

    /// The error that refuses what stands at a path: keys, and indices of arrays as numbers. Where the file does not say
    /// it, the place is that of the table that should.
    #[must_use]
    pub fn refuse(&self, path: &[&str], reason: &str) -> ScenarioError {
        let prefixes = (1..=path.len()).rev().map(|length| &path[..length]);
        let byte = prefixes.into_iter().find_map(|prefix| self.byte_of(prefix));
        self.refuse_at(byte.unwrap_or(0), reason)
    }

    fn refuse_at(&self, byte: usize, reason: &str) -> ScenarioError {
        ScenarioError::File {
            file: self.file.to_string(),
            line: self.line_at(byte),
            reason: reason.to_owned(),
        }
    }

    /// The line, from 1, on which the value at a path stands; `None` where the file does not say it.
    #[must_use]
    pub fn line_of(&self, path: &[&str]) -> Option<usize> {
        Some(self.line_at(self.byte_of(path)?))
    }

    /// Where the value at a path begins.
    fn byte_of(&self, path: &[&str]) -> Option<usize> {
        let whole = DeTable::parse(&self.text).ok()?;
        let (first, rest) = path.split_first()?;
        let mut value = whole.get_ref().get(*first)?;
        for part in rest {
            value = match value.get_ref() {
                DeValue::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                other => other.get(*part)?,
            };
        }
        Some(value.span().start)
    }

    /// The keys of a table, at any depth, whose values switch off what they stand for: zero, never, false.
    #[must_use]
    pub fn switched_off(&self, table: &str) -> Vec<(String, usize)> {
        let mut off = Vec::new();
        if let Ok(whole) = DeTable::parse(&self.text)
            && let Some(value) = whole.get_ref().get(table)
        {
            self.find_off(table, value, &mut off);
        }
        off
    }

    fn find_off(&self, path: &str, value: &Spanned<DeValue<'_>>, off: &mut Vec<(String, usize)>) {
        let is_off = match value.get_ref() {
            DeValue::Table(table) => {
                for (key, value) in table {
                    self.find_off(&format!("{path}.{}", key.get_ref()), value, off);
                }
                false
            }
            DeValue::Integer(number) => number.as_str() == "0",
            DeValue::String(text) => text.starts_with("0 in "),
            DeValue::Boolean(is) => !is,
            _ => false,
        };
        if is_off {
            off.push((path.to_owned(), self.line_at(value.span().start)));
        }
    }

    /// The line, from 1, of a byte.
    fn line_at(&self, byte: usize) -> usize {
        1 + self.text.bytes().take(byte).filter(|byte| *byte == b'\n').count()
    }
}
