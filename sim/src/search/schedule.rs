//! In which order a sweep takes the seeds of several scenarios.

/// One run of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// Its place in the order of the sweep, from 0.
    pub place: u64,
    /// Which scenario it is of.
    pub scenario: usize,
    /// How many runs of that scenario come before it.
    pub nth: u64,
}

/// Jobs without end. At first each scenario has so many as it must have; then they take turns by their weights, so that
/// soon each has had its share to within one job: a sweep that is ended early has swept all of them, also those of a small
/// weight, and a longer one begins with the same jobs.
///
/// This is the smooth weighted round robin of load balancers: each scenario earns its weight in every round, and the
/// richest one pays the sum of all weights for its turn. What a scenario has at first is paid for as well.
#[derive(Clone, Debug)]
pub struct Schedule {
    first: Vec<u64>,
    weights: Vec<i64>,
    credits: Vec<i64>,
    counts: Vec<u64>,
    place: u64,
}

impl Schedule {
    /// The schedule of scenarios with these weights, each of which has one job at first.
    #[must_use]
    pub fn new(weights: impl IntoIterator<Item = u32>) -> Self {
        Self::after(weights.into_iter().map(|weight| (1, weight)))
    }

    /// The schedule of scenarios, by how many jobs each has at first, and its weight.
    #[must_use]
    pub fn after(scenarios: impl IntoIterator<Item = (u64, u32)>) -> Self {
        let scenarios = scenarios
            .into_iter()
            .map(|(first, weight)| (first, i64::from(weight)));
        let (first, weights): (Vec<_>, Vec<_>) = scenarios.unzip();
        Schedule {
            credits: vec![0; weights.len()],
            counts: vec![0; weights.len()],
            first,
            weights,
            place: 0,
        }
    }

    /// The scenario that has still to have its first jobs and has the smallest share of them; the first of several.
    fn begins(&self) -> Option<usize> {
        let begins = (0..self.first.len()).filter(|at| self.counts[*at] < self.first[*at]);
        begins.min_by_key(|at| self.counts[*at] * 1_000 / self.first[*at])
    }
}

impl Iterator for Schedule {
    type Item = Job;

    /// The next job; `None` only where there is no scenario.
    fn next(&mut self) -> Option<Job> {
        for (credit, weight) in self.credits.iter_mut().zip(&self.weights) {
            *credit += weight;
        }
        // The first of the richest, where `max_by_key` would take the last.
        let richest = || (0..self.credits.len()).rev().max_by_key(|at| self.credits[*at]);
        let scenario = self.begins().or_else(richest)?;
        self.credits[scenario] -= self.weights.iter().sum::<i64>();
        let job = Job {
            place: self.place,
            scenario,
            nth: self.counts[scenario],
        };
        self.counts[scenario] += 1;
        self.place += 1;
        Some(job)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(weights: &[u32], jobs: usize) -> Vec<usize> {
        let jobs: Vec<_> = Schedule::new(weights.iter().copied()).take(jobs).collect();
        (0..weights.len())
            .map(|scenario| jobs.iter().filter(|job| job.scenario == scenario).count())
            .collect()
    }

    #[test]
    fn each_scenario_has_its_share() {
        assert_eq!(counts(&[1, 3, 2], 600), [100, 300, 200]);
        assert_eq!(counts(&[1, 1], 3), [2, 1], "the first one comes first");
        assert_eq!(counts(&[], 3), [0; 0]);
    }

    #[test]
    fn each_has_one_before_any_has_a_second_however_small_its_weight() {
        assert_eq!(counts(&[1, 10_000, 2], 3), [1, 1, 1]);
        assert_eq!(counts(&[1, 10_000, 2], 10_003), [1, 10_000, 2]);
    }

    #[test]
    fn each_has_what_it_must_have_before_the_weights_count() {
        let firsts: Vec<_> = Schedule::after([(2, 1), (6, 9), (0, 5)]).take(8).collect();
        let of = |scenario| firsts.iter().filter(move |job| job.scenario == scenario).count();
        assert_eq!([of(0), of(1), of(2)], [2, 6, 0]);
        let all: Vec<_> = Schedule::after([(2, 1), (6, 9), (0, 5)]).take(150).collect();
        assert_eq!(all[..8], firsts);
        let of = |scenario| all.iter().filter(move |job| job.scenario == scenario).count();
        assert_eq!([of(0), of(1), of(2)], [10, 90, 50], "what came first is paid for");
    }

    #[test]
    fn after_the_first_round_each_has_its_share_to_within_one() {
        let weights = [2, 5, 1];
        for jobs in 4..200 {
            for (count, weight) in counts(&weights, jobs).into_iter().zip(weights) {
                let share = jobs * weight as usize;
                assert!(
                    count * 8 < share + 8 && share < count * 8 + 8,
                    "{count} of {jobs}"
                );
            }
        }
    }

    #[test]
    fn jobs_of_a_scenario_are_numbered_in_order() {
        let jobs: Vec<_> = Schedule::new([1, 2]).take(6).collect();
        let of_second = jobs.iter().filter(|job| job.scenario == 1).map(|job| job.nth);
        assert_eq!(of_second.collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!(jobs.iter().map(|job| job.place).eq(0..6));
    }
}
