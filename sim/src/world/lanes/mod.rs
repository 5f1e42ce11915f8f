//! The world of replica lanes: a site with its primary and lanes, fronts, visitors, an operator, and what is true.

#[cfg(feature = "arbitrary")]
mod arbitrary;
mod forge;
mod generate;
pub mod invariants;
mod judge;
mod plainer;
mod setup;
mod shape;
pub mod truth;
mod variants;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use protocol::host::{Label, ObjectName, Outcome, Request, Shared, Text};
use protocol::lanes::Lanes;
use protocol::lanes::defects::ABSENT;
use protocol::lanes::meta::Key;
use protocol::lanes::object::SITE;
use protocol::lanes::operator::Operate;
use protocol::lanes::{front, object};
use protocol::number::Number;
use protocol::task::{Program, Waiting};

use super::{Phrase, PlanOf, Planted, Variant, World};
use crate::check::{Invariant, Measures, Violation};
use crate::kernel::storage::Store;
use crate::kernel::{Deployment, Kernel, Observed, PartyId};
use crate::plan::PlanError;
use crate::scenario::Scenario;
use invariants::{CHECKS, INVARIANTS, Stand};
use truth::Truth;
use truth::clients::{Attempt, Told};
use truth::standing::Standing;
use truth::wire::{Heard, Wire};

pub use generate::Generate;
pub use shape::{Forged, Operated, Operation, Shape, Variable};

/// A site, and what is true of it.
#[derive(Clone, Debug)]
pub struct LanesWorld {
    primary: PartyId,
    fronts: Vec<PartyId>,
    /// The objects of the site by the party that they are: 0 for the primary, else the lane's number.
    objects: BTreeMap<PartyId, u32>,
    truth: Truth,
    wire: Wire,
    /// What was heard of parties that had no turn since, by name.
    unheard: BTreeMap<Text, Vec<Heard>>,
    /// The chunks that the primary has posted to each lane.
    posted: BTreeMap<u32, Vec<Request>>,
    /// The invariants that are not judged.
    ignored: BTreeSet<&'static str>,
    /// How often each check has had a subject, in the order of [`CHECKS`].
    subjects: [u64; CHECKS.len()],
    /// What was violated, where a violation does not end the run.
    violated: Option<BTreeSet<&'static str>>,
    /// Whether it hears nothing of what happens.
    is_deaf: bool,
}

impl World for LanesWorld {
    const NAME: &'static str = "lanes";

    type Program = Lanes;
    type Shape = Shape;
    type Operation = Operation;
    type Scenario = Generate;

    fn variants() -> Vec<Variant> {
        variants::variants()
    }

    fn deployment(variant: &str) -> Option<Deployment<Lanes>> {
        variants::deployment(variant)
    }

