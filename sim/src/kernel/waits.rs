//! The wait-for graph: which task waits for which other one, by way of gates, joins and calls.
//!
//! A circle in it never ends by itself: only a fault can break it. At rest there must be no task either that waits for
//! what nothing brings any more, as for a gate whose holder is gone.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeRef as _, Reversed};
use protocol::host::{CallId, Label, TaskId, Text};
use protocol::task::Waiting;

use super::incarnation::{Incarnation, Life};
use super::party::{CallerRef, Delivery, Output, PartyId, ReplyTo, Sent};
use super::storage::Store;
use super::wide::Guest;
use super::{Kernel, Pending};

/// One task that waits for another, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Whose task it is.
    pub who: Text,
    /// Which.
    pub task: TaskId,
    /// What it waits for.
    pub link: Link,
    /// Whose task brings that, and which; none where nobody does.
    pub on: Option<(Text, TaskId)>,
}

/// What ties a task to the one that it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// The other holds this gate.
    Gate(Label),
    /// It waits for the other's end.
    Join,
    /// The other works at the answer of the call that was made here.
    Call(Label),
    /// The call that was made here waits until the other leaves its critical section.
    Section(Label),
    /// The first answer of several calls.
    First,
}

/// A task of an incarnation.
type Node = (PartyId, u32, TaskId);

/// Something that an incarnation has begun.
type Begun = (PartyId, u32, CallId);

/// Where the answer to something comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// This task works at it.
    Task(Node),
    /// It has not begun, as this task is in a critical section.
    Section(Node),
    /// It is on its way, or will be without anybody's doing.
    Coming,
}

/// All waits of an instant.
#[derive(Default)]
struct Graph {
    graph: DiGraph<Node, Link>,
    nodes: BTreeMap<Node, NodeIndex>,
    /// The tasks that wait.
    waiting: BTreeMap<Node, Link>,
    /// The tasks that go on by themselves.
    hopeful: BTreeSet<Node>,
}

impl Graph {
    fn node(&mut self, node: Node) -> NodeIndex {
        let graph = &mut self.graph;
        *self.nodes.entry(node).or_insert_with(|| graph.add_node(node))
    }

    fn wait(&mut self, node: Node, link: Link, on: Option<Node>) {
        self.waiting.insert(node, link);
        let from = self.node(node);
        if let Some(on) = on {
            let to = self.node(on);
            self.graph.add_edge(from, to, link);
        }
    }

    /// The tasks of a circle, each with the one that it waits for. One that waits for the first of several answers is
    /// in none: another one may come.
    fn circle(&self) -> Option<Vec<(Node, Link, Node)>> {
        let strict = self.graph.filter_map(
            |_, node| Some(*node),
            |_, link| (*link != Link::First).then_some(*link),
        );
        let is_circle = |component: &Vec<NodeIndex>| {
            component.len() > 1 || strict.contains_edge(component[0], component[0])
        };
        let found: BTreeSet<Node> = tarjan_scc(&strict)
            .into_iter()
            .filter(is_circle)
            .map(|component| component.into_iter().map(|at| strict[at]).collect())
            .min()?;
        // Each task waits for one other, so that from any of them on there is one way around.
        let first = *found.first()?;
        let mut around = Vec::new();
        let mut at = first;
        loop {
            let edge = strict
                .edges(self.nodes[&at])
                .find(|edge| found.contains(&strict[edge.target()]))?;
            let next = strict[edge.target()];
            around.push((at, *edge.weight(), next));
            if next == first {
                return Some(around);
            }
            at = next;
        }
    }

