//! The actions that are answered without a wait (`lanes.md` 17).

use super::identity::of;
use super::sequence::SCHEMA;
use super::{Cx, Next, SiteObject, Value, Version, answer, store};
use crate::host::{Body, Response, Text};
use crate::json::Json;
use crate::lanes::admission::StageName;
use crate::lanes::wire::StageAnswer;
use crate::number::Number;
use crate::task::{Resume, Step};

/// An action that is answered at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Plain {
    /// Nothing has that name: 404.
    Unknown,
    /// It must be posted: 405.
    NotPosted,
    /// `/__migrate`
    Migrate,
    /// `/__claim`
    Claim,
    /// `action=stage`
    Stage {
        /// To this stage.
        to: Option<Text>,
    },
    /// `action=readmit`
    Readmit {
        /// The lane, as it says.
        lane: Text,
    },
    /// `action=log`
    Log {
        /// After this generation.
        since: Number,
        /// The most records.
        limit: Number,
    },
    /// `action=restore`
    Restore {
        /// Whether the copy in progress is forgotten first.
        restart: bool,
        /// The chunk.
        body: Body,
    },
    /// `action=apply`
    Apply {
        /// The most statements in one transaction.
        chunk: Number,
        /// The record.
        body: Body,
    },
}

impl Plain {
    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        _: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        let response = match self {
            Plain::Unknown => answer::problem(404, "nothing has that name here"),
            Plain::NotPosted => answer::problem(405, "this is posted"),
            Plain::Migrate => migrate(version, cx)?,
            Plain::Claim => {
                store::set(cx, FIRST_RUN, &cx.now().0.to_string())?;
                answer::keys(200, [("claimed", Json::Bool(true))])
            }
            Plain::Stage { to: None } => answer::problem(400, "to names the stage"),
            Plain::Stage { to: Some(to) } => {
                let wish = site.move_stage(version, &StageName::of(to), cx)?;
                if wish.has_moved() {
                    (version.rules.flows.stage_moved)(version, &of(version, cx), cx);
                }
                let status = if wish.has_moved() { 200 } else { 409 };
                answer::message(status, StageAnswer::from(&wish))
            }
            Plain::Readmit { lane } => site.readmit(&of(version, cx), lane, cx)?,
            Plain::Log { since, limit } => site.log(*since, *limit, cx)?,
            Plain::Restore { restart, body } => {
                (version.rules.flows.land)(site, version, *restart, body, cx)?
            }
            Plain::Apply { chunk, body } => site.apply(version, *chunk, body, cx)?,
        };
        Ok(Step::Return(Value::Response(response)))
    }
}

/// When the site was first run: an object that does not know shows its claim page.
pub(super) const FIRST_RUN: &str = "first_run_at";

/// Creates the tables of this code version that are missing, and stores its schema text (`lanes.md` 22.1).
fn migrate(version: &Version, cx: &mut Cx<'_, '_>) -> Result<Response, super::Failure> {
    let schema = &version.application.schema;
    for table in &schema.tables {
        if !store::exists(cx, &table.name)? {
            for sql in &table.ddl {
                cx.sql(&crate::host::Statement {
                    sql: sql.clone(),
                    params: Vec::new(),
                })?;
            }
        }
    }
    store::set(cx, SCHEMA, &schema.text)?;
    Ok(answer::keys(
        200,
        [("schemaVersion", Json::Text(schema.text.clone()))],
    ))
}
