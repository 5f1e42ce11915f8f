//! A value as SQLite stores it, and SQLite's rules about it: affinity and order.
//!
//! Source: the pages "Datatypes In SQLite" and the functions `applyAffinity`, `sqlite3IntFloatCompare` of its
//! `vdbe.c`. What is rendered or read by digits is carried only where every digit is certain; the rest is [`None`],
//! which makes the statement unsupported.

use std::cmp::Ordering;

use protocol::host::{Bytes, Text, Value};
use protocol::number::Number;

use super::super::digest::Part;

/// A stored value. Integers and reals are two things until they are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Cell {
    #[default]
    Null,
    Integer(i64),
    /// Never NaN, which SQLite stores as NULL.
    Real(Number),
    Text(Text),
    Blob(Bytes),
}

/// What a column makes of the values put into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Affinity {
    /// Nothing.
    None,
    Text,
    Integer,
    Real,
}

/// Decimal digits that a double keeps whatever they are.
const SURE_DIGITS: usize = 15;

impl Cell {
    /// A parameter: every number binds as REAL.
    pub(super) fn bound(value: &Value) -> Cell {
        match value {
            Value::Null => Cell::Null,
            Value::Number(number) => Cell::real(*number),
            Value::Text(text) => Cell::Text(text.clone()),
            Value::Bytes(bytes) => Cell::Blob(bytes.clone()),
        }
    }

    pub(super) fn real(number: Number) -> Cell {
        if number.is_nan() {
            Cell::Null
        } else {
            Cell::Real(number)
        }
    }

    /// The value as code on the platform reads it: every number a double.
    pub(super) fn read(&self) -> Value {
        match self {
            Cell::Null => Value::Null,
            Cell::Integer(integer) => Value::Number(Number::from(*integer)),
            Cell::Real(number) => Value::Number(*number),
            Cell::Text(text) => Value::Text(text.clone()),
            Cell::Blob(bytes) => Value::Bytes(bytes.clone()),
        }
    }

    /// The same for a digest.
    pub(super) fn part(&self) -> Part<'_> {
        match self {
            Cell::Null => Part::Null,
            Cell::Integer(integer) => Part::Number(Number::from(*integer)),
            Cell::Real(number) => Part::Number(*number),
            Cell::Text(text) => Part::Text(text),
            Cell::Blob(bytes) => Part::Bytes(&bytes.0),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Cell::Null)
    }

    /// What a column of this affinity stores of a parameter.
    #[inline]
    pub(super) fn stored(value: &Value, affinity: Affinity) -> Option<Cell> {
        match (value, affinity) {
            // Most are texts in columns of texts.
            (Value::Text(text), Affinity::Text | Affinity::None) => Some(Cell::Text(text.clone())),
            _ => Cell::bound(value).with(affinity),
        }
    }

    /// What a column of this affinity stores of it.
    pub(super) fn with(self, affinity: Affinity) -> Option<Cell> {
        match affinity {
            Affinity::None => Some(self),
            Affinity::Text => self.into_text(),
            Affinity::Integer => self.into_numeric(),
            Affinity::Real => Some(match self.into_numeric()? {
                Cell::Integer(integer) => Cell::Real(Number::from(integer)),
                other => other,
            }),
        }
    }

    /// What it is compared as with a column of this affinity.
    pub(super) fn compared_with(self, affinity: Affinity) -> Option<Cell> {
        match affinity {
            Affinity::None => Some(self),
            Affinity::Text => self.into_text(),
            // A comparison only turns texts into numbers; a real is compared exactly as it is.
            Affinity::Integer | Affinity::Real => match self {
                Cell::Text(text) => numeric(&text),
                other => Some(other),
            },
        }
    }

    fn into_text(self) -> Option<Cell> {
        Some(match self {
            Cell::Integer(integer) => Cell::Text(Text::new(integer.to_string())),
            Cell::Real(number) => Cell::Text(text_of(number)?),
            other => other,
        })
    }

    fn into_numeric(self) -> Option<Cell> {
        match self {
            Cell::Text(text) => numeric(&text)?.integer_if_exact(),
            other => other.integer_if_exact(),
        }
    }

    /// A real that is an integer becomes that integer. Of -2^63 some of SQLite's functions think so and some not.
    fn integer_if_exact(self) -> Option<Cell> {
        match self {
            Cell::Real(number) => match number.to_i64_exact() {
                Some(i64::MIN) => None,
                Some(integer) => Some(Cell::Integer(integer)),
                None => Some(Cell::Real(number)),
            },
            other => Some(other),
        }
    }

    /// SQLite's order: NULL, numbers, texts by their bytes, blobs.
    #[inline]
    pub(super) fn order(&self, other: &Cell) -> Ordering {
        match (self, other) {
            (Cell::Text(a), Cell::Text(b)) => order_of_bytes(a.as_bytes(), b.as_bytes()),
            (Cell::Integer(a), Cell::Integer(b)) => a.cmp(b),
            _ => self.order_of_others(other),
        }
    }

    fn order_of_others(&self, other: &Cell) -> Ordering {
        match (self, other) {
            (Cell::Integer(a), Cell::Real(b)) => integer_to_real(*a, *b),
            (Cell::Real(a), Cell::Integer(b)) => integer_to_real(*b, *a).reverse(),
            (Cell::Real(a), Cell::Real(b)) if a.js_eq(*b) => Ordering::Equal,
            (Cell::Real(a), Cell::Real(b)) => a.cmp(b),
            (Cell::Blob(a), Cell::Blob(b)) => a.cmp(b),
            _ => self.class().cmp(&other.class()),
        }
    }

    fn class(&self) -> u8 {
        match self {
            Cell::Null => 0,
            Cell::Integer(_) | Cell::Real(_) => 1,
            Cell::Text(_) => 2,
            Cell::Blob(_) => 3,
        }
    }
}

