//! A publish/subscribe broker: whoever has subscribed to a topic by then is brought a message, once at most.
//!
//! A subscription is its reader's connection. It begins with the first read of a topic and ends with the incarnation
//! that reads, when the broker restarts, or when more messages wait than it keeps for a slow reader. Nobody is told which
//! messages were lost with it, nor that one was lost on its way.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};

use protocol::host::{Answer, CallError, Label, Text};

use super::calls::Leaving;
use super::choice::{Origin, OriginId, Purpose, Source};
use super::party::{CallerRef, Connection, PartyId};
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;
use super::{Kernel, Pending};

/// A topic, and the incarnation that has subscribed to it.
type Subscriber = (Text, PartyId, u32);

/// Who has subscribed to what.
#[derive(Clone, Debug, Default)]
pub(super) struct Broker(BTreeMap<Subscriber, Subscription>);

#[derive(Clone, Debug, Default)]
struct Subscription {
    /// The read that waits for the next message.
    reader: Option<CallerRef>,
    /// What waits for the next read, each with what it descends from.
    waiting: VecDeque<(Text, Leaving)>,
    /// When the last message arrives: they come in order.
    last: Micros,
    /// Whether it was ended because its reader was too slow, who has not been told yet.
    cut: bool,
}

impl Broker {
    /// An incarnation has ended, and its subscriptions with it.
    pub fn forget(&mut self, party: PartyId, incarnation: u32) {
        self.0
            .retain(|(_, of, number), _| (*of, *number) != (party, incarnation));
    }

    /// The reads that wait for a message.
    pub fn readers(&self) -> impl Iterator<Item = &CallerRef> {
        self.0
            .values()
            .filter_map(|subscription| subscription.reader.as_ref())
    }

    /// How many subscriptions there are, to see that they do not pile up.
    #[cfg(test)]
    pub fn subscriptions(&self) -> usize {
        self.0.len()
    }

    /// Hashes what decides what can happen from here on.
    pub fn hash_state(&self, now: Micros, hasher: &mut impl Hasher) {
        for (subscriber, subscription) in &self.0 {
            (subscriber, &subscription.reader, subscription.cut).hash(hasher);
            subscription.last.since(now).hash(hasher);
            for (message, leaving) in &subscription.waiting {
                (message, leaving.at.since(now)).hash(hasher);
            }
        }
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Waits for the next message on a topic, which is subscribed to from now on.
    pub(super) fn next_message(&mut self, reader: CallerRef, topic: Text, leaving: Leaving) {
        let subscriber = (topic, reader.party, reader.incarnation);
        let subscription = self.broker.0.entry(subscriber.clone()).or_default();
        if subscription.cut {
            self.broker.0.remove(&subscriber);
            let error = CallError::thrown("the broker has ended the subscription: its reader is too slow");
            let takes = self.service_time(leaving.origin, reader.label);
            self.answer(reader, Err(error), Connection::Stands, leaving.after(takes));
            return;
        }
        match subscription.waiting.pop_front() {
            None => subscription.reader = Some(reader),
            Some((message, brought)) => {
                let at = brought.at.max(leaving.at);
                self.bring(reader, message, Leaving { at, ..brought });
            }
        }
    }

    /// Brings a message to each subscriber of its topic, unless it is lost on the way.
    pub(super) fn publish(
        &mut self,
        publisher: PartyId,
        (topic, message): (&Text, &Text),
        label: Label,
        leaving: Leaving,
        watch: &mut dyn Observer,
    ) {
        let (label, origin) = (Text::new_static(label.0), leaving.origin);
        let subscribers: Vec<_> = self
            .broker
            .0
            .keys()
            .filter(|(of, ..)| of == topic)
            .cloned()
            .collect();
        if subscribers.is_empty() {
            return;
        }
        if self.meets(FaultKind::BrokerRestarted, (publisher, publisher), origin, &label) {
            self.restart_broker_now(leaving, watch);
            return;
        }
        for subscriber in subscribers {
            self.bring_to(publisher, subscriber, message, &label, leaving, watch);
        }
    }

    fn bring_to(
        &mut self,
        publisher: PartyId,
        subscriber: Subscriber,
        message: &Text,
        label: &Text,
        leaving: Leaving,
        watch: &mut dyn Observer,
    ) {
        let (party, origin) = (subscriber.1, leaving.origin);
        let place = self.party(party).place;
        // What becomes of it does not depend on who else has subscribed.
        let here = std::mem::replace(&mut self.here, place);
        let lost = self.meets(FaultKind::MessageLost, (publisher, party), origin, label);
        let (takes, source) = (self.knobs.latency, Source { origin, place });
        let takes = takes.draw(&mut self.chance, Purpose::BrokerLatency, source, label);
        self.here = here;
        let keeps = self.knobs.broker_buffer as usize;
        let Some(subscription) = self.broker.0.get_mut(&subscriber) else {
            return;
        };
        if subscription.cut {
            return;
        }
        let at = leaving.at.after(takes).max(subscription.last.after(Micros(1)));
        let struck = if lost {
            Some(FaultKind::MessageLost)
        } else if subscription.reader.is_none() && subscription.waiting.len() >= keeps {
            subscription.cut = true;
            subscription.waiting.clear();
            Some(FaultKind::SubscriberDropped)
        } else {
            None
        };
        if let Some(kind) = struck {
            self.see(&self.party(party).who, What::Fault { kind }, watch);
            return;
        }
        subscription.last = at;
        let brought = Leaving { at, ..leaving };
        match subscription.reader.take() {
            Some(reader) => self.bring(reader, message.clone(), brought),
            None => subscription.waiting.push_back((message.clone(), brought)),
        }
    }

    fn bring(&mut self, reader: CallerRef, message: Text, brought: Leaving) {
        let answer = Ok(Answer::Entry(Some(message)));
        self.answer(reader, answer, Connection::Stands, brought);
    }

    /// Restarts the broker, now.
    pub fn restart_broker(&mut self, item: u32) {
        let origin = self.chance.origin(&Origin::Item(item));
        self.schedule(self.now, origin, Pending::BrokerRestarts(origin));
    }

    /// The broker knows nobody any more. Who waits for a message is told after a while; what waited for its reader is
    /// lost.
    pub(super) fn restart_broker_now(&mut self, leaving: Leaving, watch: &mut dyn Observer) {
        for ((_, party, _), subscription) in std::mem::take(&mut self.broker.0) {
            let kind = FaultKind::BrokerRestarted;
            self.see(&self.party(party).who, What::Fault { kind }, watch);
            if let Some(reader) = subscription.reader {
                let place = self.party(party).place;
                let here = std::mem::replace(&mut self.here, place);
                self.fail(reader, Connection::Lost, leaving);
                self.here = here;
            }
        }
    }

    /// The broker restarts by itself.
    pub(super) fn broker_restarts(&mut self, origin: OriginId, watch: &mut dyn Observer) {
        let leaving = self.leaving_now(origin);
        self.restart_broker_now(leaving, watch);
    }
}
