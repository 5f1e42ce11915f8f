//! JavaScript's numbers.
//!
//! The wire's counters, epochs and limits were written by `Number()` and compared by `<` in JavaScript: they
//! can be NaN, they alias above 2^53, and they are printed in JavaScript's way. [`Number`] keeps those rules
//! in one place, and is equal, ordered and hashed by its bits, so that a state that holds one can be
//! compared, sorted and hashed. Source: `lanes.md` section 19, traps 2, 5, 6, 10 and 13; ECMA-262.
#![expect(
    clippy::disallowed_types,
    reason = "the one module that may touch a bare float, so that no other has to"
)]

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

mod json;
mod operators;
mod parse;

/// A JavaScript number: an IEEE 754 double in which all NaNs are one.
///
/// Two sets of comparisons exist, because a map and a protocol ask different questions:
///
/// * `==`, `<`, [`Ord`], [`Hash`] are Rust's contract, by bits: NaN equals itself and stands after
///   `Infinity`, and `-0` stands just before `0`. Everywhere else the order is numeric. Use them for maps,
///   for sorting, and for "is this the same state".
/// * [`js_eq`](Self::js_eq), [`js_lt`](Self::js_lt) and their like are what `===` and `<` answer in
///   JavaScript: false for NaN, and `-0 === 0`. Use them wherever the contract compares.
///
/// ```
/// use protocol::number::Number;
/// let limit = Number::parse(" 0x10 ");
/// assert_eq!(limit, Number::from(16));
/// assert!(!Number::NAN.js_eq(Number::NAN) && Number::NAN == Number::NAN);
/// assert_eq!((limit / Number::ZERO).to_string(), "Infinity");
/// ```
#[derive(Clone, Copy, Default)]
pub struct Number(f64);

impl Number {
    /// `NaN`, the only one: its bits are always `0x7ff8_0000_0000_0000`.
    pub const NAN: Self = Self(f64::NAN);
    /// `Infinity`.
    pub const INFINITY: Self = Self(f64::INFINITY);
    /// `-Infinity`.
    pub const NEG_INFINITY: Self = Self(f64::NEG_INFINITY);
    /// `0`, the positive one. Also the default.
    pub const ZERO: Self = Self(0.0);
    /// `Number.MAX_SAFE_INTEGER`, 2^53 - 1: up to here each integer has a double of its own.
    pub const MAX_SAFE_INTEGER: Self = Self(9_007_199_254_740_991.0);
    /// `Number.MIN_SAFE_INTEGER`, -(2^53 - 1).
    pub const MIN_SAFE_INTEGER: Self = Self(-9_007_199_254_740_991.0);

    /// The number of a double. Every NaN, whatever its sign and payload, becomes [`Number::NAN`].
    ///
    /// For the seam to SQL and wasm, which speak doubles. Elsewhere use [`Number::integer`] or [`From`].
    pub const fn from_f64(value: f64) -> Self {
        if value.is_nan() { Self::NAN } else { Self(value) }
    }

    /// The double that this number is.
    pub const fn to_f64(self) -> f64 {
        self.0
    }

    /// The number of an integer, for constants; elsewhere [`From`] says the same.
    ///
    /// An integer beyond 2^53 is rounded to the nearest double, ties to even: what a literal in JavaScript's
    /// source and `Number(bigint)` do.
    pub const fn integer(value: i64) -> Self {
        Self(value as f64)
    }

    /// `Number.isNaN(n)`.
    pub const fn is_nan(self) -> bool {
        self.0.is_nan()
    }

    /// `Number.isFinite(n)`: neither NaN nor infinite.
    pub const fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    /// `Number.isInteger(n)`: finite and without a fraction. So are `-0` and all doubles from 2^52 on.
    pub fn is_integer(self) -> bool {
        self.is_finite() && self.0.trunc() == self.0
    }

    /// `Number.isSafeInteger(n)`: an integer from [`MIN_SAFE_INTEGER`](Self::MIN_SAFE_INTEGER) to
    /// [`MAX_SAFE_INTEGER`](Self::MAX_SAFE_INTEGER).
    pub fn is_safe_integer(self) -> bool {
        self.is_integer() && self.0.abs() <= Self::MAX_SAFE_INTEGER.0
    }

    /// `a === b`: false when either is NaN, true for `-0` and `0` (`lanes.md` 19.5, 19.6).
    /// `a !== b` is its negation.
    pub fn js_eq(self, other: Self) -> bool {
        self.0 == other.0
    }

    /// `a < b`: false when either is NaN (`lanes.md` 19.5).
    pub fn js_lt(self, other: Self) -> bool {
        self.0 < other.0
    }