    fn invariants() -> &'static [Invariant] {
        &INVARIANTS
    }

    fn planted() -> Vec<Planted> {
        variants::planted()
    }

    fn not_planted() -> &'static [(&'static str, &'static str)] {
        ABSENT
    }

    fn labels() -> Vec<Label> {
        object::labels::ALL
            .into_iter()
            .chain(front::labels::ALL)
            .collect()
    }

    fn phrase(label: Label) -> Option<Phrase> {
        words::phrase(label)
    }

    fn roles() -> &'static [&'static str] {
        &words::ROLES
    }

    fn role(who: &str) -> &'static str {
        words::role(who)
    }

    fn party_in_words(who: &str) -> String {
        words::party(who)
    }

    fn operation_in_words(operation: &Operation, shape: &Shape) -> (&'static str, String) {
        words::operation(operation, shape)
    }

    fn check(plan: &PlanOf<Self>) -> Result<(), PlanError> {
        plan.shape.check()?;
        plan.check()
    }

    fn check_operation(operation: &Operation) -> Result<(), PlanError> {
        operation.check()
    }

    fn check_scenario(generate: &Generate) -> Result<(), PlanError> {
        generate.check()
    }

    fn generate(scenario: &Scenario<Generate>, seed: u64) -> PlanOf<Self> {
        generate::generate(scenario, seed)
    }

    fn plainer_shapes(shape: &Shape) -> Vec<Shape> {
        plainer::shapes(shape)
    }

    fn plainer_operations(operation: &Operation) -> Vec<Operation> {
        plainer::operations(operation)
    }

    fn new<P: Program, S: Store>(plan: &PlanOf<Self>, kernel: &mut Kernel<P, S>) -> Self {
        let shape = &plan.shape;
        let name = ObjectName(shape.site.clone());
        let primary = kernel.object(&SITE, &name).expect("the program has sites");
        if shape.overrides {
            kernel.deploy_with(object::KV_OVERRIDES, "1");
        }
        setup::set_up(shape, &plan.knobs, primary, kernel);
        let mut world = LanesWorld {
            primary,
            fronts: (0..shape.fronts).map(|_| kernel.add_front()).collect(),
            objects: BTreeMap::new(),
            truth: Truth::new(shape.site.clone()),
            wire: Wire::default(),
            unheard: BTreeMap::new(),
            posted: BTreeMap::new(),
            ignored: BTreeSet::new(),
            subjects: [0; CHECKS.len()],
            violated: None,
            is_deaf: false,
        };
        let reached: Vec<PartyId> = kernel.objects().map(|(_, _, party)| party).collect();
        for party in reached {
            let Some(number) = world.number(party, kernel) else {
                continue;
            };
            let standing = Standing::of(kernel, party);
            world.truth.found(number, standing);
        }
        world.truth.now = kernel.now();
        world.truth.clock_skew = plan.knobs.clock_skew;
        world.truth.lateness = plan.knobs.alarm_lateness.most.after(plan.knobs.alarm_sync.most);
        world.truth.begin();
        world
    }

    fn perform<P: Program, S: Store>(
        &mut self,
        item: u32,
        operation: &Operation,
        kernel: &mut Kernel<P, S>,
    ) -> Option<()> {
        // A plan that was shrunk, or written by hand, can name what is not there: then nobody acts.
        match operation {
            Operation::Visit {
                front,
                ask,
                visitor,
                token,
            } => {
                let front = self.fronts.get(*front as usize).copied()?;
                let attempt = Attempt {
                    ask: ask.clone(),
                    visitor: visitor.clone(),
                    token: token.clone(),
                    sent: kernel.now(),
                    arrivals: 0,
                    told: None,
                    ended: false,
                };
                self.truth.attempts.insert(item, attempt);
                kernel.send(item, front, ask.request(&self.truth.site, visitor, token));
            }
            Operation::LateChunk {
                lane,
                nth,
                from_the_last,
            } => {
                let posted = self.posted.get(lane).map_or(&[][..], Vec::as_slice);
                let chunk = (*nth as usize)
                    .checked_rem(posted.len())
                    .and_then(|at| match from_the_last {
                        true => posted.iter().nth_back(at),
                        false => posted.get(at),
                    })
                    .cloned()?;
                let to = self.lane(*lane, kernel)?;
                kernel.send(item, to, chunk);
            }
            Operation::Forge { lane, forged } => {
                let to = self.lane(*lane, kernel)?;
                let standing = self.truth.standing(*lane);
                let applied = standing.map_or(Number::ZERO, |lane| lane.number(Key::APPLIED));
                kernel.send(item, to, forge::request(*forged, applied));
            }
            Operation::Recreate { lane } => {
                let name = Text::from(format!("{SITE}/{}#r{lane}", self.truth.site));
                let old = kernel.object_named(&name)?;
                kernel.recreate(item, old);
                let readmit = Operate::Readmit { lane: (*lane).into() };
                kernel.send(item, self.primary, readmit.direct());
            }
            Operation::Set { variable, value } => {
                kernel.configure(Shared::Kv, &variable.key(), value.as_deref());
            }
            Operation::Operate { on, operate } => {
                let to = match on {
                    Operated::Front(front) => self.fronts.get(*front as usize).copied(),
                    Operated::Primary => Some(self.primary),
                    Operated::Lane(lane) => self.lane(*lane, kernel),
                };
                let request = Operation::operators_request(on, operate, &self.truth.site);
                kernel.send(item, to?, request?);
            }
        }
        Some(())
    }

    fn hear(&mut self, seen: &Observed<'_>) {
        if !self.is_deaf {
            self.wire.hear(seen);
        }
    }

    fn answered<P: Program, S: Store>(
        &mut self,
        item: u32,
        outcome: &Outcome,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        self.truth.now = kernel.now();
        let told = match outcome {
            Ok(Some(response)) => Told::of(response.status),
            Ok(None) | Err(_) => Told::Unknown,
        };
        let Some(attempt) = self.truth.attempts.get_mut(&item) else {
            return Ok(());
        };
        attempt.told = Some(told);
        attempt.ended = true;
        let attempt = attempt.clone();
        self.truth.note_acknowledged(&attempt);
        let client = |_: &Truth| Some(Text::new_static(invariants::CLIENT));
        self.judge(client, |check, truth| match check {
            Stand::Told(check) => Some(check(truth, &attempt)),
            _ => None,
        })
    }

    fn left(&mut self, item: u32) {
        if let Some(attempt) = self.truth.attempts.get_mut(&item) {
            attempt.ended = true;
        }
    }

    fn moved<P: Program, S: Store>(
        &mut self,
        party: PartyId,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        self.truth.now = kernel.now();
        self.truth.troubled = self.wire.troubled;
        let heard = self.wire.take();
        let number = self.number(party, kernel);
        let who = kernel.who(party).clone();
        let mut called = Vec::new();
        for (by, heard) in heard {
            match heard {
                Heard::Arrived { item } => {
                    if let Some(attempt) = self.truth.attempts.get_mut(&item) {
                        attempt.arrivals += 1;
                        self.truth.effects.arrived(attempt);
                    }
                }
                Heard::Called(call) => {
                    if call.label == object::labels::POST_CHUNK
                        && let Some(lane) = self.truth.number_of(&call.to.0)
                    {
                        self.posted.entry(lane).or_default().push(call.request.clone());
                    }
                    called.push(call);
                }
                heard => {
                    // What has left the platform is done, whoever holds the thread: clients may be told so by now.
                    if let Heard::Acted(act) = &heard {
                        self.truth.effects.acted(act);
                    }
                    self.unheard.entry(by).or_default().push(heard);
                }
            }
        }
        // Half a turn is nobody's truth: the step in which it ends comes.
        self.truth.mid_turn = number.filter(|_| kernel.is_mid_turn(party));
        if !kernel.is_mid_turn(party) {
            let own = self.unheard.remove(&who).unwrap_or_default();
            self.truth.overrides.heard(&who, &own, self.truth.now);
            match number {
                Some(number) => {
                    self.turned(number, party, own, kernel)?;
                    if number == 0 {
                        self.note_waiting(&who, kernel);
                    }
                }
                None => self.front_turned(&who, &own)?,
            }
        }
        for call in called {
            let caller = |_: &Truth| Some(call.who.clone());
            self.judge(caller, |check, truth| match check {
                Stand::Call(check) => Some(check(truth, &call)),
                _ => None,
            })?;
            self.truth.called(&call);
        }
        Ok(())
    }

    fn subjects(&self) -> BTreeMap<&'static str, u64> {
        let counts = CHECKS.iter().zip(self.subjects);
        counts.map(|(check, count)| (check.invariant.id, count)).collect()
    }

    fn judge_only(&mut self, invariants: &BTreeSet<&str>) {
        let all = CHECKS.iter().map(|check| check.invariant.id);
        self.ignored = all.filter(|id| !invariants.contains(id)).collect();
    }

    fn go_on(&mut self) {
        self.violated = Some(BTreeSet::new());
    }

    fn violated(&self) -> BTreeSet<&'static str> {
        self.violated.clone().unwrap_or_default()
    }

    fn measures(&self) -> Measures {
        self.truth.measures.clone()
    }

    fn settled<P: Program, S: Store>(&mut self, kernel: &mut Kernel<P, S>) -> Result<(), Violation> {
        self.truth.now = kernel.now();
        self.truth.at_rest = Some(truth::standing::Standing::of(kernel, self.primary));
        let nobody = |_: &Truth| None;
        self.judge(nobody, |check, truth| match check {
            Stand::Rest(check) => Some(check(truth)),
            _ => None,
        })
    }
}

