//! Faults in words.

use crate::kernel::{CallFault, FaultKind, ResetCause};
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
            format!(
                "{} is started elsewhere, and runs on here for {overlap}",
                party(object)
            )
        }
        Fault::Partition { from, to, way, lasts } => {
            let way = match way {
                crate::kernel::Way::Both => "between",
                crate::kernel::Way::There => "in one direction between",
            };
            format!(
                "for {lasts} no message passes {way} {} and {}",
                party(from),
                party(to)
            )
        }
        Fault::Clog { from, to, lasts } => {
            format!(
                "for {lasts} messages from {} to {} do not move",
                party(from),
                party(to)
            )
        }
        Fault::CommitStall { object, lasts } => {
            format!("for {lasts} no commit of {} becomes durable", party(object))
        }
        Fault::CommitFailure { object } => format!("the next commit of {} fails", party(object)),
        Fault::StorageError { object, error, lasts } => {
            format!(
                "for {lasts} what {} writes meets an error ({error:?})",
                party(object)
            )
        }
        Fault::Statement { object, after, error } => {
            let which = match after {
                0 => "the next statement".to_owned(),
                after => format!("statement {} from now on", after + 1),
            };
            format!("{which} of {} meets an error ({error:?})", party(object))
        }
        Fault::KvOutage { lasts } => format!("for {lasts} every read and write of KV fails"),
        Fault::BrokerRestart => "the broker restarts, and knows no subscriber any more".to_owned(),
        Fault::Restart { front } => format!("{} ends, and what it knows with it", party(front)),
        Fault::Rewind { object, back } => {
            format!("{} is taken back to what it stored {back} before", party(object))
        }
        Fault::Clone { from, to } => {
            format!(
                "what {} stores is put in the place of what {} does",
                party(from),
                party(to)
            )
        }
        Fault::Deploy {
            version,
            percent: 100,
        } => format!("version {version} of the code is deployed"),
        Fault::Deploy { version, percent } => {
            format!("version {version} of the code is deployed to {percent} in a hundred")
        }
        Fault::Cancel { item } => format!("the client of item {item} goes away"),
        Fault::Call { aim, fault } => format!(
            "call {} of {} at `{}`: {}",
            aim.nth,
            party(&aim.caller),
            brief(&aim.label),
            of_call(*fault)
        ),
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

/// That from now on a fault can strike, and will, as what whoever it strikes does.
pub(super) fn begins<W: World>(kind: FaultKind, to: &str) -> String {
    let to = W::party_in_words(to);
    match kind {
        FaultKind::Partitioned => format!("is cut off from {to} from now on"),
        FaultKind::Clogged => format!("has what it sends to {to} stuck from now on"),
        FaultKind::CommitStalled => "has its commits wait to become durable from now on".to_owned(),
        FaultKind::StorageRefused => "is to meet errors of the storage from now on".to_owned(),
        FaultKind::CommitFailed => "is to have its next commit fail".to_owned(),
        FaultKind::KvFailed => "has KV fail from now on".to_owned(),
        kind => format!("is to meet a fault from now on ({})", kind.name()),
    }
}
