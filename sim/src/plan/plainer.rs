//! Plainer values, by one step: what a shrinker tries in place of those that a plan has.
//!
//! Each step comes before the smaller ones, and a value that is taken again and again comes to an end.

use protocol::host::{Millis, Text};

use super::Fault;
use crate::kernel::{CallFault, Micros, Way};

/// Smaller numbers, down to a least one: that one first, then half of the way, then the next one.
pub fn numbers(found: u32, least: u32) -> impl Iterator<Item = u32> {
    counts(found.into(), least.into()).map(|number| u32::try_from(number).expect("it is smaller"))
}

/// The same for large ones.
pub fn counts(found: u64, least: u64) -> impl Iterator<Item = u64> {
    let above = found.saturating_sub(least);
    let mut steps = [0, above / 2, above.saturating_sub(1)].to_vec();
    steps.dedup();
    steps
        .into_iter()
        .filter(move |step| *step < above)
        .map(move |step| least + step)
}

/// Shorter lengths, or earlier instants: none first, then half of it and so on; of two digits, as nobody reads more.
pub fn lengths(found: u64) -> impl Iterator<Item = u64> {
    // Down to single units there are other numbers, but none that is plainer.
    let unit = 10_u64.pow(found.checked_ilog10().unwrap_or(0)).div_ceil(10);
    let shares = [(0, 1), (1, 2), (3, 4), (7, 8), (1, 1)];
    let mut steps: Vec<_> = shares
        .into_iter()
        .map(|(of, all)| found.saturating_mul(of) / all / unit * unit)
        .filter(|step| *step < found)
        .collect();
    steps.dedup();
    steps.into_iter()
}

/// Plainer faults: shorter ones, and the usual way for each to happen.
#[must_use]
pub fn faults(fault: &Fault) -> Vec<Fault> {
    match fault.clone() {
        Fault::Reset { object, cause } => usual(cause, |cause| Fault::Reset {
            object: object.clone(),
            cause,
        }),
        Fault::Displace { object, overlap } => shorter(overlap, |overlap| Fault::Displace {
            object: object.clone(),
            overlap,
        }),
        Fault::Partition { from, to, way, lasts } => {
            let partition = |way, lasts| Fault::Partition {
                from: from.clone(),
                to: to.clone(),
                way,
                lasts,
            };
            let mut plainer = shorter(lasts, |lasts| partition(way, lasts));
            plainer.extend(usual(way, |way: Way| partition(way, lasts)));
            plainer
        }
        Fault::Clog { from, to, lasts } => shorter(lasts, |lasts| Fault::Clog {
            from: from.clone(),
            to: to.clone(),
            lasts,
        }),
        Fault::CommitStall { object, lasts } => shorter(lasts, |lasts| Fault::CommitStall {
            object: object.clone(),
            lasts,
        }),
        Fault::StorageError { object, error, lasts } => {
            let statement = |object: Text| Fault::Statement {
                object,
                after: 0,
                error,
            };
            let mut plainer = vec![statement(object.clone())];
            plainer.extend(shorter(lasts, |lasts| Fault::StorageError {
                object: object.clone(),
                error,
                lasts,
            }));
            plainer
        }
        Fault::Statement { object, after, error } => counts(after, 0)
            .map(|after| Fault::Statement {
                object: object.clone(),
                after,
                error,
            })
            .collect(),
        Fault::Call { aim, fault } => call_faults(fault)
            .into_iter()
            .map(|fault| Fault::Call {
                aim: aim.clone(),
                fault,
            })
            .collect(),
        Fault::KvOutage { lasts } => shorter(lasts, |lasts| Fault::KvOutage { lasts }),
        Fault::Rewind { object, back } => shorter(back, |back| Fault::Rewind {
            object: object.clone(),
            back,
        }),
        // To all, where some were meant.
        Fault::Deploy { version, percent } if percent != 100 => vec![Fault::Deploy {
            version,
            percent: 100,
        }],
        Fault::Deploy { .. }
        | Fault::Clone { .. }
        | Fault::Evict { .. }
        | Fault::CommitFailure { .. }
        | Fault::BrokerRestart
        | Fault::Restart { .. }
        | Fault::Cancel { .. } => Vec::new(),
    }
}

fn call_faults(fault: CallFault) -> Vec<CallFault> {
    let shorter = |by: Millis, make: fn(Millis) -> CallFault| lengths(by.0).map(Millis).map(make).collect();
    match fault {
        CallFault::LoseRequest | CallFault::LoseAnswer => Vec::new(),
        CallFault::DelayRequest(by) => shorter(by, CallFault::DelayRequest),
        CallFault::DelayAnswer(by) => shorter(by, CallFault::DelayAnswer),
        CallFault::Duplicate(after) => shorter(after, CallFault::Duplicate),
        CallFault::Cancel(after) => shorter(after, CallFault::Cancel),
    }
}

fn shorter(lasts: Micros, make: impl Fn(Micros) -> Fault) -> Vec<Fault> {
    lengths(lasts.0).map(Micros).map(make).collect()
}

/// The way that is meant where a file names none.
fn usual<T: Default + PartialEq>(found: T, make: impl Fn(T) -> Fault) -> Vec<Fault> {
    let usual = T::default();
    if found == usual {
        Vec::new()
    } else {
        vec![make(usual)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_smaller_and_not_below_the_least() {
        let steps = |found, least| numbers(found, least).collect::<Vec<_>>();
        assert_eq!(steps(9, 1), [1, 5, 8]);
        assert_eq!(steps(3, 1), [1, 2]);
        assert_eq!(steps(2, 1), [1]);
        assert_eq!(steps(1, 1), [0; 0], "the least one has none below it");
        assert_eq!(steps(0, 1), [0; 0], "nor has one that is below it");
    }

    #[test]
    fn lengths_have_two_digits() {
        let steps = |found| lengths(found).collect::<Vec<_>>();
        assert_eq!(steps(5_646_201), [0, 2_800_000, 4_200_000, 4_900_000, 5_600_000]);
        assert_eq!(steps(40_000_000), [0, 20_000_000, 30_000_000, 35_000_000]);
        assert_eq!(steps(7), [0, 3, 5, 6]);
        assert_eq!(steps(1), [0]);
        assert_eq!(steps(0), [0; 0]);
    }
}
