//! LR-27. What only the primary may originate, a serving lane has from it.
//!
//! The hash salt and the site's origin are the primary's own, and the identity keys of the state are what the primary had
//! at the lane's generation or has now. Looked at whenever the lane's database has changed. Sequences and sessions are
//! rows of the state, and so LR-9's. And judged when the primary commits a batch: a lane may have taken nothing from the
//! sequences, and made no identity key. Catches H11 (each lane a salt of its own), H17 (secrets minted on a lane), A09.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::contents::Contents;
use crate::world::lanes::truth::minted::{action, is_batch};
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Value;
use protocol::json::Json;
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::lanes::wire::{ForwardBatch, ForwardStatement};
use protocol::sql::write_target;

/// Another hash salt or origin than the primary: this one.
const OTHER_KEY: Class = Class("other-key");
/// Another identity key than the primary: this one.
const OTHER_IDENTITY: Class = Class("other-identity");

/// The primary commits what a lane has originated.
const OF_A_LANE: Class = Class("of-a-lane");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-27",
        statement: "a serving lane holds the primary's hash salt, origin and identity keys, and none of its own",
        classes: &[OTHER_KEY, OTHER_IDENTITY, OF_A_LANE],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check), Stand::Primary(commits)],
};

/// The identity keys (`lanes.md` 8).
const IDENTITY: [&str; 4] = [
    "system.private_key",
    "system.cron_key",
    "install_time",
    "install_task",
];

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    if !turn.changed || turn.after.stage() != Some(Stage::Serving) {
        return Judgement::NoSubject;
    }
    for (key, must_be_there) in [(Key::HASH_SALT, true), (Key::SITE_ORIGIN, false)] {
        let (own, theirs) = (turn.after.meta(key), truth.primary.meta(key));
        if (must_be_there || own.is_some()) && own != theirs {
            return Judgement::broken(Breach::new(OTHER_KEY, format!(
                "lane {} holds {own:?} as its {}, the primary {theirs:?}",
                turn.lane, key.0
            )).at(key.0).between(
                ("the primary", format!("{theirs:?}")),
                (format!("lane {}", turn.lane), format!("{own:?}")),
            ));
        }
    }
    let then = Truth::owes(&turn.after).and_then(|generation| truth.at(generation));
    for name in IDENTITY {
        let own = state(&turn.after.contents, name);
        let now = state(&truth.primary.contents, name);
        let then = then.and_then(|then| state(then, name));
        if own != now && own != then {
            return Judgement::broken(Breach::new(OTHER_IDENTITY, format!(
                "lane {} holds {own:?} as {name}, the primary {now:?}, and {then:?} at the lane's generation",
                turn.lane
            )).at(name).between(
                ("the primary", format!("{now:?} now, {then:?} at the lane's generation")),
                (format!("lane {}", turn.lane), format!("{own:?}")),
            ));
        }
    }
    Judgement::Holds
}

fn commits(_: &mut Truth, turn: &Turn) -> Judgement {
    let mut judgement = Judgement::NoSubject;
    for (run, response) in turn.answers() {
        let batch = run.request().filter(|request| is_batch(request));
        let Some(batch) = batch.and_then(|request| request.body.read::<ForwardBatch>().ok()) else {
            continue;
        };
        if action(response).as_deref() != Some("commit") {
            continue;
        }
        let statements = batch.statements.get().map_or(&[][..], Vec::as_slice);
        let mut originated = statements
            .iter()
            .filter_map(|statement| statement.get())
            .filter(|statement| originates(statement));
        if let Some(statement) = originated.next() {
            let sql = statement.sql.as_str().unwrap_or_default();
            return Judgement::broken(
                Breach::new(OF_A_LANE, format!("the primary commits a lane's `{sql}`"))
                    .between(("who may originate it", "the primary"), ("who has", "a lane")),
            );
        }
        judgement = Judgement::Holds;
    }
    judgement
}

/// Whether a statement of a batch takes a value from the sequences, or writes an identity key.
fn originates(statement: &ForwardStatement) -> bool {
    match write_target(statement.sql.as_str().unwrap_or_default()) {
        Some("sequences") => true,
        Some("key_value") => {
            let params = statement.params.get().and_then(Json::as_array).unwrap_or_default();
            params
                .iter()
                .filter_map(Json::as_text)
                .any(|text| IDENTITY.contains(&text.as_str()))
        }
        _ => false,
    }
}

/// What a state holds under a name of the collection `state`.
fn state<'a>(contents: &'a Contents, name: &str) -> Option<&'a Value> {
    let table = contents.table("key_value")?;
    let is_it = |row: &[Value]| {
        let texts = row.first().and_then(Value::as_text).zip(row.get(1)?.as_text())?;
        (texts == ("state", name)).then_some(())
    };
    table.rows.iter().find(|row| is_it(row).is_some())?.get(2)
}
