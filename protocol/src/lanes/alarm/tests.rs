use super::*;
use crate::lanes::rules::Rules;

const RULES: &Rules = &Rules::DOCUMENTED;

fn facts(stage: Stage) -> LanePhaseFacts<'static> {
    LanePhaseFacts {
        stage: stage.into(),
        round_ran: false,
        asked_now: false,
        asks: None,
    }
}

#[test]
fn only_a_withdrawn_lane_asks() {
    assert_eq!(ask_for_copy(RULES, &Stage::Serving.into(), None), None);
    let writes = ask_for_copy(RULES, &Stage::Withdrawn.into(), Some("2")).expect("it asks");
    assert!(writes.contains(&Write::Meta(Key::STAGE, "CREATED".into())));
    assert!(writes.contains(&Write::number(Key::READMIT_ASKS, 3.into())));
}

#[test]
fn a_lane_that_waits_backs_off_and_one_that_never_asked_sleeps() {
    assert_eq!(after_lane_phase(RULES, &facts(Stage::Serving)), LanePhase::GoesOn);
    assert_eq!(after_lane_phase(RULES, &facts(Stage::Created)), LanePhase::Sleeps);
    assert_eq!(
        after_lane_phase(RULES, &facts(Stage::Restoring)),
        LanePhase::Sleeps
    );
    let waits = LanePhaseFacts {
        asks: Some("4"),
        ..facts(Stage::Created)
    };
    assert_eq!(after_lane_phase(RULES, &waits), LanePhase::Again(16_000.into()));
    let ran = LanePhaseFacts {
        round_ran: true,
        ..facts(Stage::CatchingUp)
    };
    assert_eq!(after_lane_phase(RULES, &ran), LanePhase::Again(ROUND_EVERY));
}

#[test]
fn a_serving_lane_wakes_within_its_lag() {
    assert_eq!(serving_alarm(Millis(100), Millis(30), None), Millis(130));
    assert_eq!(
        serving_alarm(Millis(100), Millis(30), Some(Millis(110))),
        Millis(110)
    );
    assert_eq!(
        serving_alarm(Millis(100), Millis(30), Some(Millis(900))),
        Millis(130)
    );
    assert_eq!(idle_after(Millis(1_000)), KEEP_WARM);
}
