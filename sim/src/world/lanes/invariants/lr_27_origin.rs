//! LR-27. What only the primary may originate, a serving lane has from it.
//!
//! The hash salt and the site's origin are the primary's own, and the identity keys of the state are what the primary had
//! at the lane's generation or has now. Looked at whenever the lane's database has changed. Sequences and sessions are
//! rows of the state, and so LR-9's. Catches H11 (each lane a salt of its own), H17 (secrets minted on a lane), A09.

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::contents::Contents;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::Value;
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;

/// Another hash salt or origin than the primary: this one.
const OTHER_KEY: Class = Class("other-key");
/// Another identity key than the primary: this one.
const OTHER_IDENTITY: Class = Class("other-identity");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-27",
        statement: "a serving lane holds the primary's hash salt, origin and identity keys, and none of its own",
        classes: &[OTHER_KEY, OTHER_IDENTITY],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
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

/// What a state holds under a name of the collection `state`.
fn state<'a>(contents: &'a Contents, name: &str) -> Option<&'a Value> {
    let table = contents.table("key_value")?;
    let is_it = |row: &[Value]| {
        let texts = row.first().and_then(Value::as_text).zip(row.get(1)?.as_text())?;
        (texts == ("state", name)).then_some(())
    };
    table.rows.iter().find(|row| is_it(row).is_some())?.get(2)
}