/// As they compare, most by their first eight.
#[inline]
fn order_of_bytes(a: &[u8], b: &[u8]) -> Ordering {
    if let (Some(first), Some(other)) = (a.first_chunk(), b.first_chunk()) {
        let order = u64::from_be_bytes(*first).cmp(&u64::from_be_bytes(*other));
        if order.is_ne() {
            return order;
        }
    }
    a.cmp(b)
}

/// Exact, where a cast of the integer would round.
fn integer_to_real(integer: i64, real: Number) -> Ordering {
    match real.trunc().to_i64_exact() {
        Some(whole) => integer.cmp(&whole).then_with(|| real.trunc().cmp(&real)),
        None if real.js_lt(Number::ZERO) => Ordering::Greater,
        None => Ordering::Less,
    }
}

/// A real as `%!.15g` prints it, where the fewest digits that read back are no more than those.
fn text_of(number: Number) -> Option<Text> {
    let printed = number.to_string();
    let digits = printed.bytes().filter(u8::is_ascii_digit).count();
    let plain = printed
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'.');
    // Zero has a sign that JavaScript does not print; small numbers are printed with an exponent.
    let small = printed.trim_start_matches('-').starts_with("0.000");
    if !plain || small || digits > SURE_DIGITS || number.js_eq(Number::ZERO) && number != Number::ZERO {
        return None;
    }
    Some(if printed.contains('.') {
        Text::new(printed)
    } else {
        Text::new(format!("{printed}.0"))
    })
}

/// A text as a number, if all of it is one. Texts that may be numbers in a form not carried here are `None`.
fn numeric(text: &Text) -> Option<Cell> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if all_digits(whole) && all_digits(fraction) && whole.len() + fraction.len() <= SURE_DIGITS {
        let number = Number::parse(text);
        let integer = number.to_i64_exact().filter(|_| !unsigned.contains('.'));
        // '-0' is the integer 0 and '-0.0' a real; neither is worth the risk.
        let minus_zero = number.js_eq(Number::ZERO) && text.starts_with('-');
        return (!minus_zero).then(|| integer.map_or(Cell::Real(number), Cell::Integer));
    }
    // Nothing without a digit is a number, and nothing that begins with a letter is.
    let no_number =
        !text.bytes().any(|byte| byte.is_ascii_digit()) || text.as_bytes()[0].is_ascii_alphabetic();
    no_number.then(|| Cell::Text(text.clone()))
}

#[cfg(test)]
mod tests {
    use super::{Affinity, Cell};
    use protocol::host::Text;
    use protocol::number::Number;
    use std::cmp::Ordering;

    #[test]
    fn an_integer_and_a_real_compare_exactly() {
        let real = |text| Cell::Real(Number::parse(text));
        let odd = Cell::Integer(9_007_199_254_740_993);
        assert_eq!(odd.order(&real("9007199254740992")), Ordering::Greater);
        assert_eq!(Cell::Integer(-1).order(&real("-1.5")), Ordering::Greater);
        assert_eq!(Cell::Integer(i64::MAX).order(&real("1e300")), Ordering::Less);
        assert_eq!(Cell::Integer(0).order(&real("-0")), Ordering::Equal);
    }

    #[test]
    fn columns_make_of_numbers_what_sqlite_makes() {
        let seven = || Cell::Real(Number::from(7));
        assert_eq!(seven().with(Affinity::Integer), Some(Cell::Integer(7)));
        assert_eq!(seven().with(Affinity::Text), Some(Cell::Text(Text::new("7.0"))));
        assert_eq!(
            Cell::Text(Text::new("7.0")).with(Affinity::Integer),
            Some(Cell::Integer(7))
        );
        assert_eq!(Cell::Real(Number::parse("1e300")).with(Affinity::Text), None);
    }
}
