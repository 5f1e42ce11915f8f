//! Demand: how many lanes the queue in front of the primary asks for, and whether the row budget bears them
//! (`lanes.md` 12).

use std::fmt;

use serde::Serialize;

use super::count;
use super::rules::Rules;
use crate::json::{Json, JsonKind};
use crate::number::Number;

/// So many windows in a row must ask for a lane before one is made.
pub const SUSTAINED: usize = 3;
/// So many windows are kept.
pub const KEPT: usize = 6;
/// The part of the daily row limit that lanes may use up: beyond it the site reduces its writes.
pub const REDUCE_AT: Number = Number::from_f64(0.8);

/// What the primary saw between two firings of its alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seen {
    /// When it ended, in milliseconds since the Unix epoch.
    pub at: Number,
    /// The most requests that were inside the object at once.
    pub peak_inflight: Number,
    /// How many requests waited for the gate.
    pub queued: Number,
    /// How long they waited together, in milliseconds.
    pub waited_ms: Number,
}

/// An item of `demand_windows`. It is stored again as it came, whatever else it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Window(Json);

impl Window {
    /// When it ended, if there is a number.
    pub fn at(&self) -> Option<Number> {
        self.number("at")
    }

    /// `Number(peakInflight)`; NaN when it is missing.
    pub fn peak_inflight(&self) -> Number {
        self.field("peakInflight").map_or(Number::NAN, Json::to_number)
    }

    /// How many requests waited for the gate, if there is a number.
    pub fn queued(&self) -> Option<Number> {
        self.number("queued")
    }

    /// How long they waited together, in milliseconds, if there is a number.
    pub fn waited_ms(&self) -> Option<Number> {
        self.number("waitedMs")
    }

    fn field(&self, key: &str) -> Option<&Json> {
        self.0.as_object()?.get(key)
    }

    fn number(&self, key: &str) -> Option<Number> {
        self.field(key)?.as_number()
    }
}

/// A window as it is stored.
impl From<Seen> for Window {
    fn from(seen: Seen) -> Self {
        let fields = [
            ("at", seen.at),
            ("peakInflight", seen.peak_inflight),
            ("queued", seen.queued),
            ("waitedMs", seen.waited_ms),
        ];
        Window(Json::Object(fields.into_iter().collect()))
    }
}

/// Any JSON, as a stored item.
impl From<Json> for Window {
    fn from(item: Json) -> Self {
        Window(item)
    }
}

/// Why a stored text holds no windows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum WindowsError {
    /// It is not JSON.
    #[error("`demand_windows` is not JSON: {reason}")]
    NotJson {
        /// What is wrong with it, with line and column.
        reason: String,
    },
    /// It is JSON, and no list.
    #[error("`demand_windows` is {0} where a list is expected")]
    NotAList(JsonKind),
}

/// The windows that the meta key `demand_windows` holds (`lanes.md` 2); none when the text is empty, which means absent.
/// An item that is no window is one that asks for nothing, as in the deployed code.
///
/// # Errors
/// The text is no list. The contract leaves open what becomes of it; a history without windows asks for nothing.
pub fn parse_windows(text: &str) -> Result<Vec<Window>, WindowsError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    match Json::parse(text) {
        Ok(Json::Array(items)) => Ok(items.into_iter().map(Window).collect()),
        Ok(other) => Err(WindowsError::NotAList(other.kind())),
        Err(error) => Err(WindowsError::NotJson {
            reason: error.to_string(),
        }),
    }
}

/// What the meta key `demand_windows` is set to, read back by [`parse_windows`]: but for numbers that JSON cannot carry,
/// as `JSON.stringify` has it. One that is not finite becomes `null`, so a stored `1e999` is no number the next time
/// (`lanes.md` 19.10).
pub fn format_windows(windows: &[Window]) -> String {
    // JSON is always written.
    serde_json::to_string(windows).unwrap_or_default()
}

/// `recordWindow`: the history with one more window, the last six of it (`lanes.md` 12).
pub fn record_window(windows: &[Window], next: Window) -> Vec<Window> {
    let surplus = (windows.len() + 1).saturating_sub(KEPT);
    windows.iter().skip(surplus).cloned().chain([next]).collect()
}

/// `meanWaitMs`: how long a queued request waited, in milliseconds; none when nothing was queued (`lanes.md` 12).
pub fn mean_wait_ms(windows: &[Window]) -> Option<Number> {
    let sum = |part: fn(&Window) -> Option<Number>| {
        windows
            .iter()
            .map(|window| part(window).unwrap_or_default())
            .fold(Number::ZERO, |sum, n| sum + n)
    };
    let queued = sum(Window::queued);
    queued
        .js_gt(Number::ZERO)
        .then(|| sum(Window::waited_ms) / queued)
}

