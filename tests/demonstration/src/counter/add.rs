//! An addition: decide and commit inside the gate, await the digest, seal, and tell the followers.

use std::sync::Arc;

use protocol::host::{Answer, End, Response};
use protocol::number::Number;
use protocol::task::{On, Resume, Step};

use super::{Counter, Cx, added, nudge, store};
use crate::rules::{AddFacts, AddRefusal, Rules};
use crate::wire::{Add, Problem, Record, answer};
use crate::{Failure, Next, labels};

/// One addition on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Adding {
    /// What is asked.
    add: Arc<Add>,
    /// The generation that it makes and the one that it was made on, once it is committed.
    made: Option<Made>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Made {
    generation: Number,
    parent: Number,
}

/// A segment of the addition, between two waits.
pub type AddStep = fn(&mut Adding, &mut Counter, &Rules, Resume<Counter>, &mut Cx<'_, '_>) -> Next<Counter>;

/// The segments of the addition.
#[derive(Clone, Copy)]
pub struct AddSteps {
    /// First: get inside the gate.
    pub enter: AddStep,
    /// Inside: decide, commit, and begin the digest.
    pub commit: AddStep,
    /// With the digest: seal the record.
    pub seal: AddStep,
    /// However it ends: let the next one in.
    pub leave: AddStep,
}

impl AddSteps {
    /// As documented.
    pub const DOCUMENTED: AddSteps = AddSteps {
        enter,
        commit,
        seal,
        leave,
    };
}

impl Adding {
    pub(super) fn new(add: Arc<Add>) -> Self {
        Adding { add, made: None }
    }

    pub(super) fn step(
        &mut self,
        counter: &mut Counter,
        rules: &Rules,
        resume: Resume<Counter>,
        cx: &mut Cx<'_, '_>,
    ) -> Next<Counter> {
        let step = match resume {
            Resume::Start => rules.add.enter,
            Resume::Gate => rules.add.commit,
            Resume::Finally => rules.add.leave,
            _ => rules.add.seal,
        };
        step(self, counter, rules, resume, cx)
    }
}

fn enter(
    _: &mut Adding,
    _: &mut Counter,
    _: &Rules,
    _: Resume<Counter>,
    _: &mut Cx<'_, '_>,
) -> Next<Counter> {
    Ok(Step::Await(On::Gate(labels::ADDS)))
}

/// The defect `gate-not-taken`: goes on at once, whoever is inside.
pub fn enter_without_gate(
    adding: &mut Adding,
    counter: &mut Counter,
    rules: &Rules,
    resume: Resume<Counter>,
    cx: &mut Cx<'_, '_>,
) -> Next<Counter> {
    (rules.add.commit)(adding, counter, rules, resume, cx)
}

fn commit(
    adding: &mut Adding,
    counter: &mut Counter,
    rules: &Rules,
    _: Resume<Counter>,
    cx: &mut Cx<'_, '_>,
) -> Next<Counter> {
    let add = &adding.add;
    if let Some(before) = (rules.answered_before)(store::answer_to(cx, &add.token)?.as_ref()) {
        cx.note(labels::REPEATED, add.token.clone());
        return Ok(Step::Return(Some(added(before.generation, before.digest))));
    }
    // Nothing can come between the speculative run and the run that counts: they are in one turn.
    let value = run(cx, add, End::Rollback)?;
    let facts = AddFacts {
        value,
        limit: rules.policy.limit,
    };
    if let Err(refusal) = (rules.admit)(&facts) {
        return Ok(Step::Return(Some(refused(cx, &refusal))));
    }
    run(cx, add, End::Commit)?;
    (rules.watch_over)(&rules.policy, cx);

    let parent = store::head(cx)?;
    counter.issued = counter.issued + Number::from(1);
    let generation = counter.issued;
    adding.made = Some(Made { generation, parent });
    let digest = cx.digest(labels::DIGEST, format!("{generation}:{value}").as_bytes());
    Ok(Step::Await(On::Call(digest)))
}

/// Adds, and answers the value that this leads to.
fn run(cx: &mut Cx<'_, '_>, add: &Add, end: End) -> Result<Number, Failure> {
    let answers = cx.transaction(&store::addition(add.by), end)?;
    Ok(store::number(answers.last().and_then(|rows| rows.first())))
}

fn refused(cx: &mut Cx<'_, '_>, refusal: &AddRefusal) -> Response {
    cx.note(labels::REFUSED, refusal.to_string());
    answer(409, Problem::new(refusal))
}

fn seal(
    adding: &mut Adding,
    _: &mut Counter,
    _: &Rules,
    resume: Resume<Counter>,
    cx: &mut Cx<'_, '_>,
) -> Next<Counter> {
    let (Answer::Digest(digest), Some(made)) = (resume.answer()?, adding.made) else {
        unreachable!("an addition awaits its digest, and nothing else");
    };
    let record = Record {
        generation: made.generation,
        parent: made.parent,
        by: adding.add.by,
        token: adding.add.token.clone(),
        digest,
    };
    cx.sql(&store::seal(&record))?;
    cx.note(labels::SEALED, record.generation.to_string());
    for follower in store::followers(cx)? {
        nudge(cx, &follower);
    }
    Ok(Step::Return(Some(added(record.generation, record.digest))))
}

/// A refusal, a repeated token and a failure come through here too. What it returns does not count.
fn leave(
    _: &mut Adding,
    _: &mut Counter,
    _: &Rules,
    _: Resume<Counter>,
    cx: &mut Cx<'_, '_>,
) -> Next<Counter> {
    if cx.holds(labels::ADDS) {
        cx.release(labels::ADDS);
    }
    Ok(Step::Return(None))
}
