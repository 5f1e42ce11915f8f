//! LR-12. A lane takes in nothing of another schema than its own.
//!
//! Each record that moves the lane, each that is handed to it and that it says to have applied, and each chunk that
//! lands is looked at, against the schema text that the lane's database holds. A record that was refused, or passed
//! over, moves nothing. With one code version in the world all texts are equal, and what is shown is that the lane's
//! is never unknown; runs of two versions show the rest.

use super::{Check, Judgement, Stand, Triage, told};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::copies::landed;
use crate::world::lanes::truth::runs::Run;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::{Response, Text};
use protocol::lanes::log::ApplyAction;
use protocol::lanes::meta::Key;
use protocol::lanes::wire::{ApplyAnswer, Record};
use protocol::number::Number;

/// What it takes in has another schema, or none is known.
const OTHER_SCHEMA: Class = Class("other-schema");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-12",
        statement: "a lane applies and restores only what has its own schema, which is known",
        classes: &[OTHER_SCHEMA],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Lane(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let moved = turn.puts(Key::APPLIED).filter_map(|to| {
        let record = truth.primary.log.get(&Number::parse(to).to_u64_exact()?)?;
        Some(record.schema.clone())
    });
    let chunks = turn.heard.iter().filter_map(landed);
    let landed = chunks.map(|(_, chunk)| chunk.schema_version.as_str().map(Text::new));
    let handed = turn.answers().filter_map(|(run, answer)| applied_by_hand(run, answer));
    let own = turn.after.schema();
    let mut judgement = Judgement::NoSubject;
    for theirs in moved.chain(landed).chain(handed) {
        let holds = own.is_some() && own == theirs.as_ref();
        judgement = Judgement::that(holds, || {
            Breach::new(OTHER_SCHEMA, format!("lane {} of schema {} takes in {}", turn.lane, told(own), told(theirs.as_ref()))).between((format!("the schema of lane {}", turn.lane), told(own)), ("what it takes in", told(theirs.as_ref())))
        });
        if !holds {
            break;
        }
    }
    judgement
}

/// The schema of the record that a request has brought and that a lane has applied: none of a record that names none.
fn applied_by_hand(run: &Run, answer: &Response) -> Option<Option<Text>> {
    let request = run
        .request()
        .filter(|request| request.path.starts_with("/__replica?action=apply"))?;
    let answer = answer.body.read::<ApplyAnswer>().ok()?;
    let record = request.body.read::<Record>().ok()?;
    let applied = answer.action.as_str() == Some(ApplyAction::Apply.as_str());
    applied.then(|| record.schema_version.as_str().map(Text::new))
}
