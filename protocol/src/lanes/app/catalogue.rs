//! What visitors ask of the simulated site: each kind of request, as a function of a few numbers.
//!
//! There is no chance in it: who plans a run draws the numbers, and the same numbers are the same request.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::page::SESSION_COOKIE;
use super::program::RenderProgram;
use crate::host::{Body, Method, Millis, Request, Text};
use crate::lanes::header;
use crate::number::Number;

mod account;
mod content;
mod pages;
mod parts;
mod site;

pub use account::{failed_login, login, logout, subscribe};
pub use content::{create, edit, save, title_of, upload};
pub use pages::{edits, front, mail, node_page, node_page_of, waiting_page};
pub use site::{cron, define_table, enqueue, install, install_module, private_key, renew_key, session_of};

/// One kind of request with its numbers. What is done by somebody who is logged in is done by the
/// [visitor's](Visitor) account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// [`install`]
    Install {
        /// Nodes, from 1 on.
        nodes: u32,
        /// Accounts, from 1 on, each with a session.
        accounts: u32,
    },
    /// [`front`]
    Front {
        /// How many nodes it lists.
        nodes: u32,
    },
    /// [`node_page`], or [`node_page_of`] for a visitor with a session.
    Node {
        /// The node.
        nid: u32,
        /// Whether it is written that it was seen.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        history: bool,
    },
    /// [`waiting_page`]
    Waiting {
        /// The node.
        nid: u32,
        /// How long it waits.
        pause: Millis,
    },
    /// [`edits`], at a generation that the visitor wants at least.
    Fenced {
        /// The node.
        nid: u32,
        /// The generation.
        generation: Number,
    },
    /// [`login`]
    Login {
        /// The account.
        uid: u32,
    },
    /// [`failed_login`]
    FailedLogin {
        /// The account.
        uid: u32,
    },
    /// [`logout`]
    Logout,
    /// [`create`]
    Create,
    /// [`edit`]
    Edit {
        /// The node.
        nid: u32,
    },
    /// [`save`]
    Save {
        /// The node.
        nid: u32,
        /// Tags besides the node's own.
        tags: u32,
        /// Whether a table is written that no inventory knows.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        indexes: bool,
    },
    /// [`upload`]
    Upload,
    /// [`install_module`]
    InstallModule {
        /// Configuration objects that it brings.
        objects: u32,
        /// Routes of the site.
        routes: u32,
    },
    /// [`define_table`]
    DefineTable,
    /// [`cron`]
    Cron,
    /// [`enqueue`]
    Enqueue,
    /// [`mail`]
    Mail {
        /// To which account.
        to: u32,
    },
    /// [`private_key`]
    PrivateKey,
    /// [`renew_key`]
    RenewKey,
    /// [`subscribe`]
    Subscribe {
        /// How long it waits between its writes.
        #[serde(default, skip_serializing_if = "is_none")]
        pause: Millis,
        /// Whether a mail confirms it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        mails: bool,
        /// Whether it is given a number.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        numbered: bool,
    },
}

fn is_none(pause: &Millis) -> bool {
    pause.0 == 0
}

/// Who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visitor {
    /// The address that the visitor comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<Text>,
    /// The value of the session's cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Text>,
}

/// What a page costs on the thread, in milliseconds: about the median of the deployed site (`lanes.md` 21).
pub const PAGE_COST: u32 = 200;

