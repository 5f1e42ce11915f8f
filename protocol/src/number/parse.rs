//! `Number(text)`: ECMA-262, StringToNumber.

use super::Number;
use crate::ecma::trim;

impl Number {
    /// What `Number(text)` gives in JavaScript; NaN for a text that is no number (`lanes.md` 19.2).
    ///
    /// White space and byte order marks around it do not count. A text without anything else is 0. Accepted
    /// are decimals (`12`, `+.5`, `5.`, `1E-3`), `Infinity` with that capital and an optional sign, and `0x`,
    /// `0o`, `0b` in either case without a sign. All are rounded to the nearest double, ties to even, however
    /// long they are.
    pub fn parse(text: &str) -> Self {
        let text = trim(text);
        match text.as_bytes() {
            [] => Self::ZERO,
            [b'0', b'x' | b'X', digits @ ..] => power_of_two_radix(digits, 4),
            [b'0', b'o' | b'O', digits @ ..] => power_of_two_radix(digits, 3),
            [b'0', b'b' | b'B', digits @ ..] => power_of_two_radix(digits, 1),
            b"Infinity" | b"+Infinity" => Self::INFINITY,
            b"-Infinity" => Self::NEG_INFINITY,
            _ => decimal(text),
        }
    }
}

/// Rust reads the same decimals as JavaScript, correctly rounded, and `inf` and `nan` besides: those need
/// letters.
fn decimal(text: &str) -> Number {
    let is_decimal = |b: u8| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    if !text.bytes().all(is_decimal) {
        return Number::NAN;
    }
    text.parse().map_or(Number::NAN, Number::from_f64)
}

/// Digits of `bits` bits each, at least one, as one integer rounded once.
fn power_of_two_radix(digits: &[u8], bits: u32) -> Number {
    if digits.is_empty() {
        return Number::NAN;
    }
    // The leading 61 to 64 significant bits. What follows them is counted, and remembered only as "not all
    // zero", in the lowest bit: it is far below the 53 that a double keeps, so there it can do no more than
    // break a tie.
    let (mut leading, mut dropped_bits, mut sticky) = (0u64, 0u64, 0u64);
    for &digit in digits {
        let Some(digit) = char::from(digit).to_digit(1 << bits) else {
            return Number::NAN;
        };
        if leading >> (u64::BITS - bits) == 0 {
            leading = leading << bits | u64::from(digit);
        } else {
            dropped_bits += u64::from(bits);
            sticky |= u64::from(digit != 0);
        }
    }
    let rounded = (leading | sticky) as f64;
    Number::from_f64(rounded * two_to_the(dropped_bits))
}

/// 2^`exponent`, or infinity where no double is that large: exact, which a library's power need not be.
fn two_to_the(exponent: u64) -> f64 {
    const BIAS: u64 = 1023;
    const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;
    if exponent > BIAS {
        f64::INFINITY
    } else {
        f64::from_bits((exponent + BIAS) << MANTISSA_BITS)
    }
}
