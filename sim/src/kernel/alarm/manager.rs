//! The manager of an object's alarm, and the runs that it begins.

use protocol::host::{AlarmRun, Entry, Event, Millis, Outcome, Text};

use super::{Alarm, AlarmCall, Interrupted, Running};
use crate::kernel::Span;
use crate::kernel::audit::Sabotage;
use crate::kernel::choice::{OriginId, Purpose};
use crate::kernel::party::{Delivery, PartyId, Sent};
use crate::kernel::storage::Store;
use crate::kernel::time::Micros;
use crate::kernel::watch::{FaultKind, Observer, StepId, What};
use crate::kernel::wide::Guest;
use crate::kernel::{Kernel, Pending};

/// How long an alarm is stuck that its own run has set to now: "tens of seconds", by the report.
const STUCK: Span = Span::millis(10_000, 60_000);

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Makes the manager hear at once of an alarm that is due earlier than it knows. How long that takes, which the
    /// commit has to wait.
    pub(in crate::kernel) fn tell_manager_of_earlier(&mut self, id: PartyId, origin: OriginId) -> Micros {
        let alarm = self.alarm_mut(id);
        let known = alarm.manager.map(|(_, at)| at);
        let runs = alarm.running.is_some();
        let runs = runs && !self.sabotaged(Sabotage::TwoAlarmRuns);
        let Some(at) = self.alarm_handed_over(id).filter(|_| !runs) else {
            return Micros::ZERO;
        };
        if self.alarm_mut(id).stuck || known.is_some_and(|known| known <= at) {
            return Micros::ZERO;
        }
        self.arm(id, at);
        let (takes, source) = (self.knobs.alarm_sync, self.source(origin));
        takes.draw(&mut self.chance, Purpose::AlarmSync, source, &Text::default())
    }

    /// After a turn: whatever disturbs an object frees an alarm that is stuck; and an alarm that came back with lost
    /// writes is known to the manager.
    pub(in crate::kernel) fn sync_alarm(&mut self, id: PartyId) {
        if !self.party(id).is_object() {
            return;
        }
        let stored = self.alarm_handed_over(id);
        let alarm = self.alarm_mut(id);
        if alarm.running.is_some() {
            // At most one run at a time: what was set meanwhile is looked at when the run ends.
            return;
        }
        let freed = std::mem::take(&mut alarm.stuck);
        let known = alarm.manager.map(|(_, at)| at);
        if let Some(at) = stored
            && (freed || known.is_none_or(|known| known > at))
        {
            self.arm(id, at);
        }
    }

    /// After a commit is durable: the manager will hear of a later time, or of none; unless it does not.
    pub(in crate::kernel) fn tell_manager_of_later(
        &mut self,
        id: PartyId,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let stored = self.alarm_handed_over(id);
        let alarm = self.alarm_mut(id);
        let known = alarm.manager.map(|(_, at)| at);
        if alarm.running.is_some() || alarm.stuck || known.is_none() || known == stored {
            return;
        }
        if self.strikes(FaultKind::AlarmSyncLost, id, id, origin, &Text::default(), watch) {
            return;
        }
        let (takes, source) = (self.knobs.alarm_sync, self.source(origin));
        let takes = takes.draw(&mut self.chance, Purpose::AlarmSync, source, &Text::default());
        if takes == Micros::ZERO {
            self.manager_hears(id);
        } else {
            self.schedule(self.now.after(takes), origin, Pending::AlarmSync(id));
        }
    }

    /// The manager hears what the storage has.
    pub(in crate::kernel) fn manager_hears(&mut self, id: PartyId) {
        let keeps_retry = self.knobs.alarm_keeps_retry;
        let stored = self.alarm_handed_over(id);
        let alarm = self.alarm_mut(id);
        if alarm.running.is_some() || alarm.stuck || (keeps_retry && alarm.retrying) {
            return;
        }
        match (stored, alarm.manager) {
            (Some(at), Some((_, known))) if at == known => {}
            (Some(at), _) => self.arm(id, at),
            (None, Some(_)) => self.disarm(id),
            (None, None) => {}
        }
    }

    /// The manager takes an alarm, in the place of the one that it had.
    fn arm(&mut self, id: PartyId, at: Millis) {
        if self.sabotaged(Sabotage::LoseAlarm) {
            return;
        }
        self.disarm(id);
        let due = self.party(id).current.skew.when_shown(at).max(self.now);
        let origin = self.party(id).alarm_origin;
        let source = self.source(origin);
        let label = Text::default();
        let late = self.knobs.alarm_lateness;
        let late = late.draw(&mut self.chance, Purpose::AlarmLateness, source, &label);
        let mut due = due.after(late);
        let is_late = self.meets(FaultKind::AlarmLate, (id, id), origin, &label);
        if is_late {
            let by = self.knobs.alarm_late_by;
            due = due.after(by.draw(&mut self.chance, Purpose::AlarmLateBy, source, &label));
        }
        self.alarm_mut(id).starts_anew();
        let call = AlarmCall {
            late: is_late,
            ..AlarmCall::default()
        };
        self.schedule_alarm(id, due, at, call);
    }

    fn disarm(&mut self, id: PartyId) {
        let alarm = self.alarm_mut(id);
        // An event that has left the queue and waits for the thread is not the one that counts any more.
        alarm.armed += 1;
        if let Some((event, _)) = alarm.manager.take() {
            self.queue.take(event);
        }
    }

    /// The object is another one: it has no alarm, and nothing is remembered of one.
    pub(in crate::kernel) fn take_alarm_away(&mut self, id: PartyId) {
        self.disarm(id);
        let alarm = self.alarm_mut(id);
        *alarm = Alarm {
            armed: alarm.armed,
            ..Alarm::default()
        };
    }

    fn schedule_alarm(&mut self, id: PartyId, due: Micros, at: Millis, call: AlarmCall) {
        let origin = self.party(id).alarm_origin;
        let alarm = self.alarm_mut(id);
        alarm.armed += 1;
        let armed = alarm.armed;
        let sent = Box::new(Sent {
            delivery: Delivery::Alarm(AlarmCall { armed, ..call }),
            origin,
            cause: Some(StepId(self.steps)),
            depends: None,
            serial: None,
            repeated: false,
            token: None,
            queued: None,
        });
        let event = self.schedule(due, origin, Pending::Arrival(id, sent));
        self.alarm_mut(id).manager = Some((event, at));
    }

    /// The manager wakes an object. None where there is nothing to run: the manager hears why.
    pub(in crate::kernel) fn begin_alarm_run(
        &mut self,
        id: PartyId,
        call: AlarmCall,
        watch: &mut dyn Observer,
    ) -> Option<Event> {
        let shows = self.party(id).current.skew.shown(self.now);
        let incarnation = self.party(id).current.number;
        let alarm = self.alarm_mut(id);
        let runs = alarm.running.is_some();
        let runs = runs && !self.sabotaged(Sabotage::TwoAlarmRuns);
        let alarm = self.alarm_mut(id);
        if call.armed != alarm.armed || runs {
            return None;
        }
        alarm.manager = None;
        let due = alarm.stored.filter(|at| *at <= shows);
        let Some(scheduled) = due else {
            let kind = FaultKind::AlarmEarly;
            self.see(&self.party(id).who, What::Fault { kind }, watch);
            self.wake(id, incarnation, true, watch);
            self.manager_hears_of_mismatch(id);
            return None;
        };
        if call.late {
            let kind = FaultKind::AlarmLate;
            self.see(&self.party(id).who, What::Fault { kind }, watch);
        }
        let alarm = self.alarm_mut(id);
        alarm.retrying = false;
        alarm.running = Some(Running {
            incarnation,
            scheduled,
            set_since: false,
            set_to_now: false,
        });
        let seen = alarm.seen();
        self.party_mut(id)
            .audit
            .alarm_begins(incarnation, seen, call.retry == 0 && !call.again);
        Some(Event::Begin(Entry::Alarm(AlarmRun {
            scheduled,
            retry_count: call.retry,
            is_retry: call.again,
        })))
    }

    fn manager_hears_of_mismatch(&mut self, id: PartyId) {
        self.alarm_mut(id).starts_anew();
        self.manager_hears(id);
    }

    /// A run of an alarm has ended, and what it wrote is durable.
    pub(in crate::kernel) fn end_alarm_run(
        &mut self,
        id: PartyId,
        incarnation: u32,
        outcome: &Outcome,
        watch: &mut dyn Observer,
    ) {
        let alarm = self.alarm_mut(id);
        // A stale incarnation's run is nobody's: the storage has another's.
        if alarm.running.is_some_and(|run| run.incarnation == incarnation) {
            let counts = Some(outcome.as_ref().map(|_| ()).map_err(|_| ()));
            self.settle_run(id, counts, watch);
        }
    }

    /// Settles what comes after a run: how it ended, if somebody knows.
    fn settle_run(&mut self, id: PartyId, ended: Option<Result<(), ()>>, watch: &mut dyn Observer) {
        let alarm = self.alarm_mut(id);
        let run = alarm.running.take().expect("a run that ends was under way");
        let mut retry = None;
        // The commit that had set it can have been lost while it ran.
        let is_lost = alarm.stored != Some(run.scheduled);
        if run.set_since || is_lost {
            // The new time stands, whether the run failed or not, and counts from the start (`workerd.md` A4, A5).
            alarm.starts_anew();
        } else {
            match ended {
                Some(Ok(())) => alarm.stored = None,
                Some(Err(())) => {
                    retry = alarm.fails(true);
                    if retry.is_none() {
                        alarm.stored = None;
                    }
                }
                None => retry = alarm.fails(false),
            }
        }
        let is_set = alarm.stored.is_some();
        let audit = &mut self.party_mut(id).audit;
        audit.alarm_ends(ended, is_set, run.set_since || is_lost);
        match retry {
            Some(wait) => self.retry_alarm(id, wait),
            None => self.alarm_after_run(id, run.set_to_now, watch),
        }
    }

    fn alarm_after_run(&mut self, id: PartyId, set_to_now: bool, watch: &mut dyn Observer) {
        let sticks = self.knobs.alarm_now_sticks && set_to_now;
        let alarm = self.alarm_mut(id);
        alarm.starts_anew();
        match alarm.stored {
            Some(at) if sticks => {
                alarm.stuck = true;
                let kind = FaultKind::AlarmStuck;
                self.see(&self.party(id).who, What::Fault { kind }, watch);
                let origin = self.party(id).alarm_origin;
                let source = self.source(origin);
                let stuck = STUCK.draw(&mut self.chance, Purpose::AlarmStuck, source, &Text::default());
                self.schedule_alarm(id, self.now.after(stuck), at, AlarmCall::default());
            }
            Some(at) => self.arm(id, at),
            None => {}
        }
    }

    /// An incarnation has ended, perhaps during a run of its alarm. Between two runs, the count is the alarm's and no
    /// affair of the incarnation.
    pub(in crate::kernel) fn interrupt_alarm_run(
        &mut self,
        id: PartyId,
        how: Interrupted,
        watch: &mut dyn Observer,
    ) {
        let Some(storage) = &mut self.party_mut(id).storage else {
            return;
        };
        let alarm = &mut storage.alarm;
        if alarm.running.is_some() {
            match how {
                Interrupted::Counts => self.settle_run(id, Some(Err(())), watch),
                Interrupted::DoesNotCount => self.settle_run(id, None, watch),
                Interrupted::Forgotten => {
                    alarm.running = None;
                    alarm.starts_anew();
                    self.party_mut(id).audit.alarm_ends(None, false, true);
                }
            }
        }
        self.sync_alarm(id);
    }

    /// An alarm's event was waiting for the thread when the incarnation ended: the next one takes it, as the retry that
    /// it is.
    pub(in crate::kernel) fn deliver_alarm_again(&mut self, id: PartyId, sent: Box<Sent>) {
        let alarm = self.alarm_mut(id);
        let (current, known) = (alarm.armed, alarm.manager);
        if !matches!(sent.delivery, Delivery::Alarm(call) if call.armed == current) {
            return;
        }
        let origin = sent.origin;
        let event = self.schedule(self.now, origin, Pending::Arrival(id, sent));
        if let Some((_, at)) = known {
            self.alarm_mut(id).manager = Some((event, at));
        }
    }

    /// The manager no longer knows that an alarm waits for a retry.
    pub(in crate::kernel) fn forget_retry(&mut self, id: PartyId) {
        let alarm = self.party(id).storage.as_ref().map(|storage| &storage.alarm);
        if alarm.is_some_and(|alarm| alarm.retrying && alarm.running.is_none())
            && let Some(at) = self.alarm_handed_over(id)
        {
            self.arm(id, at);
        }
    }

    fn retry_alarm(&mut self, id: PartyId, wait: Micros) {
        let origin = self.party(id).alarm_origin;
        let alarm = self.alarm_mut(id);
        alarm.retrying = true;
        let (failed, stored) = (alarm.failed, alarm.stored);
        let stored = stored.expect("an alarm that is retried is still set");
        let source = self.source(origin);
        let jitter = self
            .chance
            .choose(Purpose::RetryJitter, source, &Text::default(), wait.0 / 4 + 1);
        let due = self.now.after(wait).after(Micros(jitter));
        let call = AlarmCall {
            retry: failed,
            again: true,
            ..AlarmCall::default()
        };
        self.schedule_alarm(id, due, stored, call);
    }

    /// When the alarm is due by what was handed to the storage: what a transaction that is open has set is not, nor what
    /// a turn has set whose code has not done.
    fn alarm_handed_over(&self, id: PartyId) -> Option<Millis> {
        let party = self.party(id);
        let turn = party.current.holding.as_ref().and_then(|turn| turn.undo);
        let stored = party.storage.as_ref().and_then(|storage| storage.alarm.stored);
        match party.current.uncommitted(turn) {
            Some(undo) => undo.alarm.stored,
            None => stored,
        }
    }

    fn alarm_mut(&mut self, id: PartyId) -> &mut Alarm {
        let storage = self.party_mut(id).storage.as_mut();
        &mut storage.expect("only objects have alarms").alarm
    }
}
