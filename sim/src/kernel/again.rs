//! Automatic retries (`platform.md` section 12, item 4): the runtime sends a call again whose connection was lost.
//!
//! A call bears a token, which its callee claims before any code runs: one that was claimed does not run again, and the
//! caller is told of the first failure after all. Where the platform tells that a call was not delivered the next attempt
//! has a token of its own; where it tells that it was, there is none.

use std::collections::BTreeMap;

use protocol::host::{CallError, CallId, CallOutcome, Label, Request, Stub, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Kernel;
use super::Pending;
use super::calls::{Leaving, caller};
use super::choice::{OriginId, Purpose};
use super::party::{CallerRef, Connection, Delivery, PartyId, ReplyTo, Sent};
use super::storage::Store;
use super::time::Micros;
use super::watch::{FaultKind, Observer, StepId, What};
use super::wide::Guest;

/// How many attempts there are at most, and how long after the first the last one begins.
const ATTEMPTS: u32 = 5;
const WITHIN: Micros = Micros::from_millis(10_000);

/// The longest wait before the second attempt; before each later one it is twice as long.
const FIRST_WAIT: Micros = Micros::from_millis(50);

/// How long a claim is remembered: no attempt comes later, however long it is on its way.
const CLAIMED_FOR: Micros = Micros::from_millis(600_000);

/// Which calls the runtime sends again by itself.
///
/// Every call of the seam is a `fetch` whose body is at hand, so that the runtime can rewind it; method calls, for which
/// production has a third way, are not in it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AutoRetry {
    /// None.
    #[default]
    Off,
    /// Those that a `fetch` is.
    Fetch,
}

/// A call that may be tried again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Attempts {
    label: Label,
    stub: Stub,
    request: Request,
    first: Micros,
    made: u32,
    token: u64,
    /// The failure of the first one.
    failed: Option<CallError>,
    /// Whether one has failed of which nobody knows whether it ran: then none has a fresh token any more.
    may_have_run: bool,
}

/// What an attempt bears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Token {
    pub number: u64,
    /// Whether an earlier attempt bore it.
    pub again: bool,
}

/// The tokens that were claimed at an object, each with when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Claims {
    /// Those that its incarnation knows.
    known: BTreeMap<u64, Micros>,
    /// All of them.
    all: BTreeMap<u64, Micros>,
}

impl Claims {
    fn prune(&mut self, now: Micros) {
        for claims in [&mut self.known, &mut self.all] {
            while let Some(oldest) = claims.first_entry()
                && oldest.get().after(CLAIMED_FOR) < now
            {
                oldest.remove();
            }
        }
    }
}

/// What becomes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    /// The request runs.
    Granted,
    /// It has run, or runs.
    Refused,
    /// It runs, although it did before: the incarnation that has claimed it is no more.
    GrantedAgain,
}

impl<P: Guest, S: Store> Kernel<P, S> {
    /// A call leaves: the token that its attempt bears, if it can be tried again.
    pub(super) fn attempt(
        &mut self,
        caller: &CallerRef,
        stub: &Stub,
        request: &Request,
        at: Micros,
    ) -> Option<Token> {
        if self.knobs.auto_retry == AutoRetry::Off {
            return None;
        }
        let number = self.tokens + 1;
        let of_caller = self.party_mut(caller.party).incarnation_mut(caller.incarnation)?;
        if let Some(attempts) = of_caller.attempts.get_mut(&caller.call) {
            attempts.made += 1;
            let again = attempts.token != 0;
            if again {
                let number = attempts.token;
                return Some(Token { number, again });
            }
            attempts.token = number;
        } else {
            let attempts = Attempts {
                label: caller.label,
                stub: stub.clone(),
                request: request.clone(),
                first: at,
                made: 1,
                token: number,
                failed: None,
                may_have_run: false,
            };
            of_caller.attempts.insert(caller.call, attempts);
        }
        self.tokens = number;
        Some(Token { number, again: false })
    }

    /// What the platform can tell of where a call was when its connection was lost: with alternative 0 nothing.
    pub(super) fn marked(&mut self, connection: Connection, origin: OriginId, label: &Text) -> Connection {
        if self.knobs.auto_retry == AutoRetry::Off {
            return Connection::Lost;
        }
        let source = self.source(origin);
        let tells = self.chance.choose(Purpose::DeliveryMarker, source, label, 2);
        if tells == 1 { connection } else { Connection::Lost }
    }

