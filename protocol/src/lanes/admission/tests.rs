use std::hash::BuildHasherDefault;

use petgraph::algo::all_simple_paths;
use proptest::prelude::*;
use xxhash_rust::xxh3::Xxh3Default;

use super::*;
use crate::lanes::meta::Write;
use crate::lanes::rules::Rules;

const RULES: &Rules = &Rules::DOCUMENTED;

#[test]
fn the_graph_is_the_rule() {
    let graph = stage_graph(can_transition);
    for from in graph.node_indices() {
        for to in graph.node_indices() {
            assert_eq!(
                graph.contains_edge(from, to),
                can_transition(graph[from], graph[to])
            );
        }
    }
}

/// There is one way for a new lane to serve, and it leaves no stage out.
#[test]
fn one_way_leads_to_serving() {
    let graph = stage_graph(can_transition);
    let node = |stage| {
        graph
            .node_indices()
            .find(|node| graph[*node] == stage)
            .expect("a stage")
    };
    let ways: Vec<Vec<_>> = all_simple_paths::<Vec<_>, _, BuildHasherDefault<Xxh3Default>>(
        &graph,
        node(Stage::Created),
        node(Stage::Serving),
        0,
        None,
    )
    .map(|way| way.into_iter().map(|node| graph[node]).collect())
    .collect();
    assert_eq!(ways, [Stage::ALL[..6].to_vec()]);
}

#[test]
fn every_pair_of_stages_moves_as_the_rule_says() {
    for from in Stage::ALL {
        for to in Stage::ALL {
            let wish = set_stage(RULES, &from.into(), &to.into());
            assert_eq!(wish.has_moved(), can_transition(from, to));
            assert_eq!(wish.write().is_some(), wish.has_moved());
            assert_eq!(
                wish.stage(),
                if wish.has_moved() { to.into() } else { from.into() }
            );
        }
    }
}

#[test]
fn what_a_lane_must_hold_is_what_the_log_carries() {
    assert_eq!(inconsistent_mandatory(), []);
}

#[test]
fn what_is_stored_is_a_stage() {
    assert_eq!(StageName::stored(None), Stage::Created.into());
    assert_eq!(StageName::stored(Some("")), Stage::Created.into());
    assert_eq!(StageName::stored(Some("ready")).known(), None);
}

fn any_stage() -> impl Strategy<Value = Stage> {
    prop::sample::select(Stage::ALL.to_vec())
}

proptest! {
    /// Whatever is asked of a lane, it serves only when it was CREATED and went through every stage since.
    #[test]
    fn every_path_to_serving_passes_every_stage(wishes in prop::collection::vec(any_stage(), 0..40)) {
        let (mut at, mut passed) = (StageName::from(Stage::Created), vec![Stage::Created]);
        for wish in wishes {
            if let Move::Moved(stage) = set_stage(RULES, &at, &wish.into()) {
                at = stage.into();
                if stage == Stage::Created {
                    passed.clear();
                }
                passed.push(stage);
            }
        }
        if at == Stage::Serving.into() {
            prop_assert_eq!(passed, Stage::ALL[..6].to_vec());
        }
    }

    #[test]
    fn any_text_names_a_stage_or_none(text in ".{0,12}") {
        let name = StageName::of(&text);
        prop_assert_eq!(name.as_str(), text.as_str());
        if name.known().is_none() {
            for stage in Stage::ALL {
                prop_assert!(!set_stage(RULES, &name, &stage.into()).has_moved());
                prop_assert!(!set_stage(RULES, &stage.into(), &name).has_moved());
            }
        }
    }
}

#[test]
fn a_move_is_written_under_its_key() {
    let written = set_stage(RULES, &Stage::Created.into(), &Stage::Restoring.into()).write();
    assert_eq!(
        written,
        Some(Write::Meta(crate::lanes::meta::Key::STAGE, "RESTORING".into()))
    );
}
