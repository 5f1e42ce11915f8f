//! That the table in the module's documentation is true.

use crate::world::lanes::invariants::{CHECKS, Triage};

#[test]
fn the_documentation_lists_every_invariant_with_what_is_checked_of_it() {
    let rows = CHECKS.iter().map(|check| {
        let how = match check.triage {
            Triage::AsWorded => "as worded".to_owned(),
            Triage::Reworded(why) => format!("reworded: {why}"),
        };
        format!("//! | {} | {how} |", check.invariant.id)
    });
    let due: Vec<String> = rows.collect();
    let told: Vec<&str> = include_str!("../mod.rs")
        .lines()
        .filter(|line| line.starts_with("//! | LR-"))
        .collect();
    assert_eq!(
        told,
        due,
        "the table of the module should read:\n{}",
        due.join("\n")
    );
}

#[test]
fn invariants_stand_in_the_order_of_their_ids() {
    let order = |id: &str| {
        let number = id.trim_start_matches("LR-");
        let live = number.starts_with('L');
        (
            live,
            number
                .trim_start_matches('L')
                .parse::<u32>()
                .expect("ids end in numbers"),
        )
    };
    let ids: Vec<_> = CHECKS.iter().map(|check| order(check.invariant.id)).collect();
    assert!(ids.is_sorted(), "{ids:?}");
}
