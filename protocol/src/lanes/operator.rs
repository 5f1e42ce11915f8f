//! What an operator asks of a site's objects: the actions of `/replica` (`lanes.md` 17), as data.
//!
//! An owner's request comes through a front and reaches the primary alone. What concerns a lane is sent to that object
//! itself, as the primary would send it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::object::{SITE, escape};
use super::rules::Rules;
use super::wire::{Chunk, Cursor};
use crate::host::{Body, Method, ObjectName, Request, Stub, Text};
use crate::number::Number;

/// One action.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operate {
    /// How an object stands.
    Head,
    /// Moves a lane's stage, if that is a legal move.
    Stage {
        /// The stage's name on the wire; any text, as an operator can mistype.
        to: Text,
    },
    /// One step of a lane's copy, by the primary.
    Provision {
        /// The lane.
        lane: Number,
        /// Where the copy goes on; none at its start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<Cursor>,
        /// How many rows at most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<Number>,
    },
    /// Queues a lane for another copy, at the primary.
    Readmit {
        /// The lane.
        lane: Number,
    },
    /// One round of catching up, by a lane.
    CatchUp {
        /// How many records at most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<Number>,
    },
    /// Records of the primary's log.
    Log {
        /// The generation after which they begin.
        since: Number,
        /// How many at most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<Number>,
    },
    /// The plan of a copy, or one page of a table.
    Snapshot {
        /// Which page; none for the plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page: Option<PageOf>,
    },
    /// One piece of a copy, for a lane.
    Restore {
        /// The piece.
        chunk: Box<Chunk>,
        /// Whether what landed of an earlier copy is forgotten first.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        restart: bool,
    },
    /// Gives an object the schema of its code's version.
    Migrate,
}

/// A page of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageOf {
    /// The table.
    pub table: Text,
    /// After how many rows it begins.
    pub offset: Number,
    /// How many rows at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Number>,
}

impl Operate {
    /// The request to an object itself.
    #[must_use]
    pub fn direct(&self) -> Request {
        if *self == Operate::Migrate {
            return Request::get("/__migrate?all=1&prefill=0");
        }
        self.at("/__replica")
    }

    /// The request to a front, which takes it to the primary of the site. None of what fronts do not take on.
    #[must_use]
    pub fn through_front(&self, site: &str) -> Option<Request> {
        if *self == Operate::Migrate {
            return None;
        }
        let mut request = self.at("/replica");
        let joint = if request.path.contains('?') { '&' } else { '?' };
        request.path = Text::from(format!("{}{joint}site={site}", request.path));
        Some(request)
    }

    fn at(&self, path: &str) -> Request {
        let query = self.query();
        let path = if query.is_empty() {
            Text::new(path)
        } else {
            let pairs: Vec<String> = query
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect();
            Text::from(format!("{path}?{}", pairs.join("&")))
        };
        match self {
            Operate::Head | Operate::Log { .. } | Operate::Snapshot { .. } | Operate::Migrate => {
                Request::get(path)
            }
            Operate::Restore { chunk, .. } => Request::post(path, Body::typed(Arc::new(Chunk::clone(chunk)))),
            Operate::Stage { .. }
            | Operate::Provision { .. }
            | Operate::Readmit { .. }
            | Operate::CatchUp { .. } => Request {
                method: Method::Post,
                ..Request::get(path)
            },
        }
    }

    /// The query, key by key.
    fn query(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        let mut pair = |key, value: String| pairs.push((key, value));
        match self {
            Operate::Head | Operate::Migrate => {}
            Operate::Stage { to } => {
                pair("action", "stage".to_owned());
                pair("to", escape(to));
            }
            Operate::Provision { lane, cursor, budget } => {
                pair("action", "provision".to_owned());
                pair("lane", lane.to_string());
                if let Some(cursor) = cursor {
                    pair("cursor", escape(&crate::host::Payload::encode(cursor)));
                }
                if let Some(budget) = budget {
                    pair("budget", budget.to_string());
                }
            }
            Operate::Readmit { lane } => {
                pair("action", "readmit".to_owned());
                pair("lane", lane.to_string());
            }
            Operate::CatchUp { limit } => {
                pair("action", "catchup".to_owned());
                if let Some(limit) = limit {
                    pair("limit", limit.to_string());
                }
            }
            Operate::Log { since, limit } => {
                pair("action", "log".to_owned());
                pair("since", since.to_string());
                if let Some(limit) = limit {
                    pair("limit", limit.to_string());
                }
            }
            Operate::Snapshot { page } => {
                pair("action", "snapshot".to_owned());
                if let Some(page) = page {
                    pair("table", escape(&page.table));
                    pair("offset", page.offset.to_string());
                    if let Some(limit) = page.limit {
                        pair("limit", limit.to_string());
                    }
                }
            }
            Operate::Restore { restart, .. } => {
                pair("action", "restore".to_owned());
                if *restart {
                    pair("restart", "1".to_owned());
                }
            }
        }
        pairs
    }
}

/// The primary of a site, for one call.
#[must_use]
pub fn primary(site: &str) -> Stub {
    Stub::once(SITE, ObjectName::new(site))
}

/// A lane of a site, for one call.
#[must_use]
pub fn lane(rules: &Rules, site: &str, lane: Number) -> Stub {
    Stub::once(SITE, ObjectName::new((rules.names.replica_name)(site, lane)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_a_request_to_an_object_or_to_a_front() {
        let stage = Operate::Stage {
            to: "SERVING&x=1".into(),
        };
        assert_eq!(stage.direct().path, "/__replica?action=stage&to=SERVING%26x%3D1");
        assert_eq!(stage.direct().method, Method::Post);
        let front = |operate: Operate| operate.through_front("a").map(|request| request.path.to_string());
        assert_eq!(front(Operate::Head).as_deref(), Some("/replica?site=a"));
        assert_eq!(front(Operate::Migrate), None);
        let provision = Operate::Provision {
            lane: 2.into(),
            cursor: Some(Cursor::start(7.into())),
            budget: None,
        };
        assert_eq!(
            front(provision).as_deref(),
            Some(
                "/replica?action=provision&lane=2&cursor=%7B%22generation%22%3A7%2C%22index%22%3A0%2C%22offset%22%3A0%7D&site=a"
            )
        );
    }

    #[test]
    fn an_action_is_read_back_from_a_plan() {
        let log = Operate::Log {
            since: 3.into(),
            limit: None,
        };
        let json = r#"{"log":{"since":3}}"#;
        assert_eq!(serde_json::to_string(&log).unwrap(), json);
        assert_eq!(serde_json::from_str::<Operate>(json).unwrap(), log);
    }
}
