//! What must hold of a counter and its followers.
//!
//! The checks read the objects' databases, confirmed or not, each time one has committed. They cannot see what an
//! object keeps in memory, nor what it would answer.

use protocol::host::{SqlErrorKind, Statement, Text, Value};
use protocol::number::Number;
use protocol::task::Program;

use super::{DemonstrationWorld, words};
use crate::check::{Breach, Class, Invariant, Violation};
use crate::kernel::storage::{Store, StoreError};
use crate::kernel::{Changed, Kernel, PartyId};

/// All of them.
pub const INVARIANTS: [Invariant; 7] = [POSITION, COPY, CHAIN, ONCE, ACKNOWLEDGED, REST, ANSWERED];

/// A position moved back.
const MOVED_BACK: Class = Class("moved-back");
/// A follower holds another value.
const OTHER_SUM: Class = Class("other-sum");
/// A record builds on another one.
const OTHER_PARENT: Class = Class("other-parent");
/// Two records bear one token.
const TWICE: Class = Class("twice");
/// An addition is not in the log, or another one is.
const NOT_AS_TOLD: Class = Class("not-as-told");
/// The counter holds another value.
const OTHER_VALUE: Class = Class("other-value");
/// A follower lacks records.
const BEHIND: Class = Class("behind");
/// A client waits for ever.
const UNANSWERED: Class = Class("unanswered");

/// Caught by [`DemonstrationWorld::follower_moved`]. A reset may take a position back together with the commit that
/// moved it, so positions are compared within one incarnation.
const POSITION: Invariant = Invariant {
    id: "DM-1",
    statement: "within one incarnation a follower's position never moves back",
    classes: &[MOVED_BACK],
};

/// Sound because a follower is only told of records whose commit is durable: they stay in the log for good.
const COPY: Invariant = Invariant {
    id: "DM-2",
    statement: "a follower's value is the sum of the records up to its position",
    classes: &[OTHER_SUM],
};

/// The log is read whole, so a fork anywhere in it is seen.
const CHAIN: Invariant = Invariant {
    id: "DM-3",
    statement: "each record's parent is the record before it",
    classes: &[OTHER_PARENT],
};

/// Tokens are the clients': two records with one token are one addition that was made twice.
const ONCE: Invariant = Invariant {
    id: "DM-4",
    statement: "each token is in at most one record",
    classes: &[TWICE],
};

/// A client that was told 200 must find its addition. Checked whenever the log has changed and when all is at rest.
const ACKNOWLEDGED: Invariant = Invariant {
    id: "DM-5",
    statement: "an addition that a client was told is done is in the log, as it was asked",
    classes: &[NOT_AS_TOLD],
};

/// Checked when faults have ended and the time to settle is over. The counter's value is compared only then: while an
/// addition is under way its value is committed and its record is not.
const REST: Invariant = Invariant {
    id: "DM-L1",
    statement: "at rest the counter's value is the sum of its records, and each follower that follows has them all",
    classes: &[OTHER_VALUE, BEHIND],
};

/// Checked like the one before. A client that is not answered waits for a task that waits for something: the detail
/// says for what.
const ANSWERED: Invariant = Invariant {
    id: "DM-L2",
    statement: "each client is answered",
    classes: &[UNANSWERED],
};

/// One record of the log, as the database has it.
struct Logged {
    generation: Number,
    parent: Number,
    by: Number,
    token: Text,
}

impl DemonstrationWorld {
    /// An invariant is about to be judged, where there is something to judge.
    fn judge(&mut self, invariant: Invariant, has_subject: bool) {
        *self.subjects.entry(invariant.id).or_default() += u64::from(has_subject);
    }

    pub(super) fn counter_moved<P: Program, S: Store>(
        &mut self,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        if unchanged(kernel, self.counter) {
            return Ok(());
        }
        let log = self.log(kernel);
        self.check_log(&log, kernel)?;
        self.check_acknowledged(&log, kernel)
    }

