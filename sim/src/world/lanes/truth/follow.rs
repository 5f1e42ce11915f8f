//! How the truth follows what happens.

use std::sync::Arc;

use protocol::host::{Statement, Text};
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::number::Number;
use protocol::sql::write_target;

use super::contents::{Contents, Table, is_truth, plain, shown};
use super::standing::{Generation, Standing};
use super::wire::Heard;
use super::{Held, Truth, Turn, put};

impl Truth {
    /// An object has had a turn, or something has happened to it.
    pub fn turned(&mut self, turn: &Turn) {
        self.note_shown(turn);
        if turn.lane > 0 {
            self.note_held(turn.lane);
            self.note_passed(turn);
            self.note_copied(turn);
            self.note_advertised(turn);
            self.copies.turned(turn);
            return;
        }
        self.has_queued |= turn.puts(Key::REPAIRS).any(|queued| !queued.is_empty());
        self.demand.turned(turn, self.now);
        self.copies.primary_turned(turn);
        for heard in &turn.heard {
            match heard {
                Heard::Committed { nth, statements } => self.effects.committed(*nth, statements),
                Heard::Confirmed { nth } => self.effects.confirmed(*nth),
                Heard::Reset { survivors } => self.effects.reset(*survivors),
                _ => {}
            }
        }
        self.note_answers(turn);
        if turn.changed {
            self.note_generations(turn);
            self.note_sealed(turn);
        }
    }

    /// A lane is another object from now on: what its predecessor was and had does not concern it.
    pub fn recreated(&mut self, lane: u32) {
        self.held.remove(&lane);
        self.copied.remove(&lane);
        self.copy_commits.remove(&lane);
        self.passed.remove(&lane);
        self.pulled.remove(&lane);
        self.pull_waited.remove(&lane);
        self.advertised.remove(&lane);
        self.copies.recreated(lane);
    }

    /// A lane stands where an operator has put it: what it holds is as good as a copy of that generation, and it has
    /// forgotten what it did since. Where it was put back to before its first copy, nobody has copied to it.
    pub fn rewound(&mut self, lane: u32) {
        let newest = self.primary.generation(Key::COMMIT_SEQUENCE);
        self.put_back.extend(newest.map(|newest| (lane, newest)));
        self.pulled.remove(&lane);
        self.pull_waited.remove(&lane);
        self.passed.remove(&lane);
        if let Some(standing) = self.standing(lane).cloned() {
            self.note_base(lane, &standing);
            if standing.stage().is_none_or(|stage| stage == Stage::Created) {
                self.copied.remove(&lane);
            }
        }
    }

    /// Whether a lane that was put back has not caught up with what it may have done before: what it sends meanwhile the
    /// primary refuses, as its generation is an old one.
    #[must_use]
    pub fn is_put_back(&self, lane: u32) -> bool {
        let stands = self.standing(lane).and_then(|lane| lane.generation(Key::APPLIED));
        let put_back = self.put_back.get(&lane);
        put_back.is_some_and(|newest| stands < Some(*newest))
    }

    /// A copy to a lane has begun when the commit that moves it to RESTORING is durable: one that is lost leaves a lane that
    /// nobody has copied to, and a primary that was told so.
    fn note_copied(&mut self, turn: &Turn) {
        let restores = |statement: &Statement| {
            put(statement, Key::STAGE).is_some_and(|stage| stage == Stage::Restoring.as_str())
        };
        for heard in &turn.heard {
            match heard {
                Heard::Committed { nth, statements } if statements.iter().any(restores) => {
                    self.copy_commits.insert(turn.lane, *nth);
                }
                Heard::Confirmed { nth } => {
                    let begins = self.copy_commits.get(&turn.lane);
                    if begins.is_some_and(|begins| begins <= nth) {
                        self.copied.insert(turn.lane);
                    }
                }
                // What is left after it is durable.
                Heard::Reset { .. } => {
                    let begun = self.copy_commits.remove(&turn.lane).is_some();
                    let goes_on = turn.after.stage().is_some_and(|stage| stage != Stage::Created);
                    self.copied.extend((begun && goes_on).then_some(turn.lane));
                }
                _ => {}
            }
        }
    }

