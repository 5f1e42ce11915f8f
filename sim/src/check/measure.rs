//! How near runs have come to a bound.

use std::collections::BTreeMap;

use crate::kernel::Micros;

/// The most that something was in any run, and the bound that it had there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// What it is, in half a sentence.
    pub what: &'static str,
    /// The most that it was.
    pub most: Micros,
    /// The bound of that time; none where nothing is promised.
    pub bound: Option<Micros>,
}

/// The measures of runs, by the invariant that they are of: what each was at most, and how often it was taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measures(BTreeMap<(&'static str, &'static str), (Measure, u64)>);

impl Measures {
    /// Takes one more in.
    pub fn note(&mut self, invariant: &'static str, measure: Measure) {
        self.take(invariant, measure, 1);
    }

    fn take(&mut self, invariant: &'static str, measure: Measure, times: u64) {
        let known = self.0.entry((invariant, measure.what)).or_insert((measure, 0));
        known.1 += times;
        if known.0.most < measure.most {
            known.0 = measure;
        }
    }

    /// Takes those of other runs in.
    pub fn add(&mut self, others: &Measures) {
        for (invariant, measure, times) in others.iter() {
            self.take(invariant, measure, times);
        }
    }

    /// Each, with its invariant and how often it was taken.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Measure, u64)> {
        let all = self.0.iter();
        all.map(|((invariant, _), (measure, times))| (*invariant, *measure, *times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_of_all_runs_is_kept_with_its_own_bound() {
        let measure = |most, bound| Measure {
            what: "the wait",
            most: Micros(most),
            bound: Some(Micros(bound)),
        };
        let other = Measure {
            what: "the other wait",
            most: Micros(2),
            bound: None,
        };
        let mut all = Measures::default();
        all.note("X-1", measure(3, 10));
        let mut others = Measures::default();
        others.note("X-1", measure(7, 20));
        others.note("X-1", measure(5, 9));
        others.note("X-1", other);
        others.note("X-2", measure(1, 1));
        all.add(&others);
        let kept: Vec<_> = all.iter().collect();
        let expected = [
            ("X-1", other, 1),
            ("X-1", measure(7, 20), 3),
            ("X-2", measure(1, 1), 1),
        ];
        assert_eq!(kept, expected);
    }
}