impl Ask {
    /// What the application does for it. `token` is the client's name for the attempt.
    #[must_use]
    pub fn program(&self, visitor: &Visitor, token: &Text) -> RenderProgram {
        let token = token.clone();
        let session = visitor.session.as_deref().unwrap_or_default();
        let fresh = || visitor.session.clone().unwrap_or_else(|| token.clone());
        let program = match *self {
            Ask::Install { nodes, accounts } => install(nodes, accounts),
            Ask::Front { nodes } => front(nodes, PAGE_COST),
            Ask::Node { nid, .. } if visitor.session.is_none() => node_page(nid, PAGE_COST),
            Ask::Node { nid, history } => node_page_of(session, nid, PAGE_COST, history),
            Ask::Waiting { nid, pause } => waiting_page(nid, pause),
            Ask::Fenced { nid, .. } => edits(nid),
            Ask::Login { uid } => login(token.clone(), uid, &fresh()),
            Ask::FailedLogin { uid } => failed_login(token.clone(), uid),
            Ask::Logout => logout(token.clone(), session),
            Ask::Create => create(token.clone(), session),
            Ask::Edit { nid } => edit(token.clone(), session, nid, PAGE_COST),
            Ask::Save { nid, tags, indexes } => save(token.clone(), session, nid, tags, indexes),
            Ask::Upload => upload(token.clone(), session),
            Ask::InstallModule { objects, routes } => install_module(token.clone(), session, objects, routes),
            Ask::DefineTable => define_table(token.clone(), session),
            Ask::Cron => cron(token.clone()),
            Ask::Enqueue => enqueue(token.clone()),
            Ask::Mail { to } => mail(token.clone(), to),
            Ask::PrivateKey => private_key(token.clone()),
            Ask::RenewKey => renew_key(token.clone(), session),
            Ask::Subscribe {
                pause,
                mails,
                numbered,
            } => subscribe(token.clone(), pause, mails, numbered),
        };
        let program = match &visitor.session {
            // The application looks for the session of every request, not only where a page needs it.
            Some(session) if program.account.is_none() => program.known_by(session),
            _ => program,
        };
        RenderProgram { token, ..program }
    }

    /// The path that the visitor asks for.
    #[must_use]
    pub fn path(&self) -> Text {
        Text::from(match self {
            Ask::Install { .. } => "/core/install.php".to_owned(),
            Ask::Front { .. } => "/".to_owned(),
            Ask::Node { nid, .. } | Ask::Fenced { nid, .. } => format!("/node/{nid}"),
            Ask::Waiting { nid, .. } => format!("/node/{nid}/feed"),
            Ask::Login { .. } | Ask::FailedLogin { .. } => "/user/login".to_owned(),
            Ask::Logout => "/user/logout".to_owned(),
            Ask::Create => "/node/add/article".to_owned(),
            Ask::Edit { nid } | Ask::Save { nid, .. } => format!("/node/{nid}/edit"),
            Ask::Upload => "/node/add/image".to_owned(),
            Ask::InstallModule { .. } => "/admin/modules".to_owned(),
            Ask::DefineTable => "/admin/structure/fields".to_owned(),
            Ask::Cron => "/cron/run".to_owned(),
            Ask::Enqueue => "/admin/reports/queue".to_owned(),
            Ask::Mail { .. } => "/contact".to_owned(),
            Ask::PrivateKey => "/search".to_owned(),
            Ask::RenewKey => "/admin/config/system/cron".to_owned(),
            Ask::Subscribe { .. } => "/newsletter".to_owned(),
        })
    }

    /// Whether it is a write to who routes it: sent with POST.
    #[must_use]
    pub fn posts(&self) -> bool {
        !matches!(
            self,
            Ask::Front { .. } | Ask::Node { .. } | Ask::Waiting { .. } | Ask::Fenced { .. } | Ask::PrivateKey
        )
    }

    /// The request, as the visitor's browser sends it to a front Worker of the site at `host`.
    ///
    /// The program travels in the body also where a browser would send none: nobody else could know what a page does.
    #[must_use]
    pub fn request(&self, host: &str, visitor: &Visitor, token: &Text) -> Request {
        let body = Body::typed(Arc::new(self.program(visitor, token)));
        let mut request = Request::get(self.path());
        request.body = body;
        if self.posts() {
            request.method = Method::Post;
            let form = match self {
                Ask::Upload => "multipart/form-data; boundary=form",
                _ => "application/x-www-form-urlencoded",
            };
            request.headers.set("content-type", form);
        }
        request.headers.set("host", host);
        if let Some(address) = &visitor.address {
            request.headers.set("cf-connecting-ip", address.clone());
        }
        if let Some(session) = &visitor.session {
            request
                .headers
                .set("cookie", format!("{SESSION_COOKIE}={session}"));
        }
        if let Ask::Fenced { generation, .. } = self {
            request
                .headers
                .set(header::REQUIRE_GENERATION, generation.to_string());
        }
        request
    }
}
