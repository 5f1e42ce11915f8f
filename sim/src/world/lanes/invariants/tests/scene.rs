//! A truth that is made by hand, and the judgements on it.

use std::sync::Arc;

use protocol::host::{
    AlarmRun, Answer, Body, CallError, CallId, Entry, Label, Millis, ObjectName, Outcome, Payload, Request,
    Response, Rows, Statement, TaskId, Text, Value,
};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::{Key, Write};

use crate::kernel::Micros;
use crate::world::lanes::invariants::{CHECKS, Judgement, Stand};
use crate::world::lanes::truth::clients::Attempt;
use crate::world::lanes::truth::contents::{Contents, Table};
use crate::world::lanes::truth::runs::{Made, Run};
use crate::world::lanes::truth::standing::{Record, Standing};
use crate::world::lanes::truth::wire::{Called, Heard};
use crate::world::lanes::truth::{Truth, Turn};

/// A truth without anything.
pub(super) fn truth() -> Truth {
    let mut truth = Truth::new("shop".into());
    truth.now = Micros::from_millis(100_000);
    truth
}

/// An object whose `cfw_meta` holds this.
pub(super) fn standing<const N: usize>(meta: [(Key, &str); N]) -> Standing {
    let mut standing = Standing::default();
    for (key, value) in meta {
        Arc::make_mut(&mut standing.meta).insert(key.0.into(), value.into());
    }
    standing
}

/// A lane that serves at a generation.
pub(super) fn serving(generation: &str) -> Standing {
    standing([
        (Key::STAGE, Stage::Serving.as_str()),
        (Key::APPLIED, generation),
        (Key::COMMIT_SEQUENCE, generation),
    ])
}

/// A state of one table with these rows.
pub(super) fn state<const N: usize>(name: &str, columns: [&str; N], rows: Vec<[Value; N]>) -> Contents {
    let mut contents = Contents::default();
    contents.set(name.into(), table(name, columns, rows));
    contents
}

/// A table with these rows.
pub(super) fn table<const N: usize>(name: &str, columns: [&str; N], rows: Vec<[Value; N]>) -> Table {
    let found = Rows {
        columns: columns.iter().map(Text::new).collect(),
        rows: rows.into_iter().map(Vec::from).collect(),
    };
    Table::new(
        Text::from(format!("CREATE TABLE {name} ({})", columns.join(", "))),
        found,
    )
}

/// A turn from one standing to another, in which a database may have changed.
pub(super) fn turn(lane: u32, before: &Standing, after: &Standing, heard: Vec<Heard>) -> Turn {
    Turn {
        lane,
        before: before.clone(),
        after: after.clone(),
        changed: true,
        heard,
    }
}

/// That these were put into `cfw_meta`.
pub(super) fn puts<const N: usize>(puts: [(Key, &str); N]) -> Heard {
    wrote(puts.map(|(key, value)| Write::Meta(key, value.into()).into_statement()))
}

/// That statements were committed.
pub(super) fn wrote<const N: usize>(statements: [Statement; N]) -> Heard {
    Heard::Committed {
        nth: 0,
        statements: statements.into(),
    }
}

/// A record without statements.
pub(super) fn record(parent: u32, schema: &str, fingerprint: &str) -> Arc<Record> {
    Arc::new(Record {
        parent: parent.into(),
        schema: Some(schema.into()),
        fingerprint: fingerprint.into(),
        overflowed: false,
        statements: "[]".into(),
    })
}

/// A call that was answered, or whose answer was lost.
pub(super) fn made(label: Label, to: &str, request: Request, answer: Option<Response>) -> Made {
    let call = CallId {
        task: TaskId(0),
        nth: 0,
    };
    let lost = || CallError::thrown("lost");
    Made {
        outcome: Some(answer.map(Answer::Response).ok_or_else(lost)),
        ..Made::of_call(call, label, &ObjectName::new(to), &request)
    }
}

