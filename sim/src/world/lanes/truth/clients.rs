//! What clients asked, what they were told, and what came of it on the primary.

use std::collections::{BTreeMap, VecDeque};

use protocol::host::{self, Statement, Text, Value};
use protocol::json::Json;
use protocol::lanes::app::catalogue::{Ask, Visitor};

use super::Turn;
use super::wire::Heard;
use crate::kernel::Micros;

/// One attempt of a client: one request, with a token of its own.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// What was asked.
    pub ask: Ask,
    /// By whom.
    pub visitor: Visitor,
    /// The client's name for it.
    pub token: Text,
    /// When it was sent.
    pub sent: Micros,
    /// How often a front has received it: more than once where a browser or a proxy repeats it.
    pub arrivals: u32,
    /// What the client was told, once it was.
    pub told: Option<Told>,
    /// Whether it waits no more: it was told something, or has gone away.
    pub ended: bool,
}

/// What a client was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is done.
    Done,
    /// It was refused: a status of 400 to 499.
    Refused(u16),
    /// Anything else: it may be done or not.
    Unknown,
}

impl Told {
    /// What a status tells.
    #[must_use]
    pub fn of(status: u16) -> Self {
        match status {
            200..=399 => Told::Done,
            400..=499 => Told::Refused(status),
            _ => Told::Unknown,
        }
    }
}

/// Something that was done for a client: by a committed statement of the primary, or by an act that has left the platform.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It did what the attempt of this token asks for.
    Of(Text),
    /// It counted an edit of this node.
    Edit(Text),
    /// Somebody has acted upon the outside world for the attempt of this token.
    Act(Text),
}

/// What the statements of the primary have done, commit by commit.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Of commits that may still be lost, by their number.
    unconfirmed: VecDeque<(u64, Vec<Effect>)>,
    counts: BTreeMap<Effect, u32>,
    /// How often the attempts that have an effect were received: two attempts of one token have one.
    received: BTreeMap<Effect, u32>,
}

impl Effects {
    /// How often something was done.
    #[must_use]
    pub fn count(&self, effect: &Effect) -> u32 {
        self.counts.get(effect).copied().unwrap_or(0)
    }

    /// How often an attempt with this effect was received.
    #[must_use]
    pub fn received(&self, effect: &Effect) -> u32 {
        self.received.get(effect).copied().unwrap_or(0)
    }

    /// An attempt was received.
    pub fn arrived(&mut self, attempt: &Attempt) {
        if let Some(effect) = effect_of(&attempt.ask, &attempt.token) {
            *self.received.entry(effect).or_default() += 1;
        }
    }

    /// An act has left the platform: nothing takes it back.
    pub fn acted(&mut self, act: &host::Effect) {
        if let Some(effect) = of_act(act) {
            *self.counts.entry(effect).or_default() += 1;
        }
    }

    /// Every effect, with how often.
    pub fn iter(&self) -> impl Iterator<Item = (&Effect, u32)> {
        self.counts.iter().map(|(effect, count)| (effect, *count))
    }

    /// A commit.
    pub fn committed(&mut self, nth: u64, statements: &[Statement]) {
        let effects: Vec<Effect> = statements.iter().filter_map(effect).collect();
        for effect in &effects {
            *self.counts.entry(effect.clone()).or_default() += 1;
        }
        self.unconfirmed.push_back((nth, effects));
    }

    /// A commit is durable, and all before it.
    pub fn confirmed(&mut self, nth: u64) {
        self.unconfirmed.retain(|(of, _)| *of > nth);
    }

    /// An incarnation has ended: only so many of its commits that were not confirmed are left.
    pub fn reset(&mut self, survivors: u64) {
        let survivors = usize::try_from(survivors).unwrap_or(usize::MAX);
        for (_, lost) in self.unconfirmed.drain(..).skip(survivors) {
            for effect in lost {
                if let Some(count) = self.counts.get_mut(&effect) {
                    *count -= 1;
                }
            }
        }
    }
}

/// The statements by which effects are known, one for each kind of request: how the text begins, and which parameter
/// names the attempt. A transaction has one of them, so counting it counts the transaction.
const SIGNATURES: [(&str, &str); 6] = [
    ("INSERT INTO node (", "uuid"),
    ("INSERT INTO node_revision (", "revision_log"),
    ("INSERT INTO queue (", "data"),
    ("INSERT INTO file_managed (", "uuid"),
    ("INSERT INTO sessions (", "session"),
    ("INSERT INTO semaphore (", "value"),
];

