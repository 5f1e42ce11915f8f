//! A host for the tests of the roles: it runs SQL on SQLite and remembers everything else. Each answer is given by hand.

use std::fmt::Debug;

use protocol::host::{
    AlarmRun, Answer, CallError, CallId, CallOutcome, Cause, Columns, Effect, End, Entry, Event, Failed,
    Headers, Label, Method, Millis, Note, Object, ObjectId, ObjectName, Outcome, Platform, Request, Response,
    Rows, Shared, SqlError, Statement, Stub, TaskId, Text, Value,
};
use protocol::host::{Body, Payload};
use protocol::number::Number;
use rusqlite::types::{ToSqlOutput, Value as Sql, ValueRef};
use rusqlite::{Connection, params_from_iter};

/// Something that was begun: a call with its request, or anything else in words.
#[derive(Clone, Debug)]
pub struct Begun {
    pub call: CallId,
    pub stub: Option<Stub>,
    pub request: Request,
}

/// The host.
#[derive(Debug)]
pub struct Desk {
    database: Connection,
    pub name: Option<ObjectName>,
    pub now: Millis,
    pub alarm: Option<Millis>,
    pub begun: Vec<Begun>,
    pub ended: Vec<Outcome>,
    pub notes: Vec<String>,
    pub effects: Vec<Effect>,
    pub digested: Vec<String>,
    pub worked: Millis,
    pub aborted: bool,
}

impl Desk {
    pub fn new(name: &str) -> Self {
        Desk {
            database: Connection::open_in_memory().expect("SQLite opens in memory"),
            name: Some(ObjectName::new(name)),
            now: Millis(1000),
            alarm: None,
            begun: Vec::new(),
            ended: Vec::new(),
            notes: Vec::new(),
            effects: Vec::new(),
            digested: Vec::new(),
            worked: Millis::ZERO,
            aborted: false,
        }
    }

    /// What a query answers, as text: `1|0|2` a row.
    pub fn rows(&mut self, sql: &'static str) -> Vec<String> {
        let rows = self
            .sql(&Statement::new(sql, []))
            .expect("a test's query runs")
            .rows;
        let cell = |value: &Value| match value {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text.to_string(),
            other => format!("{other:?}"),
        };
        rows.iter()
            .map(|row| row.iter().map(cell).collect::<Vec<_>>().join("|"))
            .collect()
    }

    /// The paths of all calls, in order, each after the object that it went to.
    pub fn sent(&self) -> Vec<String> {
        let calls = self
            .begun
            .iter()
            .filter_map(|begun| Some((begun.stub.as_ref()?, &begun.request)));
        calls
            .map(|(stub, request)| format!("{}/{} {}", stub.name, stub.serial, request.path))
            .collect()
    }

    /// The response that the latest ended task gave.
    pub fn response(&self) -> &Response {
        let outcome = self.ended.last().expect("a task has ended");
        outcome
            .as_ref()
            .expect("it did not throw")
            .as_ref()
            .expect("it was a request")
    }

    /// Its status and body.
    pub fn answer(&self) -> (u16, String) {
        let response = self.response();
        (response.status, response.body.to_text().to_string())
    }

    /// The event that answers the `nth` operation that was begun.
    pub fn event(&self, nth: usize, outcome: CallOutcome) -> Event {
        Event::Answer {
            call: self.begun[nth].call,
            outcome,
        }
    }

    fn begin(&mut self, call: CallId, what: String) {
        self.begun.push(Begun {
            call,
            stub: None,
            request: Request::get(what),
        });
    }

    fn run(&self, statement: &Statement) -> Result<Rows, rusqlite::Error> {
        let mut prepared = self.database.prepare(&statement.sql)?;
        let columns: Columns = prepared.column_names().map(Text::new).collect();
        let width = columns.len();
        let mut found = prepared.query(params_from_iter(statement.params.iter().map(bind)))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let cells = (0..width).map(|at| Ok(read(row.get_ref(at)?)));
            rows.push(cells.collect::<Result<_, rusqlite::Error>>()?);
        }
        Ok(Rows { columns, rows })
    }
}

fn bind(value: &Value) -> ToSqlOutput<'_> {
    match value {
        Value::Null => ToSqlOutput::Owned(Sql::Null),
        Value::Number(number) => ToSqlOutput::Owned(Sql::Real(number.to_f64())),
        Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        Value::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(&bytes.0)),
    }
}

fn read(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => Value::Number(Number::from(integer)),
        ValueRef::Real(real) => Value::Number(Number::from_f64(real)),
        ValueRef::Text(text) => Value::text(String::from_utf8_lossy(text)),
        ValueRef::Blob(_) => panic!("the protocol stores no blobs"),
    }
}

