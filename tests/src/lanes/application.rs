//! An application whose requests say what it does: a list of calls of the bridges, as JSON.

use std::sync::Arc;

use protocol::host::{Body, Headers, Millis, Request, Rows, Text, Value};
use protocol::json::{Json, Object};
use protocol::lanes::app::Interpreter;
use protocol::lanes::bridge::{SqlExec, SqlTxn};
use protocol::lanes::object::{
    Application, Policy, RenderHost, Rendered, Rendering, Schema, TableDefinition, Thrown, Variables, Version,
};
use protocol::lanes::rules::Rules;

/// The tables of the application.
const TABLES: [(&str, &str); 7] = [
    (
        "key_value",
        "collection TEXT, name TEXT, value BLOB, PRIMARY KEY (collection, name)",
    ),
    (
        "key_value_expire",
        "collection TEXT, name TEXT, value BLOB, expire INTEGER, PRIMARY KEY (collection, name)",
    ),
    ("node", "nid INTEGER PRIMARY KEY, title TEXT"),
    ("config", "name TEXT PRIMARY KEY, data BLOB"),
    ("sessions", "sid TEXT PRIMARY KEY, uid INTEGER, timestamp INTEGER"),
    ("watchdog", "wid INTEGER PRIMARY KEY, message TEXT"),
    ("cachetags", "tag TEXT PRIMARY KEY, invalidations INTEGER"),
];

/// The documented protocol with this application.
#[must_use]
pub fn version() -> Version {
    let tables = TABLES.map(|(name, columns)| TableDefinition {
        name: Text::new_static(name),
        ddl: vec![Text::from(format!("CREATE TABLE \"{name}\" ({columns})"))],
    });
    Version {
        rules: Rules::DOCUMENTED,
        policy: Policy::DOCUMENTED,
        variables: Variables::default(),
        application: Application {
            schema: Arc::new(Schema {
                text: Text::new_static("p1"),
                tables: tables.into(),
            }),
            render,
        },
    }
}

/// What one request does. Keys: `calls`, each `{exec}`, `{txn}` or `{capability}`; `roles`; `ignores`, whether a call that
/// throws makes a page of status 500 and no more.
fn render(
    _: &Rules,
    request: &Request,
    _: &mut Option<Interpreter>,
    host: &mut dyn RenderHost,
) -> Result<Rendering, Thrown> {
    host.work(Millis(216));
    let asked = Json::parse(&request.body.to_text()).unwrap_or(Json::Null);
    let asked = asked.as_object().cloned().unwrap_or_default();
    let calls = asked.get("calls").and_then(Json::as_array).unwrap_or_default();
    let ignores = asked.get("ignores").is_some_and(Json::is_true);
    let (mut status, mut shown) = (200, Vec::new());
    for call in calls.iter().filter_map(Json::as_object) {
        match run(call, host) {
            Ok(rows) => shown.extend(rows.rows.iter().map(|row| told(row))),
            Err(_) if ignores => status = 500,
            Err(thrown) => return Err(thrown),
        }
    }
    let mut headers = Headers::default();
    headers.set("content-type", "text/html");
    Ok(Rendering::Done(Rendered {
        status,
        headers,
        body: Body::text(shown.join(" ")),
        roles: asked
            .get("roles")
            .and_then(Json::as_text)
            .cloned()
            .unwrap_or(Text::new_static("anonymous")),
        tags: Text::default(),
    }))
}

fn run(call: &Object, host: &mut dyn RenderHost) -> Result<Rows, Thrown> {
    if let Some(name) = call.get("capability").and_then(Json::as_text) {
        host.capability(name, "{}")?;
    }
    if let Some(exec) = call.get("exec").cloned() {
        return host.exec(&SqlExec::try_from(exec).expect("a test writes a call that can be read"));
    }
    match call.get("txn").cloned() {
        Some(txn) => host.transaction(&SqlTxn::try_from(txn).expect("a test writes a call that can be read")),
        None => Ok(Rows::default()),
    }
}

/// A row, as text: `1|title`.
#[must_use]
pub fn told(row: &[Value]) -> String {
    let cell = |value: &Value| match value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    };
    row.iter().map(cell).collect::<Vec<_>>().join("|")
}
