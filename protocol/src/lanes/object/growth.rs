//! The primary's step of growing and repairing the pool (`autoScaleStep`, `lanes.md` 13.5).

use super::flows::two_segments;
use super::provision::Provisioning;
use super::{Cx, Next, Segment, SiteFrame, SiteObject, Value, Version, labels, records, store};
use crate::host::{Millis, SqlError, Text};
use crate::lanes::demand::{GrowthFacts, RowBudget, Seen, Window, format_windows, parse_windows};
use crate::lanes::growth::{CopyStep, Pace, PaceFacts, Repairs};
use crate::lanes::meta::{Key, Write};
use crate::number::Number;
use crate::task::{Resume, Step};

/// A step of growth on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Growing {
    /// The lane that is copied.
    lane: Number,
}

/// The segments of a step of growth.
#[derive(Clone, Copy, Debug)]
pub struct GrowthSteps {
    /// First: look at demand, and choose the lane that is copied.
    pub choose: Segment<Growing>,
    /// How long the requests waited that count for the window that has ended, each of them.
    pub waited: fn(&mut SiteObject) -> Vec<Millis>,
    /// When a step of its copy has ended, or failed.
    pub copied: Segment<Growing>,
}

impl GrowthSteps {
    /// As documented.
    pub const DOCUMENTED: GrowthSteps = GrowthSteps {
        choose,
        waited,
        copied,
    };
}

two_segments!(Growing, growth, choose, copied);

const DAY: u64 = 86_400_000;

fn choose(
    growing: &mut Growing,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let rules = &version.rules;
    let peak = std::mem::replace(&mut site.peak, site.inflight);
    let waited = (rules.flows.growth.waited)(site);
    let cursor = store::meta(cx, Key::COPY_CURSOR.0)?;
    let repairs = Repairs::stored(store::meta(cx, Key::REPAIRS.0)?.as_deref());
    let pace = (rules.growth.pace)(&PaceFacts {
        peak: Number::from(peak),
        copy_pending: cursor.is_some(),
        repair_queued: repairs.first().is_some(),
    });
    match pace {
        Pace::Busy => site.append_window(version, peak, &waited, cx)?,
        Pace::Quiet {
            clears_windows: false,
        } => {}
        Pace::Quiet { clears_windows: true } | Pace::Idle => {
            store::write(cx, [Write::clear(Key::DEMAND_WINDOWS)])?;
        }
    }
    if pace == Pace::Idle {
        return Ok(Step::Return(Value::Report(None)));
    }
    let in_flight = match &cursor {
        Some(_) => store::meta(cx, Key::COPY_LANE.0)?.map(|lane| Number::parse(&lane)),
        None => None,
    };
    let new = site.next_lane(version, cx)?;
    let Some(lane) = (rules.growth.next_copy)(in_flight, &repairs, new) else {
        return Ok(Step::Return(Value::Report(None)));
    };
    growing.lane = lane;
    let cursor = cursor.filter(|_| in_flight.is_some()).unwrap_or_default();
    Ok(Step::Enter(SiteFrame::Provision(Box::new(Provisioning::posted(
        lane,
        cursor,
        version.policy.step_rows,
    )))))
}

/// Those of the whole ring of timings, also those that an earlier window counted.
fn waited(site: &mut SiteObject) -> Vec<Millis> {
    let waits = site.timings.iter().filter(|timing| timing.ahead > 0);
    waits.map(|timing| timing.queued).collect()
}

fn copied(
    growing: &mut Growing,
    _: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let lane = growing.lane;
    let (step, report) = match resume {
        Resume::Returned(Value::Provisioned(end)) => match end.cursor {
            _ if !end.ok => (CopyStep::Failed, end.reason),
            _ if end.done => (CopyStep::Done, Text::from(format!("lane {lane} is copied"))),
            Some(cursor) => (
                CopyStep::Paused(cursor),
                Text::from(format!("lane {lane} is being copied")),
            ),
            None => (
                CopyStep::Failed,
                Text::new_static("a copy that pauses says where"),
            ),
        },
        Resume::Failed(failure) => {
            let why = Text::from(failure.to_string());
            cx.note(labels::PROVISION_ENDED, why.clone());
            (CopyStep::Failed, why)
        }
        _ => unreachable!("a step of growth enters a step of a copy"),
    };
    // A lane may have asked while the chunks went out.
    let repairs = Repairs::stored(store::meta(cx, Key::REPAIRS.0)?.as_deref());
    store::write(cx, (version.rules.growth.after_copy_step)(lane, &step, &repairs))?;
    Ok(Step::Return(Value::Report(Some(report))))
}

impl SiteObject {
    /// Appends a window of demand.
    fn append_window(
        &self,
        version: &Version,
        peak: u32,
        waited: &[Millis],
        cx: &mut Cx<'_, '_>,
    ) -> Result<(), SqlError> {
        let seen = Seen {
            at: Number::from(cx.now().0),
            peak_inflight: Number::from(peak),
            queued: Number::from(waited.len() as u64),
            waited_ms: Number::from(waited.iter().map(|waited| waited.0).sum::<u64>()),
        };
        let windows = self.windows(cx)?;
        let windows = (version.rules.demand.record_window)(&windows, seen.into());
        let text = Text::from(format_windows(&windows));
        store::write(cx, [Write::Meta(Key::DEMAND_WINDOWS, text)])
    }

    fn windows(&self, cx: &mut Cx<'_, '_>) -> Result<Vec<Window>, SqlError> {
        let stored = store::meta(cx, Key::DEMAND_WINDOWS.0)?;
        Ok(parse_windows(stored.as_deref().unwrap_or_default()).unwrap_or_default())
    }

    /// The lane that demand asks for, if it asks for one more.
    fn next_lane(&mut self, version: &Version, cx: &mut Cx<'_, '_>) -> Result<Option<Number>, SqlError> {
        let (windows, provisioned) = (self.windows(cx)?, self.known_lanes(cx)?.lanes);
        let rows = self.row_budget(version, provisioned, cx)?;
        let (auto, max) = (
            &version.variables.replica_autoscale,
            &version.variables.replica_max_lanes,
        );
        let settings = &version.rules.settings;
        let next = (version.rules.demand.next_lane)(
            &version.rules,
            &GrowthFacts {
                windows: &windows,
                provisioned,
                auto_scale: (settings.auto_scale)(self.variable("REPLICA_AUTOSCALE", auto)),
                max_lanes: (settings.max_lanes)(self.variable("REPLICA_MAX_LANES", max)),
                rows,
            },
        );
        Ok(next
            .map_err(|why| cx.note(labels::NO_GROWTH, why.to_string()))
            .ok())
    }

    /// The row budget, where the site has a limit. Rows of today are not metered: they are taken to be what the log
    /// holds, once on the primary and once on each lane.
    fn row_budget(
        &self,
        version: &Version,
        lanes: Number,
        cx: &mut Cx<'_, '_>,
    ) -> Result<Option<RowBudget>, SqlError> {
        let Some(limit) = version.policy.row_limit else {
            return Ok(None);
        };
        let into_day = cx.now().0 % DAY;
        let midnight = Number::from(cx.now().0 - into_day);
        let replicated_today = records::statements_since(cx, midnight)?;
        Ok(Some(RowBudget {
            today: replicated_today * (lanes + Number::integer(1)),
            replicated_today,
            limit,
            day_fraction: Number::from(into_day) / Number::from(DAY),
        }))
    }
}
