//! The lines of a story: a step in words.

mod draft;

use protocol::host::{Label, Text};

use super::account::{Clause, Happened, Told};
use super::faults;
use crate::kernel::{Micros, Origin, StepId};
use crate::plan::Act;
use crate::printable::{brief, shortened};
use crate::world::{PlanOf, Weight, World};
use draft::{Draft, RESET};

/// How long a text of the protocol's may be within a line.
const DETAIL_MOST: usize = 72;

/// How many details of one decision a line tells.
const DETAILS_MOST: usize = 4;

/// From which status on an answer says that its request came to nothing by whoever answers it.
const FAILED: u16 = 500;

/// One line of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Which step it tells.
    pub step: StepId,
    /// When that was.
    pub at: Micros,
    /// Who acts, in words.
    pub who: String,
    /// What happens: the rest of the sentence.
    pub text: String,
    /// The item of the plan that it is, or that strikes in it.
    pub item: Option<u32>,
    /// The party, as observers are told it.
    pub(super) party: Text,
    /// Whom it asks, where it does.
    pub(super) asks: Vec<Text>,
    /// What its text begins with, where that says what came: `once the log comes`.
    pub(super) opening: String,
    /// Whether a fault that struck later began in it by chance.
    pub(super) begins_fault: bool,
    /// Whether a table is written to in it that the violation names.
    pub(super) writes_what_is_wrong: bool,
    /// What is waited for from here on.
    pub(super) awaits: Option<String>,
    /// What tells it from other lines, apart from values.
    pub(super) kind: String,
    /// Whether it is told by itself.
    pub(super) weight: Weight,
    /// What it descends from.
    pub(super) origin: Option<Origin>,
}

impl Line {
    /// Says that it comes while something is waited for.
    pub(super) fn comes_before(&mut self, awaited: &str) {
        let Some(rest) = self
            .text
            .strip_prefix(&self.opening)
            .filter(|_| !self.opening.is_empty())
        else {
            self.text = format!("before {awaited}, {}", self.text);
            return;
        };
        // What comes is not what is waited for, but of the same kind.
        let told = if self.opening == format!("once {awaited}") {
            format!(
                "{}, which another request asked for,{}",
                self.opening,
                rest.trim_start_matches(',')
            )
        } else {
            format!("{}, and before {awaited}{rest}", self.opening)
        };
        self.text = told;
    }
}

/// What is known of a step besides what happens in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepFacts<'a> {
    /// Whether the violation was seen in it.
    pub(super) is_judged: bool,
    /// Whether a fault that struck later could strike from it on.
    pub(super) begins_fault: bool,
    /// What the violation says, which may name the tables in which something is wrong.
    pub(super) wrong: &'a str,
}

/// The lines of a step: one for each party that something happens to in it.
pub(super) fn lines_of<W: World>(
    step: StepId,
    happened: &Happened,
    plan: &PlanOf<W>,
    facts: StepFacts<'_>,
) -> Vec<Line> {
    let mut parties: Vec<&Text> = Vec::new();
    for (who, _) in &happened.clauses {
        if !parties.contains(&who) {
            parties.push(who);
        }
    }
    let lines = parties.into_iter().map(|party| {
        let of_party = happened.clauses.iter().filter(|(who, _)| who == party);
        let clauses: Vec<&Clause> = of_party.map(|(_, clause)| clause).collect();
        let (who, draft) = drafted::<W>(party, &clauses, plan, facts);
        Line {
            step,
            at: happened.at,
            text: draft.sentence(),
            opening: draft.opening.unwrap_or_default(),
            who,
            item: draft.item,
            party: party.clone(),
            asks: draft.asks,
            begins_fault: draft.begins_fault,
            writes_what_is_wrong: draft.commits.as_ref().is_some_and(|commits| commits.are_wrong),
            awaits: draft.awaits,
            kind: draft.kind.join(" "),
            weight: if facts.is_judged {
                Weight::Tells
            } else {
                draft.weight.unwrap_or(Weight::Routine)
            },
            origin: happened.origin.clone(),
        }
    });
    lines.collect()
}

