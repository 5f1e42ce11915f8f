//! The rules of replica lanes as one table: every decision that a flow asks for, grouped by noun.
//!
//! A flow calls `rules.routing.choose_target`, never the function itself, and a rule that asks other rules takes the
//! table as its first argument and asks there. So a mended or broken protocol is a table with some entries exchanged,
//! each of which takes effect wherever it is asked, and no flow ever asks which protocol it is part of.
//! [`Rules::DOCUMENTED`] is what the contract says.
//!
//! ```
//! use protocol::lanes::log::{Plan, Position};
//! use protocol::lanes::rules::{Log, Rules};
//! use protocol::lanes::wire::Record;
//!
//! // A lane that trusts an interrupted apply: one entry, and what plans an apply follows it.
//! let documented = Rules::DOCUMENTED;
//! let trusting = Rules { log: Log { position_trust: |_| Ok(()), ..documented.log }, ..documented };
//! let nowhere = Position { applied: (-1).into(), inflight: None };
//! let reason = |rules: &Rules| match (rules.log.plan_apply)(rules, &nowhere, &Record::default(), None) {
//!     Plan::Refuse(refusal) => refusal.to_string(),
//!     plan => format!("{plan:?}"),
//! };
//! assert_eq!(reason(&documented), "the applied generation is unreadable");
//! assert_eq!(reason(&trusting), "the record carries a generation that is not a number");
//! ```

use std::collections::BTreeMap;

use super::app::DriverSteps;
use super::belief::{Beliefs, Hearsay, LanesPointer};
use super::bridge::SqlStatement;
use super::capability::Capability;
use super::demand::{GrowthFacts, NoGrowth, RowFacts, Window};
use super::fence::{Fence, FenceFacts};
use super::forward::{
    Attempt, Flush, ForwardAnswer, ForwardFacts, ForwardPlan, ForwardStatement, Hazard, KeyValueTarget, Split,
};
use super::front::FrontSteps;
use super::guard::{GuardFacts, Guarded, RequiresPrimary, SqlCall};
use super::handoff::{GuardState, Handoff, Started};
use super::inventory::{StateClass, StateKey};
use super::minting::{HighestIds, MintFacts, Minted};
use super::name::LaneName;
use super::object::Flows;
use super::partition::{IdStride, PartitionFacts, Writer};
use super::routing::{AffinityFacts, FailoverFacts, Origination, Route, RouteFacts};
use super::site::Scheme;
use super::tally::{AuthoritativeWrite, Tally};
use super::{belief, bind, demand, fence, name, partition, routing, session, setting, site};
use super::{capability, forward, guard, handoff, inventory, minting, tally};
use crate::ecma::JsString;
use crate::host::{Millis, Text};
use crate::json::Json;
use crate::number::Number;
use crate::sql::{self, BindError, Bound};

mod replication;

pub use replication::{Admission, Alarm, CatchUp, Copies, Fingerprint, Growth, Log, Seal};

/// All rules. A variant is a copy with some of them exchanged.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Names of objects.
    pub names: Names,
    /// What the deployment's variables mean.
    pub settings: Settings,
    /// What front Workers believe about lanes.
    pub beliefs: BeliefRules,
    /// Where requests go.
    pub routing: Routing,
    /// Site ids.
    pub sites: Sites,
    /// Sessions and attempts.
    pub sessions: Sessions,
    /// How the pool grows.
    pub demand: Demand,
    /// Who mints which row ids.
    pub partition: Partition,
    /// Generation fences.
    pub fence: FenceRules,
    /// Copies of the primary's state.
    pub copies: Copies,
    /// The log, as a lane reads it.
    pub log: Log,
    /// The log, as the primary writes it.
    pub seal: Seal,
    /// Which lane may serve.
    pub admission: Admission,
    /// Fingerprints of state.
    pub fingerprint: Fingerprint,
    /// Rounds of catching up.
    pub catch_up: CatchUp,
    /// A lane's alarm.
    pub alarm: Alarm,
    /// The primary's step of growing and repairing the pool.
    pub growth: Growth,
    /// What the text of a statement shows.
    pub statements: Statements,
    /// What each kind of state is subject to.
    pub inventory: Inventory,
    /// What a replica lets its interpreter do.
    pub guard: GuardRules,
    /// What becomes of a lane's writes.
    pub forwarding: Forwarding,
    /// How a driver gives ids to new rows.
    pub minting: Minting,
    /// What a driver does with the application's statements.
    pub driver: DriverSteps,
    /// What a front Worker does, and the segments of its flows.
    pub front: FrontSteps,
    /// The segments of an object's flows.
    pub flows: Flows,
}

