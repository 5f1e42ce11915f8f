//! Stubs: what a party knows of them, and what is in flight on them (`platform.md` sections 11.7 and 12.2).

use protocol::host::{CallError, CallId, Label, Stub, TaskId};

use super::Kernel;
use super::calls::Leaving;
use super::incarnation::Incarnation;
use super::party::{CallerRef, Connection, PartyId};
use super::storage::Store;
use super::watch::StepId;
use super::wide::Guest;

/// A stub within its scope: an object's live as long as its incarnation, a front Worker's as long as the task. By whom it
/// reaches and its serial, which are compared sooner than names.
pub(super) type StubKey = (Option<TaskId>, PartyId, u32);

/// A message on a stub: which stub of the kernel, and which message on it, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct StubSerial {
    pub stub: u64,
    pub nth: u64,
}

/// What a party knows of one of its stubs.
#[derive(Clone, Debug)]
pub(super) struct StubState {
    /// The message that was sent last on it.
    pub serial: StubSerial,
    /// When the last call on it arrives: calls on one stub start in the order they were made.
    pub last_arrival: super::Micros,
    /// The error with which it has failed, and will from now on (`platform.md` section 11, item 7).
    pub broken: Option<CallError>,
}

impl StubState {
    /// A stub on which nothing was sent yet.
    pub fn new(number: u64) -> Self {
        StubState {
            serial: StubSerial { stub: number, nth: 0 },
            last_arrival: super::Micros::ZERO,
            broken: None,
        }
    }
}

/// What an incarnation knows of its stubs, in the order of their keys: a vector, as there are some dozens of them, and a
/// new one's key is the greatest where a caller numbers its stubs.
#[derive(Clone, Debug, Default)]
pub(super) struct Stubs(Vec<(StubKey, StubState)>);

impl Stubs {
    fn place_of(&self, key: &StubKey) -> Result<usize, usize> {
        match self.0.last() {
            Some((last, _)) if last < key => Err(self.0.len()),
            _ => self.0.binary_search_by(|(of, _)| of.cmp(key)),
        }
    }

    pub fn get(&self, key: &StubKey) -> Option<&StubState> {
        let at = self.place_of(key).ok()?;
        Some(&self.0[at].1)
    }

    pub fn get_mut(&mut self, key: &StubKey) -> Option<&mut StubState> {
        let at = self.place_of(key).ok()?;
        Some(&mut self.0[at].1)
    }

    /// The stub of this key, which is `new` where there was none.
    pub fn get_or_insert_with(&mut self, key: StubKey, new: impl FnOnce() -> StubState) -> &mut StubState {
        let at = self.place_of(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, new()));
            at
        });
        &mut self.0[at].1
    }

    pub fn iter(&self) -> impl Iterator<Item = (&StubKey, &StubState)> {
        self.0.iter().map(|(key, state)| (key, state))
    }

    /// How many there are: for a test that they do not pile up.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// A call whose answer is still to come.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct InFlight {
    /// The lowest number that no other has, so that equal states have equal numbers.
    number: u32,
    call: CallId,
    label: Label,
    stub: StubKey,
    /// Its stub has broken, and the caller was told so: the answer that is still to come is for nobody.
    given_up: bool,
}

impl<P: Guest> Incarnation<P> {
    /// A call leaves.
    pub fn take_off(&mut self, call: CallId, label: Label, stub: StubKey) -> u32 {
        let mut numbers = (0_u32..).zip(&self.in_flight);
        let free = numbers.find(|(number, flight)| flight.number != *number);
        let number = free.map_or(self.in_flight.len() as u32, |(number, _)| number);
        let flight = InFlight {
            number,
            call,
            label,
            stub,
            given_up: false,
        };
        self.in_flight.insert(number as usize, flight);
        number
    }

    /// Its answer has come. None where the caller has already been told that it failed.
    fn land(&mut self, number: u32) -> Option<InFlight> {
        let at = self
            .in_flight
            .binary_search_by_key(&number, |flight| flight.number);
        let landed = self.in_flight.remove(at.expect("what is answered was in flight"));
        (!landed.given_up).then_some(landed)
    }
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// The scope of a stub that one of a party's tasks uses; none for a stub for one call, of which nothing is kept.
    pub(super) fn stub_key(
        &self,
        id: PartyId,
        task: TaskId,
        stub: &Stub,
        target: PartyId,
    ) -> Option<StubKey> {
        let of_task = (!self.party(id).is_object()).then_some(task);
        (!stub.is_for_one_call()).then_some((of_task, target, stub.serial))
    }

