//! Faults in words.

use crate::kernel::{CallFault, FaultKind, Micros, ResetCause, Way};
use crate::plan::Fault;
use crate::printable::brief;
use crate::world::World;

/// What a fault of a plan does, as the rest of a sentence.
pub(super) fn planned<W: World>(fault: &Fault) -> String {
    let party = |who: &str| W::party_in_words(&brief(who));
    match fault {
        Fault::Reset { object, cause } => format!("{} {}", caused(*cause), party(object)),
        Fault::Evict { object } => format!("{} is evicted, if it has nothing to do", party(object)),
        Fault::Displace { object, overlap } => {
            let object = party(object);
            format!("{object} is started elsewhere, and runs on here for {overlap}")
        }
        Fault::Partition { from, to, way, lasts } => partitioned(*way, &party(from), &party(to), *lasts),
        Fault::Clog { from, to, lasts } => {
            let (from, to) = (party(from), party(to));
            format!("for {lasts} messages from {from} to {to} do not move")
        }
        Fault::CommitStall { object, lasts } => {
            format!("for {lasts} no commit of {} becomes durable", party(object))
        }
        Fault::CommitFailure { object } => format!("the next commit of {} fails", party(object)),
        Fault::StorageError { object, error, lasts } => {
            let object = party(object);
            format!("for {lasts} what {object} writes meets an error ({error:?})")
        }
        Fault::Statement { object, after, error } => {
            let (which, object) = (statement(*after), party(object));
            format!("{which} of {object} meets an error ({error:?})")
        }
        Fault::KvOutage { lasts } => format!("for {lasts} every read and write of KV fails"),
        Fault::BrokerRestart => "the broker restarts, and knows no subscriber any more".to_owned(),
        Fault::Restart { front } => format!("{} ends, and what it knows with it", party(front)),
        Fault::Rewind { object, back } => {
            format!("{} is taken back to what it stored {back} before", party(object))
        }
        Fault::Clone { from, to } => {
            let (from, to) = (party(from), party(to));
            format!("what {from} stores is put in the place of what {to} does")
        }
        Fault::Deploy { version, percent } => deployed(*version, *percent),
        Fault::Cancel { item } => format!("the client of item {item} goes away"),
        Fault::Call { aim, fault } => {
            let (caller, label) = (party(&aim.caller), brief(&aim.label));
            format!("call {} of {caller} at `{label}`: {}", aim.nth, of_call(*fault))
        }
    }
}

fn partitioned(way: Way, from: &str, to: &str, lasts: Micros) -> String {
    let way = match way {
        Way::Both => "between",
        Way::There => "in one direction between",
    };
    format!("for {lasts} no message passes {way} {from} and {to}")
}

/// The statement before which so many run; [`Item::check`](crate::plan::Item::check) bounds their number.
fn statement(after: u64) -> String {
    match after {
        0 => "the next statement".to_owned(),
        after => format!("statement {} from now on", after + 1),
    }
}

fn deployed(version: u32, percent: u32) -> String {
    match percent {
        100 => format!("version {version} of the code is deployed"),
        percent => format!("version {version} of the code is deployed to {percent} in a hundred"),
    }
}

fn caused(cause: ResetCause) -> &'static str {
    match cause {
        ResetCause::Machine => "a machine fails, and with it",
        ResetCause::Memory => "memory runs out at",
        ResetCause::Cpu => "processor time runs out at",
        ResetCause::CodeUpdate => "the code is updated, which stops",
        ResetCause::RuntimeUpdate => "the runtime is updated, which stops",
        ResetCause::Moved => "to another machine moves",
    }
}

fn of_call(fault: CallFault) -> String {
    match fault {
        CallFault::LoseRequest => "its request is lost".to_owned(),
        CallFault::LoseAnswer => "its answer is lost".to_owned(),
        CallFault::DelayRequest(by) => format!("its request is {by} late"),
        CallFault::DelayAnswer(by) => format!("its answer is {by} late"),
        CallFault::Duplicate(after) => format!("it arrives a second time, {after} later"),
        CallFault::Cancel(after) => format!("its client goes away {after} later"),
    }
}