/// `laneTarget`: how many lanes the last three windows ask for, at most `cap` (`lanes.md` 12).
///
/// One a request that waited in each of them, so that a single burst asks for none. When a window holds no count, one
/// less than the least peak. A NaN cap is no cap and gives NaN (the vectors).
pub fn lane_target(windows: &[Window], cap: Number) -> Number {
    let ceiling = count(cap);
    if ceiling.js_eq(Number::ZERO) || windows.len() < SUSTAINED {
        return Number::ZERO;
    }
    let last = &windows[windows.len() - SUSTAINED..];
    let queued: Option<Vec<Number>> = last.iter().map(Window::queued).collect();
    let asked = match queued {
        Some(queued) if queued.iter().all(|n| n.is_finite()) => least(&queued).floor(),
        Some(_) => Number::ZERO,
        None => {
            let finite = |n: Number| if n.is_finite() { n } else { Number::ZERO };
            let peaks: Vec<Number> = last.iter().map(|window| finite(window.peak_inflight())).collect();
            least(&peaks).floor() - Number::integer(1)
        }
    };
    Number::ZERO.js_max(asked).js_min(ceiling)
}

fn least(numbers: &[Number]) -> Number {
    numbers.iter().copied().fold(Number::INFINITY, Number::js_min)
}

/// The rows that the site may write in a day, and how far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowBudget {
    /// Rows written since midnight UTC, by all objects.
    pub today: Number,
    /// Statements in the records sealed since then: what each lane had to write again.
    pub replicated_today: Number,
    /// Rows a day; no limit unless greater than 0.
    pub limit: Number,
    /// How much of the day is over, 0 to 1.
    pub day_fraction: Number,
}

/// What is asked of a row budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowFacts {
    /// The budget.
    pub budget: RowBudget,
    /// For how many lanes.
    pub lanes: Number,
    /// Which part of the limit may be used: [`REDUCE_AT`].
    pub reduce_at: Number,
}

/// `laneFitsRows`: whether so many lanes would stay within the row budget, if the day went on as it began (`lanes.md` 12).
///
/// The first hour counts as a whole one, so that a burst at midnight does not look like a day. A NaN fraction never
/// fits.
pub fn lane_fits_rows(facts: &RowFacts) -> bool {
    let RowBudget {
        today,
        replicated_today,
        limit,
        day_fraction,
    } = facts.budget;
    if !limit.js_gt(Number::ZERO) {
        return true;
    }
    let hour = Number::integer(1) / Number::integer(24);
    let per_lane = Number::ZERO.js_max(replicated_today) / day_fraction.js_max(hour);
    let rows = Number::ZERO.js_max(today) + facts.lanes * per_lane;
    rows.js_le(limit * facts.reduce_at)
}

/// What a pool's growth is decided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GrowthFacts<'a> {
    /// The history of demand, oldest first.
    pub windows: &'a [Window],
    /// The highest lane ever provisioned.
    pub provisioned: Number,
    /// Whether the primary may add lanes by itself.
    pub auto_scale: bool,
    /// The most lanes it may add.
    pub max_lanes: Number,
    /// The row budget, if it is known.
    pub rows: Option<RowBudget>,
}

/// Why a pool does not grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoGrowth {
    /// Autoscaling is off.
    Off,
    /// There are as many lanes as are asked for.
    Enough,
    /// One more would not stay within the row budget.
    RowBudget,
}

/// Our words: the contract has none.
impl fmt::Display for NoGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoGrowth::Off => "autoscaling is off",
            NoGrowth::Enough => "the pool is as large as demand asks",
            NoGrowth::RowBudget => "one more lane would exceed the row budget",
        })
    }
}

/// `nextLaneToProvision`: the lane to make next (`lanes.md` 12).
///
/// Grows by one, never shrinks. A NaN number of lanes is not enough, and the next lane is NaN.
///
/// # Errors
/// Why none is to be made.
pub fn next_lane_to_provision(rules: &Rules, facts: &GrowthFacts<'_>) -> Result<Number, NoGrowth> {
    if !facts.auto_scale {
        return Err(NoGrowth::Off);
    }
    let have = count(facts.provisioned);
    if (rules.demand.lane_target)(facts.windows, facts.max_lanes).js_le(have) {
        return Err(NoGrowth::Enough);
    }
    let next = have + Number::integer(1);
    let fits = |budget| {
        (rules.demand.lane_fits_rows)(&RowFacts {
            budget,
            lanes: next,
            reduce_at: REDUCE_AT,
        })
    };
    if facts.rows.is_some_and(|budget| !fits(budget)) {
        return Err(NoGrowth::RowBudget);
    }
    Ok(next)
}
