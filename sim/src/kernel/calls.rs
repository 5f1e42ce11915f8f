//! Calls between parties: order, latency, loss, and what callers are told (`platform.md` sections 11 and 12).

use protocol::host::{Answer, CallError, CallId, CallOutcome, Label, Outcome, Request, Shared, Stub, Text};

use super::audit::{Depends, Sabotage};
use super::choice::{OriginId, Purpose};
use super::network::connection_lost;
use super::party::{
    CallerRef, Connection, Delivery, Held, Output, PartyId, ReplyTo, Sent, ServiceAnswer, ServiceTime,
};
use super::storage::Store;
use super::stubs::{StubKey, StubSerial, StubState};
use super::time::Micros;
use super::trouble::Parked;
use super::watch::{FaultKind, Observer, StepId, What};
use super::wide::Guest;
use super::{Kernel, Pending};

/// A message that leaves a party, and its circumstances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub origin: OriginId,
    /// When, and in which step: for what was held back, that of the confirmation.
    pub at: Micros,
    pub step: StepId,
    /// What has to be durable when it arrives.
    pub depends: Option<Depends>,
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Lets an output leave: what it had to wait for has happened.
    pub(super) fn release(
        &mut self,
        id: PartyId,
        incarnation: u32,
        held: Held,
        at: Micros,
        watch: &mut dyn Observer,
    ) {
        let Held { origin, depends, .. } = held;
        let leaving = Leaving {
            origin,
            at,
            step: StepId(self.steps),
            depends,
        };
        match held.output {
            Output::Call {
                call,
                label,
                stub,
                request,
            } => {
                let caller = caller(id, incarnation, call, label);
                self.send_call(caller, &stub, request, leaving, watch);
            }
            Output::Reply {
                to: ReplyTo::Alarm,
                outcome,
            } => self.end_alarm_run(id, incarnation, &outcome, watch),
            Output::Reply { to, outcome } => {
                self.tell(id, to, outcome, Connection::Stands, leaving, watch);
            }
            Output::Act(effect) => {
                let who = self.party(id).who.clone();
                self.see(&who, What::Acted(&effect), watch);
            }
            Output::Put {
                call,
                label,
                store,
                key,
                value,
                keep,
            } => {
                let takes = self.service_time(origin, label);
                let done = if store == Shared::Broker {
                    self.publish(id, (&key, &value), label, leaving, watch);
                    Ok(Answer::Done)
                } else {
                    self.write_entry(id, (store, key), (value, keep), takes, (origin, label), watch)
                };
                let to = caller(id, incarnation, call, label);
                self.answer(to, done, Connection::Stands, leaving.after(takes));
            }
            Output::Service {
                call,
                label,
                answer: ServiceAnswer::Entry(Shared::Broker, topic),
                ..
            } => self.next_message(caller(id, incarnation, call, label), topic, leaving),
            Output::Service {
                call,
                label,
                after,
                answer,
            } => {
                let takes = match after {
                    ServiceTime::Exactly(length) => length,
                    ServiceTime::Drawn => self.service_time(origin, label),
                };
                let answer = match answer {
                    ServiceAnswer::Ready(answer) => Ok(answer),
                    ServiceAnswer::Entry(store, key) => {
                        self.read_entry(id, (store, &key), origin, label, watch)
                    }
                };
                let to = caller(id, incarnation, call, label);
                self.answer(to, answer, Connection::Stands, leaving.after(takes));
            }
        }
    }

    pub(super) fn service_time(&mut self, origin: OriginId, label: Label) -> Micros {
        let (takes, source) = (self.knobs.service, self.source(origin));
        takes.draw(
            &mut self.chance,
            Purpose::Service,
            source,
            &Text::new_static(label.0),
        )
    }

    pub(super) fn send_call(
        &mut self,
        mut caller: CallerRef,
        stub: &Stub,
        request: Request,
        leaving: Leaving,
        watch: &mut dyn Observer,
    ) {
        let (id, incarnation) = (caller.party, caller.incarnation);
        let near = self.party(id).location;
        let Some(target) = self.object_near(near, &stub.namespace, &stub.name) else {
            let error = CallError::thrown(format!("there is no namespace {}", stub.namespace));
            self.answer(caller, Err(error), Connection::Stands, leaving);
            return;
        };
        let key = self.stub_key(id, caller.call.task, stub, target);
        let of_caller = self.party(id).incarnation(incarnation);
        let state = key.as_ref().and_then(|key| of_caller?.stubs.get(key));
        if let Some(error) = state.and_then(|state| state.broken.clone()) {
            // The first failure was the callee's; from then on it is the stub's own.
            let error = CallError {
                remote: false,
                ..error
            };
            self.answer(caller, Err(error), Connection::Stands, leaving);
            return;
        }
        let token = self.attempt(&caller, stub, &request, leaving.at);
        let aimed = self.aimed_at(&caller);
        let fate = self.fate(&caller, target, &aimed, leaving.origin, watch);
        if let Some(after) = fate.cancel {
            self.cancel_later(&caller, leaving.at.after(after), leaving.origin);
        }
        let arrival = leaving.at.after(fate.request_takes);
        let (arrival, serial) = self.on_stub(id, incarnation, key, arrival);
        if let Some(key) = key
            && let Some(of_caller) = self.party_mut(id).incarnation_mut(incarnation)
        {
            caller.in_flight = Some(of_caller.take_off(caller.call, caller.label, key));
        }
        if fate.request_lost {
            self.fail(caller, Connection::NotDelivered, leaving);
            return;
        }
        let told = ReplyTo::Caller {
            caller,
            answer_lost: fate.answer_lost,
            answer_late: fate.answer_late,
        };
        let stub = key.map(|key| (id, incarnation, key));
        let (first, second) = self.second_reply(told, fate.duplicate.is_some(), leaving.origin);
        if let Some(after) = fate.duplicate {
            // A proxy's repetition is no message of the caller's: it has no place in the stub's order.
            let sent = sent(request.clone(), second, leaving, None).again();
            self.carry(id, target, sent, arrival.after(after), None);
        }
        if let Some(serial) = serial {
            self.stub_audit.sent(serial);
        }
        let mut sent = sent(request, first, leaving, serial);
        sent.token = token;
        self.carry(id, target, sent, arrival, stub);
    }

    /// When a call on a stub arrives, and which message on it that is: calls on one stub start in the order they were
    /// made (`platform.md` section 12, item 1).
    fn on_stub(
        &mut self,
        id: PartyId,
        incarnation: u32,
        key: Option<StubKey>,
        arrival: Micros,
    ) -> (Micros, Option<StubSerial>) {
        let keeps_order = !self.sabotaged(Sabotage::NoOrder);
        let next = self.stubs_made;
        let of_caller = self.party_mut(id).incarnation_mut(incarnation);
        let (Some(key), Some(of_caller)) = (key, of_caller) else {
            return (arrival, None);
        };
        let mut made = false;
        let state = of_caller.stubs.get_or_insert_with(key, || {
            made = true;
            StubState::new(next)
        });
        let arrival = if keeps_order {
            arrival.max(state.last_arrival.after(Micros(1)))
        } else {
            arrival
        };
        state.last_arrival = arrival;
        state.serial.nth += 1;
        let serial = state.serial;
        self.stubs_made += u64::from(made);
        (arrival, Some(serial))
    }

    /// Whose answer is told of a request that is delivered twice: the first one's, by alternative 0, or the second's.
    pub(super) fn second_reply(
        &mut self,
        told: ReplyTo,
        twice: bool,
        origin: OriginId,
    ) -> (ReplyTo, ReplyTo) {
        if !twice {
            return (told, ReplyTo::Nobody);
        }
        let source = self.source(origin);
        let second = self
            .chance
            .choose(Purpose::DuplicateAnswer, source, &Text::default(), 2)
            == 1;
        if second {
            (ReplyTo::Nobody, told)
        } else {
            (told, ReplyTo::Nobody)
        }
    }

    /// Brings a message to a party, unless it is stuck on its way.
    fn carry(
        &mut self,
        from: PartyId,
        to: PartyId,
        sent: Box<Sent>,
        arrival: Micros,
        stub: Option<(PartyId, u32, StubKey)>,
    ) {
        let parked = Parked {
            to,
            sent,
            arrival,
            stub,
        };
        if let Some(Parked { sent, .. }) = self.park(from, parked) {
            let origin = sent.origin;
            self.schedule(arrival, origin, Pending::Arrival(to, sent));
        }
    }

    /// Tells whoever waits for the end of a task how it ended.
    pub(super) fn tell(
        &mut self,
        from: PartyId,
        to: ReplyTo,
        outcome: Outcome,
        connection: Connection,
        leaving: Leaving,
        watch: &mut dyn Observer,
    ) {
        match to {
            ReplyTo::Nobody => {}
            ReplyTo::Client { item } => {
                let answered = Pending::Answered {
                    item,
                    outcome: Box::new(outcome),
                    cause: StepId(self.steps),
                };
                self.schedule(leaving.at, leaving.origin, answered);
            }
            ReplyTo::Caller {
                caller,
                answer_lost,
                answer_late,
            } => {
                let label = Text::new_static(caller.label.0);
                if answer_lost {
                    self.struck(&caller, FaultKind::AnswerLost, watch);
                }
                let origin = leaving.origin;
                if answer_lost
                    || self.strikes(FaultKind::Partitioned, from, caller.party, origin, &label, watch)
                {
                    self.fail(caller, Connection::Delivered, leaving);
                    return;
                }
                self.strikes(FaultKind::Clogged, from, caller.party, origin, &label, watch);
                if answer_late > Micros::ZERO {
                    self.struck(&caller, FaultKind::AnswerLate, watch);
                }
                let (takes, source) = (self.knobs.latency, self.source(origin));
                let takes = takes.draw(&mut self.chance, Purpose::AnswerLatency, source, &label);
                let outcome = match outcome {
                    Ok(response) => {
                        let response = response.expect("a request is answered with a response");
                        Ok(Answer::Response(response))
                    }
                    // What the callee's code has thrown; what tells of its end is the platform's, flags and all.
                    Err(error) => Err(CallError {
                        remote: error.remote || connection == Connection::Stands,
                        ..error
                    }),
                };
                let leaving = leaving.after(takes).after(answer_late);
                let to = caller.party;
                let sent = answered(caller, outcome, connection, leaving);
                self.carry(from, to, sent, leaving.at, None);
            }
            ReplyTo::Alarm => unreachable!("the end of an alarm's run is told to nobody"),
        }
    }

    /// What leaves now, in this step, and depends on nothing.
    pub(super) fn leaving_now(&self, origin: OriginId) -> Leaving {
        Leaving {
            origin,
            at: self.now,
            step: StepId(self.steps),
            depends: None,
        }
    }

    /// Tells a caller, after a while, that its connection was lost, and perhaps where its call was then.
    pub(super) fn fail(&mut self, caller: CallerRef, connection: Connection, leaving: Leaving) {
        let label = Text::new_static(caller.label.0);
        let connection = self.marked(connection, leaving.origin, &label);
        let (notice, source) = (self.knobs.notice, self.source(leaving.origin));
        let notice = notice.draw(&mut self.chance, Purpose::FailureNotice, source, &label);
        self.answer(caller, Err(connection_lost()), connection, leaving.after(notice));
    }

    pub(super) fn answer(
        &mut self,
        to: CallerRef,
        outcome: CallOutcome,
        connection: Connection,
        leaving: Leaving,
    ) {
        let party = to.party;
        let sent = answered(to, outcome, connection, leaving);
        self.schedule(leaving.at, leaving.origin, Pending::Arrival(party, sent));
    }
}

