//! What is decided about the pool: how it grows, who mints which ids, how long a lane waits.

use std::collections::BTreeSet;

use protocol::lanes::demand::{GrowthFacts, REDUCE_AT, RowBudget, RowFacts, Window};
use protocol::lanes::partition::Writer;

use super::{RULES, exact_variable, number_variable};
use crate::vectors::wire::json;
use crate::vectors::{Js, Ran, Runner, Stop, unheld};

pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("laneTarget", lane_target),
        Runner::answers("recordWindow", record_window),
        Runner::answers("meanWaitMs", mean_wait_ms),
        Runner::answers("laneFitsRows", lane_fits_rows),
        Runner::answers("nextLaneToProvision", next_lane),
        Runner::answers("copyBackoffMs", copy_backoff_ms),
        Runner::answers("idStride", id_stride),
        Runner::answers("nextLaneId", next_lane_id),
        Runner::answers("idDisjoint", id_disjoint),
    ]
}

fn window(value: &Js) -> Result<Window, Stop> {
    json(value).map(Window::from)
}

fn windows(input: &Js) -> Result<Vec<Window>, Stop> {
    input.field("windows").array()?.iter().map(window).collect()
}

fn lane_target(input: &Js) -> Ran {
    Ok((RULES.demand.lane_target)(&windows(input)?, input.field("cap").number()?).into())
}

fn record_window(input: &Js) -> Ran {
    let history = (RULES.demand.record_window)(&windows(input)?, window(input.field("next"))?);
    Ok(Js::Array(history.iter().map(Js::encode).collect()))
}

fn mean_wait_ms(input: &Js) -> Ran {
    Ok((RULES.demand.mean_wait_ms)(&windows(input)?).into())
}

fn row_budget(value: &Js) -> Result<RowBudget, Stop> {
    Ok(RowBudget {
        today: value.field("today").number()?,
        replicated_today: value.field("replicatedToday").number()?,
        limit: value.field("limit").number()?,
        day_fraction: value.field("dayFraction").number()?,
    })
}

fn lane_fits_rows(input: &Js) -> Ran {
    let facts = RowFacts {
        budget: row_budget(input.field("budget"))?,
        lanes: input.field("lanes").number()?,
        reduce_at: input.field("reduceAt").option(Js::number)?.unwrap_or(REDUCE_AT),
    };
    Ok((RULES.demand.lane_fits_rows)(&facts).into())
}

fn next_lane(input: &Js) -> Ran {
    let facts = GrowthFacts {
        windows: &windows(input)?,
        provisioned: input.field("provisioned").number()?,
        auto_scale: (RULES.settings.auto_scale)(exact_variable(input, "REPLICA_AUTOSCALE").as_deref()),
        max_lanes: (RULES.settings.max_lanes)(number_variable(input, "REPLICA_MAX_LANES")?.as_deref()),
        rows: input.field("rows").option(row_budget)?,
    };
    Ok((RULES.demand.next_lane)(&RULES, &facts).ok().into())
}

fn copy_backoff_ms(input: &Js) -> Ran {
    Ok((RULES.copies.backoff_ms)(input.field("asks").number()?).into())
}

fn writer(input: &Js) -> Result<Writer, Stop> {
    Ok(Writer {
        lane: input.field("lane").number()?,
        lanes: input.field("lanes").number()?,
    })
}

fn id_stride(input: &Js) -> Ran {
    let class = (RULES.partition.stride)(writer(input)?);
    Ok(Js::object([
        ("offset", class.offset.into()),
        ("stride", class.stride.into()),
    ]))
}

fn next_lane_id(input: &Js) -> Ran {
    Ok((RULES.partition.next_id)(&RULES, input.field("after").number()?, writer(input)?).into())
}

/// Every writer from the primary to lane `lanes` mints `count` ids: how many were minted before?
fn id_disjoint(input: &Js) -> Ran {
    let integer = |key: &str| {
        let exact = input.field(key).number()?.to_u32_exact();
        exact.map_or_else(|| unheld(format!("{key} must be a whole number")), Ok)
    };
    let partition = input.field("partition").number()?;
    let mut minted = BTreeSet::new();
    let mut clashes = 0_u32;
    for lane in 0..=integer("lanes")? {
        let mut id = input.field("start").number()?;
        for _ in 0..integer("count")? {
            id = (RULES.partition.next_id)(
                &RULES,
                id,
                Writer {
                    lane: lane.into(),
                    lanes: partition,
                },
            );
            clashes += u32::from(!minted.insert(id));
        }
    }
    Ok(Js::object([("clashes", clashes.into())]))
}
