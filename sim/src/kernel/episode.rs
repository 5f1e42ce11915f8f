//! How often a kind of fault begins, how long it lasts, and how that stands in a file.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::ratio::Ratio;
use super::time::Micros;

/// How often a kind of fault begins, and how it ends.
///
/// Whenever it could strike (a message leaves, a statement runs, a commit is due) it begins at the rate `begins`. With
/// no `least` it strikes that once. Otherwise it lasts: at this party, or between these two, everything that it could
/// strike is struck until `least` has passed, and then for `least` more each time that it does not end at the rate
/// `ends`.
///
/// In files: `"1 in 20"` for one that strikes once, else `{ begins = "1 in 500", ends = "1 in 4", least-us = 250000 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(with = "Either")]
pub struct Episode {
    /// How often it begins.
    pub begins: Ratio,
    /// How often it ends when its least duration is over; never zero.
    pub ends: Ratio,
    /// How long it lasts at least.
    pub least: Micros,
}

/// An episode that lasts, as it stands in a file.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Lasting {
    begins: Ratio,
    ends: Ratio,
    least_us: Micros,
}

/// An episode as it stands in a file.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Episode")]
#[expect(
    dead_code,
    reason = "what a file can say, for the schema; it is read without knowing which one comes"
)]
enum Either {
    Once(Ratio),
    Lasting(Lasting),
}

impl Episode {
    /// It never begins.
    pub const NEVER: Episode = Episode::once(Ratio::NEVER);

    /// One that strikes once each time it begins.
    #[must_use]
    pub const fn once(begins: Ratio) -> Self {
        Episode {
            begins,
            ends: Ratio::ALWAYS,
            least: Micros::ZERO,
        }
    }

    /// The same with another rate of beginning.
    #[must_use]
    pub const fn at_rate(self, begins: Ratio) -> Self {
        Episode { begins, ..self }
    }
}

impl Serialize for Episode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if *self == Episode::once(self.begins) {
            return self.begins.serialize(serializer);
        }
        let Episode { begins, ends, least } = *self;
        Lasting {
            begins,
            ends,
            least_us: least,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Episode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> de::Visitor<'de> for Either {
            type Value = Episode;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rate such as \"1 in 20\", or { begins, ends, least-us }")
            }

            fn visit_str<E: de::Error>(self, rate: &str) -> Result<Episode, E> {
                let begins = Ratio::try_from(rate.to_owned()).map_err(E::custom)?;
                Ok(Episode::once(begins))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Episode, A::Error> {
                let Lasting {
                    begins,
                    ends,
                    least_us,
                } = Lasting::deserialize(de::value::MapAccessDeserializer::new(map))?;
                if ends.hits == 0 {
                    return Err(de::Error::custom(
                        "ends (0) is no rate at which an episode can end",
                    ));
                }
                Ok(Episode {
                    begins,
                    ends,
                    least: least_us,
                })
            }
        }

        deserializer.deserialize_any(Either)
    }
}
