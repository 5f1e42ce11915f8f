//! The pool: alarms, asking for copies, growth and repair, names, and who knows of it.

use super::Defect;
use crate::host::Millis;
use crate::lanes::alarm::{LanePhase, after_lane_phase};
use crate::lanes::belief::{self, Belief, Hearsay, LanesPointer};
use crate::lanes::growth::{self, CopyStep, Pace, PaceFacts};
use crate::lanes::meta::Write;
use crate::lanes::object::defects as object;
use crate::lanes::rules::Rules;
use crate::number::Number;

const ONE: Number = Number::integer(1);

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "pull-every-four-minutes",
        &["H21"],
        &["LR-24"],
        "a lane that serves is woken as late as an idle one",
        |rules| rules.alarm.serving_alarm = |now, _, _| now.after(Millis(240_000)),
    ),
    Defect::new(
        "put-the-alarm-off",
        &["A07"],
        &["LR-24", "LR-L1"],
        "each request moves a lane's alarm on: under load it never comes",
        |rules| rules.flows.alarm.on_request = object::put_the_alarm_off,
    ),
    Defect::new(
        "rounds-without-a-next",
        &["A03"],
        &["LR-L1", "LR-L2", "LR-L3"],
        "a run of the alarm of a lane that does not serve yet sets no other, and nothing sees to it however it ends",
        |rules| {
            rules.flows.alarm.settle = Rules::DOCUMENTED.flows.alarm.settle;
            rules.alarm.after_lane_phase = |rules, facts| match after_lane_phase(rules, facts) {
                LanePhase::Again(_) => LanePhase::Sleeps,
                phase => phase,
            };
        },
    ),
    Defect::new(
        "repairs-wait-for-demand",
        &["H29"],
        &["LR-L1", "LR-L3"],
        "a quiet site repairs no lane",
        |rules| {
            rules.growth.pace = |facts| {
                growth::pace(&PaceFacts {
                    repair_queued: false,
                    ..*facts
                })
            };
        },
    ),
    Defect::new(
        "busy-with-one",
        &["H29"],
        &["LR-41"],
        "one request at a time counts as demand: `< 1` in place of `< 2`",
        |rules| {
            rules.growth.pace = |facts| {
                if facts.peak.js_ge(ONE) {
                    Pace::Busy
                } else {
                    growth::pace(facts)
                }
            };
        },
    )
    .unseen(
        "a window counts by its waits, and one request at a time has none but of the window before, which LR-41 \
         counts in both: it would have to know in which window each wait has ended",
    ),
    Defect::new(
        "never-ask",
        &[],
        &["LR-L1", "LR-L3"],
        "a withdrawn lane does not ask for a copy",
        |rules| rules.alarm.ask_for_copy = |_, _, _| None,
    ),
    Defect::new(
        "sleep-instead",
        &[],
        &["LR-L2", "LR-L1", "LR-L3"],
        "the alarm of a lane that does not serve sets no other",
        |rules| {
            rules.alarm.after_lane_phase = |_, facts| {
                if facts.stage == crate::lanes::admission::Stage::Serving.into() {
                    LanePhase::GoesOn
                } else {
                    LanePhase::Sleeps
                }
            };
        },
    )
    .unseen("however a run ends an alarm is set (`arm-however-it-ends`): see `rounds-without-a-next`"),
    Defect::new(
        "forget-the-repair",
        &[],
        &["LR-L1", "LR-L3"],
        "a copy that failed takes its lane out of the queue",
        |rules| {
            rules.growth.after_copy_step = |lane, step, repairs| {
                let mut writes = growth::after_copy_step(lane, step, repairs);
                if *step == CopyStep::Failed {
                    let mut repairs = repairs.clone();
                    repairs.dequeue(lane);
                    writes.push(repairs.write());
                }
                writes
            };
        },
    )
    .unseen("the lane asks until a copy begins, and again when one does not go on"),
    Defect::new(
        "repair-for-ever",
        &[],
        &["LR-L1", "LR-L6"],
        "a copy that is done leaves its lane in the queue",
        |rules| {
            rules.growth.after_copy_step = |lane, step, repairs| {
                let mut writes = growth::after_copy_step(lane, step, repairs);
                if *step == CopyStep::Done {
                    writes.push(repairs.write());
                }
                writes
            };
        },
    ),
    Defect::new(
        "go-on-with-what-failed",
        &[],
        &["LR-L1"],
        "a copy that failed goes on where it stood",
        |rules| {
            rules.growth.after_copy_step = |lane, step, repairs| match step {
                CopyStep::Failed => Vec::<Write>::new(),
                step => growth::after_copy_step(lane, step, repairs),
            };
        },
    ),
    Defect::new(
        "count-one-lane-more",
        &["S41"],
        &["LR-31", "LR-42"],
        "the primary tells of one lane more than it has copied to",
        |rules| {
            rules.growth.note_serving = |lane, known| {
                growth::note_serving(lane, known).map(|pointer| LanesPointer {
                    lanes: pointer.lanes + ONE,
                    ..pointer
                })
            };
        },
    ),
    Defect::new(
        "believe-for-ever",
        &[],
        &["LR-31"],
        "a front's belief about lanes does not expire",
        |rules| {
            rules.beliefs.believed = |beliefs, site, _| {
                beliefs
                    .held(site)
                    .map_or(Number::ZERO, |held: &Belief| held.lanes)
            };
        },
    ),
    Defect::new(
        "hear-nothing-of-the-pool",
        &["H23"],
        &["LR-L7"],
        "a front learns of no lane: all requests go to the primary",
        |rules| rules.beliefs.remember = |_, _: &Hearsay<'_>| {},
    ),
    Defect::new(
        "older-epochs-count",
        &[],
        &["LR-31", "LR-L7"],
        "what a front hears of an older epoch replaces what it knows",
        |rules| {
            rules.beliefs.remember = |beliefs, heard| {
                belief::remember_lanes(
                    beliefs,
                    &Hearsay {
                        epoch: Number::NAN,
                        ..*heard
                    },
                );
            };
        },
    )
    .unseen("the number of lanes never sinks, and a lower one costs capacity only"),
    Defect::new(
        "read-only-everywhere",
        &["H31"],
        &["LR-29", "LR-38", "LR-L1"],
        "the switch that makes replicas read-only makes the primary so",
        |rules| {
            rules.flows.identify =
                |rules, name, _| (Rules::DOCUMENTED.flows.identify)(rules, name, Some("1"));
        },
    ),
    Defect::new(
        "a-lane-is-a-primary",
        &["A09"],
        &["LR-9", "LR-27", "LR-31", "LR-32", "LR-L1"],
        "the name of a lane is read as the name of a site of its own",
        |rules| rules.names.replica_of = |_| None,
    ),
];
