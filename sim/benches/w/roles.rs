//! W as a protocol: the primary and its lanes.

use std::sync::Arc;

use protocol::host::{
    Body, CallError, End, Entry, Label, Millis, Namespace, Object, ObjectName, Request, Response, Statement,
    Stub, Text, Value,
};
use protocol::task::{Context, Frame, On, Resume, Role, Step};

use crate::sql;
use crate::wire::{Head, Records, Since};
use crate::workload::{BATCH, Change, PULL_MS, Record, fingerprint};

pub const PRIMARY: Namespace = Namespace::new("primary");
pub const LANE: Namespace = Namespace::new("lane");
const ASK_HEAD: Label = Label("ask-head");
const ASK_LOG: Label = Label("ask-log");

/// How the primary is reached.
pub fn primary(serial: u32) -> Stub {
    Stub {
        namespace: PRIMARY,
        name: ObjectName(Text::new_static("main")),
        serial,
    }
}

/// How a lane of this name is reached.
pub fn lane(name: &ObjectName, serial: u32) -> Stub {
    Stub {
        namespace: LANE,
        name: name.clone(),
        serial,
    }
}

/// The memory of either.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Replica<Kind> {
    /// The primary's head, a lane's position: `None` until it was looked up.
    stands: Option<u32>,
    /// Which stub the next call is made on.
    serial: u32,
    kind: Kind,
}

/// What the two do differently.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AsPrimary;
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AsLane;

pub type Primary = Replica<AsPrimary>;
pub type Lane = Replica<AsLane>;

/// A request that is answered in one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Answering(Request);
impl Frame for Answering {}

/// A lane's flows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LaneFrame {
    Answer(Request),
    Pull(Pulling),
}
impl Frame for LaneFrame {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pulling {
    Starting,
    Head,
    Log,
}

type Next<R> = Result<Step<R>, CallError>;

fn thrown(error: impl ToString) -> CallError {
    CallError::thrown(error.to_string())
}

fn whole(value: Option<&Value>) -> u32 {
    let number = value.and_then(Value::as_number);
    number.map_or(0, |number| number.to_u32_exact().expect("W counts below 2^32"))
}

fn text(row: &[Value], at: usize) -> Text {
    match row.get(at) {
        Some(Value::Text(text)) => text.clone(),
        _ => Text::default(),
    }
}

fn upserts(change: &Change) -> [Statement; 3] {
    let row = |sql, (key, text): &(Text, Text)| {
        Statement::new(sql, [Value::Text(key.clone()), Value::Text(text.clone())])
    };
    let [one, other] = &change.nodes;
    [
        row(sql::UPSERT_NODE, one),
        row(sql::UPSERT_NODE, other),
        row(sql::UPSERT_CONFIG, &change.config),
    ]
}

fn response(value: Response) -> Option<Response> {
    Some(value)
}

impl<Kind> Replica<Kind>
where
    Self: for<'h> Role<Host<'h> = dyn Object + 'h>,
{
    /// Sees to the tables at an incarnation's first event. Answers where the object stands.
    fn stands(&mut self, cx: &mut Context<'_, '_, Self>, at: &'static str) -> Result<u32, CallError> {
        if let Some(stands) = self.stands {
            return Ok(stands);
        }
        let tables = sql::TABLES.map(|table| Statement::new(table, []));
        cx.transaction(&tables, End::Commit).map_err(thrown)?;
        let stands = whole(cx.sql(&Statement::new(at, [])).map_err(thrown)?.first());
        self.stands = Some(stands);
        Ok(stands)
    }

    fn page(cx: &mut Context<'_, '_, Self>, path: &Text) -> Result<Response, CallError> {
        let select = Statement::new(sql::READ, [Value::Text(path.clone())]);
        let rows = cx.sql(&select).map_err(thrown)?;
        Ok(match rows.first() {
            Some(Value::Text(body)) => Response::new(200, Body::text(body.clone())),
            _ => Response::new(404, Body::default()),
        })
    }
}

impl Role for Primary {
    type Frame = Answering;
    type Value = Response;
    type Failure = CallError;
    type Rules = ();
    type Host<'h> = dyn Object + 'h;

    fn begin(&mut self, (): &(), entry: Entry) -> Answering {
        match entry {
            Entry::Request(request) => Answering(request),
            Entry::Alarm(_) => unreachable!("the primary sets no alarm"),
        }
    }

    fn step(
        &mut self,
        (): &(),
        frame: &mut Answering,
        _: Resume<Self>,
        cx: &mut Context<'_, '_, Self>,
    ) -> Next<Self> {
        let head = self.stands(cx, sql::HEAD)?;
        let body = &frame.0.body;
        Ok(Step::Return(match frame.0.path.as_str() {
            "/head" => Response::new(200, Body::typed(Arc::new(Head(head)))),
            "/log" => log(cx, body.read::<Since>().map_err(thrown)?.0)?,
            "/write" => {
                seal(cx, head, &*body.read::<Change>().map_err(thrown)?)?;
                self.stands = Some(head + 1);
                Response::new(200, Body::typed(Arc::new(Head(head + 1))))
            }
            _ => Self::page(cx, &frame.0.path)?,
        }))
    }

