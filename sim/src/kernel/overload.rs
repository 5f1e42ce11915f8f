//! Overload (`platform.md` section 10): what waits for an object is bounded, by number, by size and by age, and so is how
//! much comes to it in ten seconds.
//!
//! In the queue are requests that wait for the thread, or for a critical section to end; what has begun is not there any
//! more, and answers and alarms never are. A request that is rejected has not run and will not (PL-10).

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use protocol::host::{CallError, Request, Text};

use super::Kernel;
use super::Pending;
use super::audit::Sabotage;
use super::calls::Leaving;
use super::party::{Connection, Delivery, PartyId, ReplyTo, Sent};
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, StepId, What};
use super::wide::Guest;

/// That a request waits in the queue of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Queued {
    /// Which of all that ever waited, counted from 1.
    pub nth: u64,
    since: Micros,
    bytes: u64,
}

/// For how long what has come counts.
const WINDOW: Micros = Micros::from_millis(10_000);

/// When requests have come to an object, oldest first, as far as they count.
#[derive(Clone, Debug, Default)]
pub(super) struct Window(VecDeque<Micros>);

impl Window {
    /// Whether one more may come: that it does not makes it no less.
    fn admits(&mut self, now: Micros, most: u32) -> bool {
        let old = self.0.partition_point(|at| at.after(WINDOW) <= now);
        self.0.drain(..old);
        let admitted = self.0.len() < most as usize;
        if admitted {
            self.0.push_back(now);
        }
        admitted
    }

    /// Hashes what decides what can come from here on.
    pub fn hash_state(&self, now: Micros, hasher: &mut impl Hasher) {
        let counting = self.0.iter().filter(|at| at.after(WINDOW) > now);
        counting.for_each(|at| now.since(*at).hash(hasher));
    }
}

/// Which bound of an object a request is past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overload {
    Number,
    Bytes,
    Age,
    Window,
}

