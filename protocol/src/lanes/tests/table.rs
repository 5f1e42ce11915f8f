//! An exchanged entry of the table takes effect in every rule that asks for it.

use crate::host::Text;
use crate::lanes::admission::{AdmissionVerdict, Move, Stage};
use crate::lanes::alarm::{LanePhase, LanePhaseFacts};
use crate::lanes::catch_up::{NoRound, RoundFacts};
use crate::lanes::demand::{GrowthFacts, NoGrowth, RowBudget};
use crate::lanes::fence::{Fence, FenceFacts};
use crate::lanes::forward::{ForwardFacts, ForwardPlan, ForwardStatement, Hazard};
use crate::lanes::guard::{Collector, GuardFacts, Guarded};
use crate::lanes::inventory::StateClass;
use crate::lanes::log::{Application, ApplyOptions, Distrust, Plan, Position};
use crate::lanes::partition::{IdStride, Writer};
use crate::lanes::restore::tests::{FIRST, chunk, facts};
use crate::lanes::restore::{ChunkRefusal, NoLanding};
use crate::lanes::routing::{Origination, RouteFacts, RouteReason, SERVE};
use crate::lanes::rules::Rules;
use crate::lanes::tally::Tally;
use crate::lanes::wire::{Chunk, LoggedStatement, Record};
use crate::number::Number;

/// The documented table with some entries exchanged.
fn edited(edit: impl FnOnce(&mut Rules)) -> Rules {
    let mut rules = Rules::DOCUMENTED;
    edit(&mut rules);
    rules
}

#[test]
fn the_class_of_state_reaches_what_is_copied_logged_forwarded_and_refused() {
    let rules = edited(|rules| rules.inventory.classify = |_| StateClass::PrimaryOnlySideEffect);
    assert!(!(rules.inventory.is_copied)(&rules, "node"));
    assert!(!(rules.seal.is_captured)(&rules, Some("node")));
    assert!((rules.copies.copyable_tables)(&rules, &[Text::new("node")]).is_empty());
    let chunk = Chunk {
        table: Text::new("node").into(),
        ..Chunk::default()
    };
    let refused = (rules.copies.chunk_refusal)(&rules, &chunk, None, None);
    assert!(matches!(refused, Some(ChunkRefusal::NotCopyable { .. })));
    assert!(!is_forwarded(&rules));
    let minted = ForwardStatement {
        minted: Text::new("node").into(),
        ..write()
    };
    assert!((rules.forwarding.partitioned)(&rules, &[minted]).is_empty());
}

fn write() -> ForwardStatement {
    ForwardStatement {
        sql: Text::new("UPDATE node SET title = 1").into(),
        table: Text::new("node").into(),
        ..ForwardStatement::default()
    }
}

fn is_forwarded(rules: &Rules) -> bool {
    let facts = ForwardFacts {
        statements: &[write()],
        parent: 7.into(),
        primary_generation: 7.into(),
        partitioned: &[],
    };
    (rules.forwarding.plan)(rules, &facts) == ForwardPlan::Commit
}

#[test]
fn a_hazard_reaches_the_plan_of_a_batch() {
    assert!(is_forwarded(&Rules::DOCUMENTED));
    assert!(!is_forwarded(&edited(
        |rules| rules.inventory.hazard = |_, _| Hazard::Origination
    )));
}

#[test]
fn what_is_deferred_and_rewritten_reaches_the_split() {
    let rules = edited(|rules| {
        rules.forwarding.deferrable = |_, _| None;
        rules.forwarding.cache_tag_increment = |_, _| Some(write());
    });
    let row = ForwardStatement {
        sql: Text::new("INSERT INTO watchdog (type) VALUES ('x')").into(),
        table: Text::new("watchdog").into(),
        ..write()
    };
    assert_eq!((rules.forwarding.split)(&rules, &[row]).commit, [write()]);
}

