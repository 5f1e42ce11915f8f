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
    /// The bound of that time.
    pub bound: Micros,
}

/// The measures of runs, by the invariant that has the bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measures(BTreeMap<&'static str, Measure>);

impl Measures {
    /// Takes one more in.
    pub fn note(&mut self, invariant: &'static str, measure: Measure) {
        let known = self.0.entry(invariant).or_insert(measure);
        if known.most < measure.most {
            *known = measure;
        }
    }

    /// Takes those of other runs in.
    pub fn add(&mut self, others: &Measures) {
        for (invariant, measure) in &others.0 {
            self.note(invariant, *measure);
        }
    }

    /// Each, by its invariant.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Measure)> {
        self.0.iter().map(|(invariant, measure)| (*invariant, *measure))
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
            bound: Micros(bound),
        };
        let mut all = Measures::default();
        all.note("X-1", measure(3, 10));
        let mut others = Measures::default();
        others.note("X-1", measure(7, 20));
        others.note("X-1", measure(5, 9));
        others.note("X-2", measure(1, 1));
        all.add(&others);
        let kept: Vec<_> = all.iter().collect();
        assert_eq!(kept, [("X-1", measure(7, 20)), ("X-2", measure(1, 1))]);
    }
}
