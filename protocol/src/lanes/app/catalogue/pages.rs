//! Pages that visitors look at.

use super::parts::{
    NOW, account_of, body, cache, cached, config, log, node, query, row_of, state, work, write,
};
use crate::host::{Millis, Text};
use crate::lanes::app::program::{Act, Condition, Operand, Register, RenderProgram, Step};

const ACCOUNT: Register = Register(0);
const CACHED: Register = Register(1);
const COUNT: Register = Register(2);

/// The front page: the newest nodes, a few configuration objects, and what the render cache holds of it.
#[must_use]
pub fn front(nodes: u32, cost: u32) -> RenderProgram {
    let newest = query(
        "SELECT nid, title, changed FROM node_field_data WHERE status = :status ORDER BY nid DESC LIMIT :limit",
        [(":status", 1.into()), (":limit", nodes.into())],
    );
    let count = query("SELECT COUNT(*) AS count FROM node_field_data", []);
    RenderProgram {
        tags: vec!["node_list".into(), "config:system.site".into()],
        steps: vec![
            config("system.site"),
            state("system.maintenance_mode").into(),
            cached("front").keep(CACHED).into(),
            newest.into(),
            count.keep(COUNT).into(),
            work(cost),
            Step::from(cache("front", COUNT, "node_list")).when(Condition::Missing(CACHED)),
        ],
        ..RenderProgram::default()
    }
}

/// A node, seen by a visitor without a session.
#[must_use]
pub fn node_page(nid: u32, cost: u32) -> RenderProgram {
    let mut program = RenderProgram::default();
    show(&mut program, nid, cost, "anonymous");
    program
}

/// A node, seen by somebody who is logged in: the page keeps what it has rendered, and the session's time is written.
/// With `reads_history`, that the node was seen is written too, which a lane may not originate.
#[must_use]
pub fn node_page_of(session: &str, nid: u32, cost: u32, reads_history: bool) -> RenderProgram {
    let mut program = RenderProgram {
        account: Some(ACCOUNT),
        steps: vec![account_of(session, ACCOUNT)],
        ..RenderProgram::default()
    };
    let person = query(
        "SELECT uid, name, status FROM users_field_data WHERE uid = :uid",
        [(":uid", ACCOUNT.into())],
    );
    program.steps.push(person.into());
    show(&mut program, nid, cost, "authenticated");
    let touched = write(
        "UPDATE sessions SET timestamp = :now WHERE sid = :sid",
        [(":now", NOW), (":sid", row_of(session).into())],
    );
    program
        .steps
        .push(Step::from(touched).when(Condition::Present(ACCOUNT)));
    if reads_history {
        let seen = write(
            "UPDATE history SET timestamp = :now WHERE uid = :uid AND nid = :nid",
            [(":now", NOW), (":uid", ACCOUNT.into()), (":nid", nid.into())],
        );
        program.steps.push(seen.into());
    }
    program
}

fn show(program: &mut RenderProgram, nid: u32, cost: u32, role: &str) {
    let cid = format!("node:{nid}:{role}");
    let title = query(
        "SELECT title FROM node_field_data WHERE nid = :nid",
        [(":nid", nid.into())],
    );
    let kept = cache(&cid, Operand::Register(COUNT), &format!("node:{nid}"));
    program.tags.push(Text::from(format!("node:{nid}")));
    program.steps.extend([
        config("system.site"),
        cached(&cid).keep(CACHED).into(),
        node(nid).into(),
        body(nid).into(),
        title.keep(COUNT).into(),
        work(cost),
        Step::from(kept).when(Condition::Missing(CACHED)),
    ]);
}

/// A node, on a page that waits in the middle for something outside: an object that lets other events in may show the
/// title of one generation and the text of another.
#[must_use]
pub fn waiting_page(nid: u32, pause: Millis) -> RenderProgram {
    RenderProgram {
        tags: vec![Text::from(format!("node:{nid}"))],
        steps: vec![
            node(nid).into(),
            Act::Pause(pause).into(),
            body(nid).into(),
            work(20),
        ],
        ..RenderProgram::default()
    }
}

/// A page that shows what a fence was asked for: how often a node was edited.
#[must_use]
pub fn edits(nid: u32) -> RenderProgram {
    RenderProgram {
        steps: vec![node(nid).into()],
        ..RenderProgram::default()
    }
}

/// A form that sends mail: only the primary may, so a lane hands it over after it has read.
#[must_use]
pub fn mail(token: Text, to: u32) -> RenderProgram {
    RenderProgram {
        steps: vec![
            config("contact.form.feedback"),
            Act::Capability {
                name: Text::new_static("cfwMail"),
                detail: Text::from(format!("{{\"to\":{to},\"token\":\"{token}\"}}")),
            }
            .into(),
            log("mail", &token, 0),
            work(20),
        ],
        token,
        ..RenderProgram::default()
    }
}
