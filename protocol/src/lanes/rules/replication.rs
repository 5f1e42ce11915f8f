//! The rules of replication: how state gets from the primary to its lanes, and when a lane may show it.

use super::Rules;
use crate::host::{Millis, Text};
use crate::json::Json;
use crate::lanes::admission::{
    AdmissionFacts, AdmissionVerdict, Missing, Move, Stage, StageName, StateEntry,
};
use crate::lanes::alarm::{LanePhase, LanePhaseFacts};
use crate::lanes::belief::LanesPointer;
use crate::lanes::catch_up::{NoRound, Pull, PullEnd, RoundFacts};
use crate::lanes::fingerprint::StateRow;
use crate::lanes::growth::{CopyStep, Pace, PaceFacts, Repairs};
use crate::lanes::log::{Application, ApplyOptions, Distrust, Inflight, Plan, Position, PositionFacts};
use crate::lanes::meta::Write;
use crate::lanes::restore::{
    ChunkRefusal, Incomplete, Landing, LandingFacts, NoLanding, NoProvision, Page, Place, ProvisionFacts,
    StepEnd, TablePlan, Whole, WholenessFacts,
};
use crate::lanes::seal::{Buffer, SealPlan, TransactionFacts};
use crate::lanes::wire::{Chunk, Cursor, Head, Record};
use crate::lanes::{admission, alarm, backoff, catch_up, fingerprint, growth, log, origin, restore, seal};
use crate::number::Number;
use crate::sql::Bound;

