//! How sure a number of seeds makes that a defect is found: the arithmetic of rates.
//!
//! It is for people and for how many seeds a gate takes. No run depends on it.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "rates, their quantiles and numbers of seeds are for people: no run sees them"
)]

use statrs::distribution::{Beta, ContinuousCDF as _};

/// Seeds that were run, and how many of them have found a defect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate {
    /// How many have found it.
    pub found: u64,
    /// How many there were.
    pub runs: u64,
}

/// The share of all intervals that hold the true rate.
const CONFIDENCE: f64 = 0.95;

impl Rate {
    /// The share of the seeds that have found it; 0 without any.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.runs == 0 {
            0.0
        } else {
            float(self.found) / float(self.runs)
        }
    }

    /// The interval of Clopper and Pearson: it holds the true rate with a probability of 95 % at least.
    ///
    /// A pass that stops at a number of detections takes its last seed because it has found something. So the lower end is
    /// a little too low, which is the safe side of it, and the upper end is that of the seeds before the last.
    #[must_use]
    pub fn interval(self) -> (f64, f64) {
        let tail = (1.0 - CONFIDENCE) / 2.0;
        let (found, missed) = (float(self.found), float(self.runs - self.found));
        let quantile = |a: f64, b: f64, at: f64| Beta::new(a, b).map_or(0.5, |beta| beta.inverse_cdf(at));
        let low = if self.found == 0 {
            0.0
        } else {
            quantile(found, missed + 1.0, tail)
        };
        let high = if self.found == self.runs {
            1.0
        } else {
            quantile(found + 1.0, missed, 1.0 - tail)
        };
        (low, high)
    }

    /// The rate that is taken for sure when seeds are counted: the lower end of the interval.
    #[must_use]
    pub fn at_least(self) -> f64 {
        self.interval().0
    }
}

/// The highest rate that a defect can have, at 95 %, which no seed has found: the rule of three.
#[must_use]
pub fn rule_of_three(runs: u64) -> f64 {
    if runs == 0 {
        1.0
    } else {
        (3.0 / float(runs)).min(1.0)
    }
}

/// After how many seeds a defect of this rate has been found with this probability; none where it never is.
#[must_use]
pub fn seeds_until(rate: f64, probability: f64) -> Option<u64> {
    if rate <= 0.0 {
        return None;
    }
    if rate >= 1.0 {
        return Some(1);
    }
    let seeds = ((1.0 - probability).ln() / (1.0 - rate).ln()).ceil().max(1.0);
    // A rate so small that its seeds cannot be counted is never found.
    (seeds < 1e15)
        .then(|| format!("{seeds:.0}").parse().ok())
        .flatten()
}

/// After how many seeds a defect is missed with a chance of one in so many at most, whose rate is the lower end of its
/// interval; none where it was never found.
#[must_use]
pub fn seeds_for(rate: Rate, one_in: u32) -> Option<u64> {
    seeds_until(rate.at_least(), 1.0 - 1.0 / f64::from(one_in.max(1)))
}

/// The probability that so many seeds all miss a defect of this rate.
#[must_use]
pub fn chance_to_miss(rate: f64, seeds: u64) -> f64 {
    (float(seeds) * (1.0 - rate.clamp(0.0, 1.0)).ln()).exp()
}

/// Counts of seeds are far below 2^53, so nothing is lost.
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 5e-4
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        let interval = |found, runs| Rate { found, runs }.interval();
        let (low, high) = interval(10, 100);
        assert!(near(low, 0.0490) && near(high, 0.1762), "{low} to {high}");
        let (low, high) = interval(0, 10);
        assert!(near(low, 0.0) && near(high, 0.3085), "{low} to {high}");
        let (low, high) = interval(10, 10);
        assert!(near(low, 0.6915) && near(high, 1.0), "{low} to {high}");
    }

    #[test]
    fn seeds_are_those_of_the_geometric_distribution() {
        assert_eq!(seeds_until(0.5, 0.5), Some(1));
        assert_eq!(seeds_until(0.1, 0.5), Some(7));
        assert_eq!(seeds_until(0.1, 0.95), Some(29));
        assert_eq!(seeds_until(1.0, 0.999), Some(1));
        assert_eq!(seeds_until(0.0, 0.5), None);
        for (rate, probability) in [(0.03, 0.5), (0.2, 0.999), (0.001, 0.95)] {
            let seeds = seeds_until(rate, probability).expect("it is found");
            assert!(chance_to_miss(rate, seeds) <= 1.0 - probability);
            assert!(
                chance_to_miss(rate, seeds - 1) > 1.0 - probability,
                "one less does not do"
            );
        }
    }

    #[test]
    fn what_no_seed_finds_is_rare() {
        assert!(near(rule_of_three(2_000), 0.0015));
        assert!(near(rule_of_three(0), 1.0));
        assert_eq!(Rate { found: 0, runs: 0 }.share(), 0.0);
    }
}
