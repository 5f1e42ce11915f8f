//! What each party was told of the variables that KV can override (`lanes.md` 22.6).

use std::collections::BTreeMap;

use protocol::host::{Answer, Shared, Text};

use super::wire::Heard;
use crate::kernel::Micros;
use crate::world::lanes::Variable;

/// For how long what was told is kept: longer than any belief holds.
const KEPT: Micros = Micros::from_millis(180_000);

/// When a party was told of a variable, and its override, or that there is none.
type Told = (Micros, Option<Text>);

/// What each party was told of each key in its present incarnation, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Overrides(BTreeMap<(Text, Text), Vec<Told>>);

impl Overrides {
    /// A party has had a turn. A read that has failed tells nothing.
    pub fn heard(&mut self, who: &Text, heard: &[Heard], now: Micros) {
        for heard in heard {
            match heard {
                Heard::Reset { .. } | Heard::Recreated => self.0.retain(|(of, _), _| of != who),
                Heard::Answered {
                    made,
                    outcome: Ok(Answer::Entry(text)),
                } => {
                    let entry = made.entry.as_ref().filter(|(store, _)| *store == Shared::Kv);
                    if let Some((_, key)) = entry.filter(|(_, key)| key.starts_with("env:")) {
                        let told = self.0.entry((who.clone(), key.clone())).or_default();
                        let old = told.partition_point(|(at, _)| *at < now.since(KEPT));
                        told.drain(..old);
                        told.push((now, text.clone()));
                    }
                }
                _ => {}
            }
        }
    }

    /// What a party was told of a variable, oldest first, and when.
    #[must_use]
    pub fn told(&self, who: &Text, variable: Variable) -> &[(Micros, Option<Text>)] {
        let at = (who.clone(), Text::from(variable.key()));
        self.0.get(&at).map_or(&[], Vec::as_slice)
    }

    /// What it was told last; none where it was told nothing, or that there is no override.
    #[must_use]
    pub fn last(&self, who: &Text, variable: Variable) -> Option<&Text> {
        self.told(who, variable).last()?.1.as_ref()
    }
}