/// Whether what a fault does is told by the reset, the departure or the error that comes with it.
pub(super) fn is_told_elsewhere(kind: FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::Reset | FaultKind::FrontRestarted | FaultKind::Cancelled
    )
}

/// What it means that a fault took effect, as what whoever it struck does.
pub(super) fn struck(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::RequestLost => "has its request lost on the way",
        FaultKind::AnswerLost => "has the answer lost on the way to it",
        FaultKind::RequestLate => "has its request held up",
        FaultKind::AnswerLate => "has the answer held up that is on its way to it",
        FaultKind::Partitioned => "does not get its message through",
        FaultKind::Clogged => "has its message stuck on the way",
        FaultKind::Duplicated => "receives the same request a second time",
        FaultKind::Cancelled => "loses its client",
        FaultKind::Reset => "is reset",
        FaultKind::IsolateShared => "runs out of memory, which another object of its isolate has used up",
        FaultKind::CommitsLost => "loses with its memory commits that were not durable",
        FaultKind::CommitFailed => "has its commit fail",
        FaultKind::CommitStalled => "has its commit wait to become durable",
        FaultKind::GateTimeout => "has waited for a commit with its message for too long",
        FaultKind::StorageRefused => "meets an error of the storage",
        FaultKind::Evicted => "is evicted",
        FaultKind::Recreated => "is taken away with all that it stores",
        FaultKind::Displaced => "is started elsewhere, while it runs on here",
        FaultKind::StaleRan => "runs on, although it is stale",
        FaultKind::StaleEnded => "ends, as it is stale",
        FaultKind::AlarmLate => "has its alarm late",
        FaultKind::AlarmSyncLost => "changes its alarm, and the alarm's manager does not hear of it",
        FaultKind::AlarmEarly => "has its alarm too early",
        FaultKind::AlarmStuck => "has its alarm stuck",
        FaultKind::NameMissing => "does not know its name",
        FaultKind::ClockSkewed => "has a clock that is not the true one",
        FaultKind::KvFailed => "is answered with an error by KV",
        FaultKind::KvTooOften => "has a write refused by KV, which has just written that key",
        FaultKind::KvStale => "is answered by KV what is not written there any more",
        FaultKind::EdgeDropped => "asks the edge cache, which has dropped what it was to keep",
        FaultKind::MessageLost => "is not reached by a message of the broker",
        FaultKind::SubscriberDropped => "loses its subscription, as it is too slow",
        FaultKind::BrokerRestarted => "is not known to the broker any more",
        FaultKind::FrontRestarted => "ends, and what it knows with it",
        FaultKind::CodeUpdated => "has its code updated",
        FaultKind::UpdateDeferred => "goes on with its old code, although another version is deployed",
        FaultKind::FrontUpdated => "is an isolate of another version than the one before",
        FaultKind::VersionSkew => "is asked by code of another version",
        FaultKind::StorageInherited => "begins on what another version of the code has written",
        FaultKind::EvictedAtWork => "loses with its memory what it has begun",
        FaultKind::Rewound => "goes back to what it stored before",
        FaultKind::Cloned => "gets what another object stores",
        FaultKind::Overloaded => "is overloaded, and rejects a request",
        FaultKind::CallRetried => "has its call tried again",
        FaultKind::ClaimRefused => "has had that call before, and does not take it again",
        FaultKind::RetryRanAgain => "runs a call a second time",
    }
}

/// That from now on a fault can strike by chance, and will, as what whoever it strikes does.
pub(super) fn begins<W: World>(kind: FaultKind, to: &str) -> String {
    let to = W::party_in_words(to);
    match kind {
        FaultKind::Partitioned => format!("is cut off from {to} from now on"),
        FaultKind::Clogged => format!("has what it sends to {to} stuck from now on"),
        FaultKind::CommitStalled => "has its commits wait to become durable from now on".to_owned(),
        FaultKind::StorageRefused => "is to meet errors of the storage from now on".to_owned(),
        FaultKind::KvFailed => "has KV fail from now on".to_owned(),
        kind => unreachable!(
            "only an item of the plan has {} begin before it strikes",
            kind.name()
        ),
    }
}
