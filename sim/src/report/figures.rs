//! Figures that a person reads at a glance: two digits and a unit.

use std::fmt;
use std::time::Duration;

use crate::kernel::Micros;

pub use indicatif::HumanCount as Exactly;

/// A count, to two digits where it is large: `970`, `12 k`, `1.1 M`.
#[derive(Clone, Copy, Debug)]
pub struct About(pub u64);

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 3] = [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
        let unit = UNITS.into_iter().find(|(size, _)| self.0 >= *size);
        match unit {
            None => write!(f, "{}", self.0),
            Some((size, unit)) if self.0 < size * 10 => {
                write!(f, "{}.{} {unit}", self.0 / size, self.0 % size * 10 / size)
            }
            Some((size, unit)) => write!(f, "{} {unit}", self.0 / size),
        }
    }
}

/// So many of a thing: `1 seed`, `2,000 seeds`.
#[derive(Clone, Copy, Debug)]
pub struct Of(pub u64, pub &'static str);

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} {}{plural}", Exactly(self.0), self.1)
    }
}

/// A length of simulated time, in the largest unit of which there are two: `90 s`, `59 min`, `33 h`.
#[derive(Clone, Copy, Debug)]
pub struct Long(pub Micros);

impl fmt::Display for Long {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.0 / 1_000_000 {
            seconds @ 0..120 => write!(f, "{seconds} s"),
            seconds @ 120..7_200 => write!(f, "{} min", seconds / 60),
            seconds => write!(f, "{} h", Exactly(seconds / 3_600)),
        }
    }
}

/// A length of real time: `48 s`, `0.8 s`, `35 ms`, `6 min 12 s`.
#[derive(Clone, Copy, Debug)]
pub struct Took(pub Duration);

impl fmt::Display for Took {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            0 if self.0.as_millis() < 100 => write!(f, "{} ms", self.0.as_millis()),
            0..10 => write!(f, "{}.{} s", self.0.as_secs(), self.0.subsec_millis() / 100),
            seconds @ 10..60 => write!(f, "{seconds} s"),
            seconds => write!(f, "{} min {} s", seconds / 60, seconds % 60),
        }
    }
}

/// How many times faster than a clock simulated time has passed; `None` where no time was measured.
#[must_use]
pub fn speed(simulated: Micros, took: Duration) -> Option<u64> {
    let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    simulated.0.checked_div(took)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_two_digits() {
        let told = |count| About(count).to_string();
        assert_eq!(told(970), "970");
        assert_eq!(told(9_999), "9.9 k");
        assert_eq!(told(12_345), "12 k");
        assert_eq!(told(1_100_000), "1.1 M");
        assert_eq!(told(2_000_000_000), "2.0 G");
    }

    #[test]
    fn one_of_a_thing_is_singular() {
        assert_eq!(Of(1, "seed").to_string(), "1 seed");
        assert_eq!(Of(2_000, "seed").to_string(), "2,000 seeds");
    }

    #[test]
    fn times_have_a_unit_that_fits() {
        let long = |seconds: u64| Long(Micros::from_millis(seconds * 1_000)).to_string();
        assert_eq!(long(90), "90 s");
        assert_eq!(long(3_540), "59 min");
        assert_eq!(long(120_000), "33 h");
        let took = |millis| Took(Duration::from_millis(millis)).to_string();
        assert_eq!(took(35), "35 ms");
        assert_eq!(took(840), "0.8 s");
        assert_eq!(took(48_300), "48 s");
        assert_eq!(took(372_000), "6 min 12 s");
    }

    #[test]
    fn no_time_gives_no_speed() {
        assert_eq!(speed(Micros(500), Duration::ZERO), None);
        assert_eq!(
            speed(Micros::from_millis(500), Duration::from_millis(2)),
            Some(250)
        );
    }
}
