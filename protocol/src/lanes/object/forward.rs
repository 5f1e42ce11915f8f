//! The primary accepts a forwarded batch, or does not (`lanes.md` 13.3).

use super::capture::logged;
use super::flows::two_segments;
use super::guarded::executed;
use super::identity::of;
use super::{Cx, Failure, Next, Segment, SiteFrame, SiteObject, Value, Version, answer, labels};
use crate::host::{Body, End, Response, Statement, Text};
use crate::json::Json;
use crate::lanes::forward::{ForwardFacts, ForwardPlan, ForwardStatement};
use crate::lanes::wire::{Field, ForwardAnswer, ForwardBatch, LoggedStatement};
use crate::number::Number;
use crate::sql::Bound;
use crate::task::{Resume, Step};

/// A batch on the primary.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Accepting {
    pub(super) body: Body,
    /// What is appended once the rest is sealed.
    deferred: Vec<ForwardStatement>,
    /// What is written together with the batch, and not logged: nothing, unless a variant remembers batches.
    pub(super) remember: Option<Statement>,
}

/// The segments of accepting a batch.
#[derive(Clone, Copy, Debug)]
pub struct AcceptSteps {
    /// First: split, judge, commit.
    pub commit: Segment<Accepting>,
    /// When it is sealed: append what was deferred, and answer.
    pub sealed: Segment<Accepting>,
}

impl AcceptSteps {
    /// As documented.
    pub const DOCUMENTED: AcceptSteps = AcceptSteps { commit, sealed };
}

two_segments!(Accepting, accept, commit, sealed);

impl Accepting {
    pub(super) fn new(body: Body) -> Self {
        Accepting {
            body,
            deferred: Vec::new(),
            remember: None,
        }
    }
}

pub(super) fn commit(
    accepting: &mut Accepting,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if of(version, cx).is_lane() {
        return Ok(Step::Return(Value::Response(answer::problem(
            409,
            "a batch is committed by the primary",
        ))));
    }
    let rules = &version.rules;
    let batch = accepting.body.read::<ForwardBatch>()?;
    let split = (rules.forwarding.split)(rules, &batch.read_statements()?);
    accepting.deferred = split.deferred;
    if split.commit.is_empty() && !accepting.deferred.is_empty() {
        return (rules.flows.accept.sealed)(accepting, site, version, resume, cx);
    }
    let primary_generation = site.sequence(cx)?;
    let plan = (rules.forwarding.plan)(
        rules,
        &ForwardFacts {
            statements: &split.commit,
            parent: batch.parent.to_number(),
            primary_generation,
            partitioned: &batch.read_partitioned(),
        },
    );
    cx.note(
        labels::BATCH,
        format!("{} {}", plan.action(), plan.reason()).trim_end(),
    );
    let status = match plan {
        ForwardPlan::Commit => {
            run(site, version, &split.commit, accepting.remember.take(), cx)?;
            return Ok(Step::Enter(SiteFrame::Seal(Box::default())));
        }
        ForwardPlan::Conflict(_) => 409,
        ForwardPlan::Refuse(_) => 422,
    };
    let refused = ForwardAnswer {
        action: Text::new_static(plan.action().as_str()).into(),
        reason: Text::from(plan.reason()).into(),
        primary_generation: primary_generation.into(),
        ..ForwardAnswer::default()
    };
    Ok(Step::Return(Value::Response(answer::message(status, refused))))
}

/// Binds everything, runs it in one transaction by the direct handle, buffers it, and advances once.
fn run(
    site: &mut SiteObject,
    version: &Version,
    statements: &[ForwardStatement],
    remember: Option<Statement>,
    cx: &mut Cx<'_, '_>,
) -> Result<(), Failure> {
    let rules = &version.rules;
    let mut bound: Vec<Bound<Json>> = Vec::with_capacity(statements.len());
    for statement in statements {
        bound.push((rules.forwarding.bind)(statement)?);
    }
    let batch: Vec<Statement> = bound.iter().map(executed).chain(remember).collect();
    cx.transaction(&batch, End::Commit)?;
    for (statement, bound) in statements.iter().zip(bound) {
        if (rules.inventory.forwarded_enters_log)(statement.table_name()) {
            let params = bound.params.iter().map(logged).collect();
            site.buffer(version, LoggedStatement::new(bound.sql, params), cx)?;
        }
    }
    site.pending = site.pending + Number::integer(1);
    Ok(())
}

fn sealed(
    accepting: &mut Accepting,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if let Some(remember) = accepting.remember.take() {
        cx.sql(&remember)?;
    }
    for statement in &accepting.deferred {
        let appended = match (version.rules.forwarding.bind)(statement) {
            Ok(bound) => cx
                .sql(&executed(&bound))
                .map(drop)
                .map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = appended {
            cx.note(labels::DEFERRED_LOST, error);
        }
    }
    Ok(Step::Return(Value::Response(committed(
        site.sequence(cx)?,
        Number::from(accepting.deferred.len() as u64),
    ))))
}

pub(super) fn committed(generation: Number, deferred: Number) -> Response {
    let commit = crate::lanes::forward::ForwardAction::Commit;
    answer::message(
        200,
        ForwardAnswer {
            action: Text::new_static(commit.as_str()).into(),
            generation: generation.into(),
            reason: Field::Is(Text::default()),
            deferred: deferred.into(),
            ..ForwardAnswer::default()
        },
    )
}
