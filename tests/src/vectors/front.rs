//! `protocol::lanes`, the side that faces the visitor: names, settings, beliefs, routing, sites, sessions, demand, the
//! id partition, the fence. Asked through the table of rules, as the flows ask.

mod capacity;
mod request;

use protocol::host::{Millis, Text};
use protocol::lanes::belief::{Beliefs, Hearsay, LanesPointer};
use protocol::lanes::rules::Rules;

use super::{Js, Ran, Runner, Stop, unheld};

const RULES: Rules = Rules::DOCUMENTED;

/// The runners of this area.
pub fn runners() -> Vec<Runner> {
    let own = vec![
        Runner::answers("replicaName", replica_name),
        Runner::answers("replicaOf", replica_of),
        Runner::answers("replicaCount", replica_count),
        Runner::answers("replicaLagMs", replica_lag),
        Runner::answers("maxLanes", max_lanes),
        Runner::answers("writeForwardEnabled", write_forward),
        Runner::answers("autoScaleEnabled", auto_scale),
        Runner::answers("formatLanesPointer", format_pointer),
        Runner::answers("parseLanesPointer", parse_pointer),
        Runner::answers("lanesBelief", beliefs),
    ];
    [own, request::runners(), capacity::runners()]
        .into_iter()
        .flatten()
        .collect()
}

fn replica_name(input: &Js) -> Ran {
    let name = (RULES.names.replica_name)(&input.field("site").text()?, input.field("lane").number()?);
    Ok(name.into())
}

fn replica_of(input: &Js) -> Ran {
    let name = input.field("name").text()?;
    let lane = (RULES.names.replica_of)(&name);
    Ok(lane
        .map(|lane| Js::object([("site", lane.site.into()), ("lane", lane.lane.into())]))
        .into())
}

/// A variable that is read as a number: by `String()` first, so that one which is no text counts as well.
fn number_variable(input: &Js, name: &str) -> Result<Option<String>, Stop> {
    let read = |value: &Js| Js::Text(value.to_text()).text();
    input.field("env").field(name).option(read)
}

/// A variable that is compared with a text, which what is no text never equals.
fn exact_variable(input: &Js, name: &str) -> Option<String> {
    input.field("env").field(name).text().ok()
}

fn replica_count(input: &Js) -> Ran {
    Ok((RULES.settings.replica_count)(number_variable(input, "REPLICA_COUNT")?.as_deref()).into())
}

fn replica_lag(input: &Js) -> Ran {
    let Millis(lag) = (RULES.settings.replica_lag)(number_variable(input, "REPLICA_LAG_MS")?.as_deref());
    Ok(lag.into())
}

fn max_lanes(input: &Js) -> Ran {
    Ok((RULES.settings.max_lanes)(number_variable(input, "REPLICA_MAX_LANES")?.as_deref()).into())
}

fn write_forward(input: &Js) -> Ran {
    Ok((RULES.settings.write_forward)(exact_variable(input, "WRITE_FORWARD").as_deref()).into())
}

fn auto_scale(input: &Js) -> Ran {
    Ok((RULES.settings.auto_scale)(exact_variable(input, "REPLICA_AUTOSCALE").as_deref()).into())
}

fn format_pointer(input: &Js) -> Ran {
    let pointer = LanesPointer {
        lanes: input.field("lanes").number()?,
        epoch: input.field("epoch").number()?,
    };
    Ok((RULES.beliefs.format_pointer)(pointer).into())
}

fn parse_pointer(input: &Js) -> Ran {
    let text = input.field("raw").option(Js::text)?;
    let pointer = (RULES.beliefs.parse_pointer)(text.as_deref());
    let shown = |pointer: LanesPointer| {
        Js::object([("lanes", pointer.lanes.into()), ("epoch", pointer.epoch.into())])
    };
    Ok(pointer.map(shown).into())
}

fn beliefs(input: &Js) -> Ran {
    let mut beliefs = Beliefs::default();
    let results: Result<Vec<Js>, Stop> = input
        .field("ops")
        .array()?
        .iter()
        .map(|op| belief_op(&mut beliefs, op))
        .collect();
    results.map(Js::Array)
}

fn belief_op(beliefs: &mut Beliefs, op: &Js) -> Ran {
    let site = Text::new(op.field("site").text()?);
    let now = millis(op.field("now"))?;
    match op.field("op").text()?.as_str() {
        "believed" => Ok((RULES.beliefs.believed)(beliefs, &site, now).into()),
        "remember" => {
            let lanes = op.field("lanes").number()?;
            let epoch = op.field("epoch").option(Js::number)?.unwrap_or_default();
            (RULES.beliefs.remember)(
                beliefs,
                &Hearsay {
                    site: &site,
                    lanes,
                    epoch,
                    now,
                },
            );
            Ok(Js::Null)
        }
        other => unheld(format!("unknown operation {other:?}")),
    }
}

fn millis(value: &Js) -> Result<Millis, Stop> {
    let exact = value.number()?.to_u64_exact().map(Millis);
    exact.map_or_else(|| unheld(format!("{value} is no time of a clock")), Ok)
}
