//! Clients that go away (`platform.md` section 16).

use protocol::host::{TaskId, Text};

use super::choice::OriginId;
use super::party::{CallerRef, Delivery, ReplyTo, Sent};
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, StepId, What};
use super::wide::Guest;
use super::{Kernel, Pending};

impl<P: Guest, S: Store> Kernel<P, S> {
    /// The client of a front Worker's request goes away: its task ends where it waits, or will wait when the code that
    /// holds the thread has done. What it has sent is sent (`platform.md` section 16). False where no front Worker works for it.
    pub(super) fn cancel_now(&mut self, item: u32, origin: OriginId, watch: &mut dyn Observer) -> bool {
        let waits = |reply_to: &Option<ReplyTo>| *reply_to == Some(ReplyTo::Client { item });
        let fronts = self.fronts.iter().copied();
        let isolates = fronts.flat_map(|front| {
            let of_front = self.party(front);
            let isolates = [&of_front.current].into_iter().chain(&of_front.stale);
            isolates.map(move |isolate| (front, isolate))
        });
        let found = isolates.into_iter().find_map(|(front, isolate)| {
            let mut tasks = isolate.tasks.iter();
            let at = tasks.position(|task| task.as_ref().is_some_and(|task| waits(&task.reply_to)))?;
            let task = TaskId(u32::try_from(at).expect("a number of a task"));
            Some((front, isolate.number, task))
        });
        let Some((front, number, task)) = found else {
            return false;
        };
        let isolate = self.party_mut(front).incarnation_mut(number);
        let tasks = isolate.map(|isolate| &mut isolate.tasks);
        if let Some(Some(entry)) = tasks.and_then(|tasks| tasks.get_mut(task.0 as usize)) {
            entry.reply_to = None;
        }
        let kind = FaultKind::Cancelled;
        self.see(&self.party(front).who, What::Fault { kind }, watch);
        self.see(&Text::new_static("client"), What::Left { item }, watch);
        let sent = Box::new(Sent {
            delivery: Delivery::Cancel { task },
            origin,
            cause: Some(StepId(self.steps)),
            depends: None,
            serial: None,
            repeated: false,
            token: None,
            queued: None,
        });
        let isolate = self.party_mut(front).incarnation_mut(number);
        match isolate.filter(|isolate| isolate.holding.is_some()) {
            // Before all else that waits, so that the number is still that task's.
            Some(isolate) => isolate.waiting.push_front(sent),
            None => self.turn(front, number, sent, watch),
        }
        true
    }

    /// The client of the task that makes a call goes away at an instant, if it has one.
    pub(super) fn cancel_later(&mut self, caller: &CallerRef, at: Micros, origin: OriginId) {
        let of_party = self.party(caller.party).incarnation(caller.incarnation);
        let task = of_party.and_then(|of_party| of_party.tasks.get(caller.call.task.0 as usize)?.as_ref());
        if let Some(ReplyTo::Client { item }) = task.and_then(|task| task.reply_to.as_ref()) {
            let item = *item;
            self.schedule(at, origin, Pending::Cancel(item, origin));
        }
    }
}