#[test]
fn the_shape_of_a_statement_reaches_the_guard_and_the_driver() {
    let facts = GuardFacts {
        capability: "cfwSqlExec",
        payload: r#"{"sql": "UPDATE node SET title = 1"}"#,
        collector: Collector::Absent,
    };
    let passes = |rules: &Rules| matches!((rules.guard.call)(rules, &facts), Ok(Guarded::PassSql(_)));
    assert!(!passes(&Rules::DOCUMENTED));
    assert!(passes(&edited(|rules| rules.statements.is_read = |_| true)));
    assert!(passes(&edited(
        |rules| rules.statements.expiry_sweep = |_| Some("node")
    )));
    assert!(passes(&edited(
        |rules| rules.statements.write_target = |_| Some("cfw_page")
    )));
    assert!(passes(&edited(
        |rules| rules.inventory.is_replica_local = |_| true
    )));
    assert!(passes(&edited(|rules| rules.guard.allows = |_, _| true)));
    assert!(!passes(&edited(|rules| {
        rules.statements.is_read = |_| true;
        rules.statements.is_compound = |_| true;
    })));
}

#[test]
fn a_local_table_reaches_the_tally() {
    let tally = Tally {
        rows: [(Text::new("node"), 1)].into(),
        ..Tally::default()
    };
    let writes = |rules: &Rules| (rules.guard.authoritative_writes)(rules, &tally).len();
    assert_eq!(writes(&Rules::DOCUMENTED), 1);
    assert_eq!(
        writes(&edited(|rules| rules.inventory.is_replica_local = |_| true)),
        0
    );
}

#[test]
fn the_legal_moves_reach_every_flow_that_moves_a_lane() {
    let stuck = edited(|rules| rules.admission.can_transition = |_, _| false);
    let serving = Stage::Serving.into();
    assert!(!(stuck.catch_up.withdraw)(&stuck, &serving).has_moved());
    let asks = (stuck.alarm.ask_for_copy)(&stuck, &Stage::Withdrawn.into(), None).expect("it asks");
    let documented =
        (Rules::DOCUMENTED.alarm.ask_for_copy)(&Rules::DOCUMENTED, &Stage::Withdrawn.into(), None);
    assert_eq!(asks.len() + 1, documented.expect("it asks").len());
    let verified = Stage::Verified.into();
    assert_eq!(
        (stuck.catch_up.after_verdict)(&stuck, &verified, &AdmissionVerdict::Admitted),
        []
    );
    let landing = (stuck.copies.land)(&stuck, &facts(), &chunk(FIRST)).expect("it lands");
    assert_eq!(landing.moved, Vec::new());
    let still = edited(|rules| {
        rules.admission.set_stage = |_, from, _| Move::AlreadyThere(from.clone());
    });
    assert_eq!(
        (still.catch_up.after_refusal)(&still, &serving, 7.into(), 0).writes,
        []
    );
}

#[test]
fn the_rules_of_a_chunk_reach_its_landing() {
    let land = |rules: &Rules| (rules.copies.land)(rules, &facts(), &chunk(FIRST));
    let refusing = edited(|rules| rules.copies.chunk_refusal = |_, _, _, _| Some(ChunkRefusal::NoTable));
    assert_eq!(land(&refusing), Err(NoLanding::Refused(ChunkRefusal::NoTable)));
    let writes = |rules: &Rules| land(rules).expect("it lands").begin.len();
    let documented = writes(&Rules::DOCUMENTED);
    assert_eq!(
        writes(&edited(|rules| rules.copies.pinnable = |_| false)),
        documented - 1
    );
    assert_eq!(
        writes(&edited(|rules| rules.log.mark = |_| Vec::new())),
        documented - 1
    );
}

