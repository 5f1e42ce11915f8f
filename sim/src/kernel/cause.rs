//! Resets that are no doing of an object's own (`platform.md` section 9).

use protocol::host::{CallError, Text};
use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::Kernel;
use super::alarm::Interrupted;
use super::choice::OriginId;
use super::party::PartyId;
use super::reset::IncarnationEnd;
use super::storage::Store;
use super::watch::{FaultKind, Observer, What};
use super::wide::Guest;

/// Why an object loses its memory without any doing of its code's.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, VariantArray,
)]
#[serde(rename_all = "kebab-case")]
pub enum ResetCause {
    /// Its machine fails.
    #[default]
    Machine,
    /// The isolate has used up its memory. With it go all objects that share the isolate, where they do.
    Memory,
    /// Its code has held the thread for too long.
    Cpu,
    /// Its code was updated: what runs is stopped.
    CodeUpdate,
    /// The runtime was updated.
    RuntimeUpdate,
    /// It moves to another machine.
    Moved,
}

impl ResetCause {
    /// What callers are told. The flags are those of section 9; the texts are no contract.
    pub(super) fn error(self) -> CallError {
        let (why, retryable) = match self {
            ResetCause::Machine => ("Durable Object reset because its machine failed.", true),
            ResetCause::Memory => (
                "Durable Object's isolate exceeded its memory limit and was reset.",
                false,
            ),
            ResetCause::Cpu => ("Durable Object exceeded its CPU time limit and was reset.", false),
            ResetCause::CodeUpdate => ("Durable Object reset because its code was updated.", true),
            ResetCause::RuntimeUpdate => ("Durable Object reset because the runtime was updated.", true),
            ResetCause::Moved => ("Durable Object reset because it was moved.", true),
        };
        CallError {
            remote: true,
            retryable,
            reset: true,
            ..CallError::thrown(Text::new_static(why))
        }
    }

    /// How an incarnation ends by it.
    pub(super) fn end(self, origin: OriginId) -> IncarnationEnd {
        IncarnationEnd {
            outputs: Vec::new(),
            error: self.error(),
            origin,
            run: self.of_run(),
        }
    }

    /// What becomes of a run of the alarm that it ends (section 6, item 6): the application's own doing counts.
    fn of_run(self) -> Interrupted {
        match self {
            ResetCause::Memory | ResetCause::Cpu => Interrupted::Counts,
            ResetCause::Machine | ResetCause::CodeUpdate | ResetCause::RuntimeUpdate | ResetCause::Moved => {
                Interrupted::Forgotten
            }
        }
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// A machine fails, code is updated, memory runs out: an object loses its memory, and a suffix of the commits that
    /// nobody was told of yet (`platform.md` section 14, item 2). An object that is not loaded has nothing to lose.
    pub(super) fn reset_now(
        &mut self,
        id: PartyId,
        cause: ResetCause,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        if cause == ResetCause::Machine && self.knobs.alarm_count_lost {
            self.forget_retry(id);
        }
        if self.party(id).current.life.is_none() {
            return;
        }
        self.reset_as(FaultKind::Reset, id, cause, origin, watch);
        if cause == ResetCause::Memory && self.knobs.shared_isolates {
            self.reset_neighbours(id, origin, watch);
        }
    }

    fn reset_as(
        &mut self,
        kind: FaultKind,
        id: PartyId,
        cause: ResetCause,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let survivors = self.draw_survivors(id, origin);
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        self.lose(id, survivors, cause.end(origin), watch);
    }

    /// The code of an incarnation has held the thread for as long as it may: it is stopped, and its object reset.
    pub(super) fn cpu_limit(
        &mut self,
        id: PartyId,
        incarnation: u32,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let cause = ResetCause::Cpu;
        if self.party(id).current.number == incarnation {
            self.reset_now(id, cause, origin, watch);
            return;
        }
        let end = cause.end(origin);
        self.break_incarnation(id, incarnation, end, watch);
    }

    /// All objects of the same namespace are in the isolate that ran out of memory.
    fn reset_neighbours(&mut self, id: PartyId, origin: OriginId, watch: &mut dyn Observer) {
        let namespace = self.party(id).address.as_ref().map(|(namespace, _)| namespace);
        let of_it = self.objects.iter().filter(|(of, ..)| Some(*of) == namespace);
        let neighbours: Vec<_> = of_it
            .map(|(.., object)| object)
            .filter(|object| *object != id)
            .collect();
        for neighbour in neighbours {
            if self.party(neighbour).current.life.is_some() {
                let kind = FaultKind::IsolateShared;
                self.reset_as(kind, neighbour, ResetCause::Memory, origin, watch);
            }
        }
    }
}
