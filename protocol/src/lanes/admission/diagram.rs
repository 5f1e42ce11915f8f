//! The stages as a graph, and as the picture of it that the documentation shows.

use std::fmt::Write as _;

use petgraph::graph::DiGraph;

use super::{Stage, can_transition};

/// The stages and the legal moves between them.
pub type StageGraph = DiGraph<Stage, ()>;

/// The graph of a rule of moves, with the stages in their order as nodes.
pub fn stage_graph(can_transition: fn(Stage, Stage) -> bool) -> StageGraph {
    let mut graph = StageGraph::new();
    let nodes = Stage::ALL.map(|stage| graph.add_node(stage));
    for from in nodes {
        for to in nodes {
            if can_transition(graph[from], graph[to]) {
                graph.add_edge(from, to, ());
            }
        }
    }
    graph
}

/// A graph of stages as a Mermaid state diagram; a new lane enters at CREATED.
pub fn mermaid(graph: &StageGraph) -> String {
    let mut text = String::from("stateDiagram-v2\n    [*] --> CREATED\n");
    for edge in graph.edge_indices() {
        if let Some((from, to)) = graph.edge_endpoints(edge) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "    {} --> {}", graph[from], graph[to]);
        }
    }
    text
}

/// The page of the documentation that shows the documented stages. The suite renews it
/// under `DRYDOCK_BLESS=1` and fails when it is stale.
pub fn diagram_page() -> String {
    let graph = stage_graph(can_transition);
    let moves = graph.edge_count();
    let diagram = mermaid(&graph);
    format!(
        "The {} stages of a lane and the {moves} moves between them (`lanes.md` 6).\n\n```mermaid\n{diagram}```\n",
        graph.node_count()
    )
}