/// See [`log`].
#[derive(Clone, Copy, Debug)]
pub struct Log {
    /// [`log::read_position`]
    pub read_position: fn(&PositionFacts<'_>) -> Position,
    /// [`log::position_trust`]
    pub position_trust: fn(&Position) -> Result<(), Distrust>,
    /// [`log::plan_apply`]
    pub plan_apply: fn(&Rules, &Position, &Record, Option<&str>) -> Plan,
    /// Whether a record that leads to this generation is a duplicate, whatever else it carries: none is, as a bad record
    /// and a foreign schema outrank a duplicate (`lanes.md` 5).
    pub is_passed: fn(&Position, Number) -> bool,
    /// [`log::apply_record`]
    pub apply_record: fn(&Rules, &Position, &Record, &ApplyOptions<'_>) -> Application,
    /// [`log::mark_inflight`]
    pub mark: fn(Inflight) -> Vec<Write>,
    /// [`log::land_position`]
    pub land: fn(Number) -> Vec<Write>,
}

impl Log {
    /// As the contract documents it.
    pub const DOCUMENTED: Log = Log {
        read_position: log::read_position,
        position_trust: log::position_trust,
        plan_apply: log::plan_apply,
        is_passed: |_, _| false,
        apply_record: log::apply_record,
        mark: log::mark_inflight,
        land: log::land_position,
    };
}

/// See [`seal`].
#[derive(Clone, Copy, Debug)]
pub struct Seal {
    /// [`seal::copyable_generation`]
    pub copyable_generation: fn(Option<Number>, Number) -> Number,
    /// [`seal::noted`]
    pub noted: fn(&TransactionFacts) -> usize,
    /// [`seal::is_captured`]
    pub is_captured: fn(&Rules, Option<&str>) -> bool,
    /// [`seal::Buffer::opened_at`]
    pub open: fn(Number) -> Buffer,
    /// [`seal::plan_seal`]
    pub plan: fn(Number, Number) -> SealPlan,
}

impl Seal {
    /// As the contract documents it.
    pub const DOCUMENTED: Seal = Seal {
        copyable_generation: seal::copyable_generation,
        noted: seal::noted,
        is_captured: seal::is_captured,
        open: seal::Buffer::opened_at,
        plan: seal::plan_seal,
    };
}

/// See [`admission`].
#[derive(Clone, Copy, Debug)]
pub struct Admission {
    /// [`admission::can_transition`]
    pub can_transition: fn(Stage, Stage) -> bool,
    /// [`admission::set_stage`]
    pub set_stage: fn(&Rules, &StageName, &StageName) -> Move,
    /// [`admission::missing_mandatory`]
    pub missing_mandatory: fn(&[StateEntry], &[Text]) -> Vec<Missing>,
    /// [`admission::admission_verdict`]
    pub verdict: fn(&Rules, &AdmissionFacts<'_>) -> AdmissionVerdict,
}

impl Admission {
    /// As the contract documents it.
    pub const DOCUMENTED: Admission = Admission {
        can_transition: admission::can_transition,
        set_stage: admission::set_stage,
        missing_mandatory: admission::missing_mandatory,
        verdict: admission::admission_verdict,
    };
}

/// See [`fingerprint`].
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint {
    /// [`fingerprint::canonical_bytes`]
    pub canonical_bytes: fn(&[StateRow]) -> Vec<u8>,
}

impl Fingerprint {
    /// As the contract documents it.
    pub const DOCUMENTED: Fingerprint = Fingerprint {
        canonical_bytes: fingerprint::canonical_bytes,
    };
}

/// See [`restore`], [`backoff`] and [`origin`].
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    /// [`restore::plan_restore`]
    pub plan: fn(&Rules, &[Text]) -> Vec<TablePlan>,
    /// [`restore::copyable_tables`]
    pub copyable_tables: fn(&Rules, &[Text]) -> Vec<Text>,
    /// [`restore::begin_provision`]
    pub begin: fn(&ProvisionFacts<'_>) -> Result<Cursor, NoProvision>,
    /// [`restore::next_page`]
    pub next_page: fn(Place, usize, u64) -> Page,
    /// [`restore::step_end`]
    pub step_end: fn(Place, usize, Number, Number) -> Option<StepEnd>,
    /// [`restore::chunk_refusal`]
    pub chunk_refusal: fn(&Rules, &Chunk, Option<&str>, Option<Number>) -> Option<ChunkRefusal>,
    /// [`restore::restore_statements`]
    pub restore_statements: fn(&Chunk) -> Vec<Bound<Json>>,
    /// [`restore::may_begin`]
    pub may_begin: fn(&Chunk) -> Result<(), NoLanding>,
    /// [`restore::is_of_attempt`]
    pub is_of_attempt: fn(Option<&str>, &Chunk) -> bool,
    /// [`restore::note_attempt`]
    pub note_attempt: fn(&Chunk) -> Vec<Write>,
    /// [`restore::has_landed`]
    pub has_landed: fn(Option<&str>, &Chunk) -> bool,
    /// [`restore::note_page`]
    pub note_page: fn(&Chunk) -> Vec<Write>,
    /// [`restore::stages_of_begin`]
    pub stages_of_begin: fn(&Rules, &StageName) -> Vec<Stage>,
    /// [`restore::restart_copy`]
    pub restart: fn() -> Vec<Write>,
    /// [`restore::land_chunk`]
    pub land: fn(&Rules, &LandingFacts<'_>, &Chunk) -> Result<Landing, NoLanding>,
    /// [`restore::finish_copy`]
    pub finish: fn(&Rules, &WholenessFacts<'_>) -> Result<Whole, Incomplete>,
    /// [`backoff::copy_backoff_ms`]
    pub backoff_ms: fn(Number) -> Number,
    /// [`origin::pinnable`]
    pub pinnable: fn(Option<&str>) -> bool,
}

impl Copies {
    /// As the contract documents it.
    pub const DOCUMENTED: Copies = Copies {
        plan: restore::plan_restore,
        copyable_tables: restore::copyable_tables,
        begin: restore::begin_provision,
        next_page: restore::next_page,
        step_end: restore::step_end,
        chunk_refusal: restore::chunk_refusal,
        restore_statements: restore::restore_statements,
        may_begin: restore::may_begin,
        is_of_attempt: restore::is_of_attempt,
        note_attempt: restore::note_attempt,
        has_landed: restore::has_landed,
        note_page: restore::note_page,
        stages_of_begin: restore::stages_of_begin,
        restart: restore::restart_copy,
        land: restore::land_chunk,
        finish: restore::finish_copy,
        backoff_ms: backoff::copy_backoff_ms,
        pinnable: origin::pinnable,
    };
}

/// See [`catch_up`].
#[derive(Clone, Copy, Debug)]
pub struct CatchUp {
    /// [`catch_up::begin_round`]
    pub begin: fn(&Rules, &RoundFacts) -> Result<(), NoRound>,
    /// [`catch_up::after_head`]
    pub after_head: fn(&Rules, &StageName, Number, &Head) -> Pull,
    /// [`catch_up::after_records`]
    pub after_records: fn(Number, usize) -> PullEnd,
    /// [`catch_up::after_refusal`]
    pub after_refusal: fn(&Rules, &StageName, Number, usize) -> PullEnd,
    /// [`catch_up::withdraw`]
    pub withdraw: fn(&Rules, &StageName) -> Move,
    /// [`catch_up::after_verdict`]
    pub after_verdict: fn(&Rules, &StageName, &AdmissionVerdict) -> Vec<Stage>,
    /// [`catch_up::may_nudge`]
    pub may_nudge: fn(Option<Millis>, Millis) -> bool,
}

impl CatchUp {
    /// As the contract documents it.
    pub const DOCUMENTED: CatchUp = CatchUp {
        begin: catch_up::begin_round,
        after_head: catch_up::after_head,
        after_records: catch_up::after_records,
        after_refusal: catch_up::after_refusal,
        withdraw: catch_up::withdraw,
        after_verdict: catch_up::after_verdict,
        may_nudge: catch_up::may_nudge,
    };
}

/// See [`alarm`].
#[derive(Clone, Copy, Debug)]
pub struct Alarm {
    /// [`alarm::ask_for_copy`]
    pub ask_for_copy: fn(&Rules, &StageName, Option<&str>) -> Option<Vec<Write>>,
    /// [`alarm::after_lane_phase`]
    pub after_lane_phase: fn(&Rules, &LanePhaseFacts<'_>) -> LanePhase,
    /// [`alarm::serving_alarm`]
    pub serving_alarm: fn(Millis, Millis, Option<Millis>) -> Millis,
}

impl Alarm {
    /// As the contract documents it.
    pub const DOCUMENTED: Alarm = Alarm {
        ask_for_copy: alarm::ask_for_copy,
        after_lane_phase: alarm::after_lane_phase,
        serving_alarm: alarm::serving_alarm,
    };
}

/// See [`growth`].
#[derive(Clone, Copy, Debug)]
pub struct Growth {
    /// [`growth::pace`]
    pub pace: fn(&PaceFacts) -> Pace,
    /// [`growth::next_copy`]
    pub next_copy: fn(Option<Number>, &Repairs, Option<Number>) -> Option<Number>,
    /// [`growth::after_copy_step`]
    pub after_copy_step: fn(Number, &CopyStep, &Repairs) -> Vec<Write>,
    /// [`growth::note_serving`]
    pub note_serving: fn(Number, LanesPointer) -> Option<LanesPointer>,
}

impl Growth {
    /// As the contract documents it.
    pub const DOCUMENTED: Growth = Growth {
        pace: growth::pace,
        next_copy: growth::next_copy,
        after_copy_step: growth::after_copy_step,
        note_serving: growth::note_serving,
    };
}
