use super::*;
use crate::lanes::rules::Rules;
use crate::lanes::wire::Field;

const RULES: &Rules = &Rules::DOCUMENTED;

fn facts(stage: Stage) -> RoundFacts {
    RoundFacts {
        pool_lane: true,
        namespace_bound: true,
        stage: stage.into(),
        position: Position {
            applied: 7.into(),
            inflight: None,
        },
    }
}

#[test]
fn a_round_runs_in_the_stages_that_a_log_leads_on_from() {
    let runs = Stage::ALL.map(|stage| begin_round(RULES, &facts(stage)).is_ok());
    assert_eq!(runs, [false, false, true, true, true, true, false]);
    let no_lane = RoundFacts {
        pool_lane: false,
        ..facts(Stage::Serving)
    };
    assert_eq!(begin_round(RULES, &no_lane), Err(NoRound::NotALane));
}

#[test]
fn a_head_is_compared_as_javascript_compares() {
    let head = |generation: Field<Number>| Head {
        generation,
        ..Head::default()
    };
    let asks =
        |generation| after_head(RULES, &Stage::Serving.into(), 7.into(), &head(generation)) != Pull::Nothing;
    assert!(asks(Field::Is(8.into())) && !asks(Field::Is(7.into())));
    assert!(
        asks(Field::Other("8".into())),
        "a text of digits counts in a comparison"
    );
    assert!(!asks(Field::Missing) && !asks(Field::Is(Number::NAN)));
}

#[test]
fn only_a_verified_lane_moves_when_it_asks() {
    let head = Head {
        generation: Field::Is(9.into()),
        ..Head::default()
    };
    for stage in [Stage::Verified, Stage::CatchingUp, Stage::Serving] {
        let Pull::After {
            since,
            to_catching_up,
        } = after_head(RULES, &stage.into(), 7.into(), &head)
        else {
            panic!("it is behind");
        };
        assert_eq!(since, 7.into());
        assert_eq!(to_catching_up.is_some(), stage == Stage::Verified);
    }
}

#[test]
fn a_refusal_after_some_records_purges_and_withdraws() {
    let end = after_refusal(RULES, &Stage::Serving.into(), 8.into(), 1);
    assert_eq!(
        end.writes,
        [
            Write::number(Key::COMMIT_SEQUENCE, 8.into()),
            Write::Meta(Key::STAGE, "WITHDRAWN".into())
        ]
    );
    assert!(end.purges);
}

#[test]
fn sessions_nudge_once_a_second() {
    assert!(may_nudge(None, Millis(0)));
    assert!(!may_nudge(Some(Millis(5)), Millis(1_004)));
    assert!(may_nudge(Some(Millis(5)), Millis(1_005)));
}