    fn check_log<P: Program, S: Store>(
        &mut self,
        log: &[Logged],
        kernel: &Kernel<P, S>,
    ) -> Result<(), Violation> {
        // A single record has none before it, and no other that could bear its token.
        for invariant in [CHAIN, ONCE] {
            self.judge(invariant, log.len() > 1);
        }
        let mut before = Number::ZERO;
        for (at, record) in log.iter().enumerate() {
            if !record.parent.js_eq(before) {
                let detail = format!(
                    "record {} follows {}, and the record before it is {before}",
                    record.generation, record.parent
                );
                let breach = Breach::new(OTHER_PARENT, detail).between(
                    ("the record before", before),
                    (
                        format!("the parent of record {}", record.generation),
                        record.parent,
                    ),
                );
                return Err(violated(CHAIN, kernel, &[self.counter], breach));
            }
            if let Some(earlier) = log[..at].iter().find(|earlier| earlier.token == record.token) {
                let detail = format!(
                    "records {} and {} both are `{}`",
                    earlier.generation, record.generation, record.token
                );
                return Err(violated(
                    ONCE,
                    kernel,
                    &[self.counter],
                    Breach::new(TWICE, detail),
                ));
            }
            before = record.generation;
        }
        Ok(())
    }

    fn check_answered<P: Program, S: Store>(&mut self, kernel: &Kernel<P, S>) -> Result<(), Violation> {
        self.judge(ANSWERED, self.anybody_asked);
        let Some(item) = self.asked.first() else {
            return Ok(());
        };
        let waits = kernel
            .waits()
            .into_iter()
            .map(|(who, task, waiting)| format!("{who}: {task} waits for {waiting:?}"));
        let waits: Vec<_> = waits.collect();
        let detail = format!(
            "the client of item {item} was never answered; {}",
            waits.join("; ")
        );
        let breach = Breach::new(UNANSWERED, detail).concerning("client");
        Err(violated(ANSWERED, kernel, &[self.counter], breach))
    }

    fn check_acknowledged<P: Program, S: Store>(
        &mut self,
        log: &[Logged],
        kernel: &Kernel<P, S>,
    ) -> Result<(), Violation> {
        self.judge(ACKNOWLEDGED, !self.acknowledged.is_empty());
        for (token, (generation, by)) in &self.acknowledged {
            let found = log.iter().find(|record| record.token == *token);
            if !found.is_some_and(|record| record.generation.js_eq(*generation) && record.by.js_eq(*by)) {
                let in_log = found.map_or_else(
                    || "no record of it".to_owned(),
                    |record| format!("{} at generation {}", record.by, record.generation),
                );
                let detail = format!(
                    "`{token}` was acknowledged as {by} at generation {generation}; the log has {in_log}"
                );
                let breach = Breach::new(NOT_AS_TOLD, detail).between(
                    ("the client was told", format!("{by} at generation {generation}")),
                    ("the log has", in_log),
                );
                return Err(violated(ACKNOWLEDGED, kernel, &[self.counter], breach));
            }
        }
        Ok(())
    }

    pub(super) fn follower_moved<P: Program, S: Store>(
        &mut self,
        at: usize,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        let watched = self.followers[at];
        if unchanged(kernel, watched.party) {
            return Ok(());
        }
        let incarnation = kernel.incarnation(watched.party);
        let (value, applied) = standing(kernel, watched.party);
        self.followers[at].incarnation = incarnation;
        self.followers[at].applied = applied;
        // At zero it has applied nothing: it cannot move back, and there is nothing to add up.
        let compared = incarnation == watched.incarnation && Number::ZERO.js_lt(watched.applied);
        self.judge(POSITION, compared);
        self.judge(COPY, Number::ZERO.js_lt(applied));
        if incarnation == watched.incarnation && applied.js_lt(watched.applied) {
            let detail = format!(
                "{} stood at {} and now at {applied}",
                words::party(kernel.who(watched.party)),
                watched.applied
            );
            let breach = Breach::new(MOVED_BACK, detail)
                .between(("it stood at", watched.applied), ("it stands at", applied));
            return Err(violated(POSITION, kernel, &[watched.party], breach));
        }
        let log = self.log(kernel);
        let due = sum(log.iter().filter(|record| record.generation.js_le(applied)));
        if !value.js_eq(due) {
            let detail = format!(
                "{} holds {value} at generation {applied}; the records up to it add up to {due}",
                words::party(kernel.who(watched.party))
            );
            let breach = Breach::new(OTHER_SUM, detail).between(
                (format!("the records up to {applied} add up to"), due),
                ("it holds", value),
            );
            return Err(violated(COPY, kernel, &[watched.party, self.counter], breach));
        }
        Ok(())
    }

