//! Plainer values, by one step: what a shrinker tries in place of those that a plan has.

/// Smaller numbers, down to a least one: that one first, then half of the way, then the next one.
pub fn numbers(found: u32, least: u32) -> impl Iterator<Item = u32> {
    lengths_from(found.into(), least.into()).map(|number| u32::try_from(number).expect("it is smaller"))
}

/// Shorter lengths, likewise: none first, then half of it.
pub fn lengths(found: u64) -> impl Iterator<Item = u64> {
    lengths_from(found, 0)
}

fn lengths_from(found: u64, least: u64) -> impl Iterator<Item = u64> {
    let above = found.saturating_sub(least);
    let mut steps = [0, above / 2, above.saturating_sub(1)].to_vec();
    steps.dedup();
    steps
        .into_iter()
        .filter(move |step| *step < above)
        .map(move |step| least + step)
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
        assert_eq!(lengths(10).collect::<Vec<_>>(), [0, 5, 9]);
    }
}
