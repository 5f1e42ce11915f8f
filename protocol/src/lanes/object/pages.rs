//! The page cache of an object (`lanes.md` 14.2, 16 and 22.4).

use super::{Cx, Failure, Version, labels, store};
use crate::host::{Body, Millis, Response, SqlError, SqlErrorKind, Statement, Text, Value};
use crate::lanes::header;
use crate::number::Number;

use super::render::Rendered;
use super::sequence::{PAGE_GENERATION, page_generation};

/// How long a page that is stale may still be shown.
const AGED: Millis = Millis(60_000);

/// The page of a path, if one may be shown; one that is too old is dropped.
pub(super) fn find(cx: &mut Cx<'_, '_>, path: &str) -> Result<Option<Response>, SqlError> {
    let by_path = Statement::new(
        "SELECT status, content_type, html, stale_at FROM cfw_page WHERE path = ?",
        [Value::text(path)],
    );
    let found = match cx.sql(&by_path) {
        Err(error) if error.kind == SqlErrorKind::NoSuchTable => return Ok(None),
        other => other?,
    };
    let Some(row) = found.rows.into_iter().next() else {
        return Ok(None);
    };
    let stale_at = row.get(3).and_then(Value::as_number);
    let age = stale_at.map(|at| Number::from(cx.now().0) - at);
    let tier = match age {
        None => "HIT",
        Some(age) if age.js_lt(Number::from(AGED.0)) => "AGED",
        Some(_) => {
            cx.sql(&Statement::new(
                "DELETE FROM cfw_page WHERE path = ?",
                [Value::text(path)],
            ))?;
            return Ok(None);
        }
    };
    let status = row
        .first()
        .and_then(Value::as_number)
        .and_then(Number::to_u32_exact);
    let status = status
        .and_then(|status| u16::try_from(status).ok())
        .unwrap_or(200);
    let text = |at: usize| Text::new(row.get(at).and_then(Value::as_text).unwrap_or_default());
    let mut response = Response::new(status, Body::text(text(2)));
    if !text(1).is_empty() {
        response.headers.set("content-type", text(1));
    }
    tiered(cx, &mut response, tier)?;
    Ok(Some(response))
}

/// Says which tier answers, and the page generation.
pub(super) fn tiered(
    cx: &mut Cx<'_, '_>,
    response: &mut Response,
    tier: &'static str,
) -> Result<(), SqlError> {
    cx.note(labels::TIER, tier);
    response.headers.set(header::CACHE, tier);
    response
        .headers
        .set(header::PAGE_GENERATION, page_generation(cx)?);
    Ok(())
}

/// Keeps a page that was rendered for a visitor without a session.
pub(super) fn keep(
    cx: &mut Cx<'_, '_>,
    path: &str,
    rendered: &Rendered,
    began: Millis,
) -> Result<(), Failure> {
    let now = cx.now();
    cx.sql(&Statement::new(
        "INSERT OR REPLACE INTO cfw_page \
         (path, status, content_type, html, rendered_at, render_ms, stale_at, tags, tag_checksum) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            Value::text(path),
            Value::from(u32::from(rendered.status)),
            Value::text(rendered.headers.get("content-type").unwrap_or_default()),
            Value::Text(rendered.body.to_text()),
            Value::from(now),
            Value::from(now.since(began)),
            Value::Null,
            Value::Text(rendered.tags.clone()),
            Value::Null,
        ],
    ))?;
    Ok(())
}

/// What a purge empties: no other cache bin, and nothing in the interpreter (`lanes.md` 14.2).
const PURGED: [&str; 5] = [
    "cfw_page",
    "cfw_shell",
    "cfw_shell_verified",
    "cfw_plan",
    "cache_dynamic_page_cache",
];

/// The tables that a purge empties, as documented.
pub(super) fn purged(_: &mut Cx<'_, '_>) -> Result<Vec<Text>, SqlError> {
    Ok(PURGED.map(Text::new_static).to_vec())
}

/// `purgeAfterApply`: empties the caches that show state.
pub(super) fn purge(version: &Version, cx: &mut Cx<'_, '_>, why: &'static str) -> Result<(), SqlError> {
    for table in (version.rules.flows.purged)(cx)? {
        store::empty(cx, &table)?;
    }
    cx.note(labels::PURGED, why);
    Ok(())
}

/// Moves to the next page generation.
pub(super) fn next_generation(cx: &mut Cx<'_, '_>) -> Result<(), SqlError> {
    let next = Number::parse(&page_generation(cx)?) + Number::integer(1);
    store::set(cx, PAGE_GENERATION, &next.to_string())
}
