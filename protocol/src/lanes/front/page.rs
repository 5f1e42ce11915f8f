//! The pages that a front answers with itself.

use super::Refused;
use crate::host::{Body, CallError, Response};
use crate::lanes::header;

/// The object was reset, or could not be reached, and the request may not be sent again (`lanes.md` 16).
pub(super) fn unavailable(error: &CallError) -> Response {
    let mut response = plain(503, &error.message);
    response.headers.set("retry-after", "1");
    response.headers.set(header::OBJECT_RESET, "1");
    response
}

/// The path is none that visitors may ask for.
pub(super) fn not_found(refused: Refused) -> Response {
    plain(404, &refused.to_string())
}

fn plain(status: u16, text: &str) -> Response {
    let mut response = Response::new(status, Body::text(text));
    response.headers.set("content-type", "text/plain; charset=utf-8");
    response
}
