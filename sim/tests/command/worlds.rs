//! Several worlds, one command: what belongs to which.

use super::{assert_ends, drydock, told};

#[test]
fn scenarios_variants_and_invariants_are_listed_by_world() {
    let text = told(&drydock(std::path::Path::new("."), &["list"]));
    let mut rest = text.as_str();
    for part in [
        "scenarios of lanes\n  lanes/",
        "variants of lanes\n  hardened ",
        "what must hold in lanes\n  LR-1 ",
        "scenarios of demonstration\n  demonstration ",
        "variants of demonstration\n  hardened ",
        "what must hold in demonstration\n  DM-1 ",
        "what must hold in any world\n  PANIC ",
    ] {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("expected {part:?} in the rest of:\n{text}");
        };
        rest = after;
    }
}

#[test]
fn a_trace_is_replayed_in_its_own_world() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (scenario, told) in [("chaos", "lanes/chaos · "), ("demonstration", "demonstration · ")] {
        let run = drydock(
            folder.path(),
            &[
                "run", scenario, "--seed", "1", "--store", "model", "--trace", "a.jsonl",
            ],
        );
        assert_ends(&run, 0, told);
        assert_ends(
            &drydock(folder.path(), &["replay", "a.jsonl", "--store", "model"]),
            0,
            told,
        );
    }
}

#[test]
fn a_variant_of_another_world_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = drydock(folder.path(), &["run", "chaos", "--variant", "gate-not-taken"]);
    assert_ends(
        &output,
        2,
        "there is no variant of lanes `gate-not-taken`\n  there is: hardened, documented,",
    );
}
