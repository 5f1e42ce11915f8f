//! LR-3. The log tells all that was written, and nothing else.
//!
//! Each record is replayed, when it is new, on the primary's state at its parent; what comes out must be the primary's
//! state at its generation. By induction, replaying from any generation leads to any later one. Both states are the
//! oracle's own. It cannot see a record whose parent's state it does not know: LR-1 sees that one.
//! Catches rolled-back statements in the log, unlogged writes (S9), statements that run otherwise when replayed (G03).

use super::{Check, Judgement, Stand, Triage};
use crate::check::{Breach, Class, Invariant};
use crate::world::lanes::truth::Replayed;
use crate::world::lanes::truth::{Truth, Turn};
use protocol::host::{Statement, Value};
use protocol::json::Json;

/// A record cannot be replayed at all.
const DOES_NOT_RUN: Class = Class("does-not-run");
/// What comes out is another state, in this table first.
const DIFFERS: Class = Class("differs");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-3",
        statement: "replaying a record on the state of its parent gives the state of its generation",
        classes: &[DOES_NOT_RUN, DIFFERS],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Primary(check)],
};

fn check(truth: &mut Truth, turn: &Turn) -> Judgement {
    let sealed = turn.after.log.iter().rev();
    let fresh = sealed.take_while(|(generation, _)| !turn.before.log.contains_key(*generation));
    let mut judgement = Judgement::NoSubject;
    for (generation, record) in fresh {
        let parent = record
            .parent
            .to_u64_exact()
            .and_then(|parent| truth.at(parent))
            .cloned();
        let (Some(from), Some(to)) = (parent, truth.at(*generation).cloned()) else {
            continue;
        };
        if record.overflowed {
            continue;
        }
        let Some(replayed) = truth.replay(&from, &statements(&record.statements), &to) else {
            continue;
        };
        judgement = match replayed {
            Replayed::Fails(why) => {
                return Judgement::broken(Breach::new(DOES_NOT_RUN, format!("record {generation} does not run: {why}")));
            }
            Replayed::Holds(state) => match state.difference(&to, truth.seconds()) {
                None => Judgement::Holds,
                Some(difference) => {
                    return Judgement::broken(Breach::new(DIFFERS, format!(
                        "record {generation}, replayed on {}: {}",
                        record.parent,
                        difference.between("the replay", "the primary")
                    )).at(difference.place()).between(
                        (format!("the primary at {generation}"), difference.there()),
                        (format!("its log, replayed from {}", record.parent), difference.here()),
                    ));
                }
            },
        };
    }
    judgement
}

/// The statements of a record, bound as a lane binds them.
fn statements(stored: &str) -> Vec<Statement> {
    let list = Json::parse(stored).unwrap_or(Json::Null);
    let list = list.as_array().unwrap_or_default().to_vec();
    list.iter().filter_map(statement).collect()
}

fn statement(logged: &Json) -> Option<Statement> {
    let logged = logged.as_object()?;
    let params = logged.get("params").and_then(Json::as_array).unwrap_or_default();
    Some(Statement {
        sql: logged.get("sql").and_then(Json::as_text).cloned()?,
        params: params.iter().map(value).collect(),
    })
}

fn value(param: &Json) -> Value {
    match param {
        Json::Text(text) => Value::Text(text.clone()),
        Json::Number(number) => Value::Number(*number),
        Json::Null => Value::Null,
        other => Value::Text(other.to_text()),
    }
}
