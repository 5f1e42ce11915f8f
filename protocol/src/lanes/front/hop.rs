//! The request that a front sends on.

use super::Ask;
use crate::host::{ObjectName, Request, Stub, Text};
use crate::lanes::object::{SITE, serve_path};
use crate::lanes::{header, routing};
use crate::number::Number;

/// One request on its way to an object of a site.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hop {
    /// The site: the primary's name.
    pub site: Text,
    /// The object that is asked.
    pub object: ObjectName,
    /// Its lane; 0 is the primary.
    pub lane: Number,
    /// What is sent. The body is held until the answer is there, so that it can be sent twice.
    pub request: Request,
}

/// The header fields that begin with this are between a front and its objects.
const OURS: &str = "x-cfw-";

impl Hop {
    /// The hop of a visitor's request.
    ///
    /// Of the fields that objects go by, only the fence is the visitor's to set.
    pub(super) fn new(site: &Text, ask: &Ask, visitor: &Request, route: routing::Route) -> Self {
        let mut request = Request {
            method: visitor.method.clone(),
            path: path(ask, &visitor.path),
            body: visitor.body.clone(),
            headers: Default::default(),
        };
        for (name, value) in visitor.headers.iter() {
            if !name.starts_with(OURS) || name == header::REQUIRE_GENERATION {
                request.headers.set(name, value);
            }
        }
        Hop {
            site: site.clone(),
            object: ObjectName::new(route.target),
            lane: route.lane,
            request,
        }
    }

    /// Whether the primary is asked.
    #[must_use]
    pub fn is_to_primary(&self) -> bool {
        self.lane.js_eq(Number::ZERO)
    }

    /// A stub for one call, as the deployed code makes one for each: what became of another says nothing about it.
    pub(super) fn stub(&self) -> Stub {
        Stub::once(SITE, self.object.clone())
    }

    /// From now on the primary is asked.
    pub(super) fn turn_to_primary(&mut self) {
        self.object = ObjectName(self.site.clone());
        self.lane = Number::ZERO;
    }
}

/// What the object is asked for: a page by the path that the visitor asked for, or an action.
fn path(ask: &Ask, visitor: &str) -> Text {
    match ask {
        Ask::Visit => serve_path(visitor),
        Ask::Operate(query) if query.is_empty() => Text::new_static("/__replica"),
        Ask::Operate(query) => Text::from(format!("/__replica?{query}")),
    }
}

/// A random UUID (version 4) out of 16 bytes of entropy; missing bytes count as 0.
#[must_use]
pub fn uuid(entropy: &[u8]) -> Text {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(entropy) {
        *to = *from;
    }
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex::encode(bytes);
    Text::from(format!(
        "{}-{}-{}-{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..]
    ))
}