/// Who acts, in words, and what they do.
fn drafted<W: World>(
    party: &Text,
    clauses: &[&Clause],
    plan: &PlanOf<W>,
    facts: StepFacts<'_>,
) -> (String, Draft) {
    let mut draft = Draft {
        tells_all: facts.is_judged,
        ..Draft::default()
    };
    let mut who = W::party_in_words(party);
    for (at, clause) in clauses.iter().enumerate() {
        match clause {
            Clause::Item(id) => who = item::<W>(*id, plan, &mut draft),
            Clause::Answered { item, told } => {
                who = client::<W>(*item, plan);
                draft.item = Some(*item);
                draft.say(Weight::Tells, "answered", answered(told));
            }
            Clause::Left(item) => {
                who = client::<W>(*item, plan);
                draft.item = Some(*item);
                draft.say(Weight::Tells, "left", "goes away without an answer".to_owned());
            }
            Clause::Noted { label, .. } if !notes(&clauses[..at], *label) => {
                noted::<W>(*label, clauses, &mut draft);
            }
            // The same decision several times is told once, with all its details.
            Clause::Noted { .. } => {}
            // What the plan begins is told as its item.
            Clause::Trouble { kind, to, origin } => {
                if facts.begins_fault && !matches!(origin, Origin::Item(_)) {
                    draft.begins_fault = true;
                    draft.say(Weight::Tells, kind.name(), faults::begins::<W>(*kind, to));
                }
            }
            // What else is said of the step comes first.
            Clause::Committed(_) => {}
            clause => say::<W>(clause, &mut draft),
        }
    }
    for clause in clauses {
        if let Clause::Committed(tables) = clause {
            draft.commit(tables, facts.wrong);
        }
    }
    (who, draft)
}

/// Whether a decision is among these.
fn notes(clauses: &[&Clause], label: Label) -> bool {
    let is_it = |clause: &&Clause| matches!(clause, Clause::Noted { label: other, .. } if *other == label);
    clauses.iter().any(is_it)
}

fn item<W: World>(id: u32, plan: &PlanOf<W>, draft: &mut Draft) -> String {
    draft.item = Some(id);
    let found = plan.items.iter().find(|item| item.id == id);
    let (who, does) = match found.map(|item| &item.act) {
        Some(Act::Operation(operation)) => W::operation_in_words(operation, &plan.shape),
        Some(Act::Fault(fault)) => ("fault", faults::planned::<W>(fault)),
        None => ("plan", "does something".to_owned()),
    };
    draft.say(Weight::Tells, format!("item {id}"), brief(&does).into_owned());
    who.to_owned()
}

fn client<W: World>(id: u32, plan: &PlanOf<W>) -> String {
    let found = plan.items.iter().find(|item| item.id == id);
    match found.map(|item| &item.act) {
        Some(Act::Operation(operation)) => W::operation_in_words(operation, &plan.shape).0.to_owned(),
        _ => "client".to_owned(),
    }
}

/// What it answers, as whoever answers has it.
fn answers(told: &Told) -> String {
    match told {
        Told::Status(status) => format!("answers {status}"),
        Told::Done => "is done".to_owned(),
        Told::Error(error) => format!("fails: {}", short(error)),
    }
}

fn answered(told: &Told) -> String {
    match told {
        Told::Status(status) => format!("is answered {status}"),
        Told::Done => "is answered".to_owned(),
        Told::Error(error) => format!("gets no answer: {}", short(error)),
    }
}

/// Moves from one value to another as one, where each goes on where the one before has ended: `a -> b -> c`.
fn in_a_row(details: Vec<String>) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for detail in details {
        let moves = detail.split_once(MOVES);
        let goes_on = moves.zip(rows.last_mut()).and_then(|((from, to), row)| {
            let (_, end) = row.rsplit_once(MOVES)?;
            (end == from).then(|| *row += &format!("{MOVES}{to}"))
        });
        if goes_on.is_none() {
            rows.push(detail);
        }
    }
    rows
}

/// What stands between two values where a decision moves from one to the other.
const MOVES: &str = " -> ";

fn noted<W: World>(label: Label, clauses: &[&Clause], draft: &mut Draft) {
    let mut details: Vec<String> = Vec::new();
    for clause in clauses {
        if let Clause::Noted { label: other, detail } = clause
            && *other == label
        {
            let detail = short(detail);
            if !details.contains(&detail) {
                details.push(detail);
            }
        }
    }
    let mut details = in_a_row(details);
    let more = details.len().saturating_sub(DETAILS_MOST);
    details.truncate(DETAILS_MOST);
    let mut detail = details.join(", ");
    if more > 0 {
        detail += &format!(" and {more} more");
    }
    // What a clause before has said is not said again.
    if draft.clauses.iter().any(|clause| clause.contains(&detail)) {
        detail.clear();
    }
    let (told, weight) = match W::phrase(label) {
        Some(phrase) => (phrase.told("", &detail), phrase.weight),
        None => (format!("{}: {detail}", label.0), Weight::Tells),
    };
    draft.say(weight, label.0, told);
}

