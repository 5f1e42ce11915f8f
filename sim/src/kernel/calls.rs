//! Calls between parties: order, latency, loss, and what callers are told (`platform.md` sections 11 and 12).

use protocol::host::{Answer, CallError, CallId, Label, Outcome, Request, Stub, Text};
use protocol::task::Program;

use super::choice::{OriginId, Purpose};
use super::network::{Aim, CallFault, connection_lost};
use super::party::{
    CallerRef, Connection, Delivery, Held, Output, PartyId, ReplyTo, Sent, ServiceAnswer, ServiceTime,
};
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, StepId, What};
use super::{Kernel, Pending};

/// What the network does to one call.
#[derive(Clone, Copy, Debug)]
struct Fate {
    request_lost: bool,
    request_takes: Micros,
    answer_lost: bool,
    answer_late: Micros,
}

impl<P: Program, S: Store> Kernel<P, S> {
    /// Lets an output leave: what it had to wait for has happened.
    pub(super) fn release(&mut self, id: PartyId, held: Held, at: Micros, watch: &mut dyn Observer) {
        let Held {
            output, origin, step, ..
        } = held;
        match output {
            Output::Call {
                call,
                label,
                stub,
                request,
            } => {
                let caller = self.caller(id, call, label);
                self.send_call(caller, &stub, request, origin, at, step, watch);
            }
            Output::Reply {
                to: ReplyTo::Alarm,
                outcome,
            } => self.end_alarm_run(id, &outcome),
            Output::Reply { to, outcome } => {
                self.tell(to, outcome, Connection::Stands, origin, at, watch);
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
            } => {
                self.shared.insert((store, key), value);
                let takes = self.service_time(origin, label);
                self.answer(
                    self.caller(id, call, label),
                    Ok(Answer::Done),
                    Connection::Stands,
                    origin,
                    at.after(takes),
                    step,
                );
            }
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
                    ServiceAnswer::Ready(answer) => answer,
                    ServiceAnswer::Entry(store, key) => {
                        Answer::Entry(self.shared.get(&(store, key)).cloned())
                    }
                };
                self.answer(
                    self.caller(id, call, label),
                    Ok(answer),
                    Connection::Stands,
                    origin,
                    at.after(takes),
                    step,
                );
            }
        }
    }

    fn caller(&self, party: PartyId, call: CallId, label: Label) -> CallerRef {
        CallerRef {
            party,
            incarnation: self.party(party).incarnation,
            call,
            label,
            in_flight: None,
        }
    }

    fn service_time(&mut self, origin: OriginId, label: Label) -> Micros {
        let (takes, source) = (self.knobs.service, self.source(origin));
        takes.draw(
            &mut self.chance,
            Purpose::Service,
            source,
            &Text::new_static(label.0),
        )
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one message and its circumstances, used in one place"
    )]
    fn send_call(
        &mut self,
        mut caller: CallerRef,
        stub: &Stub,
        request: Request,
        origin: OriginId,
        at: Micros,
        step: StepId,
        watch: &mut dyn Observer,
    ) {
        let key = self.party(caller.party).stub_key(caller.call.task, stub);
        let state = key
            .as_ref()
            .and_then(|key| self.party(caller.party).stubs.get(key));
        if let Some(error) = state.and_then(|state| state.broken.clone()) {
            self.answer(caller, Err(error), Connection::Stands, origin, at, step);
            return;
        }
        let aimed = self.aimed_at(&caller);
        let fate = self.fate(&caller, aimed, origin, watch);
        let mut arrival = at.after(fate.request_takes);
        if let Some(key) = key.clone() {
            // Calls on one stub start in the order they were made (`platform.md` section 12, item 1).
            let state = self.party_mut(caller.party).stubs.entry(key).or_default();
            arrival = arrival.max(state.last_arrival.after(Micros(1)));
            state.last_arrival = arrival;
        }
        let Some(target) = self.object(&stub.namespace, &stub.name) else {
            let error = CallError::thrown(format!("there is no namespace {}", stub.namespace));
            self.answer(caller, Err(error), Connection::Stands, origin, at, step);
            return;
        };
        caller.in_flight = key.map(|key| {
            self.party_mut(caller.party)
                .take_off(caller.call, caller.label, key)
        });
        if fate.request_lost {
            self.fail(caller, connection_lost(), origin, at, step);
            return;
        }
        let reply_to = ReplyTo::Caller {
            caller,
            answer_lost: fate.answer_lost,
            answer_late: fate.answer_late,
        };
        let sent = Sent {
            delivery: Delivery::Request { request, reply_to },
            origin,
            cause: Some(step),
        };
        self.schedule(arrival, origin, Pending::Arrival(target, sent));
    }

    /// Draws what happens to a call, and lets faults that are aimed at it strike.
    fn fate(
        &mut self,
        caller: &CallerRef,
        aimed: Vec<CallFault>,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) -> Fate {
        let label = Text::new_static(caller.label.0);
        let knobs = self.knobs.clone();
        let source = self.source(origin);
        let chance = &mut self.chance;
        let mut fate = Fate {
            request_lost: chance.happens(Purpose::RequestLoss, source, &label, knobs.request_loss),
            request_takes: knobs
                .latency
                .draw(chance, Purpose::RequestLatency, source, &label),
            answer_lost: chance.happens(Purpose::AnswerLoss, source, &label, knobs.answer_loss),
            answer_late: Micros::ZERO,
        };
        let mut struck = Vec::new();
        if chance.happens(Purpose::RequestLate, source, &label, knobs.late) {
            let by = knobs.late_by.draw(chance, Purpose::RequestLateBy, source, &label);
            struck.push(CallFault::DelayRequest(protocol::host::Millis(by.0 / 1_000)));
        }
        if chance.happens(Purpose::AnswerLate, source, &label, knobs.late) {
            let by = knobs.late_by.draw(chance, Purpose::AnswerLateBy, source, &label);
            struck.push(CallFault::DelayAnswer(protocol::host::Millis(by.0 / 1_000)));
        }
        struck.extend(aimed);
        let mut late = Micros::ZERO;
        for fault in struck {
            match fault {
                CallFault::LoseRequest => fate.request_lost = true,
                CallFault::LoseAnswer => fate.answer_lost = true,
                CallFault::DelayRequest(by) => late = late.after(Micros::from_millis(by.0)),
                CallFault::DelayAnswer(by) => {
                    fate.answer_late = fate.answer_late.after(Micros::from_millis(by.0))
                }
            }
        }
        if fate.request_lost {
            self.struck(caller, FaultKind::RequestLost, watch);
        } else if late > Micros::ZERO {
            fate.request_takes = fate.request_takes.after(late);
            self.struck(caller, FaultKind::RequestLate, watch);
        }
        fate
    }

    /// The faults that are aimed at this call. Counts it.
    fn aimed_at(&mut self, caller: &CallerRef) -> Vec<CallFault> {
        let party = &mut self.parties[caller.party.0 as usize];
        let made = party.calls_made.entry(caller.label).or_default();
        let nth = *made;
        *made += 1;
        if self.aims.is_empty() {
            return Vec::new();
        }
        let aim = Aim {
            caller: party.who.clone(),
            label: Text::new_static(caller.label.0),
            nth,
        };
        self.aims.remove(&aim).unwrap_or_default()
    }

    fn struck(&self, caller: &CallerRef, kind: FaultKind, watch: &mut dyn Observer) {
        self.see(&self.party(caller.party).who, What::Fault { kind }, watch);
    }

    /// Tells whoever waits for the end of a task how it ended.
    pub(super) fn tell(
        &mut self,
        to: ReplyTo,
        outcome: Outcome,
        connection: Connection,
        origin: OriginId,
        at: Micros,
        watch: &mut dyn Observer,
    ) {
        let step = StepId(self.steps);
        match to {
            ReplyTo::Client { item } => {
                self.schedule(
                    at,
                    origin,
                    Pending::Answered {
                        item,
                        outcome,
                        cause: step,
                    },
                );
            }
            ReplyTo::Caller {
                caller,
                answer_lost: true,
                ..
            } => {
                self.struck(&caller, FaultKind::AnswerLost, watch);
                self.fail(caller, connection_lost(), origin, at, step);
            }
            ReplyTo::Caller {
                caller, answer_late, ..
            } => {
                if answer_late > Micros::ZERO {
                    self.struck(&caller, FaultKind::AnswerLate, watch);
                }
                let label = Text::new_static(caller.label.0);
                let (takes, source) = (self.knobs.latency, self.source(origin));
                let takes = takes.draw(&mut self.chance, Purpose::AnswerLatency, source, &label);
                let arrival = at.after(takes).after(answer_late);
                match outcome {
                    Ok(response) => {
                        let response = response.expect("a request is answered with a response");
                        let answer = Ok(Answer::Response(response));
                        self.answer(caller, answer, connection, origin, arrival, step);
                    }
                    Err(error) => {
                        let error = CallError {
                            remote: true,
                            ..error
                        };
                        self.answer(caller, Err(error), connection, origin, arrival, step);
                    }
                }
            }
            ReplyTo::Alarm => unreachable!("the end of an alarm's run is told to nobody"),
        }
    }

    /// Tells a caller, after a while, that its connection was lost.
    fn fail(&mut self, caller: CallerRef, error: CallError, origin: OriginId, at: Micros, step: StepId) {
        let label = Text::new_static(caller.label.0);
        let (notice, source) = (self.knobs.notice, self.source(origin));
        let notice = notice.draw(&mut self.chance, Purpose::FailureNotice, source, &label);
        let at = at.after(notice);
        self.answer(caller, Err(error), Connection::Lost, origin, at, step);
    }

    pub(super) fn answer(
        &mut self,
        to: CallerRef,
        outcome: protocol::host::CallOutcome,
        connection: Connection,
        origin: OriginId,
        at: Micros,
        cause: StepId,
    ) {
        let party = to.party;
        let sent = Sent {
            delivery: Delivery::Answer {
                to,
                outcome,
                connection,
            },
            origin,
            cause: Some(cause),
        };
        self.schedule(at, origin, Pending::Arrival(party, sent));
    }
}
