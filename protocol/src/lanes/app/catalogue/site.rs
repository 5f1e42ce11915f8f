//! Requests that set a site up and keep it going.

use super::parts::{
    Ddl, NOW, account_of, cached, config, in_seconds, insert, log, positional, query, row_of, state,
    transaction, work, write,
};
use crate::host::Text;
use crate::lanes::app::program::{Arguments, Condition, Item, Operand, Register, RenderProgram, Step, Write};

const ACCOUNT: Register = Register(0);
const FOUND: Register = Register(1);
const ITEM: Register = Register(2);

fn key_value(collection: &str, name: &str, value: impl Into<Operand>) -> Write {
    insert(
        "key_value",
        [
            ("collection", collection.into()),
            ("name", name.into()),
            ("value", value.into()),
        ],
    )
}

/// What an installer does, once, on an empty site: the tables' first rows, the accounts and nodes from 1 on, one
/// session for each account, and one for nobody in particular: account 0, as a visitor has who was never logged in and
/// to whom the site had something to remember. It does not mint the private key: the first use does.
#[must_use]
pub fn install(nodes: u32, accounts: u32) -> RenderProgram {
    let mut items: Vec<Item> = vec![
        key_value("state", "system.cron_key", "cron key of the site").into(),
        key_value("state", "install_time", NOW).into(),
        key_value("state", "install_task", "done").into(),
        key_value("state", "system.cron_last", 0).into(),
        key_value("system.schema", "system", 11_000).into(),
        key_value("system.schema", "node", 11_000).into(),
        key_value("post_update", "existing_updates", "").into(),
    ];
    for name in [
        "system.site",
        "user.settings",
        "contact.form.feedback",
        "core.extension",
    ] {
        items.push(
            insert(
                "config",
                [
                    ("collection", "".into()),
                    ("name", name.into()),
                    ("data", name.into()),
                ],
            )
            .into(),
        );
    }
    items.push(session(0));
    for uid in 1..=accounts {
        items.extend(account(uid));
        items.push(session(uid));
    }
    for nid in 1..=nodes {
        items.extend(node(nid));
    }
    RenderProgram {
        steps: vec![transaction(items), work(500)],
        token: Text::new_static("install"),
        ..RenderProgram::default()
    }
}

/// The session that the installer opens for an account.
#[must_use]
pub fn session_of(uid: u32) -> Text {
    Text::from(format!("session-of-account-{uid}"))
}

fn account(uid: u32) -> [Item; 2] {
    let name = format!("account {uid}");
    [
        insert(
            "users",
            [
                ("uid", uid.into()),
                ("uuid", name.as_str().into()),
                ("langcode", "en".into()),
            ],
        )
        .into(),
        insert(
            "users_field_data",
            [
                ("uid", uid.into()),
                ("name", name.as_str().into()),
                ("created", NOW),
            ],
        )
        .into(),
    ]
}

fn session(uid: u32) -> Item {
    insert(
        "sessions",
        [
            ("sid", row_of(&session_of(uid)).into()),
            ("uid", uid.into()),
            ("timestamp", NOW),
            ("session", session_of(uid).into()),
        ],
    )
    .into()
}

fn node(nid: u32) -> [Item; 4] {
    let title = format!("node {nid}");
    let text = || Operand::from(title.as_str());
    [
        insert(
            "node",
            [
                ("nid", nid.into()),
                ("vid", nid.into()),
                ("type", "article".into()),
                ("uuid", text()),
                ("langcode", "en".into()),
            ],
        )
        .into(),
        insert("node_revision", [("vid", nid.into()), ("nid", nid.into())]).into(),
        insert(
            "node_field_data",
            [
                ("nid", nid.into()),
                ("vid", nid.into()),
                ("type", "article".into()),
                ("title", text()),
                ("uid", 1.into()),
                ("created", NOW),
                ("changed", NOW),
            ],
        )
        .into(),
        insert(
            "node__body",
            [
                ("entity_id", nid.into()),
                ("revision_id", nid.into()),
                ("body_value", text()),
            ],
        )
        .into(),
    ]
}

