//! Settings: what the deployment's variables mean (`lanes.md` 3 and 4).
//!
//! Each takes the variable's text, or none when it is not set. A variable that is no text is taken as `String()` writes
//! it by whoever reads it from the platform. Nothing here fails: a text that makes no sense gives the default.

use super::MOST_LANES;
use crate::ecma::trim;
use crate::host::Millis;
use crate::number::Number;

/// How far a serving lane may fall behind before it pulls, when `REPLICA_LAG_MS` says nothing.
pub const DEFAULT_LAG: Millis = Millis(30_000);
/// The least of `REPLICA_LAG_MS`: below it a lane spends more on asking than on serving.
pub const LEAST_LAG: Millis = Millis(1_000);
/// The most of `REPLICA_LAG_MS`.
pub const MOST_LAG: Millis = Millis(300_000);
/// How many lanes autoscaling may grow to, when `REPLICA_MAX_LANES` says nothing; also its most.
pub const MOST_GROWN_LANES: Number = Number::integer(32);

/// `replicaCount`: how many lanes `REPLICA_COUNT` asks the router to spread over; an integer from 0 to 256.
pub fn replica_count(variable: Option<&str>) -> Number {
    let asked = Number::parse(variable.unwrap_or_default());
    if !asked.is_finite() || asked.js_lt(Number::integer(1)) {
        return Number::ZERO;
    }
    asked.floor().js_min(MOST_LANES)
}

/// `replicaLagMs`: how far behind a serving lane may fall, from `REPLICA_LAG_MS`; whole milliseconds.
pub fn replica_lag(variable: Option<&str>) -> Millis {
    let asked = Number::parse(variable.unwrap_or_default());
    if !asked.is_finite() || asked.js_le(Number::ZERO) {
        return DEFAULT_LAG;
    }
    // Everything too large for a u64 is far above the most.
    asked
        .floor()
        .to_u64_exact()
        .map_or(MOST_LAG, Millis)
        .clamp(LEAST_LAG, MOST_LAG)
}

/// `maxLanes`: how many lanes autoscaling may grow to, from `REPLICA_MAX_LANES`; an integer from 0 to 32.
///
/// `-0` is not negative to JavaScript and comes through as it is.
pub fn max_lanes(variable: Option<&str>) -> Number {
    let text = trim(variable.unwrap_or_default());
    let asked = Number::parse(text);
    if text.is_empty() || !asked.is_finite() || asked.js_lt(Number::ZERO) {
        return MOST_GROWN_LANES;
    }
    asked.floor().js_min(MOST_GROWN_LANES)
}

/// `writeForwardEnabled`: whether a lane may run a write and forward it, from `WRITE_FORWARD`. On unless the text is
/// exactly `0`: ` 0`, `false` and the empty text are on.
pub fn write_forward(variable: Option<&str>) -> bool {
    variable != Some("0")
}

/// `autoScaleEnabled`: whether the primary may add lanes by itself, from `REPLICA_AUTOSCALE`. On unless exactly `0`.
pub fn auto_scale(variable: Option<&str>) -> bool {
    variable != Some("0")
}