    /// A task that waits, and that nothing has go on, with what it waits for.
    fn stuck(&self) -> Option<(Node, Link, Option<Node>)> {
        let backwards = Reversed(&self.graph);
        let mut search = Dfs::empty(backwards);
        search
            .stack
            .extend(self.hopeful.iter().filter_map(|node| self.nodes.get(node)));
        let mut goes_on = BTreeSet::new();
        while let Some(at) = search.next(backwards) {
            goes_on.insert(self.graph[at]);
        }
        let waits = self.waiting.iter().filter(|(node, _)| !goes_on.contains(*node));
        // The end of a chain says more than its beginning.
        let mut stuck = waits.map(|(node, link)| {
            let edge = self.graph.edges(self.nodes[node]).next();
            let on = edge.map(|edge| self.graph[edge.target()]);
            (
                on.is_some_and(|on| self.waiting.contains_key(&on)),
                *node,
                *link,
                on,
            )
        });
        let mut first = stuck.next()?;
        for other in stuck {
            if first.0 && !other.0 {
                first = other;
            }
        }
        let (_, node, link, on) = first;
        Some((node, link, on))
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Tasks that wait for one another, each for the next one and the last one for the first.
    #[must_use]
    pub fn deadlock(&self) -> Option<Vec<Wait>> {
        // Calls alone make no circle: what answers one is a task of its own.
        let in_sections = self
            .incarnations()
            .any(|(_, incarnation)| !incarnation.sections.is_empty());
        let graph = self
            .wait_graph(|waiting| in_sections || matches!(waiting, Waiting::Gate(..) | Waiting::Task(_)))?;
        let around = graph.circle()?.into_iter();
        Some(
            around
                .map(|(node, link, on)| self.told(node, link, Some(on)))
                .collect(),
        )
    }

    /// A task that waits for what nothing brings any more. To be asked when a world is at rest.
    #[must_use]
    pub fn waits_in_vain(&self) -> Option<Wait> {
        let graph = self.wait_graph(|_| true)?;
        let (node, link, on) = graph.stuck()?;
        let waits_on = on.filter(|on| graph.waiting.contains_key(on));
        Some(self.told(node, link, waits_on))
    }

    fn told(&self, (party, _, task): Node, link: Link, on: Option<Node>) -> Wait {
        Wait {
            who: self.party(party).who.clone(),
            task,
            link,
            on: on.map(|(party, _, task)| (self.party(party).who.clone(), task)),
        }
    }

    /// All waits; none where no task waits in such a way.
    fn wait_graph(&self, matters: impl Fn(&Waiting<'_>) -> bool) -> Option<Graph> {
        let mut waits = Vec::new();
        for (id, incarnation) in self.incarnations() {
            let code = self.deployment.version(incarnation.version);
            let of_it = match &incarnation.life {
                Some(Life::Object(object)) => code.waits(object),
                Some(Life::Front(front)) => code.front_waits(front),
                None => Vec::new(),
            };
            waits.extend(
                of_it
                    .into_iter()
                    .map(|(task, waiting)| ((id, incarnation.number, task), waiting)),
            );
        }
        if !waits.iter().any(|(_, waiting)| matters(waiting)) {
            return None;
        }
        let sources = self.sources();
        let mut graph = Graph::default();
        for (node, waiting) in waits {
            let (party, incarnation, _) = node;
            let beside = |task| (party, incarnation, task);
            let source = |call: &CallId| sources.get(&(party, incarnation, *call)).copied();
            match waiting {
                Waiting::Gate(gate, holder) => graph.wait(node, Link::Gate(gate), holder.map(beside)),
                Waiting::Task(other) => graph.wait(node, Link::Join, Some(beside(other))),
                Waiting::Call(call, label) => match source(&call) {
                    Some(Source::Task(on)) => graph.wait(node, Link::Call(label), Some(on)),
                    Some(Source::Section(on)) => graph.wait(node, Link::Section(label), Some(on)),
                    Some(Source::Coming) => drop(graph.hopeful.insert(node)),
                    None => graph.wait(node, Link::Call(label), None),
                },
                Waiting::First(calls) => {
                    graph.wait(node, Link::First, None);
                    for call in calls {
                        match source(call) {
                            Some(Source::Task(on) | Source::Section(on)) => {
                                graph.wait(node, Link::First, Some(on));
                            }
                            Some(Source::Coming) => drop(graph.hopeful.insert(node)),
                            None => {}
                        }
                    }
                }
            }
        }
        for node in graph.hopeful.clone() {
            graph.node(node);
        }
        self.note_busy(&mut graph);
        Some(graph)
    }

    /// A task that is waited for and waits for nothing goes on by itself, where code of its incarnation is to run yet.
    fn note_busy(&self, graph: &mut Graph) {
        let idle = graph
            .nodes
            .keys()
            .filter(|node| !graph.waiting.contains_key(*node))
            .copied();
        let busy: Vec<Node> = idle
            .filter(|(party, incarnation, _)| {
                let incarnation = self.party(*party).incarnation(*incarnation);
                incarnation.is_some_and(|of_it| of_it.holding.is_some() || !of_it.waiting.is_empty())
            })
            .collect();
        graph.hopeful.extend(busy);
    }

    fn incarnations(&self) -> impl Iterator<Item = (PartyId, &Incarnation<P>)> {
        (0_u32..).map(PartyId).zip(&self.parties).flat_map(|(id, party)| {
            let all = party.stale.iter().chain([&party.current]);
            all.map(move |incarnation| (id, incarnation))
        })
    }

    /// Where the answers to what was begun come from.
    fn sources(&self) -> BTreeMap<Begun, Source> {
        let mut sources = BTreeMap::new();
        for (id, incarnation) in self.incarnations() {
            note_incarnation(id, incarnation, &mut sources);
        }
        for (id, party) in (0_u32..).map(PartyId).zip(&self.parties) {
            let unconfirmed = party.storage.iter().flat_map(|storage| &storage.unconfirmed);
            for held in unconfirmed.flat_map(|commit| &commit.held) {
                note_output(id, party.current.number, &held.output, &mut sources);
            }
        }
        for (_, pending) in self.queue.in_order() {
            if let Pending::Arrival(_, sent) = pending {
                note_sent(sent, Source::Coming, &mut sources);
            }
        }
        for parked in self.troubles.values().flat_map(super::trouble::Standing::parked) {
            note_sent(&parked.sent, Source::Coming, &mut sources);
        }
        // Who has subscribed waits for as long as nobody publishes.
        for reader in self.broker.readers() {
            sources.insert(begun(reader), Source::Coming);
        }
        sources
    }
}

fn begun(caller: &CallerRef) -> Begun {
    (caller.party, caller.incarnation, caller.call)
}

fn note_incarnation<P: Guest>(
    id: PartyId,
    incarnation: &Incarnation<P>,
    sources: &mut BTreeMap<Begun, Source>,
) {
    for (task, entry) in (0_u32..).map(TaskId).zip(&incarnation.tasks) {
        let reply_to = entry.as_ref().and_then(|entry| entry.reply_to.as_ref());
        if let Some(ReplyTo::Caller { caller, .. }) = reply_to {
            sources.insert(begun(caller), Source::Task((id, incarnation.number, task)));
        }
    }
    for sent in &incarnation.waiting {
        let section = incarnation
            .sections
            .last()
            .filter(|_| incarnation.holding.is_none() && !incarnation.admits(&sent.delivery));
        let source = section.map_or(Source::Coming, |section| {
            Source::Section((id, incarnation.number, section.task))
        });
        note_sent(sent, source, sources);
    }
    for held in incarnation.holding.iter().flat_map(|turn| &turn.outputs) {
        note_output(id, incarnation.number, &held.output, sources);
    }
}

/// What is sent answers a call, or has something begin that will.
fn note_sent(sent: &Sent, source: Source, sources: &mut BTreeMap<Begun, Source>) {
    let caller = match &sent.delivery {
        Delivery::Request {
            reply_to: ReplyTo::Caller { caller, .. },
            ..
        } => caller,
        Delivery::Answer { to, .. } => to,
        Delivery::Request { .. } | Delivery::Alarm(_) | Delivery::Cancel { .. } => return,
    };
    sources.insert(begun(caller), source);
}

/// What is held back leaves when its turn or its commit is done.
fn note_output(id: PartyId, incarnation: u32, output: &Output, sources: &mut BTreeMap<Begun, Source>) {
    let begun = match output {
        Output::Reply {
            to: ReplyTo::Caller { caller, .. },
            ..
        } => begun(caller),
        Output::Call { call, .. } | Output::Put { call, .. } | Output::Service { call, .. } => {
            (id, incarnation, *call)
        }
        Output::Reply { .. } | Output::Act(_) => return,
    };
    sources.insert(begun, Source::Coming);
}