/// See [`name`].
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// [`name::replica_name`]
    pub replica_name: fn(&str, Number) -> String,
    /// [`name::replica_of`]
    pub replica_of: fn(&str) -> Option<LaneName<'_>>,
}

/// See [`setting`].
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// [`setting::replica_count`]
    pub replica_count: fn(Option<&str>) -> Number,
    /// [`setting::replica_lag`]
    pub replica_lag: fn(Option<&str>) -> Millis,
    /// [`setting::max_lanes`]
    pub max_lanes: fn(Option<&str>) -> Number,
    /// [`setting::write_forward`]
    pub write_forward: fn(Option<&str>) -> bool,
    /// [`setting::auto_scale`]
    pub auto_scale: fn(Option<&str>) -> bool,
}

/// See [`belief`].
#[derive(Clone, Copy, Debug)]
pub struct BeliefRules {
    /// [`belief::format_lanes_pointer`]
    pub format_pointer: fn(LanesPointer) -> String,
    /// [`belief::parse_lanes_pointer`]
    pub parse_pointer: fn(Option<&str>) -> Option<LanesPointer>,
    /// [`belief::remember_lanes`]
    pub remember: fn(&mut Beliefs, &Hearsay<'_>),
    /// [`belief::believed_lanes`]
    pub believed: fn(&Beliefs, &str, Millis) -> Number,
}

/// See [`routing`].
#[derive(Clone, Copy, Debug)]
pub struct Routing {
    /// [`routing::affinity_key`]
    pub affinity_key: fn(&AffinityFacts<'_>) -> String,
    /// [`routing::origination_route`]
    pub origination_route: fn(&str, Option<&str>) -> Option<Origination>,
    /// [`routing::choose_target`]
    pub choose_target: fn(&Rules, &RouteFacts<'_>) -> Route,
    /// [`routing::should_failover`]
    pub should_failover: fn(&FailoverFacts<'_>) -> bool,
}

/// See [`site`].
#[derive(Clone, Copy, Debug)]
pub struct Sites {
    /// [`site::site_from_host`]
    pub from_host: fn(&str, Scheme) -> Option<String>,
}

/// See [`session`].
#[derive(Clone, Copy, Debug)]
pub struct Sessions {
    /// [`session::session_cookie_value`]
    pub cookie_value: fn(Option<&str>) -> Option<&str>,
    /// [`session::drupal_session_row_id`]
    pub row_id: fn(&JsString) -> String,
    /// [`session::attempt_key`]
    pub attempt_key: fn(Option<&str>) -> Option<String>,
}

/// See [`demand`].
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// [`demand::record_window`]
    pub record_window: fn(&[Window], Window) -> Vec<Window>,
    /// [`demand::mean_wait_ms`]
    pub mean_wait_ms: fn(&[Window]) -> Option<Number>,
    /// [`demand::lane_target`]
    pub lane_target: fn(&[Window], Number) -> Number,
    /// [`demand::lane_fits_rows`]
    pub lane_fits_rows: fn(&RowFacts) -> bool,
    /// [`demand::next_lane_to_provision`]
    pub next_lane: fn(&Rules, &GrowthFacts<'_>) -> Result<Number, NoGrowth>,
}

/// See [`partition`].
#[derive(Clone, Copy, Debug)]
pub struct Partition {
    /// [`partition::id_partition`]
    pub writer: fn(&PartitionFacts) -> Writer,
    /// [`partition::id_stride`]
    pub stride: fn(Writer) -> IdStride,
    /// [`partition::next_lane_id`]
    pub next_id: fn(&Rules, Number, Writer) -> Number,
}

/// See [`fence`].
#[derive(Clone, Copy, Debug)]
pub struct FenceRules {
    /// [`fence::fence_allows`]
    pub allows: fn(Number, Number) -> bool,
    /// [`fence::fence_refusal`]
    pub refusal: fn(&Rules, &FenceFacts<'_>) -> Fence,
}

/// See [`sql`].
#[derive(Clone, Copy, Debug)]
pub struct Statements {
    /// [`sql::is_proven_read`]
    pub is_read: fn(&str) -> bool,
    /// [`sql::is_compound`]
    pub is_compound: fn(&str) -> bool,
    /// [`sql::is_definition`]
    pub is_definition: fn(&str) -> bool,
    /// [`sql::write_target`]
    pub write_target: fn(&str) -> Option<&str>,
    /// [`sql::expiry_sweep`]
    pub expiry_sweep: fn(&str) -> Option<&'static str>,
    /// [`sql::positional_bindings`], of the values of a record.
    pub bind: fn(&str, &Json) -> Result<Bound<Json>, BindError>,
    /// [`sql::to_positional`], of the values of a statement that the primary captures.
    pub capture: fn(&str, &Json) -> Result<Bound<Json>, BindError>,
}

/// See [`inventory`]: one classification, its five uses apart.
#[derive(Clone, Copy, Debug)]
pub struct Inventory {
    /// [`inventory::classify_state`]
    pub classify: fn(&StateKey<'_>) -> StateClass,
    /// [`inventory::is_replica_local_table`]
    pub is_replica_local: fn(&str) -> bool,
    /// [`inventory::is_copied_by_restore`]
    pub is_copied: fn(&Rules, &str) -> bool,
    /// [`inventory::enters_log`]
    pub enters_log: fn(&Rules, &str) -> bool,
    /// [`inventory::needs_forwarding`]
    pub needs_forwarding: fn(&Rules, Option<&str>) -> bool,
    /// [`forward::hazard_class`]
    pub hazard: fn(&Rules, &StateKey<'_>) -> Hazard,
    /// [`inventory::forwarded_enters_log`]
    pub forwarded_enters_log: fn(&str) -> bool,
}

/// See [`guard`], [`capability`] and [`handoff`].
#[derive(Clone, Copy, Debug)]
pub struct GuardRules {
    /// [`capability::classify_capability`]
    pub classify: fn(&str) -> Capability,
    /// [`guard::statement_allowed_on_replica`]
    pub allows: fn(&Rules, &str) -> bool,
    /// [`guard::guard_call`]
    pub call: fn(&Rules, &GuardFacts<'_>) -> Result<Guarded, RequiresPrimary>,
    /// [`handoff::replica_handoff`]
    pub handoff: fn(GuardState, Started) -> Handoff,
    /// [`tally::authoritative_writes`]
    pub authoritative_writes: fn(&Rules, &Tally) -> Vec<AuthoritativeWrite>,
}

/// See [`forward`].
#[derive(Clone, Copy, Debug)]
pub struct Forwarding {
    /// [`forward::ForwardStatement::bind`]
    pub bind: fn(&ForwardStatement) -> Result<Bound<Json>, forward::Unbound>,
    /// [`forward::deferrable`]
    pub deferrable: fn(&Rules, &ForwardStatement) -> Option<ForwardStatement>,
    /// [`forward::cache_tag_increment`]
    pub cache_tag_increment: fn(&Rules, &ForwardStatement) -> Option<ForwardStatement>,
    /// [`forward::key_value_target`]
    pub key_value_target: fn(&Rules, &ForwardStatement) -> Option<KeyValueTarget>,
    /// [`forward::split_forward`]
    pub split: fn(&Rules, &[ForwardStatement]) -> Split,
    /// [`forward::plan_forward`]
    pub plan: fn(&Rules, &ForwardFacts<'_>) -> ForwardPlan,
    /// [`forward::partitioned_tables`]
    pub partitioned: fn(&Rules, &[ForwardStatement]) -> Vec<Text>,
    /// [`forward::lane_high_water`]
    pub high_water: fn(&[ForwardStatement]) -> BTreeMap<Text, Number>,
    /// [`forward::after_answer`]
    pub after_answer: fn(Attempt, &ForwardAnswer) -> Flush,
}

/// See [`minting`].
#[derive(Clone, Copy, Debug)]
pub struct Minting {
    /// [`minting::is_partitioned`]
    pub is_partitioned: fn(Writer) -> bool,
    /// [`minting::HighestIds::base`]
    pub base: fn(&HighestIds) -> Number,
    /// [`minting::mint`]
    pub mint: fn(&MintFacts<'_>) -> Option<Minted>,
    /// [`minting::unbuffered`]
    pub unbuffered: fn(&Rules, SqlStatement) -> SqlCall,
}

impl Rules {
    /// The protocol as the contract documents it, with what is wrong in it.
    pub const DOCUMENTED: Rules = Rules {
        names: Names {
            replica_name: name::replica_name,
            replica_of: name::replica_of,
        },
        settings: Settings {
            replica_count: setting::replica_count,
            replica_lag: setting::replica_lag,
            max_lanes: setting::max_lanes,
            write_forward: setting::write_forward,
            auto_scale: setting::auto_scale,
        },
        beliefs: BeliefRules {
            format_pointer: belief::format_lanes_pointer,
            parse_pointer: belief::parse_lanes_pointer,
            remember: belief::remember_lanes,
            believed: belief::believed_lanes,
        },
        routing: Routing {
            affinity_key: routing::affinity_key,
            origination_route: routing::origination_route,
            choose_target: routing::choose_target,
            should_failover: routing::should_failover,
        },
        sites: Sites {
            from_host: site::site_from_host,
        },
        sessions: Sessions {
            cookie_value: session::session_cookie_value,
            row_id: session::drupal_session_row_id,
            attempt_key: session::attempt_key,
        },
        demand: Demand {
            record_window: demand::record_window,
            mean_wait_ms: demand::mean_wait_ms,
            lane_target: demand::lane_target,
            lane_fits_rows: demand::lane_fits_rows,
            next_lane: demand::next_lane_to_provision,
        },
        partition: Partition {
            writer: partition::id_partition,
            stride: partition::id_stride,
            next_id: partition::next_lane_id,
        },
        fence: FenceRules {
            allows: fence::fence_allows,
            refusal: fence::fence_refusal,
        },
        copies: Copies::DOCUMENTED,
        log: Log::DOCUMENTED,
        seal: Seal::DOCUMENTED,
        admission: Admission::DOCUMENTED,
        fingerprint: Fingerprint::DOCUMENTED,
        catch_up: CatchUp::DOCUMENTED,
        alarm: Alarm::DOCUMENTED,
        growth: Growth::DOCUMENTED,
        statements: Statements {
            is_read: sql::is_proven_read,
            is_compound: sql::is_compound,
            is_definition: sql::is_definition,
            write_target: sql::write_target,
            expiry_sweep: sql::expiry_sweep,
            bind: bind::positional,
            capture: bind::captured,
        },
        inventory: Inventory {
            classify: inventory::classify_state,
            is_replica_local: inventory::is_replica_local_table,
            is_copied: inventory::is_copied_by_restore,
            enters_log: inventory::enters_log,
            needs_forwarding: inventory::needs_forwarding,
            hazard: forward::hazard_class,
            forwarded_enters_log: inventory::forwarded_enters_log,
        },
        guard: GuardRules {
            classify: capability::classify_capability,
            allows: guard::statement_allowed_on_replica,
            call: guard::guard_call,
            handoff: handoff::replica_handoff,
            authoritative_writes: tally::authoritative_writes,
        },
        forwarding: Forwarding {
            bind: ForwardStatement::bind,
            deferrable: forward::deferrable,
            cache_tag_increment: forward::cache_tag_increment,
            key_value_target: forward::key_value_target,
            split: forward::split_forward,
            plan: forward::plan_forward,
            partitioned: forward::partitioned_tables,
            high_water: forward::lane_high_water,
            after_answer: forward::after_answer,
        },
        minting: Minting {
            is_partitioned: minting::is_partitioned,
            base: minting::HighestIds::base,
            mint: minting::mint,
            unbuffered: minting::unbuffered,
        },
        driver: DriverSteps::DOCUMENTED,
        front: FrontSteps::DOCUMENTED,
        flows: Flows::DOCUMENTED,
    };
}
