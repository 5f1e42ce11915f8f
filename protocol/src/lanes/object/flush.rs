//! A lane forwards what a request has collected (`flushForward`, `lanes.md` 14.4).

use std::sync::Arc;

use super::flows::two_segments;
use super::identity::of;
use super::memory::{Collected, LastForward};
use super::{Cx, Next, Refusal, Segment, SiteObject, Value, Version, labels, store};
use crate::host::{Body, Request, Response, SqlError, Text};
use crate::lanes::forward::{Attempt, Flush, ForwardStatement};
use crate::lanes::wire::{Field, ForwardAnswer, ForwardBatch};
use crate::number::Number;
use crate::task::{On, Resume, Step};

/// A flush on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flushing {
    pub(super) statements: Vec<ForwardStatement>,
    /// What the batch is called, where a variant names them.
    name: Option<Text>,
    again: bool,
}

/// The segments of a flush.
#[derive(Clone, Copy, Debug)]
pub struct FlushSteps {
    /// First: take what was collected, and send it.
    pub send: Segment<Flushing>,
    /// What tells a batch from the others of its lane, where anything does; documented: nothing.
    pub name: fn(&Version, &mut Cx<'_, '_>) -> Option<Text>,
    /// With the primary's answer: done, once more, or thrown.
    pub answered: Segment<Flushing>,
    /// What becomes of what a request has collected whose route has answered, before it is sent.
    pub returned: fn(&mut SiteObject, &Response, &mut Cx<'_, '_>),
    /// What becomes of what a request has collected that throws before it could be sent.
    pub thrown: fn(&mut SiteObject, &mut Cx<'_, '_>),
}

impl FlushSteps {
    /// As documented.
    pub const DOCUMENTED: FlushSteps = FlushSteps {
        send,
        name: |_, _| None,
        answered,
        returned: |_, _, _| {},
        thrown: drop_collected,
    };
}

two_segments!(Flushing, flush, send, answered);

fn send(
    flushing: &mut Flushing,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    match site.forward.take() {
        Some(Collected { parent, statements }) if !statements.is_empty() => {
            flushing.statements = statements;
            Ok(flushing.post(version, parent, cx))
        }
        _ => Ok(Step::Return(Value::Nothing)),
    }
}

impl Flushing {
    pub(super) fn post(
        &mut self,
        version: &Version,
        parent: Number,
        cx: &mut Cx<'_, '_>,
    ) -> Step<SiteObject> {
        let rules = &version.rules;
        if !self.again {
            self.name = (rules.flows.flush.name)(version, cx);
        }
        let partitioned = (rules.forwarding.partitioned)(rules, &self.statements);
        let batch = ForwardBatch {
            statements: Field::Is(self.statements.iter().cloned().map(Field::Is).collect()),
            parent: parent.into(),
            partitioned: Field::Is(partitioned.into_iter().map(Field::Is).collect()),
            batch: self.name.clone().map_or(Field::Missing, Field::Is),
            ..ForwardBatch::default()
        };
        let label = if self.again {
            labels::FORWARD_AGAIN
        } else {
            labels::FORWARD
        };
        let request = Request::post("/__replica?action=forward", Body::typed(Arc::new(batch)));
        let call = cx.call(label, &of(version, cx).primary(), request);
        Step::Await(On::Call(call))
    }
}

fn answered(
    flushing: &mut Flushing,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let answer = resume.response()?.body.read::<ForwardAnswer>()?;
    let attempt = if flushing.again {
        Attempt::Second
    } else {
        Attempt::First
    };
    let flush = (version.rules.forwarding.after_answer)(attempt, &answer);
    let told = match &flush {
        Flush::Resend(parent) => Text::from(format!("again at {parent}")),
        Flush::Committed => Text::new_static("committed"),
        Flush::HandBack { .. } => Text::from(flush.to_string()),
    };
    cx.note(labels::FLUSHED, told.clone());
    if let Flush::Resend(parent) = flush {
        flushing.again = true;
        return Ok(flushing.post(version, parent, cx));
    }
    let count = site.forwards_answered() + 1;
    site.last_forward = Some(LastForward {
        count,
        outcome: told.clone(),
    });
    if flush != Flush::Committed {
        return Err(Refusal::new(Refusal::FORWARD, told).into());
    }
    for (table, id) in (version.rules.forwarding.high_water)(&flushing.statements) {
        raise(cx, &table, id)?;
    }
    Ok(Step::Return(Value::Nothing))
}

/// Raises the mark of a table; a mark never sinks.
pub(super) fn raise(cx: &mut Cx<'_, '_>, table: &str, id: Number) -> Result<(), SqlError> {
    let key = format!("lane_high:{table}");
    let marked = store::meta(cx, &key)?.map_or(Number::ZERO, |mark| Number::parse(&mark));
    if id.js_gt(marked) {
        store::set(cx, &key, &id.to_string())?;
    }
    Ok(())
}

/// It is dropped: what was collected belongs to its request. The contract says when it is sent, which is after a route
/// that returned, and not what becomes of it after one that threw.
pub fn drop_collected(site: &mut SiteObject, cx: &mut Cx<'_, '_>) {
    if let Some(collected) = site.forward.take() {
        cx.note(
            labels::COLLECTED_DROPPED,
            format!("{} statements", collected.statements.len()),
        );
    }
}
