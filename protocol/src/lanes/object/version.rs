//! One version of the deployed code, and the variables that it is deployed with.

use std::sync::Arc;

use super::render::{RenderHost, Rendering, Thrown};
use crate::host::{Millis, Request, Text};
use crate::lanes::app::Interpreter;
use crate::lanes::restore::STEP_ROWS;
use crate::lanes::rules::Rules;
use crate::number::Number;

/// One version of the protocol's code, as an object or an isolate runs it.
#[derive(Clone, Debug)]
pub struct Version {
    /// What it decides, and the steps of its flows.
    pub rules: Rules,
    /// The values that the contract leaves open.
    pub policy: Policy,
    /// The deployment's variables.
    pub variables: Variables,
    /// The application whose state it keeps.
    pub application: Application,
}

/// The values that the contract leaves open (`lanes.md` 22).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// The primary's alarm window, when it has served anything since the last firing.
    pub window: Millis,
    /// How long a cold interpreter takes to boot.
    pub boot: Millis,
    /// How long a page from the cache takes.
    pub cached: Millis,
    /// The rows that the site may write in a day; none when it is not limited.
    pub row_limit: Option<Number>,
    /// The most rows that one step of a copy by the alarm sends (`lanes.md` 3).
    pub step_rows: Number,
    /// Whether the alarm looks for overrides of variables in KV (`lanes.md` 22.6).
    pub reads_overrides: bool,
}

impl Policy {
    /// Ours, as section 22 chooses them and section 21 measures them.
    pub const DOCUMENTED: Policy = Policy {
        window: Millis(30_000),
        boot: Millis(3_750),
        cached: Millis(20),
        row_limit: None,
        step_rows: STEP_ROWS,
        reads_overrides: false,
    };
}

/// The deployment's variables, as texts; none where one is not set (`lanes.md` 3).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variables {
    /// `REPLICA_COUNT`
    pub replica_count: Option<Text>,
    /// `REPLICA_AUTOSCALE`
    pub replica_autoscale: Option<Text>,
    /// `REPLICA_MAX_LANES`
    pub replica_max_lanes: Option<Text>,
    /// `WRITE_FORWARD`
    pub write_forward: Option<Text>,
    /// `REPLICA_LAG_MS`
    pub replica_lag_ms: Option<Text>,
    /// `REPLICA_READ_ONLY`; the only one of lanes that KV cannot override.
    pub replica_read_only: Option<Text>,
    /// `SITE_ID`: the site of hosts that KV does not name.
    pub site_id: Option<Text>,
}

impl Variables {
    /// The variables that KV can override, by name.
    pub const OVERRIDABLE: [&'static str; 5] = [
        "REPLICA_COUNT",
        "REPLICA_AUTOSCALE",
        "REPLICA_MAX_LANES",
        "WRITE_FORWARD",
        "REPLICA_LAG_MS",
    ];

    /// The place of a variable that KV can override.
    pub fn overridable(&mut self, name: &str) -> Option<&mut Option<Text>> {
        Some(match name {
            "REPLICA_COUNT" => &mut self.replica_count,
            "REPLICA_AUTOSCALE" => &mut self.replica_autoscale,
            "REPLICA_MAX_LANES" => &mut self.replica_max_lanes,
            "WRITE_FORWARD" => &mut self.write_forward,
            "REPLICA_LAG_MS" => &mut self.replica_lag_ms,
            _ => return None,
        })
    }
}

/// Renders what a request asks for, up to its next pause: a render that has paused is found where it was put. What it
/// throws was thrown to it and not caught: then there is no page.
pub type Render =
    fn(&Rules, &Request, &mut Option<Interpreter>, &mut dyn RenderHost) -> Result<Rendering, Thrown>;

/// What renders pages: its schema, and its code. One call of [`render`](Application::render) is one turn.
#[derive(Clone, Debug)]
pub struct Application {
    /// The schema of this version.
    pub schema: Arc<Schema>,
    /// Renders what a request asks for. Its program travels in the request's body.
    pub render: Render,
}

/// The tables of a code version (`lanes.md` 22.1).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schema {
    /// What records and chunks are compared by.
    pub text: Text,
    /// The tables, each with the statements that make it.
    pub tables: Vec<TableDefinition>,
}

/// A table of the application.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TableDefinition {
    /// Its name.
    pub name: Text,
    /// Its own CREATE, then its indexes.
    pub ddl: Vec<Text>,
}