impl Sent {
    /// The same, as what was sent before.
    pub fn again(mut self: Box<Self>) -> Box<Self> {
        self.repeated = true;
        self
    }
}

impl Leaving {
    /// The same, later.
    pub fn after(self, length: Micros) -> Self {
        Leaving {
            at: self.at.after(length),
            ..self
        }
    }
}

pub(super) fn caller(party: PartyId, incarnation: u32, call: CallId, label: Label) -> CallerRef {
    CallerRef {
        party,
        incarnation,
        call,
        label,
        in_flight: None,
    }
}

pub(super) fn sent(
    request: Request,
    reply_to: ReplyTo,
    leaving: Leaving,
    serial: Option<StubSerial>,
) -> Box<Sent> {
    Box::new(Sent {
        delivery: Delivery::Request { request, reply_to },
        origin: leaving.origin,
        cause: Some(leaving.step),
        depends: leaving.depends,
        serial,
        repeated: false,
        token: None,
        queued: None,
    })
}

pub(super) fn answered(
    to: CallerRef,
    outcome: CallOutcome,
    connection: Connection,
    leaving: Leaving,
) -> Box<Sent> {
    Box::new(Sent {
        delivery: Delivery::Answer {
            to,
            outcome,
            connection,
        },
        origin: leaving.origin,
        cause: Some(leaving.step),
        depends: leaving.depends,
        serial: None,
        repeated: false,
        token: None,
        queued: None,
    })
}