/// A run of a request, with what it has called.
pub(super) fn run(request: Option<Request>, made: Vec<Made>) -> Arc<Run> {
    Arc::new(Run {
        nth: 1,
        entry: request.map(Entry::Request),
        since: Micros::from_millis(90_000),
        made,
    })
}

/// The run of an alarm of this number.
pub(super) fn alarm(nth: u64) -> Option<Arc<Run>> {
    Some(Arc::new(Run {
        nth,
        entry: Some(Entry::Alarm(AlarmRun {
            scheduled: Millis(0),
            retry_count: 0,
            is_retry: false,
        })),
        since: Micros::ZERO,
        made: Vec::new(),
    }))
}

/// That a run was answered.
pub(super) fn finished(run: Arc<Run>, response: Response) -> Heard {
    Heard::Finished {
        run: Some(run),
        outcome: Ok(Some(response)),
        behind_write: false,
    }
}

/// The same, where its object has written something in that turn before.
pub(super) fn behind_write(finished: Heard) -> Heard {
    let Heard::Finished { run, outcome, .. } = finished else {
        panic!("only the end of a run stands behind a write");
    };
    Heard::Finished {
        run,
        outcome,
        behind_write: true,
    }
}

/// A response with header fields.
pub(super) fn response<const N: usize>(status: u16, headers: [(&'static str, &str); N]) -> Response {
    let mut response = Response::new(status, Body::default());
    for (name, value) in headers {
        response.headers.set(name, value);
    }
    response
}

/// A message as a body.
pub(super) fn body<T: Payload>(message: T) -> Body {
    Body::typed(Arc::new(message))
}

/// A call that is begun.
pub(super) fn call(who: &str, label: Label, to: &str, request: Request, run: Option<Arc<Run>>) -> Called {
    Called {
        incarnation: 0,
        who: who.into(),
        run,
        label,
        to: ObjectName::new(to),
        request,
    }
}

fn judged(id: &str, judge: impl Fn(&Stand) -> Option<Judgement>) -> Judgement {
    let check = CHECKS.iter().find(|check| check.invariant.id == id);
    let stands = check.expect("the check is there").stands;
    stands.iter().find_map(judge).expect("it stands there")
}

/// What a check says of a turn.
pub(super) fn of_turn(id: &str, truth: &Truth, turn: &Turn) -> Judgement {
    judged(id, |stand| match stand {
        Stand::Primary(check) if turn.lane == 0 => Some(check(&mut truth.clone(), turn)),
        Stand::Lane(check) if turn.lane > 0 => Some(check(&mut truth.clone(), turn)),
        _ => None,
    })
}

/// What a check says of a call.
pub(super) fn of_call(id: &str, truth: &Truth, called: &Called) -> Judgement {
    judged(id, |stand| match stand {
        Stand::Call(check) => Some(check(&mut truth.clone(), called)),
        _ => None,
    })
}

/// What a check says of a front's answer.
pub(super) fn of_front(id: &str, truth: &Truth, run: &Run, outcome: &Outcome) -> Judgement {
    judged(id, |stand| match stand {
        Stand::Front(check) => Some(check(&mut truth.clone(), run, outcome)),
        _ => None,
    })
}

/// What a check says of what a client is told.
pub(super) fn told(id: &str, truth: &Truth, attempt: &Attempt) -> Judgement {
    judged(id, |stand| match stand {
        Stand::Told(check) => Some(check(&mut truth.clone(), attempt)),
        _ => None,
    })
}

/// What a check says at rest.
pub(super) fn at_rest(id: &str, truth: &Truth) -> Judgement {
    judged(id, |stand| match stand {
        Stand::Rest(check) => Some(check(&mut truth.clone())),
        _ => None,
    })
}

/// Asserts that it fires.
#[track_caller]
pub(super) fn fires(judgement: Judgement) {
    assert!(matches!(judgement, Judgement::Broken(_)), "{judgement:?}");
}

/// Asserts that it holds, and had something to judge.
#[track_caller]
pub(super) fn holds(judgement: Judgement) {
    assert_eq!(judgement, Judgement::Holds);
}