impl LanesWorld {
    /// From now on it hears nothing: what an oracle is worth whose feed is cut.
    pub fn deafen(&mut self) {
        self.is_deaf = true;
    }

    /// A lane, if its number is one.
    fn lane<P: Program, S: Store>(&self, lane: u32, kernel: &mut Kernel<P, S>) -> Option<PartyId> {
        let name = ObjectName::new(format!("{}#r{lane}", self.truth.site));
        (lane > 0).then(|| kernel.object(&SITE, &name)).flatten()
    }

    /// Notes which requests wait for the primary's gate.
    fn note_waiting<P: Program, S: Store>(&mut self, who: &Text, kernel: &Kernel<P, S>) {
        let waits = kernel.waits_of(self.primary).into_iter();
        let at_gate = waits.filter_map(|(task, waiting)| {
            let waits = matches!(waiting, Waiting::Gate(gate, _) if gate == object::labels::GATE);
            waits.then_some(task)
        });
        let runs = self.wire.runs_of(who, at_gate);
        self.truth.demand.wait(runs);
    }

    /// The number of an object of the site; none for a front.
    fn number<P: Program, S: Store>(&mut self, party: PartyId, kernel: &Kernel<P, S>) -> Option<u32> {
        if party == self.primary {
            return Some(0);
        }
        if let Some(known) = self.objects.get(&party) {
            return Some(*known);
        }
        let number = self.truth.lane_of(kernel.who(party))?;
        self.objects.insert(party, number);
        Some(number)
    }
}
