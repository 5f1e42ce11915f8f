//! Demand that is counted as it is, and a pool without gaps.

use std::collections::BTreeSet;

use super::super::store;
use crate::host::{Millis, SqlError, Text};
use crate::lanes::belief::LanesPointer;
use crate::lanes::growth::{self, Pace, PaceFacts};
use crate::lanes::meta::names;
use crate::lanes::name::lane_number;
use crate::lanes::object::{Cx, SiteObject};
use crate::number::Number;

/// The waits since the alarm last fired: what a window has counted counts for no other.
pub(in crate::lanes) fn waited_since(site: &mut SiteObject) -> Vec<Millis> {
    let waits = site.timings.drain(..).filter(|timing| timing.ahead > 0);
    waits.map(|timing| timing.queued).collect()
}

/// As documented, but that a quiet window is forgotten with those before it also while a copy is in progress.
pub(in crate::lanes) fn always_clear(facts: &PaceFacts) -> Pace {
    match growth::pace(facts) {
        Pace::Quiet { .. } => Pace::Quiet { clears_windows: true },
        pace => pace,
    }
}

/// Under which the primary remembers lanes that are copied and do not count yet: there is none with a lower number.
const AHEAD: &str = "lanes_ahead";

/// Counts a lane only with all those before it. One that is copied earlier is remembered, and counts when they are.
pub(in crate::lanes) fn count_without_gaps(
    lane: Number,
    known: LanesPointer,
    cx: &mut Cx<'_, '_>,
) -> Result<Number, SqlError> {
    let stored = store::meta(cx, AHEAD)?;
    let mut ahead: BTreeSet<Number> = names(stored.as_deref())
        .iter()
        .filter_map(|name| lane_number(name))
        .collect();
    ahead.insert(lane);
    let mut counted = known.lanes;
    while ahead.remove(&(counted + Number::integer(1))) {
        counted = counted + Number::integer(1);
    }
    ahead.retain(|lane| lane.js_gt(counted));
    let lanes: Vec<String> = ahead.iter().map(Number::to_string).collect();
    let left = Text::from(lanes.join(","));
    if stored.unwrap_or_default() != left {
        store::set(cx, AHEAD, &left)?;
    }
    Ok(counted)
}