    fn response(value: Response) -> Option<Response> {
        response(value)
    }
}

/// Changes the rows, and seals the change with a fingerprint over all of them.
fn seal(cx: &mut Context<'_, '_, Primary>, head: u32, change: &Change) -> Result<(), CallError> {
    let [one, other, config] = upserts(change);
    let (nodes, configs) = (
        Statement::new(sql::ALL_NODES, []),
        Statement::new(sql::ALL_CONFIGS, []),
    );
    let batch = [one, other, config, nodes, configs];
    let answers = cx.transaction(&batch, End::Commit).map_err(thrown)?;
    let rows = answers.iter().skip(3).flat_map(|rows| &rows.rows);
    let rows = rows.filter_map(|row| Some((row.first()?.as_text()?, row.get(1)?.as_text()?)));
    let fingerprint = fingerprint(rows);
    let [one, other] = &change.nodes;
    let text = |text: &Text| Value::Text(text.clone());
    let seal = Statement::new(
        sql::SEAL,
        [
            (head + 1).into(),
            head.into(),
            1.into(),
            Value::Text(fingerprint),
            text(&one.0),
            text(&one.1),
            text(&other.0),
            text(&other.1),
            text(&change.config.0),
            text(&change.config.1),
        ],
    );
    cx.sql(&seal).map_err(thrown)?;
    Ok(())
}

/// A record as it stands in the log.
pub fn record(row: &[Value]) -> Record {
    Record {
        generation: whole(row.first()),
        parent: whole(row.get(1)),
        schema: whole(row.get(2)),
        fingerprint: text(row, 3),
        change: Change {
            nodes: [(text(row, 4), text(row, 5)), (text(row, 6), text(row, 7))],
            config: (text(row, 8), text(row, 9)),
        },
    }
}

fn log(cx: &mut Context<'_, '_, Primary>, since: u32) -> Result<Response, CallError> {
    let select = Statement::new(sql::LOG, [since.into(), BATCH.into()]);
    let rows = cx.sql(&select).map_err(thrown)?.rows;
    let records = rows.iter().map(|row| Arc::new(record(row))).collect();
    Ok(Response::new(200, Body::typed(Arc::new(Records(records)))))
}

impl Role for Lane {
    type Frame = LaneFrame;
    type Value = Option<Response>;
    type Failure = CallError;
    type Rules = ();
    type Host<'h> = dyn Object + 'h;

    fn begin(&mut self, (): &(), entry: Entry) -> LaneFrame {
        match entry {
            Entry::Request(request) if request.path == "/pull" => LaneFrame::Pull(Pulling::Starting),
            Entry::Request(request) => LaneFrame::Answer(request),
            Entry::Alarm(_) => LaneFrame::Pull(Pulling::Starting),
        }
    }

    fn step(
        &mut self,
        (): &(),
        frame: &mut LaneFrame,
        resume: Resume<Self>,
        cx: &mut Context<'_, '_, Self>,
    ) -> Next<Self> {
        let applied = self.stands(cx, sql::STANDS)?;
        match frame {
            LaneFrame::Answer(_) if applied == 0 => {
                Ok(Step::Return(Some(Response::new(421, Body::default()))))
            }
            LaneFrame::Answer(request) => Ok(Step::Return(Some(Self::page(cx, &request.path)?))),
            LaneFrame::Pull(pulling) => self.pull(pulling, applied, resume, cx),
        }
    }

    fn response(value: Option<Response>) -> Option<Response> {
        value
    }
}

impl Lane {
    /// Asks for the head, then for the log; what is lost is asked again by the next alarm.
    fn pull(
        &mut self,
        pulling: &mut Pulling,
        applied: u32,
        resume: Resume<Self>,
        cx: &mut Context<'_, '_, Self>,
    ) -> Next<Self> {
        let over = Ok(Step::Return(Some(Response::new(200, Body::default()))));
        if *pulling == Pulling::Starting {
            let next = Ok(self.ask_head(pulling, cx));
            cx.set_alarm(Some(cx.now().after(Millis(PULL_MS))));
            return next;
        }
        let Ok(Response { body, .. }) = resume.response() else {
            return over;
        };
        if *pulling == Pulling::Log {
            let records = body.read::<Records>().map_err(thrown)?;
            self.apply(applied, &records.0, cx)?;
            let full = records.0.len() == BATCH as usize;
            return if full {
                Ok(self.ask_head(pulling, cx))
            } else {
                over
            };
        }
        if body.read::<Head>().map_err(thrown)?.0 <= applied {
            return over;
        }
        *pulling = Pulling::Log;
        let request = Request::post("/log", Body::typed(Arc::new(Since(applied))));
        Ok(self.ask(ASK_LOG, request, cx))
    }

    fn ask_head(&mut self, pulling: &mut Pulling, cx: &mut Context<'_, '_, Self>) -> Step<Self> {
        *pulling = Pulling::Head;
        self.ask(ASK_HEAD, Request::get(Text::new_static("/head")), cx)
    }

    fn ask(&mut self, label: Label, request: Request, cx: &mut Context<'_, '_, Self>) -> Step<Self> {
        self.serial += 1;
        Step::Await(On::Call(cx.call(label, &primary(self.serial), request)))
    }

    /// In order, one transaction each.
    fn apply(
        &mut self,
        applied: u32,
        records: &[Arc<Record>],
        cx: &mut Context<'_, '_, Self>,
    ) -> Result<(), CallError> {
        let mut applied = applied;
        for record in records.iter() {
            if record.parent != applied {
                continue;
            }
            let [one, other, config] = upserts(&record.change);
            let stand = Statement::new(sql::STAND, [record.generation.into()]);
            cx.transaction(&[one, other, config, stand], End::Commit)
                .map_err(thrown)?;
            applied = record.generation;
        }
        self.stands = Some(applied);
        Ok(())
    }
}
