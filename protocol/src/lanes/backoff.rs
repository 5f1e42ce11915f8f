//! How long a lane waits before it asks for another copy (`lanes.md` 3 and 15).

use crate::number::Number;

const FIRST: Number = Number::integer(2_000);
const MOST: Number = Number::integer(60_000);

/// `copyBackoffMs`: `min(2000 * 2^max(0, asks-1), 60000)` milliseconds, after so many asks (`lanes.md` 3).
///
/// NaN asks wait NaN milliseconds. The deployed code only ever stores whole numbers; a fraction is cut off here, where
/// JavaScript would take its power.
pub fn copy_backoff_ms(asks: Number) -> Number {
    let doublings = Number::ZERO.js_max(asks - Number::integer(1)).trunc();
    if doublings.is_nan() {
        return Number::NAN;
    }
    // 2^5 is already past the most; a shift by that cannot overflow.
    let doublings = doublings.js_min(Number::integer(5)).to_u32_exact().unwrap_or(5);
    (FIRST * Number::from(1_u32 << doublings)).js_min(MOST)
}