impl Platform for Desk {
    fn now(&self) -> Millis {
        self.now
    }

    fn entropy(&mut self, bytes: usize) -> Vec<u8> {
        vec![0xab; bytes]
    }

    fn work(&mut self, cost: Millis) {
        self.worked = self.worked.after(cost);
    }

    fn effect(&mut self, _: TaskId, effect: Effect) {
        self.effects.push(effect);
    }

    fn call(&mut self, call: CallId, _: Label, stub: &Stub, request: Request) {
        self.begun.push(Begun {
            call,
            stub: Some(stub.clone()),
            request,
        });
    }

    fn get(&mut self, call: CallId, _: Label, store: Shared, key: &str) {
        self.begin(call, format!("get {store:?} {key}"));
    }

    fn put(&mut self, call: CallId, _: Label, store: Shared, key: &str, value: &str, _: Option<Millis>) {
        self.begin(call, format!("put {store:?} {key}={value}"));
    }

    fn sleep(&mut self, call: CallId, _: Label, delay: Millis) {
        self.begin(call, format!("sleep {delay}"));
    }

    fn started(&mut self, _: TaskId, _: Cause) {}

    fn running(&mut self, _: TaskId) {}

    fn finished(&mut self, _: TaskId, outcome: Outcome) {
        self.ended.push(outcome);
    }

    fn note(&mut self, _: TaskId, note: Note) {
        self.notes.push(note.to_string());
    }
}

impl Object for Desk {
    fn name(&self) -> Option<&ObjectName> {
        self.name.as_ref()
    }

    fn id(&self) -> ObjectId {
        let untold = || ObjectId(Text::new_static("id of an object that is not told its name"));
        self.name.as_ref().map_or_else(untold, |name| self.id_of(name))
    }

    fn id_of(&self, name: &ObjectName) -> ObjectId {
        ObjectId(Text::from(format!("id of {name}")))
    }

    fn sql(&mut self, statement: &Statement) -> Result<Rows, SqlError> {
        self.run(statement)
            .map_err(|error| SqlError::from_message(&error.to_string()))
    }

    fn transaction(&mut self, batch: &[Statement], end: End) -> Result<Vec<Rows>, Failed> {
        self.database
            .execute_batch("SAVEPOINT batch")
            .expect("a savepoint can be set");
        let mut answers = Ok(Vec::new());
        for (at, statement) in batch.iter().enumerate() {
            match (self.sql(statement), &mut answers) {
                (Ok(rows), Ok(all)) => all.push(rows),
                (Err(error), _) => {
                    answers = Err(Failed { at, error });
                    break;
                }
                (Ok(_), Err(_)) => unreachable!("a batch ends at its first error"),
            }
        }
        if end == End::Rollback || answers.is_err() {
            self.database
                .execute_batch("ROLLBACK TO batch")
                .expect("a savepoint can be taken back");
        }
        self.database
            .execute_batch("RELEASE batch")
            .expect("a savepoint can be released");
        answers
    }

    fn digest(&mut self, call: CallId, _: Label, bytes: &[u8]) {
        self.digested.push(String::from_utf8_lossy(bytes).into_owned());
        self.begin(call, "digest".to_owned());
    }

    fn alarm(&self) -> Option<Millis> {
        self.alarm
    }

    fn set_alarm(&mut self, at: Option<Millis>) {
        self.alarm = at;
    }

    fn abort(&mut self, _: &str) {
        self.aborted = true;
    }
}

/// A request, begun.
pub fn request(method: &str, path: &str, body: &str) -> Event {
    Event::Begin(Entry::Request(Request {
        method: Method::from(Text::new(method)),
        path: Text::new(path),
        headers: Headers::default(),
        body: Body::text(body),
    }))
}

/// An addition, begun.
pub fn add(by: u32, token: &str) -> Event {
    request("POST", "/add", &format!(r#"{{"by":{by},"token":"{token}"}}"#))
}

/// A run of the alarm, begun.
pub fn alarm(scheduled: Millis) -> Event {
    Event::Begin(Entry::Alarm(AlarmRun {
        scheduled,
        retry_count: 0,
        is_retry: false,
    }))
}

/// A call's outcome: a response with this body.
pub fn answered<T: Payload>(status: u16, value: T) -> CallOutcome {
    Ok(Answer::Response(crate::wire::answer(status, value)))
}

/// A call's outcome: it was lost.
pub fn lost() -> CallOutcome {
    Err(CallError {
        retryable: true,
        ..CallError::thrown("Network connection lost.")
    })
}
