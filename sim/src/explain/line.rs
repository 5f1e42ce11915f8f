//! The lines of a story: a step in words.

use protocol::host::Text;

use super::account::{Clause, Happened, Told};
use super::faults;
use crate::kernel::{Micros, Origin, StepId};
use crate::plan::Act;
use crate::printable::{brief, shortened};
use crate::world::{PlanOf, Weight, World};

/// How long a text of the protocol's may be within a line.
const DETAIL_MOST: usize = 72;

/// How many details of one decision a line tells.
const DETAILS_MOST: usize = 4;

/// How many tables of one commit a line tells.
const TABLES_MOST: usize = 12;

/// From which status on an answer says that its request came to nothing by whoever answers it.
const FAILED: u16 = 500;

/// What tells the end of an incarnation from other clauses.
const RESET: &str = "reset";

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

/// The clauses of one line, as they come together.
#[derive(Default)]
struct Draft {
    /// What comes before the sentence: `once the log comes,`.
    opening: Option<String>,
    clauses: Vec<String>,
    kind: Vec<String>,
    weight: Option<Weight>,
    item: Option<u32>,
    asks: Vec<Text>,
    awaits: Option<String>,
    begins_fault: bool,
    /// The tables that are committed.
    commits: Option<Box<[Text]>>,
    answers: Option<String>,
    /// Whether routine is told too, and what is answered and committed: it may be what is wrong.
    tells_all: bool,
    /// Whether the answer is told in any case.
    tells_answer: bool,
}

impl Draft {
    fn say(&mut self, weight: Weight, kind: impl Into<String>, clause: String) {
        self.weight = self.weight.max(Some(weight));
        self.kind.push(kind.into());
        if weight == Weight::Tells || self.tells_all {
            self.clauses.push(clause);
        }
    }

    fn sentence(&self) -> String {
        let mut clauses = once_each(&self.clauses);
        if let Some(tables) = &self.commits {
            clauses.push(committed(tables, self.tells_all));
        }
        // Of whoever is reset no answer leaves.
        let is_reset = self.kind.iter().any(|kind| kind == RESET);
        if self.tells_all || self.tells_answer && !is_reset {
            clauses.extend(self.answers.clone());
        }
        if self.tells_all && clauses.is_empty() {
            clauses.push("has a turn".to_owned());
        }
        let told = match clauses.split_last() {
            None => String::new(),
            Some((last, [])) => last.clone(),
            Some((last, before)) => format!("{}, and {last}", before.join(", ")),
        };
        match &self.opening {
            Some(opening) => format!("{opening}, {told}"),
            None => told,
        }
    }
}

/// That writes were committed; the tables where they may be what is wrong.
fn committed(tables: &[Text], tells_tables: bool) -> String {
    if !tells_tables {
        return "commits".to_owned();
    }
    let more = tables.len().saturating_sub(TABLES_MOST);
    let named = tables[..tables.len() - more].join(", ");
    match more {
        0 => format!("commits what it has written to {named}"),
        more => format!("commits what it has written to {named} and {more} more"),
    }
}

/// What is done again and again in one step is said once, with how often.
fn once_each(clauses: &[String]) -> Vec<String> {
    let mut counted: Vec<(&String, usize)> = Vec::new();
    for clause in clauses {
        match counted.iter_mut().find(|(known, _)| *known == clause) {
            Some((_, times)) => *times += 1,
            None => counted.push((clause, 1)),
        }
    }
    let said = counted.into_iter().map(|(clause, times)| match times {
        1 => clause.clone(),
        times => format!("{clause} ({times} times)"),
    });
    said.collect()
}

/// What is said of a step beside what happens in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    /// Whether the violation was seen in it.
    pub(super) is_judged: bool,
    /// Whether a fault that struck later could strike from it on.
    pub(super) begins_fault: bool,
}

/// The lines of a step: one for each party that something happens to in it.
pub(super) fn lines_of<W: World>(
    step: StepId,
    happened: &Happened,
    plan: &PlanOf<W>,
    beside: Beside,
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
        line::<W>(step, happened, (party, &clauses), plan, beside)
    });
    lines.collect()
}

fn line<W: World>(
    step: StepId,
    happened: &Happened,
    (party, clauses): (&Text, &[&Clause]),
    plan: &PlanOf<W>,
    beside: Beside,
) -> Line {
    let mut draft = Draft {
        tells_all: beside.is_judged,
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
            // The same decision several times is told once, with all its details.
            Clause::Noted { label, .. } => {
                let earlier = &clauses[..at];
                let again = |clause: &&&Clause| matches!(clause, Clause::Noted { label: other, .. } if other == label);
                if !earlier.iter().any(|clause| again(&clause)) {
                    noted::<W>(*label, clauses, &mut draft);
                }
            }
            // What the plan begins is told as its item.
            Clause::Trouble { kind, to, origin } => {
                if beside.begins_fault && !matches!(origin, Origin::Item(_)) {
                    draft.begins_fault = true;
                    draft.say(Weight::Tells, kind.name(), faults::begins::<W>(*kind, to));
                }
            }
            clause => say::<W>(clause, &mut draft),
        }
    }
    Line {
        step,
        at: happened.at,
        text: draft.sentence(),
        opening: draft.opening.clone().unwrap_or_default(),
        who,
        item: draft.item,
        party: party.clone(),
        asks: draft.asks,
        begins_fault: draft.begins_fault,
        awaits: draft.awaits,
        kind: draft.kind.join(" "),
        weight: if beside.is_judged {
            Weight::Tells
        } else {
            draft.weight.unwrap_or(Weight::Routine)
        },
        origin: happened.origin.clone(),
    }
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

fn noted<W: World>(label: protocol::host::Label, clauses: &[&Clause], draft: &mut Draft) {
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
        Clause::Committed(tables) => draft.commits = Some(tables.clone()),
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
        | Clause::Trouble { .. } => {
            unreachable!("these are told with the plan's items, or together")
        }
    }
}

fn begun<W: World>(label: protocol::host::Label, to: &str, draft: &mut Draft) {
    let Some(phrase) = W::phrase(label) else {
        return draft.say(Weight::Tells, label.0, format!("begins `{}`", label.0));
    };
    if !phrase.awaits.is_empty() && phrase.weight == Weight::Tells {
        draft.awaits = Some(phrase.awaits.replace("{to}", to));
    }
    draft.say(phrase.weight, label.0, phrase.told(to, ""));
}

fn heard<W: World>(label: Option<protocol::host::Label>, of: &Text, told: &Told, draft: &mut Draft) {
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

    #[test]
    fn tables_are_named_where_they_may_be_what_is_wrong() {
        let tables = [Text::new_static("node"), Text::new_static("router")];
        assert_eq!(committed(&tables, false), "commits");
        assert_eq!(
            committed(&tables, true),
            "commits what it has written to node, router"
        );
    }

    #[test]
    fn what_is_done_again_in_a_step_is_said_once() {
        let clauses = ["reads", "writes", "reads"].map(str::to_owned);
        assert_eq!(once_each(&clauses), ["reads (2 times)", "writes"]);
    }
}
