//! What is one commit, and what is undone.

use protocol::host::{End, Statement};
use sim::kernel::DigestAwait;

use crate::platform::case::{Arm, Case, abort, ask, throw, write};
use crate::platform::script::{Do, Only};

pub(super) const NO_SUCH_AWAIT: Arm =
    Arm::Absent("the seam has no such await: SQL and alarms answer at once");

pub(super) fn cases() -> Vec<Case> {
    let mut cases = units();
    cases.extend(super::transactions::cases());
    cases.extend(super::rollbacks::cases());
    cases
}

/// Writes a row before and one after an await, then aborts: the first row stays where the await has ended the unit.
fn across(rules: &'static str, name: &'static str, says: &'static str, wait: Do, stays: &str) -> Case {
    Case::new(rules, name, says)
        .drive([ask("a", [write("1"), wait, write("2"), abort()])])
        .drive([ask("a", [Do::Read])])
        .sees(["[!aborted, remote, reset]", stays])
}

fn units() -> Vec<Case> {
    vec![
        Case::new(
            "T1, 4.1",
            "an_abort_loses_the_unit",
            "all writes between two suspensions are one commit, which an abort loses",
        )
        .drive([ask("a", [write("1"), write("2"), abort()])])
        .drive([ask("a", [Do::Read])])
        .sees(["[!aborted, remote, reset]", "nothing"]),
        Case::new(
            "T1, 4.4",
            "an_abort_loses_a_finished_transaction",
            "a synchronous transaction that has ended is lost with the unit that it is in",
        )
        .drive([ask("a", [write("1")])])
        .drive([ask("a", [Do::Transact(vec![insert("2")], End::Commit), abort()])])
        .drive([ask("a", [Do::Read])])
        .sees(["done", "[!aborted, remote, reset]", "1"]),
        Case::new(
            "T1, 6.2",
            "an_abort_loses_an_alarm",
            "an alarm that was set is a write of its unit",
        )
        .drive([ask("a", [Do::SetAlarm(60_000), abort()])])
        .drive([ask("a", [Do::GetAlarm])])
        .sees(["[!aborted, remote, reset]", "none"]),
        across(
            "T2, 4.3",
            "a_timer_ends_the_unit",
            "an await on a timer ends the commit unit",
            Do::Sleep(20),
            "1",
        ),
        across(
            "T2, 4.3",
            "a_call_ends_the_unit",
            "an await on a call ends the commit unit",
            ask("b", []),
            "1",
        ),
        across(
            "T2",
            "a_digest_does_not_end_the_unit",
            "an await on a digest does not end the commit unit",
            Do::Digest,
            "nothing",
        )
        .knobs("digest = goes-on", |knobs| knobs.digest = DigestAwait::GoesOn),
        across(
            "2.3",
            "a_digest_ends_the_unit",
            "an await on a digest ends the commit unit, as production documents",
            Do::Digest,
            "1",
        )
        .runtime(Arm::Differs(
            "a digest is a microtask here (T2); production documents an await like any other, and the knob `digest` has both",
            &["[!aborted, remote, reset]", "nothing"],
        )),
        across(
            "T2",
            "a_microtask_does_not_end_the_unit",
            "an await on nothing does not end the commit unit",
            Do::Await(Only::Microtask),
            "nothing",
        )
        .kernel(NO_SUCH_AWAIT),
        across(
            "T2, 2.6",
            "a_read_of_storage_does_not_end_the_unit",
            "an await on `storage.get` does not end the commit unit",
            Do::Await(Only::StorageGet),
            "nothing",
        )
        .kernel(NO_SUCH_AWAIT),
        across(
            "T2, 2.6",
            "a_write_of_storage_does_not_end_the_unit",
            "an await on `storage.put` does not end the commit unit",
            Do::Await(Only::StoragePut),
            "nothing",
        )
        .kernel(NO_SUCH_AWAIT),
        across(
            "T2, 3.5",
            "a_sync_ends_the_unit",
            "an await on `storage.sync` ends the commit unit",
            Do::Await(Only::StorageSync),
            "1",
        )
        .kernel(NO_SUCH_AWAIT),
        across(
            "T2, I5",
            "a_block_ends_the_unit",
            "to enter blockConcurrencyWhile, or to leave it, ends the commit unit",
            Do::Block(vec![]),
            "1",
        ),
        across(
            "T2, T6",
            "a_transaction_ends_the_unit",
            "to enter an asynchronous transaction, or to leave it, ends the commit unit",
            Do::Transaction(vec![]),
            "1",
        ),
        Case::new(
            "T6, 4.5",
            "an_abort_in_a_transaction_loses_it_alone",
            "what was written before an asynchronous transaction does not depend on it",
        )
        .drive([ask("a", [write("1"), Do::Transaction(vec![write("2"), abort()])])])
        .drive([ask("a", [Do::Read])])
        .sees(["[!aborted, remote, reset]", "1"]),
        Case::new(
            "T6, 4.5",
            "a_transaction_is_durable_at_its_end",
            "an asynchronous transaction that has ended does not depend on what follows",
        )
        .drive([ask("a", [Do::Transaction(vec![write("1")]), write("2"), abort()])])
        .drive([ask("a", [Do::Read])])
        .sees(["[!aborted, remote, reset]", "1"]),
        Case::untested(
            "T5",
            "a synchronous transaction whose code is asynchronous commits what ran before its first await",
            "a transaction of the seam is a batch of statements, and holds no code",
            "a transaction of the seam is a batch of statements, and holds no code",
        ),
        Case::untested(
            "4.2",
            "commits are made in order, and can be merged",
            "the kernel's own tests: `commits`",
            "cannot be seen from within",
        ),
        Case::new(
            "T3, 4.8",
            "a_throw_undoes_nothing",
            "what a handler has written before it throws stays",
        )
        .drive([ask("a", [write("1"), throw("!no")]), ask("a", [Do::Read])])
        .sees(["[!no, remote]", "1"]),
    ]
}

pub(super) fn insert(text: &'static str) -> Statement {
    Statement::new(
        "INSERT INTO t (v) VALUES (?)",
        [protocol::host::Value::text(text)],
    )
}
