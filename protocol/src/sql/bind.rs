//! From parameters by name to parameters by position.
//!
//! The deployed code has two scanners for this and they differ, so both are here. Where a record is captured,
//! [`to_positional`] has bound it; where it is applied, [`positional_bindings`] looks at the result again.

use std::collections::BTreeMap;

use super::cursor::step_over;
use super::{Inherited, Params};
use crate::ecma::is_word;
use crate::host::Text;

/// A statement whose parameters stand in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bound<V> {
    /// The text, with `?` in place of each name that was bound.
    pub sql: Text,
    /// The values, in the order of the places.
    pub params: Vec<V>,
}

/// Why names could not be bound.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum BindError {
    /// Of [`positional_bindings`]: another number of values was placed than keys were given.
    #[error("named bindings do not match the statement: {placed} of {given} placed")]
    Mismatch {
        /// How many values were placed; a name that stands twice counts twice.
        placed: usize,
        /// How many keys the parameters have.
        given: usize,
    },
    /// Of [`to_positional`]: the text has a name without a value.
    #[error("missing binding for :{name}")]
    Missing {
        /// The name, without its colon.
        name: Text,
    },
}

/// `positionalBindings`: binds where statements are applied and forwarded ones are judged (`lanes.md` 5).
///
/// A name is `:` and an identifier, unless a `:` or a word character stands before it. It is rewritten wherever it
/// stands, in literals, quoted identifiers and comments too. It is looked up as `:name`, then as `name`, and `name` may
/// be a key that any JavaScript object inherits. A name without a value is left alone. Parameters that are not by name
/// pass through.
///
/// # Errors
/// [`BindError::Mismatch`] when not as many values were placed as keys were given: a name that stands twice is refused
/// unless a spare key makes up for it.
pub fn positional_bindings<V: Clone + From<Inherited>>(
    sql: &str,
    params: &Params<V>,
) -> Result<Bound<V>, BindError> {
    let entries = match unnamed(sql, params) {
        Ok(bound) => return Ok(bound),
        Err(entries) => entries,
    };
    let names = Names::new(entries);
    let (mut out, mut values, mut copied) = (String::with_capacity(sql.len()), Vec::new(), 0);
    for (colon, _) in sql.match_indices(':') {
        let before = sql[..colon].chars().next_back();
        let name = word_at(sql, colon + 1);
        let is_name = !before.is_some_and(|c| c == ':' || is_word(c))
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if name.is_empty() || !is_name {
            continue;
        }
        let inherited = || Inherited::find(name).map(V::from);
        if let Some(value) = names.own(name).cloned().or_else(inherited) {
            out.push_str(&sql[copied..colon]);
            out.push('?');
            values.push(value);
            copied = colon + 1 + name.len();
        }
    }
    out.push_str(&sql[copied..]);
    let (placed, given) = (values.len(), entries.len());
    if placed == given {
        Ok(Bound {
            sql: out.into(),
            params: values,
        })
    } else {
        Err(BindError::Mismatch { placed, given })
    }
}

/// `toPositional`: binds where the primary captures a write for its log (`lanes.md` 5).
///
/// Skips `'...'`, `"..."`, both kinds of comments and `::`. A name is `:` and word characters, of which the first may
/// be a digit, whatever stands before. It is looked up as `:name`, then as `name`, among the parameters' own keys. A
/// name that stands twice has its value twice; spare keys are ignored. Without any parameters, an empty object
/// included, the text passes through.
///
/// The contract does not say what a single value does here; it passes through as in [`positional_bindings`], so that
/// the two agree.
///
/// # Errors
/// [`BindError::Missing`] for a name without a value.
pub fn to_positional<V: Clone>(sql: &str, params: &Params<V>) -> Result<Bound<V>, BindError> {
    let entries = match unnamed(sql, params) {
        Ok(bound) => return Ok(bound),
        Err([]) => {
            return Ok(Bound {
                sql: Text::new(sql),
                params: Vec::new(),
            });
        }
        Err(entries) => entries,
    };
    let names = Names::new(entries);
    let (mut out, mut values, mut at) = (String::with_capacity(sql.len()), Vec::new(), 0);
    while let Some(found) = sql[at..].find(['\'', '"', '-', '/', ':']) {
        let token = at + found;
        out.push_str(&sql[at..token]);
        let rest = &sql[token..];
        let is_colon = rest.starts_with(':') && !rest.starts_with("::");
        let name = if is_colon { word_at(sql, token + 1) } else { "" };
        if name.is_empty() {
            at = token
                + if rest.starts_with("::") {
                    2
                } else {
                    step_over(rest)
                };
            out.push_str(&sql[token..at]);
        } else {
            let missing = || BindError::Missing {
                name: Text::new(name),
            };
            values.push(names.own(name).cloned().ok_or_else(missing)?);
            out.push('?');
            at = token + 1 + name.len();
        }
    }
    out.push_str(&sql[at..]);
    Ok(Bound {
        sql: out.into(),
        params: values,
    })
}

/// The word characters at a place; none at all is the empty text.
fn word_at(sql: &str, at: usize) -> &str {
    let rest = &sql[at..];
    &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]
}

/// A statement whose parameters are not by name, as it is; else the names.
fn unnamed<'a, V: Clone>(sql: &str, params: &'a Params<V>) -> Result<Bound<V>, &'a [(Text, V)]> {
    let params = match params {
        Params::Absent => Vec::new(),
        Params::List(list) => list.clone(),
        Params::One(value) => vec![value.clone()],
        Params::Named(entries) => return Err(entries),
    };
    Ok(Bound {
        sql: Text::new(sql),
        params,
    })
}

/// The parameters' own keys. The last of two equal ones holds, as in a JavaScript object.
struct Names<'a, V>(BTreeMap<&'a str, &'a V>);

impl<'a, V> Names<'a, V> {
    fn new(entries: &'a [(Text, V)]) -> Self {
        Names(
            entries
                .iter()
                .map(|(name, value)| (name.as_str(), value))
                .collect(),
        )
    }

    /// What `:name`, else `name`, holds.
    fn own(&self, name: &str) -> Option<&'a V> {
        let colon = format!(":{name}");
        self.0.get(colon.as_str()).or_else(|| self.0.get(name)).copied()
    }
}
