//! The same plan twice: a run that differs from itself shows nothing.

use protocol::host::Text;
use protocol::task::Program;

use super::against::{around_difference, tell};
use super::{Line, Report, run};
use crate::check::Verdict;
use crate::kernel::storage::Store;
use crate::kernel::{Deployment, Gathered, Observed, Observer, digest_of};
use crate::world::{PlanOf, World};

/// How many lines of the first run are kept as text. Every one has its digest, however many there are.
const LINES_KEPT: usize = 1 << 18;

/// Runs a plan twice, one run after the other. Where the two differ, that is the verdict, and it names the first event
/// at which they part.
///
/// These two runs are held against each other, and no third one: what happens once in the life of a process, as when
/// something is set up on first use, would not happen in it again.
pub fn run_twice<W: World, P: Program, S: Store>(
    plan: &PlanOf<W>,
    deployment: &Deployment<P>,
    pool: &S::Pool,
) -> Report {
    let two = Two::run::<W, P, S, S>(plan, deployment, pool, pool);
    match two.difference() {
        Some(difference) => two.not_deterministic(&difference),
        None => two.first,
    }
}

/// What a run on one store has shown that was repeated on another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnTwoStores {
    /// What the first run has shown, or where the two part.
    pub report: Report,
    /// Why the second run has shown nothing, where it has not: its store does not run each statement.
    pub void: Option<Text>,
}

/// Runs a plan on one store and then on another one, which must make no difference.
pub fn run_on_two_stores<W: World, P: Program, S: Store, T: Store>(
    plan: &PlanOf<W>,
    deployment: &Deployment<P>,
    pool: &S::Pool,
    other: &T::Pool,
) -> OnTwoStores {
    let two = Two::run::<W, P, S, T>(plan, deployment, pool, other);
    let (report, void) = match (two.difference(), &two.first.verdict, &two.second.verdict) {
        // A run that shows nothing is as far as its store came: nothing follows from where it ends.
        (Some(_), _, Verdict::Void(why)) => (two.first.clone(), Some(why.clone())),
        (None, ..) | (Some(_), Verdict::Void(_), _) => (two.first, None),
        (Some(difference), ..) => (two.not_deterministic(&difference), None),
    };
    OnTwoStores { report, void }
}

/// Two runs of one plan.
struct Two {
    first: Report,
    second: Report,
    /// Where their histories part.
    parting: Option<Text>,
}

impl Two {
    fn run<W: World, P: Program, S: Store, T: Store>(
        plan: &PlanOf<W>,
        deployment: &Deployment<P>,
        pool: &S::Pool,
        other: &T::Pool,
    ) -> Self {
        let mut account = Account::default();
        let first = run::<W, P, S>(plan, deployment.clone(), pool, &mut account);
        let mut comparison = Comparison::with(&account);
        let second = run::<W, P, T>(plan, deployment.clone(), other, &mut comparison);
        let parting = comparison.parting();
        Two {
            first,
            second,
            parting,
        }
    }

    /// In what the two differ, if they do.
    fn difference(&self) -> Option<Text> {
        if self.parting.is_some() || self.first == self.second {
            return self.parting.clone();
        }
        Some(Text::from(format!(
            "two runs of one plan have one history, and differ in what was made of it: `{}` and `{}`",
            self.first.verdict, self.second.verdict
        )))
    }

    fn not_deterministic(&self, difference: &Text) -> Report {
        Report {
            verdict: Verdict::NotDeterministic(difference.clone()),
            ..self.first.clone()
        }
    }
}

/// What happened in the first run.
#[derive(Debug, Default)]
struct Account {
    /// The digest of each event.
    links: Vec<u64>,
    buffer: Gathered,
    /// What each of the first [`LINES_KEPT`] was.
    lines: Vec<Line>,
}

impl Observer for Account {
    fn observe(&mut self, seen: &Observed<'_>) {
        self.links.push(digest_of(seen, &mut self.buffer));
        if self.lines.len() < LINES_KEPT {
            self.lines.push(Line::of(seen));
        }
    }
}

impl Account {
    fn tell(&self, at: usize) -> String {
        match self.lines.get(at) {
            Some(line) => tell(line),
            None if at < self.links.len() => "something so late that its text was not kept".to_owned(),
            None => "nothing more".to_owned(),
        }
    }
}

/// Holds the second run against the first, up to where they part.
#[derive(Debug)]
struct Comparison<'a> {
    first: &'a Account,
    buffer: Gathered,
    /// How many events were the same.
    same: usize,
    /// The first event that was another one.
    other: Option<Line>,
}

impl<'a> Comparison<'a> {
    fn with(first: &'a Account) -> Self {
        Comparison {
            first,
            buffer: Gathered::default(),
            same: 0,
            other: None,
        }
    }

    /// Where the two runs part, and what happened there in each.
    fn parting(&self) -> Option<Text> {
        let first = &self.first;
        if self.other.is_none() && self.same == first.links.len() {
            return None;
        }
        let nth = self.same + 1;
        let one = first.tell(self.same);
        let other = self
            .other
            .as_ref()
            .map_or_else(|| "nothing more".to_owned(), tell);
        Some(Text::from(if one == other {
            format!(
                "two runs of one plan part at line {nth} of their histories, {one}: the lines are one, and what they \
                 do not tell (parameters, rows, bodies, causes) is not"
            )
        } else {
            let (one, other) = around_difference(&one, &other);
            format!("two runs of one plan part at line {nth} of their histories: {one}; and {other}")
        }))
    }
}

impl Observer for Comparison<'_> {
    fn observe(&mut self, seen: &Observed<'_>) {
        if self.other.is_some() {
            return;
        }
        if self.first.links.get(self.same) == Some(&digest_of(seen, &mut self.buffer)) {
            self.same += 1;
        } else {
            self.other = Some(Line::of(seen));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Micros, StepId, What};

    /// Has somebody hear of so many commits, each in a step of its own.
    fn hear(commits: u64, by: &mut impl Observer) {
        let who = Text::new_static("toy/a");
        for nth in 0..commits {
            by.observe(&Observed {
                step: StepId(nth),
                at: Micros::from_millis(nth),
                who: &who,
                what: What::Committed { nth, tables: &[] },
            });
        }
    }

    fn parting(first: u64, second: u64) -> Option<Text> {
        let mut account = Account::default();
        hear(first, &mut account);
        let mut comparison = Comparison::with(&account);
        hear(second, &mut comparison);
        comparison.parting()
    }

    #[test]
    fn equal_histories_do_not_part() {
        assert_eq!(parting(3, 3), None);
    }

    #[test]
    fn a_history_that_ends_early_parts_at_its_end() {
        let line = "step 2 at 0.002 s, toy/a: `commits no. 2`";
        let told = |one, other| {
            format!("two runs of one plan part at line 3 of their histories: {one}; and {other}")
        };
        assert_eq!(parting(3, 2), Some(told(line, "nothing more").into()));
        assert_eq!(parting(2, 3), Some(told("nothing more", line).into()));
    }

    #[test]
    fn what_is_too_late_to_be_kept_is_still_found() {
        let kept = LINES_KEPT as u64;
        let told = parting(kept + 1, kept).expect("the second history is shorter");
        let end = format!(
            "line {} of their histories: something so late that its text was not kept; and nothing more",
            kept + 1
        );
        assert!(
            told.ends_with(&end),
            "the event is found by its link, without a text: {told}"
        );
    }
}