    /// Where a lane stands from now on.
    pub fn note_held(&mut self, lane: u32) {
        let Some(standing) = self.standing(lane) else {
            return;
        };
        let now = Held {
            since: self.now,
            generation: standing
                .meta(Key::INFLIGHT)
                .map_or_else(|| standing.generation(Key::APPLIED), |_| None),
            stage: standing.stage(),
        };
        let held = self.held.entry(lane).or_default();
        if held
            .last()
            .is_none_or(|last| (last.generation, last.stage) != (now.generation, now.stage))
        {
            held.push(now);
        }
    }

    /// How often each node was edited so far.
    pub fn note_edits(&mut self) {
        let Some(table) = self.primary.contents.table("node_field_data") else {
            return;
        };
        let (Some(nid), Some(edits)) = (table.column("nid"), table.column("edits")) else {
            return;
        };
        let counts = table.rows.iter().map(|row| {
            let edits = row[edits].as_number().unwrap_or(Number::ZERO);
            (shown(&row[nid..=nid]), edits)
        });
        self.edits_before = counts.collect();
    }

    /// Keeps the primary's state at each generation to which its sequence has moved in a turn.
    ///
    /// A turn can seal and go on writing, for a gate that is released lets the next request in within the turn: then the
    /// state between is made again from the turn's statements.
    fn note_generations(&mut self, turn: &Turn) {
        let sequence = |standing: &Standing| standing.generation(Key::COMMIT_SEQUENCE);
        let Some(newest) = sequence(&turn.after) else {
            return;
        };
        if sequence(&turn.before).is_some_and(|before| newest < before) {
            // What was lost was never told to anybody.
            self.history.split_off(&(newest + 1));
            return;
        }
        let statements: Vec<&Statement> = turn.statements().collect();
        let moves: Vec<(usize, Generation)> = statements
            .iter()
            .enumerate()
            .filter_map(|(at, statement)| {
                let to = put(statement, Key::COMMIT_SEQUENCE)?;
                Some((at, Number::parse(to).to_u64_exact()?))
            })
            .collect();
        let Some((last, _)) = moves.last() else {
            return;
        };
        let goes_on = statements[*last..]
            .iter()
            .any(|statement| writes_truth(statement));
        if moves.len() == 1 && !goes_on {
            self.history.insert(newest, turn.after.contents.clone());
            return;
        }
        self.remake(&turn.before.contents, &turn.after.contents, &statements, &moves);
    }

    /// Makes the states at these moves from the state before the turn; the tables that come out as they are after it are
    /// taken from there.
    fn remake(
        &mut self,
        before: &Contents,
        after: &Contents,
        statements: &[&Statement],
        moves: &[(usize, Generation)],
    ) {
        let mut trial = self.evaluator.at(before);
        let mut ran = 0;
        for (at, generation) in moves {
            for statement in &statements[ran..*at] {
                if writes_truth(statement) && trial.run(statement).is_err() {
                    return;
                }
            }
            ran = *at;
            let mut state = before.clone();
            let later: Vec<&Text> = after.tables().map(|(name, _)| name).collect();
            for name in later {
                let (Some(table), was) = (after.table(name), before.table(name)) else {
                    continue;
                };
                if was.is_some_and(|was| Arc::ptr_eq(was, table)) {
                    continue;
                }
                match trial.run(&plain(format!("SELECT * FROM \"{name}\""))) {
                    Ok(found) => {
                        state.set(name.clone(), Table::beside(Some(table), table.ddl.clone(), found))
                    }
                    // It was made later in the turn.
                    Err(_) => continue,
                }
            }
            self.history.insert(*generation, state);
        }
    }
}

/// Whether a statement can write a table of the state.
pub(super) fn writes_truth(statement: &Statement) -> bool {
    write_target(&statement.sql).is_none_or(is_truth)
}
