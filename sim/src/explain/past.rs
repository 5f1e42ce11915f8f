//! What came before what: the happens-before graph of a run, and the causal past of a step.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::toposort;
use petgraph::algo::tred::{dag_to_toposorted_adjacency_list, dag_transitive_reduction_closure};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, IntoNeighbors as _, Reversed};

use super::account::{Account, Arrow};
use crate::kernel::StepId;

/// The happens-before graph of a run's steps.
#[derive(Clone, Debug, Default)]
pub struct Past {
    graph: DiGraph<StepId, Arrow>,
    nodes: BTreeMap<StepId, NodeIndex>,
}

impl Past {
    /// The graph of all that happened. `acted` is in which step each item of the plan had its turn.
    #[must_use]
    pub fn of(account: &Account, acted: &BTreeMap<u32, StepId>) -> Self {
        let mut past = Past::default();
        for step in account.steps.keys().chain(acted.values()) {
            past.node(*step);
        }
        for (from, to, arrow) in &account.arrows {
            past.arrow(*from, *to, *arrow);
        }
        for (item, step) in &account.roots {
            if let Some(acted) = acted.get(item).filter(|acted| *acted < step) {
                past.arrow(*acted, *step, Arrow::Plan);
            }
        }
        past
    }

    fn node(&mut self, step: StepId) -> NodeIndex {
        *self
            .nodes
            .entry(step)
            .or_insert_with(|| self.graph.add_node(step))
    }

    fn arrow(&mut self, from: StepId, to: StepId, arrow: Arrow) {
        // What left before the plan's time began has no step here.
        if let (Some(from), Some(to)) = (self.nodes.get(&from), self.nodes.get(&to)) {
            self.graph.update_edge(*from, *to, arrow);
        }
    }

    /// These steps, and all that they depend on.
    #[must_use]
    pub fn before(&self, steps: &BTreeSet<StepId>) -> BTreeSet<StepId> {
        let backwards = Reversed(&self.graph);
        let mut search = Dfs::empty(backwards);
        search
            .stack
            .extend(steps.iter().filter_map(|step| self.nodes.get(step)));
        let mut found = BTreeSet::new();
        while let Some(node) = search.next(backwards) {
            found.insert(self.graph[node]);
        }
        found
    }

    /// Which of these steps depend on which, with no more arrows than that takes: each as its place in the list.
    #[must_use]
    pub fn among(&self, steps: &[StepId]) -> Vec<(usize, usize)> {
        let mut dependencies: DiGraph<usize, ()> = DiGraph::new();
        let nodes: Vec<_> = (0..steps.len()).map(|at| dependencies.add_node(at)).collect();
        for (to, step) in steps.iter().enumerate() {
            let before = self.before(&BTreeSet::from([*step]));
            for (from, other) in steps.iter().enumerate() {
                // Several lines can be of one step.
                if other < step && before.contains(other) {
                    dependencies.add_edge(nodes[from], nodes[to], ());
                }
            }
        }
        let order = toposort(&dependencies, None).expect("no step comes before itself");
        let (sorted, _) = dag_to_toposorted_adjacency_list::<_, NodeIndex>(&dependencies, &order);
        let (reduced, _) = dag_transitive_reduction_closure(&sorted);
        let mut arrows = Vec::new();
        for from in reduced.node_indices() {
            for to in (&reduced).neighbors(from) {
                arrows.push((order[from.index()].index(), order[to.index()].index()));
            }
        }
        arrows.sort_unstable();
        arrows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(arrows: &[(u64, u64)]) -> Past {
        let mut past = Past::default();
        for (from, to) in arrows {
            past.node(StepId(*from));
            past.node(StepId(*to));
            past.arrow(StepId(*from), StepId(*to), Arrow::Message);
        }
        past
    }

    #[test]
    fn two_lines_of_one_step_do_not_come_before_each_other() {
        let past = past(&[(1, 2), (2, 3)]);
        let steps = [1, 2, 2, 3].map(StepId);
        let arrows = past.among(&steps);
        assert_eq!(arrows, [(0, 1), (0, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn only_what_leads_there_is_the_past() {
        let past = past(&[(1, 3), (2, 4), (3, 5), (3, 6)]);
        let before = past.before(&BTreeSet::from([StepId(5)]));
        assert_eq!(before, BTreeSet::from([1, 3, 5].map(StepId)));
    }

    #[test]
    fn arrows_that_follow_from_others_are_left_out() {
        let past = past(&[(1, 2), (2, 3), (1, 3), (3, 4), (1, 4)]);
        let shown = [1, 2, 4].map(StepId);
        assert_eq!(past.among(&shown), [(0, 1), (1, 2)], "2 leads to 4 by way of 3");
    }
}