/// What an act upon the outside world was done for: the application names the attempt in it.
fn of_act(act: &host::Effect) -> Option<Effect> {
    let detail = Json::parse(&act.detail).ok()?;
    match detail.as_object()?.get("token")? {
        Json::Text(token) => Some(Effect::Act(token.clone())),
        _ => None,
    }
}

/// What is done in a turn that is counted.
pub fn done_in(turn: &Turn) -> impl Iterator<Item = Effect> {
    let acts = turn.heard.iter().filter_map(|heard| match heard {
        Heard::Acted(act) => of_act(act),
        _ => None,
    });
    turn.statements().filter_map(effect).chain(acts)
}

fn effect(statement: &Statement) -> Option<Effect> {
    let sql = statement.sql.as_str();
    if sql.starts_with("UPDATE node_field_data SET ") && sql.contains("edits = ") {
        let nid = statement.params.last()?;
        return Some(Effect::Edit(super::contents::shown(std::slice::from_ref(nid))));
    }
    if sql.starts_with("UPDATE node__body SET body_value = ") {
        return statement
            .params
            .first()
            .and_then(Value::as_text)
            .map(|token| Effect::Of(token.into()));
    }
    let (_, column) = SIGNATURES.iter().find(|(begins, _)| sql.starts_with(begins))?;
    named(statement, column).map(Effect::Of)
}

/// The text that an insert puts into a column. An id that was minted stands in the text, and takes no parameter.
fn named(statement: &Statement, column: &str) -> Option<Text> {
    let sql = statement.sql.as_str();
    let columns = sql
        .split_once('(')?
        .1
        .split_once(')')?
        .0
        .split(',')
        .map(str::trim);
    let values = sql
        .rsplit_once("VALUES (")?
        .1
        .split_once(')')?
        .0
        .split(',')
        .map(str::trim);
    let mut params = statement.params.iter();
    for (name, value) in columns.zip(values) {
        let param = if value == "?" { params.next() } else { None };
        if name.trim_matches('"') == column {
            return param.and_then(Value::as_text).map(Text::new);
        }
    }
    None
}

/// The effect that an attempt has once, if it has one that can be counted.
#[must_use]
pub fn effect_of(ask: &Ask, token: &Text) -> Option<Effect> {
    match ask {
        Ask::Create
        | Ask::Save { .. }
        | Ask::Enqueue
        | Ask::Upload
        | Ask::Login { .. }
        | Ask::Edit { .. }
        | Ask::Cron
        | Ask::Subscribe { .. } => Some(Effect::Of(token.clone())),
        Ask::Mail { .. } => Some(Effect::Act(token.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effect_is_known_by_its_statement_whoever_minted_the_id() {
        let insert = |sql: &'static str, params: Vec<Value>| effect(&Statement::new(sql, params));
        let token = Some(Effect::Of("t".into()));
        let params = || vec!["article", "t", "en"];
        let values = |texts: Vec<&str>| texts.into_iter().map(Value::text).collect::<Vec<_>>();
        let plain = "INSERT INTO node (type, uuid, langcode) VALUES (?, ?, ?)";
        assert_eq!(insert(plain, values(params())), token);
        let minted = "INSERT INTO node (nid, type, uuid, langcode) VALUES (258, ?, ?, ?)";
        assert_eq!(insert(minted, values(params())), token);
        assert_eq!(
            insert("INSERT INTO node_revision (nid) VALUES (?)", values(vec!["t"])),
            None
        );
    }

    #[test]
    fn what_is_lost_with_an_incarnation_was_not_done() {
        let mut effects = Effects::default();
        let edit = |token: &str| {
            let sql = "UPDATE node__body SET body_value = ? WHERE entity_id = ?";
            Statement::new(sql, [Value::text(token), Value::from(1)])
        };
        let count = |effects: &Effects, token: &str| effects.count(&Effect::Of(token.into()));
        for (nth, token) in ["a", "b", "c"].into_iter().enumerate() {
            effects.committed(nth as u64, &[edit(token)]);
        }
        effects.confirmed(0);
        effects.reset(1);
        assert_eq!(["a", "b", "c"].map(|token| count(&effects, token)), [1, 1, 0]);
    }
}