    pub(super) fn at_rest<P: Program, S: Store>(
        &mut self,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        let log = self.log(kernel);
        self.check_log(&log, kernel)?;
        self.check_acknowledged(&log, kernel)?;
        self.check_answered(kernel)?;
        self.judge(REST, !log.is_empty());
        let (counter, due) = (self.counter, sum(log.iter()));
        let value = read(kernel, counter, "SELECT value FROM counter WHERE id = 1");
        let value = value
            .first()
            .and_then(|row| row.first())
            .and_then(Value::as_number)
            .unwrap_or(Number::ZERO);
        if !value.js_eq(due) {
            let detail = format!("the counter stands at {value}; its records add up to {due}");
            let breach = Breach::new(OTHER_VALUE, detail)
                .between(("its records add up to", due), ("the counter stands at", value));
            return Err(violated(REST, kernel, &[counter], breach));
        }
        let head = log.last().map_or(Number::ZERO, |record| record.generation);
        let following = read(kernel, counter, "SELECT name FROM followers ORDER BY name");
        for watched in self.followers.clone() {
            let name = kernel
                .who(watched.party)
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned();
            let follows = following
                .iter()
                .flatten()
                .any(|value| value.as_text() == Some(&name));
            let (_, applied) = standing(kernel, watched.party);
            if follows && !applied.js_eq(head) {
                let follower = words::party(kernel.who(watched.party));
                let detail = format!("{follower} stands at {applied}, and the log's head is {head}");
                let breach =
                    Breach::new(BEHIND, detail).between(("the log's head", head), (follower, applied));
                return Err(violated(REST, kernel, &[watched.party, counter], breach));
            }
        }
        Ok(())
    }

    fn log<P: Program, S: Store>(&self, kernel: &mut Kernel<P, S>) -> Vec<Logged> {
        let rows = read(
            kernel,
            self.counter,
            "SELECT generation, parent, amount, token FROM log ORDER BY generation",
        );
        let number = |row: &[Value], at: usize| row.get(at).and_then(Value::as_number).unwrap_or(Number::NAN);
        rows.iter()
            .map(|row| Logged {
                generation: number(row, 0),
                parent: number(row, 1),
                by: number(row, 2),
                token: Text::new(row.get(3).and_then(Value::as_text).unwrap_or_default()),
            })
            .collect()
    }
}

/// Whether no commit of an object has written anything since this was last asked, and none was lost.
fn unchanged<P: Program, S: Store>(kernel: &mut Kernel<P, S>, object: PartyId) -> bool {
    matches!(kernel.changed(object), Changed::Tables(writes) if writes.is_empty())
}

fn sum<'a>(records: impl Iterator<Item = &'a Logged>) -> Number {
    records.fold(Number::ZERO, |sum, record| sum + record.by)
}

/// A follower's value and position; zero and zero before it has its tables.
fn standing<P: Program, S: Store>(kernel: &mut Kernel<P, S>, follower: PartyId) -> (Number, Number) {
    let rows = read(kernel, follower, "SELECT value, applied FROM copy WHERE id = 1");
    let number = |at: usize| {
        rows.first()
            .and_then(|row| row.get(at))
            .and_then(Value::as_number)
            .unwrap_or(Number::ZERO)
    };
    (number(0), number(1))
}

/// Reads an object's table; nothing where the table is not there yet.
fn read<P: Program, S: Store>(
    kernel: &mut Kernel<P, S>,
    object: PartyId,
    sql: &'static str,
) -> Vec<Vec<Value>> {
    match kernel.read(object, &Statement::new(sql, [])) {
        Ok(rows) => rows.rows,
        Err(StoreError::Sql(error)) if error.kind == SqlErrorKind::NoSuchTable => Vec::new(),
        Err(error) => panic!("the world cannot read {}: {error}", kernel.who(object)),
    }
}

fn violated<P: Program, S: Store>(
    invariant: Invariant,
    kernel: &Kernel<P, S>,
    concerns: &[PartyId],
    breach: Breach,
) -> Violation {
    let concerns = concerns.iter().map(|party| kernel.who(*party).clone());
    Violation::of(&invariant, concerns.collect(), breach, super::words::role)
}