/// Somebody installs a module: so many configuration objects, its schema, and all routes anew. From 500 logged
/// statements on the record overflows.
#[must_use]
pub fn install_module(token: Text, session: &str, objects: u32, routes: u32) -> RenderProgram {
    let mut steps = vec![account_of(session, ACCOUNT), config("core.extension"), work(400)];
    let objects = (1..=objects).map(|at| {
        insert(
            "config",
            [
                ("collection", "".into()),
                ("name", format!("{token}.{at}").as_str().into()),
                ("data", at.into()),
            ],
        )
        .into()
    });
    steps.push(transaction(objects.collect()));
    steps.push(key_value("system.schema", &token, 8_000).into());
    let mut rebuilt: Vec<Item> = vec![write("DELETE FROM router", []).into()];
    rebuilt.extend((1..=routes).map(|at| {
        let route = format!("route.{at}");
        Item::from(insert(
            "router",
            [
                ("name", route.as_str().into()),
                ("path", format!("/{at}").as_str().into()),
                ("route", token.clone().into()),
            ],
        ))
    }));
    steps.push(transaction(rebuilt));
    steps.push(write("DELETE FROM cache_config", []).into());
    steps.push(write("DELETE FROM cache_data", []).into());
    RenderProgram {
        token,
        steps,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}

/// A module brings a table of its own, which no inventory knows, and writes a row into it. The definition is one that no
/// lane may run.
#[must_use]
pub fn define_table(token: Text, session: &str) -> RenderProgram {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let table = format!("module_{}", token.chars().map(plain).collect::<String>());
    let created = Ddl(Text::from(format!(
        "CREATE TABLE IF NOT EXISTS {table} (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
    )));
    let filled = Write {
        sql: Text::from(format!("INSERT INTO {table} (name, value) VALUES (?, ?)")),
        params: Arguments::List(vec!["installed".into(), token.clone().into()]),
        new_id: None,
    };
    RenderProgram {
        steps: vec![
            account_of(session, ACCOUNT),
            created.into(),
            filled.into(),
            work(100),
        ],
        token,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}

/// The site's own chores: a lock, sweeps of what has expired in both of their shapes, one item of a queue, and when
/// that was.
#[must_use]
pub fn cron(token: Text) -> RenderProgram {
    let lock = insert(
        "semaphore",
        [
            ("name", "cron".into()),
            ("value", token.clone().into()),
            ("expire", in_seconds(900)),
        ],
    );
    let unlock = write(
        "DELETE FROM semaphore WHERE name = :name AND value = :value",
        [(":name", "cron".into()), (":value", token.clone().into())],
    );
    // The question mark is what the contract takes a sweep by; the application's own sweeps are by name.
    let swept = positional(
        "DELETE FROM sessions WHERE timestamp < ?",
        vec![in_seconds(-2_000_000)],
    );
    let swept_by_name = write(
        "DELETE FROM key_value_expire WHERE expire < :now",
        [(":now", NOW)],
    );
    let claimable = query(
        "SELECT item_id, data FROM queue WHERE expire = :free AND name = :name ORDER BY item_id LIMIT 1",
        [(":free", 0.into()), (":name", "cron".into())],
    );
    let claimed = write(
        "UPDATE queue SET expire = :until WHERE item_id = :item AND expire = :free",
        [
            (":until", in_seconds(60)),
            (":item", ITEM.into()),
            (":free", 0.into()),
        ],
    );
    let done = write(
        "DELETE FROM queue WHERE item_id = :item",
        [(":item", ITEM.into())],
    );
    let ran = write(
        "UPDATE key_value SET value = :value WHERE collection = :collection AND name = :name",
        [
            (":value", NOW),
            (":collection", "state".into()),
            (":name", "system.cron_last".into()),
        ],
    );
    let has_item = |step: Step| step.when(Condition::Present(ITEM));
    RenderProgram {
        steps: vec![
            state("system.cron_last").keep(FOUND).into(),
            lock.into(),
            swept.into(),
            swept_by_name.into(),
            claimable.keep(ITEM).into(),
            has_item(claimed.into()),
            work(200),
            has_item(done.into()),
            ran.into(),
            log("cron", &token, 0),
            unlock.into(),
        ],
        token,
        ..RenderProgram::default()
    }
}

/// Somebody puts an item into the queue that cron works off.
#[must_use]
pub fn enqueue(token: Text) -> RenderProgram {
    let item = insert(
        "queue",
        [
            ("name", "cron".into()),
            ("data", token.clone().into()),
            ("expire", 0.into()),
            ("created", NOW),
        ],
    );
    RenderProgram {
        steps: vec![item.id_into(ITEM).into(), work(5)],
        token,
        ..RenderProgram::default()
    }
}

/// A page that needs the site's private key, and makes one where there is none. Only the primary may: two objects that
/// both did would not accept each other's forms.
#[must_use]
pub fn private_key(token: Text) -> RenderProgram {
    let key = || state("system.private_key");
    let minted = key_value("state", "system.private_key", token.clone());
    RenderProgram {
        steps: vec![
            cached("form").into(),
            key().keep(FOUND).into(),
            Step::from(minted).when(Condition::Missing(FOUND)),
            key().into(),
            work(15),
        ],
        token,
        ..RenderProgram::default()
    }
}

/// Somebody renews the key of cron: a value of the site that only the primary may make.
#[must_use]
pub fn renew_key(token: Text, session: &str) -> RenderProgram {
    let renewed = positional(
        "INSERT INTO key_value (collection, name, value) VALUES (?, ?, ?) \
         ON CONFLICT (collection, name) DO UPDATE SET value = excluded.value",
        vec!["state".into(), "system.cron_key".into(), token.clone().into()],
    );
    RenderProgram {
        steps: vec![
            account_of(session, ACCOUNT),
            state("system.cron_key").into(),
            renewed.into(),
            work(15),
        ],
        token,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}