    /// A call has failed at its caller. Whether it is tried again, in which case the caller's code hears nothing.
    pub(super) fn tries_again(
        &mut self,
        to: &CallerRef,
        outcome: &CallOutcome,
        connection: Connection,
        origin: OriginId,
    ) -> bool {
        let Err(error) = outcome else { return false };
        let may = matches!(connection, Connection::Lost | Connection::NotDelivered);
        if !may || !error.retryable || self.knobs.auto_retry == AutoRetry::Off {
            return false;
        }
        let (now, label) = (self.now, Text::new_static(to.label.0));
        let of_party = self.party(to.party).incarnation(to.incarnation);
        let attempts = of_party.and_then(|of_party| of_party.attempts.get(&to.call));
        let Some((made, first)) = attempts.map(|attempts| (attempts.made, attempts.first)) else {
            return false;
        };
        if made >= ATTEMPTS {
            return false;
        }
        let source = self.source(origin);
        let most = FIRST_WAIT.0 << (made - 1);
        let wait = self.chance.choose(Purpose::RetryAfter, source, &label, most + 1);
        let due = now.after(Micros(wait));
        if due > first.after(WITHIN) || !self.withdraw(to) {
            return false;
        }
        let of_party = self.party_mut(to.party).incarnation_mut(to.incarnation);
        let attempts = of_party.and_then(|of_party| of_party.attempts.get_mut(&to.call));
        let attempts = attempts.expect("it was there a moment ago");
        attempts.failed.get_or_insert_with(|| error.clone());
        attempts.may_have_run |= connection != Connection::NotDelivered;
        if !attempts.may_have_run {
            attempts.token = 0;
        }
        let again = Pending::TryAgain(to.party, to.incarnation, to.call, origin);
        self.schedule(due, origin, again);
        true
    }

    /// The next attempt at a call leaves.
    pub(super) fn try_again(
        &mut self,
        id: PartyId,
        incarnation: u32,
        call: CallId,
        origin: OriginId,
        watch: &mut dyn Observer,
    ) {
        let of_party = self.party(id).incarnation(incarnation);
        let Some(attempts) = of_party.and_then(|of_party| of_party.attempts.get(&call)) else {
            return;
        };
        let Attempts {
            label, stub, request, ..
        } = attempts.clone();
        let kind = FaultKind::CallRetried;
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        let leaving = Leaving {
            origin,
            at: self.now,
            step: StepId(self.steps),
            depends: None,
        };
        let to = caller(id, incarnation, call, label);
        self.send_call(to, &stub, request, leaving, watch);
    }

    /// A call has its end. What its caller is told: of a claim that was refused, the failure of the first attempt.
    pub(super) fn end_attempts(
        &mut self,
        to: &CallerRef,
        outcome: CallOutcome,
        connection: Connection,
    ) -> (CallOutcome, Connection) {
        if self.tokens == 0 {
            // Nothing was ever tried again here, nor will be.
            return (outcome, connection);
        }
        let of_party = self.party_mut(to.party).incarnation_mut(to.incarnation);
        let attempts = of_party.and_then(|of_party| of_party.attempts.remove(&to.call));
        match (connection, attempts.and_then(|attempts| attempts.failed)) {
            (Connection::Refused, Some(first)) => (Err(first), Connection::Lost),
            (Connection::Refused, None) => unreachable!("a claim that is refused is of a second attempt"),
            _ => (outcome, connection),
        }
    }

    /// Claims the token of a request before its code runs.
    fn claim(&mut self, id: PartyId, token: Token) -> Claim {
        let (now, kept) = (self.now, self.knobs.claims_kept);
        let party = self.party_mut(id);
        let claims = &mut party.claims;
        if party.current.life.is_none() && !kept {
            claims.known.clear();
        }
        claims.prune(now);
        if claims.known.contains_key(&token.number) {
            return Claim::Refused;
        }
        claims.known.insert(token.number, now);
        if claims.all.insert(token.number, now).is_some() {
            return Claim::GrantedAgain;
        }
        Claim::Granted
    }

    /// Has a request claim its token; gives it back where it may run.
    pub(super) fn claimed(
        &mut self,
        id: PartyId,
        sent: Box<Sent>,
        watch: &mut dyn Observer,
    ) -> Option<Box<Sent>> {
        let Some(token) = sent.token else {
            return Some(sent);
        };
        let kind = match self.claim(id, token) {
            Claim::Granted => return Some(sent),
            Claim::GrantedAgain => {
                assert!(
                    !self.knobs.claims_kept,
                    "PL-5: a call that is tried again runs a second time at {}",
                    self.party(id).who
                );
                FaultKind::RetryRanAgain
            }
            Claim::Refused => FaultKind::ClaimRefused,
        };
        self.see(&self.party(id).who, What::Fault { kind }, watch);
        if kind == FaultKind::RetryRanAgain {
            return Some(sent);
        }
        assert!(
            token.again,
            "PL-5: two calls bear one token, and neither is tried again"
        );
        if let Some(serial) = sent.serial {
            self.stub_audit.gone(serial);
        }
        let leaving = Leaving {
            origin: sent.origin,
            at: self.now,
            step: StepId(self.steps),
            depends: None,
        };
        if let Delivery::Request { reply_to, .. } = sent.delivery
            && !matches!(reply_to, ReplyTo::Nobody)
        {
            let refused = CallError::thrown(Text::new_static("the call has been claimed"));
            self.tell(id, reply_to, Err(refused), Connection::Refused, leaving, watch);
        }
        None
    }
}
