//! Rates, as integer ratios: no run depends on a float.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often something happens: `hits` times `of`. In files: `"1 in 20"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("pattern" = "^[0-9]+ in [1-9][0-9]*$"))]
pub struct Ratio {
    /// How often it happens …
    pub hits: u32,
    /// … in how many cases; at least 1.
    pub of: u32,
}

impl Ratio {
    /// It never happens.
    pub const NEVER: Ratio = Ratio { hits: 0, of: 1 };

    /// It always happens.
    pub const ALWAYS: Ratio = Ratio { hits: 1, of: 1 };
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.hits, self.of)
    }
}

impl From<Ratio> for String {
    fn from(ratio: Ratio) -> String {
        ratio.to_string()
    }
}

impl TryFrom<String> for Ratio {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parts = text.split_once(" in ").filter(|(hits, of)| {
            let plain = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit());
            plain(hits) && plain(of)
        });
        let numbers = parts.and_then(|(hits, of)| Some((hits.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((hits, of)) if of > 0 && hits <= of => Ok(Ratio { hits, of }),
            _ => Err(format!(
                "expected a rate such as \"1 in 20\", at most \"1 in 1\", and not {text:?}"
            )),
        }
    }
}
