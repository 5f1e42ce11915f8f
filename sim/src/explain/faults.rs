//! Faults in words.

use crate::kernel::{CallFault, FaultKind, ResetCause};
use crate::plan::Fault;
use crate::world::World;

/// What a fault of a plan does, as the rest of a sentence.
pub(super) fn planned<W: World>(fault: &Fault) -> String {
    let party = |who: &str| W::party_in_words(&who.escape_debug().to_string());
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
            format!(
                "after {after} statements one of {} meets an error ({error:?})",
                party(object)
            )
        }
        Fault::Cancel { item } => format!("the client of item {item} goes away"),
        Fault::Call { aim, fault } => format!(
            "call {} of {} at `{}`: {}",
            aim.nth,
            party(&aim.caller),
            aim.label.escape_debug(),
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
    matches!(kind, FaultKind::Reset | FaultKind::Cancelled)
}

/// What it means that a fault took effect, as a clause of whom it struck.
pub(super) fn struck(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::RequestLost => "its request is lost on the way",
        FaultKind::AnswerLost => "the answer is lost on the way",
        FaultKind::RequestLate => "its request is late",
        FaultKind::AnswerLate => "the answer is late",
        FaultKind::Partitioned => "its message does not get through",
        FaultKind::Clogged => "its message is stuck on the way",
        FaultKind::Duplicated => "the request arrives twice",
        FaultKind::Cancelled => "its client goes away",
        FaultKind::Reset => "it is reset",
        FaultKind::IsolateShared => "another object of its isolate has used the memory up",
        FaultKind::CommitsLost => "with its memory go commits that were not durable",
        FaultKind::CommitFailed => "its commit fails",
        FaultKind::CommitStalled => "its commit is not durable for a while",
        FaultKind::GateTimeout => "its message has waited for a commit for too long",
        FaultKind::StorageRefused => "a statement meets an error of the storage",
        FaultKind::Evicted => "it is evicted",
        FaultKind::Recreated => "it is taken away with all that it stores",
        FaultKind::Displaced => "it is started elsewhere, while it runs on here",
        FaultKind::StaleRan => "its stale incarnation still runs",
        FaultKind::StaleEnded => "its stale incarnation ends",
        FaultKind::AlarmLate => "its alarm is late",
        FaultKind::AlarmSyncLost => "the alarm's manager does not hear of the change",
        FaultKind::AlarmEarly => "its alarm comes early",
        FaultKind::AlarmStuck => "its alarm is stuck",
        FaultKind::NameMissing => "it does not know its name",
        FaultKind::ClockSkewed => "its clock is not the true one",
    }
}

/// That from now on a fault can strike.
pub(super) fn stands<W: World>(kind: FaultKind, to: &str) -> String {
    let towards = if to.is_empty() {
        String::new()
    } else {
        format!(", towards {}", W::party_in_words(to))
    };
    format!("from now on {} can strike{towards}", kind.name())
}
