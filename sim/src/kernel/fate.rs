//! What becomes of a call on its way: drawn, or aimed at it by a plan.

use protocol::host::Text;

use super::Kernel;
use super::choice::{OriginId, Purpose};
use super::network::{Aim, CallFault};
use super::party::{CallerRef, PartyId};
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, StepId, What};
use super::wide::Guest;

/// What the network does to one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fate {
    pub request_lost: bool,
    pub request_takes: Micros,
    /// How long after the first a second one is sent.
    pub duplicate: Option<Micros>,
    pub answer_lost: bool,
    pub answer_late: Micros,
    /// How long after the call has left its caller's client goes away.
    pub cancel: Option<Micros>,
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// Draws what happens to a call, and lets faults that are aimed at it strike.
    pub(super) fn fate(
        &mut self,
        caller: &CallerRef,
        target: PartyId,
        aimed: &[CallFault],
        origin: OriginId,
        watch: &mut dyn Observer,
    ) -> Fate {
        let from = caller.party;
        let label = Text::new_static(caller.label.0);
        let source = self.source(origin);
        let takes = self.knobs.latency;
        let mut fate = Fate {
            request_lost: false,
            request_takes: takes.draw(&mut self.chance, Purpose::RequestLatency, source, &label),
            duplicate: None,
            answer_lost: self.meets(FaultKind::AnswerLost, (target, from), origin, &label),
            answer_late: Micros::ZERO,
            cancel: None,
        };
        let cut = self.strikes(FaultKind::Partitioned, from, target, origin, &label, watch);
        let lost = aimed.contains(&CallFault::LoseRequest)
            || self.meets(FaultKind::RequestLost, (from, target), origin, &label);
        if lost && !cut {
            self.struck(caller, FaultKind::RequestLost, watch);
        }
        fate.request_lost = cut || lost;
        if !fate.request_lost {
            self.strikes(FaultKind::Clogged, from, target, origin, &label, watch);
        }
        let mut late = Micros::ZERO;
        for (kind, purpose) in [
            (FaultKind::RequestLate, Purpose::RequestLateBy),
            (FaultKind::AnswerLate, Purpose::AnswerLateBy),
        ] {
            if self.meets(kind, (from, target), origin, &label) {
                let by = self.knobs.late_by.draw(&mut self.chance, purpose, source, &label);
                match kind {
                    FaultKind::RequestLate => late = late.after(by),
                    _ => fate.answer_late = fate.answer_late.after(by),
                }
            }
        }
        let more = self.knobs.duplicate_after;
        if self.meets(FaultKind::Duplicated, (from, target), origin, &label) {
            let after = more.draw(&mut self.chance, Purpose::DuplicateAfter, source, &label);
            fate.duplicate = Some(after);
        }
        let goes = self.knobs.cancel_after;
        if !self.party(from).is_object() && self.meets(FaultKind::Cancelled, (from, from), origin, &label) {
            let after = goes.draw(&mut self.chance, Purpose::CancelAfter, source, &label);
            fate.cancel = Some(after);
        }
        for fault in aimed {
            match *fault {
                CallFault::LoseRequest => {}
                CallFault::LoseAnswer => fate.answer_lost = true,
                CallFault::DelayRequest(by) => late = late.after(Micros::from_millis(by.0)),
                CallFault::DelayAnswer(by) => {
                    fate.answer_late = fate.answer_late.after(Micros::from_millis(by.0));
                }
                CallFault::Duplicate(after) => fate.duplicate = Some(Micros::from_millis(after.0)),
                CallFault::Cancel(after) => fate.cancel = Some(Micros::from_millis(after.0)),
            }
        }
        if !fate.request_lost && late > Micros::ZERO {
            fate.request_takes = fate.request_takes.after(late);
            self.struck(caller, FaultKind::RequestLate, watch);
        }
        fate
    }

    /// The faults that are aimed at this call. Counts it.
    pub(super) fn aimed_at(&mut self, caller: &CallerRef) -> Vec<CallFault> {
        let party = &mut self.parties[caller.party.0 as usize];
        let calls_made = &mut party.calls_made;
        let known = calls_made.iter().position(|(label, _)| *label == caller.label);
        let at = known.unwrap_or_else(|| {
            let at = calls_made.partition_point(|(label, _)| *label < caller.label);
            calls_made.insert(at, (caller.label, 0));
            at
        });
        let nth = calls_made[at].1;
        calls_made[at].1 += 1;
        if self.aims.is_empty() {
            return Vec::new();
        }
        let aim = Aim {
            caller: party.who.clone(),
            label: Text::new_static(caller.label.0),
            nth,
        };
        let faults = self.aims.remove(&aim).unwrap_or_default();
        if !faults.is_empty() {
            self.aimed.insert(aim, StepId(self.steps));
        }
        faults
    }

    pub(super) fn struck(&self, caller: &CallerRef, kind: FaultKind, watch: &mut dyn Observer) {
        self.see(&self.party(caller.party).who, What::Fault { kind }, watch);
    }
}