    /// A front Worker's stubs live no longer than the task that uses them.
    pub(super) fn drop_stubs_of(&mut self, id: PartyId, incarnation: u32, ended: &[TaskId]) {
        if !ended.is_empty()
            && !self.party(id).is_object()
            && let Some(isolate) = self.party_mut(id).incarnation_mut(incarnation)
        {
            let stubs = &mut isolate.stubs.0;
            stubs.retain(|((of_task, ..), _)| of_task.is_none_or(|task| !ended.contains(&task)));
        }
    }

    /// Whether a call has failed with the stub that it was made on, before its answer came.
    pub(super) fn is_given_up(&self, to: &CallerRef) -> bool {
        let Some(number) = to.in_flight else { return false };
        let of_caller = self.party(to.party).incarnation(to.incarnation);
        let mut in_flight = of_caller.into_iter().flat_map(|of_caller| &of_caller.in_flight);
        in_flight.any(|flight| flight.number == number && flight.given_up)
    }

    /// A call that has failed is about to be tried again, and is not in flight meanwhile. False where its caller was told
    /// already that it has failed.
    pub(super) fn withdraw(&mut self, to: &CallerRef) -> bool {
        let Some(number) = to.in_flight else { return true };
        let Some(of_caller) = self.party_mut(to.party).incarnation_mut(to.incarnation) else {
            return false;
        };
        let at = of_caller
            .in_flight
            .binary_search_by_key(&number, |flight| flight.number);
        let at = at.expect("what is answered was in flight");
        if of_caller.in_flight[at].given_up {
            return false;
        }
        of_caller.in_flight.remove(at);
        true
    }

    /// An answer is about to be told to its caller. Whether the caller still waits for it; where it tells that the
    /// connection is lost, all else that is in flight on the stub fails now, and so will all later calls on it.
    pub(super) fn land(&mut self, to: &CallerRef, error: Option<&CallError>, connection: Connection) -> bool {
        let Some(number) = to.in_flight else { return true };
        let incarnation = self.party_mut(to.party).incarnation_mut(to.incarnation);
        let incarnation = incarnation.expect("an answer is told to an incarnation that is there");
        let Some(landed) = incarnation.land(number) else {
            return false;
        };
        if let Some(error) = error.filter(|_| connection.is_lost()) {
            // A front Worker's stub is gone when its task has ended; what it had in flight fails all the same.
            if let Some(state) = incarnation.stubs.get_mut(&landed.stub) {
                state.broken = Some(error.clone());
            }
            self.give_up(to, &landed.stub, error);
        }
        true
    }

    /// Fails all calls in flight on a stub. Each is told in a turn of its own.
    fn give_up(&mut self, to: &CallerRef, stub: &StubKey, error: &CallError) {
        let incarnation = self.party_mut(to.party).incarnation_mut(to.incarnation);
        let incarnation = incarnation.expect("an answer is told to an incarnation that is there");
        let on_it = incarnation.in_flight.iter_mut();
        let on_it = on_it.filter(|flight| flight.stub == *stub && !flight.given_up);
        let failed: Vec<_> = on_it
            .map(|flight| {
                flight.given_up = true;
                (flight.call, flight.label)
            })
            .collect();
        // The failures are in flight too: each is told once, also where the stub's task has ended since.
        let failed: Vec<_> = failed
            .into_iter()
            .map(|(call, label)| {
                let in_flight = Some(incarnation.take_off(call, label, *stub));
                let caller = CallerRef {
                    call,
                    label,
                    in_flight,
                    ..to.clone()
                };
                (caller, incarnation.origin_of(call.task))
            })
            .collect();
        for (caller, origin) in failed {
            let origin = origin.expect("a task that made a call has started");
            let leaving = Leaving {
                origin,
                at: self.now,
                step: StepId(self.steps),
                depends: None,
            };
            self.answer(caller, Err(error.clone()), Connection::Stands, leaving);
        }
    }
}
