//! Reading requests: what a role is asked, or what is wrong with the asking.

use std::sync::Arc;

use protocol::host::{BodyError, Request, Response, Text};
use protocol::number::Number;

use crate::wire::{self, Add, Problem};

/// A request that nobody can answer as it stands. It changes nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum BadRequest {
    /// The body cannot be read.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A field holds what it must not.
    #[error("{field} must be {expected}")]
    Field {
        /// Which.
        field: Text,
        /// What it must be.
        expected: Text,
    },
    /// There is nothing of this name here.
    #[error("nothing answers {method} {path}")]
    Unknown {
        /// How it was asked.
        method: Text,
        /// What for, without its query.
        path: Text,
    },
}

impl BadRequest {
    pub(crate) fn field(field: &str, expected: &str) -> Self {
        BadRequest::Field {
            field: Text::new(field),
            expected: Text::new(expected),
        }
    }

    pub(crate) fn unknown(request: &Request) -> Self {
        BadRequest::Unknown {
            method: Text::new(request.method.as_str()),
            path: Text::new(target(request).0),
        }
    }

    /// The response that says so: 404 where nothing has that name, 400 with the field's name otherwise.
    #[must_use]
    pub fn response(&self) -> Response {
        let (status, field) = match self {
            BadRequest::Body(error) => (400, Some(error.field.clone())),
            BadRequest::Field { field, .. } => (400, Some(field.clone())),
            BadRequest::Unknown { .. } => (404, None),
        };
        let error = Text::from(self.to_string());
        wire::answer(status, Problem { error, field })
    }
}

/// A request's method and path, to be matched on, and its query.
pub(crate) fn target(request: &Request) -> (&str, &str) {
    request.path.split_once('?').unwrap_or((&request.path, ""))
}

/// The body of `POST /add`.
pub(crate) fn add(request: &Request) -> Result<Arc<Add>, BadRequest> {
    let add = request.body.read::<Add>()?;
    if !add.by.is_safe_integer() || add.by < Number::from(1) {
        return Err(BadRequest::field("by", "a whole number from 1 on"));
    }
    if add.token.is_empty() {
        return Err(BadRequest::field("token", "a text that is not empty"));
    }
    Ok(add)
}

/// A whole number of the query, or `None` where the query does not have it.
pub(crate) fn query_number(query: &str, field: &str, least: u32) -> Result<Option<Number>, BadRequest> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let Some((_, text)) = pairs.find(|(name, _)| *name == field) else {
        return Ok(None);
    };
    let number = Number::parse(text);
    // `Number("")` is 0 in JavaScript; who leaves a value out did not mean that.
    if text.is_empty() || !number.is_safe_integer() || number < Number::from(least) {
        return Err(BadRequest::field(
            field,
            &format!("a whole number from {least} on"),
        ));
    }
    Ok(Some(number))
}