impl Overload {
    /// What the caller is told. The flags are those of section 11; the texts are no contract.
    fn error(self) -> CallError {
        let why = match self {
            Overload::Number => "Durable Object is overloaded. Too many requests queued.",
            Overload::Bytes => "Durable Object is overloaded. Too much data queued.",
            Overload::Age => "Durable Object is overloaded. Requests queued for too long.",
            Overload::Window => {
                "Durable Object is overloaded. Too many requests for the same object within a 10 second window."
            }
        };
        CallError {
            remote: true,
            overloaded: true,
            ..CallError::thrown(Text::new_static(why))
        }
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    fn is_bounded(&self, id: PartyId, sent: &Sent) -> bool {
        let knobs = &self.knobs;
        let bounded = knobs.queue_most.is_some() || knobs.queue_bytes.is_some() || knobs.queue_age.is_some();
        bounded && self.party(id).is_object() && matches!(sent.delivery, Delivery::Request { .. })
    }

    /// A request has come to an object that has taken as many in ten seconds as it may, and is rejected; or has not, and is
    /// given back.
    pub(super) fn past_window(
        &mut self,
        id: PartyId,
        incarnation: u32,
        mut sent: Box<Sent>,
        watch: &mut dyn Observer,
    ) -> Option<Box<Sent>> {
        let counts = self.party(id).is_object() && matches!(sent.delivery, Delivery::Request { .. });
        let Some(most) = self.knobs.window_most.filter(|_| counts) else {
            return Some(sent);
        };
        let now = self.now;
        if self.party_mut(id).window.admits(now, most) {
            return Some(sent);
        }
        self.queued += 1;
        sent.queued = Some(Queued {
            nth: self.queued,
            since: now,
            bytes: 0,
        });
        self.reject(id, incarnation, sent, Overload::Window, watch);
        None
    }

    /// What has come to a party waits for its turn; a request that finds the queue full is rejected.
    pub(super) fn enqueue(
        &mut self,
        id: PartyId,
        incarnation: u32,
        mut sent: Box<Sent>,
        watch: &mut dyn Observer,
    ) {
        if self.is_bounded(id, &sent) {
            self.queued += 1;
            // The size is only asked for where it counts: a body that is typed would have to be encoded for it.
            let measured = self.knobs.queue_bytes.is_some();
            let queued = Queued {
                nth: self.queued,
                since: self.now,
                bytes: if measured { size(&sent.delivery) } else { 0 },
            };
            sent.queued = Some(queued);
            if let Some(why) = self.is_full(id, incarnation, queued) {
                self.reject(id, incarnation, sent, why, watch);
                return;
            }
            if let Some(age) = self.knobs.queue_age {
                let due = self.now.after(age);
                self.schedule(due, sent.origin, Pending::QueueAges(id, incarnation));
            }
        }
        if let Some(of_party) = self.party_mut(id).incarnation_mut(incarnation) {
            of_party.waiting.push_back(sent);
        }
    }

    /// The bound that one more request would be past.
    fn is_full(&self, id: PartyId, incarnation: u32, one_more: Queued) -> Option<Overload> {
        let of_party = self.party(id).incarnation(incarnation)?;
        let waiting = of_party.waiting.iter().filter_map(|sent| sent.queued);
        let (number, bytes) = waiting.fold((1, one_more.bytes), |(number, bytes), queued| {
            (number + 1_u32, bytes.saturating_add(queued.bytes))
        });
        if self.knobs.queue_most.is_some_and(|most| number > most) {
            return Some(Overload::Number);
        }
        let most = self.knobs.queue_bytes?;
        (bytes > most).then_some(Overload::Bytes)
    }

    /// A request has waited for as long as any may: it is rejected if it still waits, and all that came before it.
    pub(super) fn queue_ages(&mut self, id: PartyId, incarnation: u32, watch: &mut dyn Observer) {
        let (now, age) = (self.now, self.knobs.queue_age);
        let is_old = |sent: &Sent| {
            let since = sent.queued.map(|queued| queued.since);
            since.zip(age).is_some_and(|(since, age)| since.after(age) <= now)
        };
        loop {
            let Some(of_party) = self.party_mut(id).incarnation_mut(incarnation) else {
                return;
            };
            let at = of_party.waiting.iter().position(|sent| is_old(sent));
            let Some(sent) = at.and_then(|at| of_party.waiting.remove(at)) else {
                return;
            };
            self.reject(id, incarnation, sent, Overload::Age, watch);
        }
    }

    /// A request does not run: its caller is told why.
    fn reject(
        &mut self,
        id: PartyId,
        incarnation: u32,
        sent: Box<Sent>,
        why: Overload,
        watch: &mut dyn Observer,
    ) {
        let kind = FaultKind::Overloaded;
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        if let Some(queued) = sent.queued {
            self.party_mut(id).audit.rejects(queued);
        }
        if self.sabotaged(Sabotage::RunRejected) {
            let copy = Box::new(Sent {
                serial: None,
                ..(*sent).clone()
            });
            if let Some(of_party) = self.party_mut(id).incarnation_mut(incarnation) {
                of_party.waiting.push_back(copy);
            }
        }
        if let Some(serial) = sent.serial {
            self.stub_audit.gone(serial);
        }
        let Delivery::Request { reply_to, .. } = sent.delivery else {
            return;
        };
        if !matches!(reply_to, ReplyTo::Nobody) {
            let leaving = Leaving {
                origin: sent.origin,
                at: self.now,
                step: StepId(self.steps),
                depends: None,
            };
            self.tell(id, reply_to, Err(why.error()), Connection::Stands, leaving, watch);
        }
    }
}

/// How many bytes of a request count: its path, its headers and its body.
fn size(delivery: &Delivery) -> u64 {
    let Delivery::Request { request, .. } = delivery else {
        return 0;
    };
    let Request {
        path, headers, body, ..
    } = request;
    let headers = headers.iter().map(|(name, value)| name.len() + value.len());
    (path.len() + headers.sum::<usize>() + body.to_text().len()) as u64
}
