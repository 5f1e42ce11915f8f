//! The application as an object is deployed with it.

use std::sync::Arc;

use super::page::{ANONYMOUS, Finished, Page, set_cookie};
use super::program::RenderProgram;
use super::tables::TABLES;
use super::{Ending, Interpreter, Progress};
use crate::host::{Body, Headers, Request, Text, Value};
use crate::lanes::object::{Application, RenderHost, Rendered, Rendering, Schema, TableDefinition, Thrown};
use crate::lanes::rules::Rules;

/// The text of the schema of [`TABLES`], by which records and chunks are compared.
pub const SCHEMA: &str = "site-1";

/// The application, with the tables of the catalogue.
#[must_use]
pub fn application() -> Application {
    let tables = TABLES.iter().map(|table| TableDefinition {
        name: Text::new_static(table.name),
        ddl: vec![table.ddl_if_missing()],
    });
    Application {
        schema: Arc::new(Schema {
            text: Text::new_static(SCHEMA),
            tables: tables.collect(),
        }),
        render,
    }
}

/// Renders what a request asks for: the program in its body, run up to its next pause or to its end.
///
/// A body that holds no program is answered with 400. What the database refuses and the program does not catch is the
/// application's error page, as its own handler would show it.
///
/// # Errors
/// What only the primary can do, where the program does not catch it.
pub fn render(
    rules: &Rules,
    request: &Request,
    rendering: &mut Option<Interpreter>,
    host: &mut dyn RenderHost,
) -> Result<Rendering, Thrown> {
    let program = match request.body.read::<RenderProgram>() {
        Ok(program) => program,
        Err(error) => return Ok(Rendering::Done(failed(400, &error.to_string()))),
    };
    let paused = rendering.take();
    let mut interpreter = paused.unwrap_or_else(|| Interpreter::new(Arc::clone(&program), host.now()));
    loop {
        match interpreter.run(rules, host) {
            Progress::Going => {}
            Progress::Paused(length) => {
                *rendering = Some(interpreter);
                return Ok(Rendering::Paused(length));
            }
            Progress::Ended(Ending::Page(finished)) => {
                return Ok(Rendering::Done(finish(&program, finished)));
            }
            Progress::Ended(Ending::Refused(refused @ Thrown::Requires(_))) => return Err(refused),
            Progress::Ended(Ending::Refused(thrown)) => {
                return Ok(Rendering::Done(failed(500, &thrown.to_string())));
            }
        }
    }
}

fn finish(program: &RenderProgram, finished: Finished) -> Rendered {
    let roles = Text::new_static(finished.role());
    let mut headers = Headers::default();
    headers.set("content-type", "text/html; charset=utf-8");
    if let Some(session) = &finished.session {
        headers.set("set-cookie", set_cookie(session));
    }
    Rendered {
        status: finished.status,
        headers,
        tags: program.tags.join(" ").into(),
        roles,
        body: Body::typed(Arc::new(finished.page)),
    }
}

/// An error page: it shows nothing that was read.
fn failed(status: u16, why: &str) -> Rendered {
    let page = Page {
        token: Text::default(),
        digest: Page::digest_of(std::iter::empty()),
        evidence: Vec::new(),
        account: Value::Null,
        error: Text::new(why),
    };
    let mut headers = Headers::default();
    headers.set("content-type", "text/html; charset=utf-8");
    Rendered {
        status,
        headers,
        body: Body::typed(Arc::new(page)),
        roles: Text::new_static(ANONYMOUS),
        tags: Text::default(),
    }
}
