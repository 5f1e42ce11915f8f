//! What a client asks of a front.

use std::sync::Arc;

use protocol::host::{Body, ObjectName, Request};

use crate::names;
use crate::request::{self, BadRequest, target};
use crate::rules::Purpose;
use crate::wire::Follow;

/// A client's request, once it has been read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ask {
    /// `POST /add`
    Add(Request),
    /// `GET /value`
    Value,
    /// `POST /follow`: the follower of this number shall follow.
    Follow(u32),
    /// `POST /reset`
    Reset,
}

/// The header that names a follower by its number.
const FOLLOWER: &str = "x-follower";

/// Reads a request: what it asks for, and the follower that it names.
pub(super) fn read(request: &Request) -> Result<(Ask, Option<u32>), BadRequest> {
    let wrong = || BadRequest::field(FOLLOWER, "a follower's number, from 1 on");
    let follower = match request.headers.get(FOLLOWER) {
        Some(digits) => Some(names::parse_number(digits).ok_or_else(wrong)?),
        None => None,
    };
    let ask = match (request.method.as_str(), target(request).0) {
        ("POST", "/add") => {
            request::add(request)?;
            Ask::Add(Request::post("/add", request.body.clone()))
        }
        ("GET", "/value") => Ask::Value,
        ("POST", "/follow") => Ask::Follow(follower.ok_or_else(wrong)?),
        ("POST", "/reset") => Ask::Reset,
        _ => return Err(BadRequest::unknown(request)),
    };
    Ok((ask, follower))
}

impl Ask {
    /// What it means to the rule that routes.
    pub(super) fn purpose(&self) -> Purpose {
        match self {
            Ask::Add(_) => Purpose::Write,
            Ask::Value => Purpose::Read,
            Ask::Follow(_) | Ask::Reset => Purpose::Operate,
        }
    }

    /// The request that is sent on.
    pub(super) fn request(&self, counter: &ObjectName) -> Request {
        match self {
            Ask::Add(request) => request.clone(),
            Ask::Value => Request::get("/value"),
            Ask::Follow(number) => {
                let name = names::follower(counter, *number);
                Request::post("/follow", Body::typed(Arc::new(Follow { name })))
            }
            Ask::Reset => Request::post("/reset", Body::default()),
        }
    }
}