#[test]
fn trust_reaches_the_log_and_the_round() {
    let position = Position {
        applied: 5.into(),
        inflight: None,
    };
    let record = Record {
        schema_version: Text::new("p1").into(),
        fingerprint: Text::new("f").into(),
        ..Record::sealed(
            5.into(),
            6.into(),
            vec![LoggedStatement::new("DELETE FROM node", Vec::new()); 2],
        )
    };
    let options = ApplyOptions {
        local_schema: Some("p1"),
        chunk_size: 1.into(),
    };
    let batches = |rules: &Rules| match (rules.log.apply_record)(rules, &position, &record, &options) {
        Application::Stays(_) => 0,
        Application::Runs { batches, .. } => batches.iter().map(|batch| batch.writes.len()).sum(),
    };
    assert_eq!(batches(&Rules::DOCUMENTED), 5);
    let distrusting = edited(|rules| rules.log.position_trust = |_| Err(Distrust::Unreadable));
    assert_eq!(batches(&distrusting), 0);
    assert_eq!(batches(&edited(|rules| rules.log.mark = |_| Vec::new())), 4);
    assert_eq!(batches(&edited(|rules| rules.log.land = |_| Vec::new())), 3);
    let duplicate = edited(|rules| {
        rules.log.plan_apply = |_, _, _, _| Plan::Duplicate {
            generation: Number::ZERO,
        }
    });
    assert_eq!(batches(&duplicate), 0);
    let round = RoundFacts {
        pool_lane: true,
        namespace_bound: true,
        stage: Stage::Serving.into(),
        position,
    };
    assert_eq!(
        (distrusting.catch_up.begin)(&distrusting, &round),
        Err(NoRound::Untrusted(Distrust::Unreadable))
    );
}

#[test]
fn backoff_reaches_the_alarm() {
    let rules = edited(|rules| rules.copies.backoff_ms = |_| Number::integer(9));
    let facts = LanePhaseFacts {
        stage: Stage::Created.into(),
        round_ran: false,
        asked_now: true,
        asks: None,
    };
    assert_eq!(
        (rules.alarm.after_lane_phase)(&rules, &facts),
        LanePhase::Again(9.into())
    );
}

#[test]
fn demand_reaches_growth() {
    let rules = edited(|rules| {
        rules.demand.lane_target = |_, _| Number::integer(3);
        rules.demand.lane_fits_rows = |_| false;
    });
    let mut facts = GrowthFacts {
        windows: &[],
        provisioned: 1.into(),
        auto_scale: true,
        max_lanes: 32.into(),
        rows: None,
    };
    assert_eq!((rules.demand.next_lane)(&rules, &facts), Ok(2.into()));
    facts.rows = Some(RowBudget {
        today: Number::ZERO,
        replicated_today: Number::ZERO,
        limit: Number::ZERO,
        day_fraction: Number::ZERO,
    });
    assert_eq!((rules.demand.next_lane)(&rules, &facts), Err(NoGrowth::RowBudget));
}

#[test]
fn names_and_originations_reach_the_route() {
    let rules = edited(|rules| {
        rules.names.replica_name = |_, _| "other".to_owned();
        rules.routing.origination_route = |_, _| Some(Origination::Upload);
    });
    let mut facts = RouteFacts {
        site: "s",
        method: "GET",
        affinity: "",
        replicas: Number::integer(256),
        pathname: Some(SERVE),
        write_forward: true,
        has_session: true,
        visitor_path: None,
        content_type: None,
    };
    assert_eq!((rules.routing.choose_target)(&rules, &facts).target, "other");
    facts.method = "POST";
    let reason = (rules.routing.choose_target)(&rules, &facts).reason;
    assert_eq!(reason, RouteReason::Origination(Origination::Upload));
}

#[test]
fn the_order_of_generations_reaches_the_fence_and_strides_reach_ids() {
    let rules = edited(|rules| {
        rules.fence.allows = |_, _| true;
        rules.partition.stride = |_| IdStride {
            offset: Number::ZERO,
            stride: Number::integer(10),
        };
    });
    let facts = FenceFacts {
        replica: true,
        applied: 1.into(),
        header: Some("2"),
    };
    assert_eq!(
        (rules.fence.refusal)(&rules, &facts),
        Fence::Passed { required: 2.into() }
    );
    let writer = Writer {
        lane: 1.into(),
        lanes: 256.into(),
    };
    assert_eq!((rules.partition.next_id)(&rules, 11.into(), writer), 20.into());
}
