//! Alarms: one an object, at least once, retried, and given up (`platform.md` section 6).

use protocol::host::{Outcome, Text};
use protocol::task::Program;

use super::choice::Purpose;
use super::party::{Alarm, Delivery, PartyId, Running, Sent};
use super::storage::Store;
use super::time::Micros;
use super::watch::StepId;
use super::{Kernel, Pending};

/// How many retries of a failing alarm there are: seven runs in all.
const RETRIES: u32 = 6;

/// The wait before the first retry; each later one is twice as long.
const FIRST_RETRY: Micros = Micros::from_millis(2_000);

impl Alarm {
    /// A run begins: until the code sets the alarm again, it sees none.
    pub(super) fn begin_run(&mut self) {
        let scheduled = self.stored.expect("an alarm that runs was set");
        self.running = Some(Running {
            scheduled,
            set_since: false,
        });
        self.event = None;
    }

    /// A run has ended. Whether a retry is due.
    fn end_run(&mut self, failed: bool) -> bool {
        let run = self
            .running
            .take()
            .expect("an alarm's run that ends was under way");
        if run.set_since {
            // The new time stands, whether the run failed or not, and counts from the start (`workerd.md` A4, A5).
            self.failed = 0;
            return false;
        }
        if failed && self.failed < RETRIES {
            self.failed += 1;
            return true;
        }
        self.failed = 0;
        self.stored = None;
        false
    }
}

impl<P: Program, S: Store> Kernel<P, S> {
    /// Makes the queue agree with an object's alarm after a turn in which it may have changed.
    pub(super) fn sync_alarm(&mut self, id: PartyId) {
        let party = self.party(id);
        let origin = party.alarm_origin;
        let Some(storage) = &party.storage else { return };
        let alarm = &storage.alarm;
        if alarm.running.is_some() {
            // At most one run at a time: what was set meanwhile is looked at when the run ends.
            return;
        }
        let (stored, old) = (alarm.stored, alarm.event);
        if stored == old.map(|(_, scheduled_for)| scheduled_for) {
            return;
        }
        if let Some((event, _)) = old {
            self.queue.take(event);
        }
        let alarm = self.alarm_mut(id);
        // An event that has left the queue and waits for the thread is not the one that counts any more.
        alarm.armed += 1;
        // Another alarm counts its runs from the start. What a turn sets and takes back again is not another one.
        alarm.failed = 0;
        let event = stored.map(|at| {
            let due = Micros::when_shown(at).max(self.now);
            let (late, source) = (self.knobs.alarm_lateness, self.source(origin));
            let late = late.draw(&mut self.chance, Purpose::AlarmLateness, source, &Text::default());
            (self.schedule_alarm(id, due.after(late), 0), at)
        });
        self.alarm_mut(id).event = event;
    }

    fn schedule_alarm(&mut self, id: PartyId, at: Micros, retry: u32) -> super::EventKey {
        let origin = self.party(id).alarm_origin;
        let alarm = self.alarm_mut(id);
        alarm.armed += 1;
        let armed = alarm.armed;
        let sent = Sent {
            delivery: Delivery::Alarm { retry, armed },
            origin,
            cause: Some(StepId(self.steps)),
        };
        self.schedule(at, origin, Pending::Arrival(id, sent))
    }

    /// A run of an alarm has ended, and what it wrote is durable.
    pub(super) fn end_alarm_run(&mut self, id: PartyId, outcome: &Outcome) {
        let retry = self.alarm_mut(id).end_run(outcome.is_err());
        if retry {
            self.retry_alarm(id);
        } else {
            self.sync_alarm(id);
        }
    }

    /// An incarnation has ended, perhaps during a run of its alarm. An abort counts as a failed run (`workerd.md` A9);
    /// of a machine's failure nobody has kept count, and the alarm is simply overdue (A10, A11). Between two runs, the
    /// count is the alarm's and no affair of the incarnation.
    pub(super) fn interrupt_alarm_run(&mut self, id: PartyId, counted: bool) {
        let Some(storage) = &mut self.party_mut(id).storage else {
            return;
        };
        let alarm = &mut storage.alarm;
        if counted && alarm.running.is_some() {
            if alarm.end_run(true) {
                self.retry_alarm(id);
                return;
            }
        } else if alarm.running.take().is_some() {
            alarm.failed = 0;
        }
        self.sync_alarm(id);
    }

    /// An alarm's event was waiting for the thread when the incarnation ended: the next one takes it, as the retry that
    /// it is.
    pub(super) fn deliver_alarm_again(&mut self, id: PartyId, sent: Sent) {
        let current = self.alarm_mut(id).armed;
        if !matches!(sent.delivery, Delivery::Alarm { armed, .. } if armed == current) {
            return;
        }
        let origin = sent.origin;
        let event = self.schedule(self.now, origin, Pending::Arrival(id, sent));
        if let Some((key, _)) = &mut self.alarm_mut(id).event {
            *key = event;
        }
    }

    fn retry_alarm(&mut self, id: PartyId) {
        let origin = self.party(id).alarm_origin;
        let Alarm { failed, stored, .. } = *self.alarm_mut(id);
        let stored = stored.expect("an alarm that is retried is still set");
        let wait = Micros(FIRST_RETRY.0 << (failed - 1));
        let source = self.source(origin);
        let jitter = self
            .chance
            .choose(Purpose::RetryJitter, source, &Text::default(), wait.0 / 4 + 1);
        let event = self.schedule_alarm(id, self.now.after(wait).after(Micros(jitter)), failed);
        self.alarm_mut(id).event = Some((event, stored));
    }

    fn alarm_mut(&mut self, id: PartyId) -> &mut Alarm {
        let storage = self.party_mut(id).storage.as_mut();
        &mut storage.expect("only objects have alarms").alarm
    }
}
