//! The tester itself: what is planted was measured and is found, a broken check or a deaf oracle does not pass, and the
//! tables of the README are those of the catalogue.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;

use sim::report::catalogue::tables;
use sim::scenario::{self, Scenario};
use sim::search::measured::{Measured, file_of};
use sim::search::power::seeds_until;
use sim::search::sample::{Settings, Witnessed, sample};
use sim::world::lanes::{Generate, LanesWorld};
use sim::world::{World, load};
use tests::failing::Nobody;
use tests::pieces;

fn measured() -> Measured {
    Measured::of::<LanesWorld>().unwrap_or_else(|error| panic!("{}: {error}", file_of(LanesWorld::NAME)))
}

fn scenarios() -> Vec<Scenario<Generate>> {
    let of_lanes =
        scenario::built_in().filter(|source| source.world().is_ok_and(|world| world == LanesWorld::NAME));
    of_lanes
        .map(|source| load::<LanesWorld>(&source).unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

#[test]
fn each_defect_that_must_be_found_has_a_scenario_and_is_found_where_it_was_measured() {
    let (measured, scenarios) = (measured(), scenarios());
    for defect in LanesWorld::planted()
        .iter()
        .filter(|defect| defect.unseen.is_none())
    {
        let again = format!("measure it: drydock defects {} --write", defect.variant);
        let known = measured
            .get(defect.variant)
            .unwrap_or_else(|| panic!("{} has no row; {again}", defect.variant));
        assert!(
            scenarios.iter().any(|scenario| scenario.name == known.scenario),
            "{}: there is no scenario {}; {again}",
            defect.variant,
            known.scenario
        );
        assert!(known.found > 0, "{} is not found; {again}", defect.variant);
        let caught = defect
            .invariants
            .iter()
            .any(|must| known.violated.contains_key(*must));
        assert!(
            caught,
            "{} is caught by none of {:?}; {again}",
            defect.variant, defect.invariants
        );
        let within = |probability| seeds_until(known.rate().share(), probability).unwrap_or(u64::MAX);
        assert!(
            within(0.5) <= 200 && within(0.95) <= 2_000,
            "{} is found too late; {again}",
            defect.variant
        );
    }
}

#[test]
fn what_was_measured_is_planted() {
    let planted = LanesWorld::planted();
    for known in measured().defects {
        assert!(
            planted.iter().any(|defect| defect.variant == known.name),
            "{} of {} is no defect any more: take it out",
            known.name,
            file_of(LanesWorld::NAME)
        );
    }
}

/// How many invariants a plain `cargo test` asks; the gate asks all.
const ASKED: usize = 6;

/// Has some invariants find their defects, by worlds that are handed over first; each may be missed with one in ten, and
/// with a hundredth of that in the gate.
fn sampled(most: usize, hand_over: &(impl Fn(&mut LanesWorld) + Sync)) -> Vec<Witnessed> {
    let (measured, scenarios) = (measured(), scenarios());
    let settings = Settings {
        one_in: 10,
        most,
        jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
    };
    sample::<LanesWorld>(&measured, &scenarios, settings, &Nobody, hand_over)
}

#[test]
#[ignore = "minutes: cargo test --release -p tests --test lanes_defects -- --ignored"]
fn an_intact_checker_finds_the_sample() {
    let sampled = sampled(ASKED, &|_| {});
    assert_eq!(
        sampled.len(),
        ASKED,
        "so many invariants have a defect that asks them"
    );
    let missed: Vec<_> = sampled
        .iter()
        .filter(|witnessed| witnessed.found.is_none())
        .collect();
    assert!(missed.len() <= 2, "{missed:#?}");
}

#[test]
#[ignore = "minutes: cargo test --release -p tests --test lanes_defects -- --ignored"]
fn a_check_that_always_holds_finds_nothing() {
    let sampled = sampled(ASKED, &|world| world.judge_only(&BTreeSet::new()));
    assert_eq!(
        sampled.len(),
        ASKED,
        "so many invariants have a defect that asks them"
    );
    for witnessed in sampled {
        assert_eq!(
            witnessed.found, None,
            "{} is not checked, and finds something",
            witnessed.invariant
        );
    }
}

#[test]
#[ignore = "minutes: cargo test --release -p tests --test lanes_defects -- --ignored"]
fn an_oracle_whose_feed_is_cut_misses_some() {
    let deaf = sampled(usize::MAX, &LanesWorld::deafen);
    assert!(
        deaf.iter().any(|witnessed| witnessed.found.is_none()),
        "a world that hears nothing finds all that one finds which hears"
    );
}

const BEGIN: &str = "<!-- generated: drydock defects --tables -->\n";
const END: &str = "<!-- end of what is generated -->";

/// With `DRYDOCK_BLESS=1` they are written anew.
#[test]
fn the_tables_of_the_readme_are_those_of_the_catalogue() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
    let text = fs::read_to_string(path).expect("README.md is there");
    let (before, rest) = text
        .split_once(BEGIN)
        .expect("README.md has the mark of the tables");
    let (kept, after) = rest
        .split_once(END)
        .expect("README.md has the mark behind the tables");
    let fresh = format!(
        "\n{}\n",
        tables(&LanesWorld::planted(), LanesWorld::not_planted(), &measured())
    );
    if pieces::blesses() {
        fs::write(path, format!("{before}{BEGIN}{fresh}{END}{after}")).expect("README.md is written");
        return;
    }
    assert!(
        kept == fresh,
        "the tables are old: DRYDOCK_BLESS=1 cargo test -p tests --test lanes_defects the_tables"
    );
}