/// What is told of any other clause.
fn say<W: World>(clause: &Clause, draft: &mut Draft) {
    match clause {
        Clause::Called { label, to } => {
            let to_party = W::party_in_words(to);
            draft.asks.push(to.clone());
            begun::<W>(*label, &to_party, draft);
        }
        Clause::Began { label } => begun::<W>(*label, "", draft),
        Clause::Heard { label, of, told } => heard::<W>(*label, of, told, draft),
        Clause::Woke { retry: 0 } => draft.opening = Some("by its alarm".to_owned()),
        Clause::Woke { retry } => draft.opening = Some(format!("by its alarm, retry {retry}")),
        Clause::TakenBack { why } => draft.say(
            Weight::Tells,
            "taken back",
            format!("takes a transaction back that has failed ({})", short(why)),
        ),
        Clause::Cancelled => draft.say(
            Weight::Routine,
            "cancelled",
            "is told that the client has gone".to_owned(),
        ),
        Clause::Aimed(item) => draft.item = Some(*item),
        Clause::Fault(kind) => {
            if faults::is_told_elsewhere(*kind) {
                draft.kind.push(kind.name().to_owned());
            } else {
                draft.say(Weight::Tells, kind.name(), faults::struck(*kind).to_owned());
            }
        }
        // Why is told as the plan's item.
        Clause::Reset {
            origin: Origin::Item(_),
            ..
        } => draft.say(Weight::Tells, RESET, "loses its memory".to_owned()),
        Clause::Reset { reason, .. } => {
            draft.say(
                Weight::Tells,
                RESET,
                format!("loses its memory: {}", short(reason)),
            );
        }
        Clause::Finished(told) => {
            draft.answers = Some(answers(told));
            if matches!(told, Told::Status(FAILED..)) {
                draft.weight = Some(Weight::Tells);
                draft.tells_answer = true;
            }
        }
        Clause::Received | Clause::Durable => {}
        Clause::Item(_)
        | Clause::Answered { .. }
        | Clause::Left(_)
        | Clause::Noted { .. }
        | Clause::Committed(_)
        | Clause::Trouble { .. } => {
            unreachable!("these are told with the plan's items, or together")
        }
    }
}

fn begun<W: World>(label: Label, to: &str, draft: &mut Draft) {
    let Some(phrase) = W::phrase(label) else {
        return draft.say(Weight::Tells, label.0, format!("begins `{}`", label.0));
    };
    if !phrase.awaits.is_empty() && phrase.weight == Weight::Tells {
        draft.awaits = Some(phrase.awaits.replace("{to}", to));
    }
    draft.say(phrase.weight, label.0, phrase.told(to, ""));
}

fn heard<W: World>(label: Option<Label>, of: &Text, told: &Told, draft: &mut Draft) {
    let phrase = label.and_then(W::phrase);
    let kind = format!("heard {}", label.map_or("", |label| label.0));
    let asked = |before: &str| match &**of {
        "" => String::new(),
        of => format!("{before}{}", W::party_in_words(of)),
    };
    let failed = match told {
        Told::Error(error) => {
            let error = short(error);
            Some(format!("gets an error for an answer{} ({error})", asked(" of ")))
        }
        Told::Status(status) if *status >= 400 => Some(format!("is answered {status}{}", asked(" by "))),
        Told::Status(_) | Told::Done => None,
    };
    if let Some(failed) = failed {
        return draft.say(Weight::Tells, kind, failed);
    }
    draft.kind.push(kind);
    if let Some(phrase) = phrase.filter(|phrase| !phrase.awaits.is_empty()) {
        draft.opening = Some(format!(
            "once {}",
            phrase.awaits.replace("{to}", &W::party_in_words(of))
        ));
    }
}

/// A text of the protocol's, on one line and not too long.
pub(super) fn short(text: &str) -> String {
    shortened(text, DETAIL_MOST).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_go_on_are_one_row() {
        let row = |details: &[&str]| in_a_row(details.iter().map(|&detail| detail.to_owned()).collect());
        assert_eq!(row(&["A -> B", "B -> C", "C -> D"]), ["A -> B -> C -> D"]);
        assert_eq!(row(&["A -> B", "A -> C"]), ["A -> B", "A -> C"]);
        assert_eq!(row(&["22: apply", "23: apply"]), ["22: apply", "23: apply"]);
    }
}
