//! Requests that write what the site shows.

use super::parts::{
    NOW, account_of, body, ignored, insert, invalidate, log, node, query, transaction, work, write,
};
use crate::host::Text;
use crate::lanes::app::program::{Act, Condition, Item, Operand, Query, Register, RenderProgram, Step};
use crate::number::Number;

const ACCOUNT: Register = Register(0);
const NID: Register = Register(1);
const VID: Register = Register(2);
const EDITS: Register = Register(3);
const COUNT: Register = Register(4);

/// The title of a node that an attempt creates: by it effects are counted.
#[must_use]
pub fn title_of(token: &str) -> Text {
    Text::from(format!("node of {token}"))
}

/// Somebody creates a node: one transaction that needs two new ids, then a tag and a line in the log.
#[must_use]
pub fn create(token: Text, session: &str) -> RenderProgram {
    let title = title_of(&token);
    let mut items = vec![
        insert(
            "node",
            [
                ("type", "article".into()),
                ("uuid", token.clone().into()),
                ("langcode", "en".into()),
            ],
        )
        .id_into(NID)
        .into(),
        insert(
            "node_revision",
            [
                ("nid", NID.into()),
                ("revision_uid", ACCOUNT.into()),
                ("revision_timestamp", NOW),
            ],
        )
        .id_into(VID)
        .into(),
        write(
            "UPDATE node SET vid = :vid WHERE nid = :nid",
            [(":vid", VID.into()), (":nid", NID.into())],
        )
        .into(),
    ];
    items.extend(fields(title.clone()));
    items.push(body(NID).into());
    let mut steps = vec![account_of(session, ACCOUNT), work(120), transaction(items)];
    steps.extend(invalidate("node_list", COUNT));
    steps.push(log("content", &title, ACCOUNT));
    steps.push(node(NID).into());
    RenderProgram {
        token,
        steps,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}

fn fields(title: Text) -> [Item; 2] {
    [
        insert(
            "node_field_data",
            [
                ("nid", NID.into()),
                ("vid", VID.into()),
                ("type", "article".into()),
                ("title", title.clone().into()),
                ("uid", ACCOUNT.into()),
                ("status", 1.into()),
                ("created", NOW),
                ("changed", NOW),
                ("edits", 0.into()),
            ],
        )
        .into(),
        insert(
            "node__body",
            [
                ("entity_id", NID.into()),
                ("revision_id", VID.into()),
                ("body_value", title.into()),
            ],
        )
        .into(),
    ]
}

/// Somebody edits a node: reads how often it was edited, and writes one more. Two who do this at once must not both
/// have read the same.
#[must_use]
pub fn edit(token: Text, session: &str, nid: u32, cost: u32) -> RenderProgram {
    let counted = write(
        "UPDATE node_field_data SET edits = :edits, changed = :changed WHERE nid = :nid",
        [
            (":edits", one_more(EDITS)),
            (":changed", NOW),
            (":nid", nid.into()),
        ],
    );
    let written = write(
        "UPDATE node__body SET body_value = :body WHERE entity_id = :nid",
        [(":body", token.clone().into()), (":nid", nid.into())],
    );
    RenderProgram {
        steps: vec![
            account_of(session, ACCOUNT),
            node(nid).keep(EDITS).into(),
            work(cost),
            Step::from(Act::Status(404)).when(Condition::Missing(EDITS)),
            Step {
                when: vec![Condition::Present(EDITS)],
                ..transaction(vec![counted.into(), written.into()])
            },
        ],
        token,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}

fn one_more(register: Register) -> Operand {
    Operand::Sum {
        register,
        by: Number::integer(1),
    }
}

/// Somebody saves a node with a new revision: a transaction of several writes that reads back what it wrote, and then,
/// outside of it, so many tags. With `indexes`, the search index is told, which a lane may not do.
#[must_use]
pub fn save(token: Text, session: &str, nid: u32, tags: u32, indexes: bool) -> RenderProgram {
    let revision = insert(
        "node_revision",
        [
            ("nid", nid.into()),
            ("revision_uid", ACCOUNT.into()),
            ("revision_timestamp", NOW),
            ("revision_log", token.clone().into()),
        ],
    );
    let pointed = write(
        "UPDATE node SET vid = :vid WHERE nid = :nid",
        [(":vid", VID.into()), (":nid", nid.into())],
    );
    let counted = write(
        "UPDATE node_field_data SET vid = :vid, edits = :edits, changed = :changed WHERE nid = :nid",
        [
            (":vid", VID.into()),
            (":edits", one_more(EDITS)),
            (":changed", NOW),
            (":nid", nid.into()),
        ],
    );
    let replaced = write(
        "DELETE FROM node__body WHERE entity_id = :nid",
        [(":nid", nid.into())],
    );
    let text = insert(
        "node__body",
        [
            ("entity_id", nid.into()),
            ("revision_id", VID.into()),
            ("body_value", token.clone().into()),
        ],
    );
    let newest: Query = query(
        "SELECT MAX(vid) AS vid FROM node_revision WHERE nid = :nid",
        [(":nid", nid.into())],
    );
    let mut items: Vec<Item> = vec![
        node(nid).keep(EDITS).into(),
        revision.id_into(VID).into(),
        newest.into(),
        pointed.into(),
        counted.into(),
        replaced.into(),
        text.into(),
    ];
    if indexes {
        items.push(
            write(
                "UPDATE comment_entity_statistics SET comment_count = comment_count + 0 WHERE entity_id = :nid",
                [(":nid", nid.into())],
            )
            .into(),
        );
    }
    items.push(body(nid).into());
    let mut steps = vec![account_of(session, ACCOUNT), work(150), transaction(items)];
    steps.extend(invalidate(&format!("node:{nid}"), COUNT));
    for tag in 1..=tags {
        steps.extend(invalidate(&format!("tag:{nid}:{tag}"), COUNT));
    }
    steps.push(log("content", &token, ACCOUNT));
    steps.push(ignored(write(
        "DELETE FROM cache_render WHERE tags = :tags",
        [(":tags", format!("node:{nid}").as_str().into())],
    )));
    RenderProgram {
        token,
        steps,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}

/// Somebody uploads a file: only the primary holds files.
#[must_use]
pub fn upload(token: Text, session: &str) -> RenderProgram {
    let file = insert(
        "file_managed",
        [
            ("uuid", token.clone().into()),
            ("uid", ACCOUNT.into()),
            ("uri", token.clone().into()),
            ("status", 1.into()),
        ],
    );
    RenderProgram {
        steps: vec![
            account_of(session, ACCOUNT),
            Act::Capability {
                name: Text::new_static("cfwFileWrite"),
                detail: Text::from(format!("{{\"path\":\"{token}\"}}")),
            }
            .into(),
            file.id_into(NID).into(),
            work(80),
        ],
        token,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}