    /// `a <= b`: false when either is NaN, so not the negation of `a > b` (`lanes.md` 19.5).
    pub fn js_le(self, other: Self) -> bool {
        self.0 <= other.0
    }

    /// `a > b`: false when either is NaN (`lanes.md` 19.5).
    pub fn js_gt(self, other: Self) -> bool {
        self.0 > other.0
    }

    /// `a >= b`: false when either is NaN, so not the negation of `a < b` (`lanes.md` 19.5).
    pub fn js_ge(self, other: Self) -> bool {
        self.0 >= other.0
    }

    /// `Math.max(a, b)`: NaN when either is NaN, and `0` of `0` and `-0` (`lanes.md` 19.5).
    ///
    /// Not `f64::max`, which passes NaN over.
    pub fn js_max(self, other: Self) -> Self {
        // NaN is last and -0 before 0 in the total order, which is what Math.max asks for.
        Ord::max(self, other)
    }

    /// `Math.min(a, b)`: NaN when either is NaN, and `-0` of `0` and `-0` (`lanes.md` 19.5).
    pub fn js_min(self, other: Self) -> Self {
        if self.is_nan() || other.is_nan() {
            Self::NAN
        } else {
            Ord::min(self, other)
        }
    }

    /// `Math.floor(n)`: the greatest integer that is not greater. NaN, infinities and `-0` stay.
    pub fn floor(self) -> Self {
        Self::from_f64(self.0.floor())
    }

    /// `Math.trunc(n)`: without its fraction. NaN and infinities stay; `-0.5` gives `-0`.
    pub fn trunc(self) -> Self {
        Self::from_f64(self.0.trunc())
    }

    /// `n >>> 0`: the fraction dropped, then modulo 2^32; NaN and infinities give 0 (ToUint32; `lanes.md`
    /// 19.13).
    pub fn to_uint32(self) -> u32 {
        if !self.is_finite() {
            return 0;
        }
        // The remainder of doubles is exact and below 2^32 in size, so i64 holds it; the last cast wraps.
        (self.0.trunc() % 4_294_967_296.0) as i64 as u32
    }

    /// `n | 0`: as [`to_uint32`](Self::to_uint32), read as a signed number (ToInt32; `lanes.md` 19.13).
    pub fn to_int32(self) -> i32 {
        self.to_uint32().cast_signed()
    }

    /// This number as a `u64`, or none when it is no integer or outside of `u64`. `-0` gives 0.
    ///
    /// Exact as to the double. Beyond 2^53 the double itself may stand for several integers that a peer had
    /// meant.
    pub fn to_u64_exact(self) -> Option<u64> {
        // u64::MAX is no double: the first one that does not fit is 2^64.
        let fits = self.is_integer() && self.0 >= 0.0 && self.0 < 18_446_744_073_709_551_616.0;
        fits.then_some(self.0 as u64)
    }

    /// This number as an `i64`, or none when it is no integer or outside of `i64`. `-0` gives 0.
    ///
    /// Exact as [`to_u64_exact`](Self::to_u64_exact) is.
    pub fn to_i64_exact(self) -> Option<i64> {
        const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;
        let fits = self.is_integer() && self.0 >= -TWO_POW_63 && self.0 < TWO_POW_63;
        fits.then_some(self.0 as i64)
    }

    /// This number as a `u32`, or none when it is no integer or outside of `u32`. `-0` gives 0.
    pub fn to_u32_exact(self) -> Option<u32> {
        self.to_u64_exact().and_then(|value| u32::try_from(value).ok())
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self(value.into())
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

/// Rounds beyond 2^53 to the nearest double, ties to even, as `Number(bigint)` does.
impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(value as f64)
    }
}

/// Rounds beyond 2^53 to the nearest double, ties to even, as `Number(bigint)` does.
impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(value as f64)
    }
}

/// By bits. There is one NaN, and it equals itself; `-0` and `0` differ. For `===` see [`Number::js_eq`].
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// Numeric, made total: `-Infinity` first, `-0` just before `0`, NaN after `Infinity`. For `<` see
/// [`Number::js_lt`].
impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As `String(n)`: the fewest digits that read back as this number, an exponent from 1e21 on and below 1e-6,
/// and `0` for `-0` (Number::toString).
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(ryu_js::Buffer::new().format(self.0))
    }
}

/// As [`Display`](fmt::Display), but `-0` shows its sign: two numbers that are not equal must not look equal.
impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0.0 && self.0.is_sign_negative() {
            f.pad("-0")
        } else {
            fmt::Display::fmt(self, f)
        }
    }
}

#[cfg(test)]
mod tests;
