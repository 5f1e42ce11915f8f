//! Deliveries: what reaches a party has its turn, at once or when the thread is free (`platform.md` section 2).

use protocol::host::{Event, Text};
use protocol::task::Program;

use super::choice::{Purpose, Source};
use super::commit::TurnEnd;
use super::party::{Alarm, Delivery, Life, PartyId, ReplyTo, Sent};
use super::storage::{Store, Surroundings};
use super::time::Micros;
use super::turn::{Database, Turn};
use super::watch::{Observed, Observer, StepId, What};
use super::{Kernel, Pending};

impl<P: Program, S: Store> Kernel<P, S> {
    /// Something has reached a party: it has its turn, or waits until the thread is free.
    pub(super) fn arrive(&mut self, id: PartyId, sent: Sent, watch: &mut dyn Observer) {
        let party = self.party_mut(id);
        if party.waiting.is_empty() && party.holding.is_none() {
            self.turn(id, sent, watch);
        } else {
            party.waiting.push_back(sent);
        }
    }

    /// The code that held a party's thread has done.
    pub(super) fn done(&mut self, id: PartyId, incarnation: u32, watch: &mut dyn Observer) {
        let party = self.party_mut(id);
        if party.incarnation == incarnation
            && let Some(turn) = party.holding.take()
        {
            self.end_turn(id, turn, watch);
            self.free(id, watch);
        }
    }

    /// A party's thread is free: the first that waits for it has its turn.
    pub(super) fn free(&mut self, id: PartyId, watch: &mut dyn Observer) {
        let party = self.party_mut(id);
        if party.holding.is_some() {
            return;
        }
        if let Some(sent) = party.waiting.pop_front() {
            self.turn(id, sent, watch);
        }
        let party = self.party(id);
        if let (None, Some(next)) = (&party.holding, party.waiting.front()) {
            let origin = next.origin;
            self.schedule(self.now, origin, Pending::Free(id));
        }
    }

    /// One turn of a party's code.
    fn turn(&mut self, id: PartyId, sent: Sent, watch: &mut dyn Observer) {
        let Some((event, reply_to)) = self.admit(id, sent.delivery) else {
            return;
        };
        self.turns += 1;
        let step = StepId(self.steps);
        let who = self.party(id).who.clone();
        let party = &mut self.parties[id.0 as usize];
        let life = party.life.get_or_insert_with(|| match &party.address {
            Some((namespace, _)) => {
                let object = self.program.object(namespace);
                Life::Object(object.expect("an object was made in a namespace that the program has"))
            }
            None => Life::Front(self.program.front()),
        });
        let what = What::Delivered {
            incarnation: party.incarnation,
            event: &event,
            cause: sent.cause,
            origin: self.chance.origin_of(sent.origin),
        };
        watch.observe(&Observed {
            step,
            at: self.now,
            who: &who,
            what,
        });
        let surroundings = Surroundings {
            now: self.now.shown(),
            entropy: self.chance.choose(
                Purpose::Entropy,
                Source {
                    origin: sent.origin,
                    place: party.place,
                },
                &Text::new_static("sql"),
                u64::MAX,
            ),
        };
        let mut turn = Turn {
            step,
            started: self.now,
            worked: Micros::ZERO,
            who: &who,
            name: party.address.as_ref().map(|(_, name)| name),
            database: party
                .storage
                .as_mut()
                .map(|storage| Database::new(storage, surroundings)),
            chance: &mut self.chance,
            origin: sent.origin,
            origins: &mut party.origins,
            replies: &mut party.replies,
            stubs: &mut party.stubs,
            reply_to,
            place: party.place,
            running: None,
            outputs: Vec::new(),
            aborted: None,
            watch: &mut *watch,
        };
        match life {
            Life::Object(object) => self.program.deliver(object, event, &mut turn),
            Life::Front(front) => self.program.deliver_front(front, event, &mut turn),
        };
        let (worked, origin) = (turn.worked, sent.origin);
        let undo = turn.database.as_ref().and_then(|database| database.undo);
        let end = TurnEnd {
            undo,
            outputs: turn.outputs,
            aborted: turn.aborted,
            origin,
        };
        if worked == Micros::ZERO {
            self.end_turn(id, end, watch);
        } else {
            let incarnation = party.incarnation;
            party.holding = Some(end);
            self.schedule(self.now.after(worked), origin, Pending::Done(id, incarnation));
        }
    }

    /// The event that a delivery is to the incarnation that is there now; none where it was meant for an earlier one.
    fn admit(&mut self, id: PartyId, delivery: Delivery) -> Option<(Event, Option<ReplyTo>)> {
        let party = self.party_mut(id);
        match &delivery {
            Delivery::Answer { to, .. } if to.incarnation != party.incarnation || party.life.is_none() => {
                None
            }
            Delivery::Answer {
                to,
                outcome,
                connection,
            } => {
                let waited_for = self.land(to, outcome.as_ref().err(), *connection);
                waited_for.then(|| (delivery.event(&Alarm::default()), None))
            }
            Delivery::Alarm { armed, .. } => {
                let alarm = &mut party.storage.as_mut()?.alarm;
                if *armed != alarm.armed || alarm.running.is_some() {
                    return None;
                }
                let event = delivery.event(alarm);
                alarm.begin_run();
                Some((event, Some(ReplyTo::Alarm)))
            }
            Delivery::Request { reply_to, .. } => {
                Some((delivery.event(&Alarm::default()), Some(reply_to.clone())))
            }
        }
    }
}
