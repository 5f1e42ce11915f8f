//! What each session has written and seen: what it is not shown again is measured (LR-26). Nobody promises it.

use std::collections::BTreeMap;

use protocol::host::{Method, Text};
use protocol::lanes::meta::Key;
use protocol::lanes::session::session_cookie_value;

use super::clients::{Attempt, Effect, Told, effect_of};
use super::standing::Generation;
use super::{Truth, Turn};
use crate::check::Measure;
use crate::kernel::Micros;

/// What sessions have written and seen, each with the generation and with when that was.
#[derive(Clone, Debug, Default)]
pub struct Sessions {
    wrote: BTreeMap<Text, (Generation, Micros)>,
    seen: BTreeMap<Text, (Generation, Micros)>,
}

impl Truth {
    /// A client is told something: what its session has written counts from now on.
    pub fn note_acknowledged(&mut self, attempt: &Attempt) {
        let Some(session) = attempt.visitor.session.clone() else {
            return;
        };
        let Some(Effect::Of(token)) = effect_of(&attempt.ask, &attempt.token) else {
            return;
        };
        if attempt.told != Some(Told::Done) {
            return;
        }
        let quoted = format!("\"{token}\"");
        let since = attempt.sent;
        let lately = |generation: &Generation| self.sealed_at.get(generation).is_some_and(|at| *at >= since);
        let mut records = self.primary.log.iter().rev();
        let record = records
            .by_ref()
            .take_while(|(generation, _)| lately(generation))
            .find(|(_, record)| record.statements.contains(&quoted));
        if let Some((generation, _)) = record {
            self.sessions.wrote.insert(session, (*generation, self.now));
        }
    }

    /// An object has had a turn: measures what it has shown to sessions against what they had written and seen.
    pub(super) fn note_shown(&mut self, turn: &Turn) {
        let key = if turn.lane == 0 {
            Key::COMMIT_SEQUENCE
        } else {
            Key::APPLIED
        };
        let Some(position) = turn.after.generation(key) else {
            return;
        };
        for (run, response) in turn.answers() {
            let Some(request) = run.request().filter(|_| run.asks_for_page()) else {
                continue;
            };
            let session = session_cookie_value(request.headers.get("cookie"));
            let Some(session) = session.filter(|_| response.status == 200 && request.method == Method::Get)
            else {
                continue;
            };
            let session = Text::new(session);
            for (behind, what) in [
                (
                    self.sessions.wrote.get(&session),
                    "how long after it was told so a session was shown a state without what it had written",
                ),
                (
                    self.sessions.seen.get(&session),
                    "how long after a page a session was shown an earlier state",
                ),
            ] {
                if let Some((generation, at)) = behind
                    && position < *generation
                {
                    let measure = Measure {
                        what,
                        most: self.now.since(*at),
                        bound: None,
                    };
                    self.measures.note("LR-26", measure);
                }
            }
            let seen = self.sessions.seen.entry(session).or_insert((position, self.now));
            if seen.0 <= position {
                *seen = (position, self.now);
            }
        }
    }
}
