//! What a visitor asks of a front.

use std::fmt;

use crate::host::{Request, Text};
use crate::lanes::routing::SERVE;

/// What a request is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// A page of the site: it may be spread over lanes.
    Visit,
    /// An action of the owner, `/replica`, with its query: the primary's alone (`lanes.md` 17).
    Operate(Text),
}

/// Why a front does not take a request on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refused {
    /// Paths that start with `/__` are between objects (`lanes.md` 1).
    Internal,
    /// A front has no alarm.
    NoRequest,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Internal => "internal paths are not reachable from outside",
            Refused::NoRequest => "a front has no alarm",
        })
    }
}

impl Ask {
    /// Reads a request.
    ///
    /// # Errors
    /// The path is none that visitors may ask for.
    pub fn read(request: &Request) -> Result<Self, Refused> {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        if path.starts_with("/__") {
            return Err(Refused::Internal);
        }
        Ok(if path == "/replica" {
            Ask::Operate(Text::new(query))
        } else {
            Ask::Visit
        })
    }

    /// The path that routing decides by.
    #[must_use]
    pub fn pathname(&self) -> &'static str {
        match self {
            Ask::Visit => SERVE,
            Ask::Operate(_) => "/replica",
        }
    }
}
