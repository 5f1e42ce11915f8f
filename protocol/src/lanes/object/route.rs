//! What a request asks of an object (`lanes.md` 17).

use super::forward::Accepting;
use super::plain::Plain;
use super::provision::Provisioning;
use super::query;
use super::serve::Serving;
use super::snapshot::Snapshotting;
use super::{SiteFrame, catch_up::Round};
use crate::host::{Method, Request, Text};
use crate::lanes::catch_up::BATCH;
use crate::lanes::restore::STEP_ROWS;
use crate::number::Number;

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Route {
    /// `/__serve`
    Serve,
    /// `/__migrate`
    Migrate,
    /// `/__claim`: the site is set up.
    Claim,
    /// `/__replica`
    Replica(Action),
    /// Nothing has that name here.
    Unknown,
}

/// An action of `/__replica`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Action {
    /// Where the object stands.
    Head,
    /// Moves the stage.
    Stage {
        /// To this.
        to: Option<Text>,
    },
    /// A step of a lane's copy.
    Provision {
        /// The lane; NaN when missing.
        lane: Number,
        /// Where the copy stands.
        cursor: Text,
        /// The rows of the step.
        budget: Number,
    },
    /// A lane asks for another copy.
    Readmit {
        /// The lane, as it says.
        lane: Text,
    },
    /// A lane forwards a batch.
    Forward,
    /// A round of catching up.
    CatchUp {
        /// The most records.
        limit: Number,
    },
    /// Records of the log.
    Log {
        /// After this generation.
        since: Number,
        /// The most records.
        limit: Number,
    },
    /// The plan of a copy, or a page of it.
    Snapshot {
        /// The page's table.
        table: Option<Text>,
        /// Where the page begins.
        offset: Number,
        /// The most rows.
        limit: Number,
    },
    /// A chunk lands.
    Restore {
        /// Whether the copy in progress is forgotten first.
        restart: bool,
    },
    /// A record is applied.
    Apply {
        /// The most statements in one transaction.
        chunk: Number,
    },
    /// No action has that name.
    Unknown,
}

/// The path under which an object serves a visitor's path.
pub fn serve_path(path: &str) -> Text {
    Text::from(format!("/__serve?path={}", query::encode(path)))
}

/// The log's default limit.
const LOG_LIMIT: Number = Number::integer(50);
/// The snapshot's default page.
const SNAPSHOT_LIMIT: Number = Number::integer(200);

impl Route {
    /// What a request asks for.
    pub fn of(request: &Request) -> Self {
        let (path, query) = query::target(request);
        match path {
            "/__serve" => Route::Serve,
            "/__migrate" => Route::Migrate,
            "/__claim" => Route::Claim,
            "/__replica" | "/replica" => Route::Replica(Action::of(query)),
            _ => Route::Unknown,
        }
    }

    /// Whether it asks for a step of a lane's copy.
    pub fn is_provision(&self) -> bool {
        matches!(self, Route::Replica(Action::Provision { .. }))
    }

    /// The first frame of what is asked, inside the gate.
    pub fn frame(&self, request: &Request) -> SiteFrame {
        let only_posted = matches!(
            self,
            Route::Claim
                | Route::Replica(
                    Action::Readmit { .. } | Action::Forward | Action::Restore { .. } | Action::Apply { .. }
                )
        );
        if only_posted && request.method != Method::Post {
            return plain(Plain::NotPosted);
        }
        let body = || request.body.clone();
        match self.clone() {
            Route::Serve => SiteFrame::Serve(Box::new(Serving::new(request.clone()))),
            Route::Migrate => plain(Plain::Migrate),
            Route::Claim => plain(Plain::Claim),
            Route::Unknown | Route::Replica(Action::Unknown) => plain(Plain::Unknown),
            Route::Replica(action) => match action {
                Action::Head => SiteFrame::Head(Box::default()),
                Action::Stage { to } => plain(Plain::Stage { to }),
                Action::Provision { lane, cursor, budget } => {
                    SiteFrame::Provision(Box::new(Provisioning::posted(lane, cursor, budget)))
                }
                Action::Readmit { lane } => plain(Plain::Readmit { lane }),
                Action::Forward => SiteFrame::Accept(Box::new(Accepting::new(body()))),
                Action::CatchUp { limit } => SiteFrame::CatchUp(Box::new(Round::new(limit))),
                Action::Log { since, limit } => plain(Plain::Log { since, limit }),
                Action::Snapshot { table, offset, limit } => {
                    SiteFrame::Snapshot(Box::new(Snapshotting::new(table, offset, limit)))
                }
                Action::Restore { restart } => plain(Plain::Restore {
                    restart,
                    body: body(),
                }),
                Action::Apply { chunk } => plain(Plain::Apply { chunk, body: body() }),
                Action::Unknown => plain(Plain::Unknown),
            },
        }
    }
}

fn plain(plain: Plain) -> SiteFrame {
    SiteFrame::Plain(Box::new(plain))
}

impl Action {
    fn of(query: &str) -> Self {
        let get = |key| query::get(query, key);
        let text = |key| get(key).unwrap_or_default();
        // A number that is missing, blank, 0 or none gives the default.
        let number = |key, default: Number| {
            let number = Number::parse(&text(key));
            let given = number.is_finite() && number.js_gt(Number::ZERO);
            if given { number } else { default }
        };
        match text("action").as_str() {
            "" => Action::Head,
            "stage" => Action::Stage {
                to: get("to").filter(|to| !to.is_empty()),
            },
            "provision" => Action::Provision {
                lane: get("lane").map_or(Number::NAN, |lane| Number::parse(&lane)),
                cursor: text("cursor"),
                budget: number("budget", STEP_ROWS),
            },
            "readmit" => Action::Readmit { lane: text("lane") },
            "forward" => Action::Forward,
            "catchup" => Action::CatchUp {
                limit: number("limit", Number::from(BATCH)),
            },
            "log" => Action::Log {
                since: number("since", Number::ZERO),
                limit: number("limit", LOG_LIMIT),
            },
            "snapshot" => Action::Snapshot {
                table: get("table").filter(|table| !table.is_empty()),
                offset: number("offset", Number::ZERO),
                limit: number("limit", SNAPSHOT_LIMIT),
            },
            "restore" => Action::Restore {
                restart: get("restart").as_deref() == Some("1"),
            },
            "apply" => Action::Apply {
                chunk: get("chunk").map_or(Number::INFINITY, |chunk| Number::parse(&chunk)),
            },
            _ => Action::Unknown,
        }
    }
}
