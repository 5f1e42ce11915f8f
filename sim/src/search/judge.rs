//! What a sweep has come to.

use super::{Swept, Unreached, unreached};
use crate::check::Verdict;
use crate::scenario::Scenario;

/// What a sweep has come to, in the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// A run differed from its repetition: nothing else can be believed.
    NotDeterministic,
    /// Something that must hold did not, and nobody knew.
    Violated,
    /// So many failures were known until a day that is over: they are mended, or must be thought over anew.
    Expired(usize),
    /// There was no run.
    NoRun,
    /// So many scenarios never came by what they are for.
    VoidScenarios(usize),
    /// So many runs have shown nothing.
    VoidRuns(u64),
    /// Everything held, and so far as the sweep was long enough, every mark was passed.
    Green,
}

impl Judgement {
    /// The exit code that it ends a command with: that of the [`Verdict`] of a run.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Judgement::NotDeterministic => 4,
            Judgement::Violated | Judgement::Expired(_) => 1,
            Judgement::NoRun | Judgement::VoidScenarios(_) | Judgement::VoidRuns(_) => 3,
            Judgement::Green => 0,
        }
    }
}

/// A sweep, judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What it has come to.
    pub judgement: Judgement,
    /// The marks that each scenario should have passed and never did; `None` where that cannot be told, as there were
    /// too few seeds, or runs were cut off by what they found.
    pub unreached: Vec<Option<Vec<Unreached>>>,
}

/// Judges a sweep of these scenarios. So many known failures are past their day.
#[must_use]
pub fn judge<Own>(scenarios: &[Scenario<Own>], swept: &Swept, expired: usize) -> Judged {
    let judged = scenarios.iter().zip(&swept.tallies).map(|(scenario, tally)| {
        // A run that a known failure has cut off may have passed a mark later.
        let whole = tally.seeds - tally.violated.values().sum::<u64>();
        let is_judged = is_all_known(swept) && whole >= scenario.least_seeds;
        is_judged.then(|| unreached(scenario, tally))
    });
    let unreached: Vec<_> = judged.collect();
    let new = || swept.findings.iter().filter(|finding| finding.known.is_none());
    let found = |is: fn(&Verdict) -> bool| new().any(|finding| is(&finding.verdict));
    let void_scenarios = unreached.iter().flatten().filter(|marks| !marks.is_empty());
    let void_runs = swept.tallies.iter().flat_map(|tally| tally.void.values()).sum();
    let judgement = if found(|verdict| matches!(verdict, Verdict::NotDeterministic(_))) {
        Judgement::NotDeterministic
    } else if found(|verdict| matches!(verdict, Verdict::Violated(_))) {
        Judgement::Violated
    } else if expired > 0 {
        Judgement::Expired(expired)
    } else if swept.seeds() == 0 {
        Judgement::NoRun
    } else {
        match (void_scenarios.count(), void_runs) {
            (0, 0) => Judgement::Green,
            (0, runs) => Judgement::VoidRuns(runs),
            (scenarios, _) => Judgement::VoidScenarios(scenarios),
        }
    };
    Judged { judgement, unreached }
}

/// Whether nothing was found but what is known.
fn is_all_known(swept: &Swept) -> bool {
    swept.findings.iter().all(|finding| finding.known.is_some())
}

/// How many seeds a sweep of these scenarios takes for each of them to have its least number.
#[must_use]
pub fn seeds_to_judge<Own>(scenarios: &[Scenario<Own>]) -> u64 {
    let all: u64 = scenarios.iter().map(|scenario| u64::from(scenario.weight)).sum();
    let takes = scenarios.iter().map(|scenario| {
        let shares = scenario.least_seeds.saturating_mul(all);
        shares.div_ceil(u64::from(scenario.weight).max(1))
    });
    takes.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use protocol::host::Text;

    use super::*;
    use crate::scenario;
    use crate::search::{Ended, Finding, Schedule, Tally};
    use crate::world::demonstration::Generate;

    fn judgement(seeds: u64, void: u64, expired: usize, verdicts: &[Verdict]) -> Judgement {
        let scenario = scenario::load::<Generate>("demonstration").expect("it is built in");
        let mut tally = Tally {
            seeds,
            ..Tally::default()
        };
        if void > 0 {
            tally.void.insert(Text::new_static("why"), void);
        }
        let findings = verdicts.iter().map(|verdict| Finding {
            scenario: 0,
            seed: 1,
            verdict: verdict.clone(),
            count: 1,
            known: None,
        });
        let swept = Swept {
            tallies: vec![tally],
            findings: findings.collect(),
            ended: Ended::Whole,
        };
        judge(&[scenario.expect("it can be read")], &swept, expired).judgement
    }

    #[test]
    fn so_many_seeds_are_enough_and_fewer_are_not() {
        let scenario: Scenario<Generate> = scenario::load("demonstration")
            .expect("it is built in")
            .expect("it can be read");
        let scenarios = [(3, 70), (5, 100), (1, 9)].map(|(weight, least_seeds)| Scenario {
            weight,
            least_seeds,
            ..scenario.clone()
        });
        let seeds = seeds_to_judge(&scenarios);
        let judged = |seeds: u64| {
            let schedule = Schedule::new(scenarios.iter().map(|scenario| scenario.weight));
            let jobs: Vec<_> = schedule.take(usize::try_from(seeds).expect("few")).collect();
            scenarios.iter().enumerate().all(|(at, scenario)| {
                let count = jobs.iter().filter(|job| job.scenario == at).count();
                count as u64 >= scenario.least_seeds
            })
        };
        assert!(judged(seeds), "{seeds} seeds are enough");
        assert!(!judged(seeds - 3), "far fewer than {seeds} are not");
    }

    #[test]
    fn what_is_worse_comes_first() {
        let differs = Verdict::NotDeterministic(Text::new_static("here and there"));
        let violated = Verdict::Violated(crate::check::Violation {
            invariant: Text::new_static("DM-1"),
            class: Text::new_static("moved-back"),
            roles: Default::default(),
            concerns: Box::default(),
            detail: Text::new_static("this and that"),
            values: None,
        });
        let both = [violated.clone(), differs];
        assert_eq!(judgement(200, 5, 1, &both), Judgement::NotDeterministic);
        assert_eq!(judgement(200, 5, 1, &[violated]), Judgement::Violated);
        assert_eq!(judgement(200, 5, 1, &[]), Judgement::Expired(1));
        assert_eq!(judgement(200, 5, 0, &[]), Judgement::VoidScenarios(1));
        assert_eq!(judgement(20, 5, 0, &[]), Judgement::VoidRuns(5));
        assert_eq!(judgement(20, 0, 0, &[]), Judgement::Green);
        assert_eq!(judgement(0, 0, 0, &[]), Judgement::NoRun);
    }
}
