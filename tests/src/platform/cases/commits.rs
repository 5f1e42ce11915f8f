//! What is one commit, and what is undone.

use protocol::host::{End, Statement, Text};
use sim::kernel::DigestAwait;

use super::sql::{run, sql};
use crate::platform::case::{Arm, Case, abort, ask, throw, write};
use crate::platform::script::{Do, Only};

const BATCHES: Arm = Arm::Absent("a transaction of the seam is a batch of statements, and holds no code");

pub(super) const NO_SUCH_AWAIT: Arm = Arm::Absent("the seam has no such await: SQL and alarms answer at once");

pub(super) const ENTRY: &str =
    "to be put right: the simulated platform goes into a critical section, and out of it, within the turn";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = units();
    cases.extend(transactions());
    cases.extend(refusals());
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
            "a digest is a microtask here (T2); production documents an await like any other",
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
        )
        .kernel(Arm::Differs(ENTRY, &["[!aborted, remote, reset]", "nothing"])),
        across(
            "T2, T6",
            "a_transaction_ends_the_unit",
            "to enter an asynchronous transaction, or to leave it, ends the commit unit",
            Do::Transaction(vec![]),
            "1",
        )
        .kernel(Arm::Differs(ENTRY, &["[!aborted, remote, reset]", "nothing"])),
        Case::new(
            "T6, 4.5",
            "an_abort_in_a_transaction_loses_it_alone",
            "what was written before an asynchronous transaction does not depend on it",
        )
        .drive([ask("a", [write("1"), Do::Transaction(vec![write("2"), abort()])])])
        .drive([ask("a", [Do::Read])])
        .sees(["[!aborted, remote, reset]", "1"])
        .kernel(Arm::Differs(ENTRY, &["[!aborted, remote, reset]", "nothing"])),
        Case::new(
            "T6, 4.5",
            "a_transaction_is_durable_at_its_end",
            "an asynchronous transaction that has ended does not depend on what follows",
        )
        .drive([ask("a", [Do::Transaction(vec![write("1")]), write("2"), abort()])])
        .drive([ask("a", [Do::Read])])
        .sees(["[!aborted, remote, reset]", "1"])
        .kernel(Arm::Differs(ENTRY, &["[!aborted, remote, reset]", "nothing"])),
        Case::new(
            "T3, 4.8",
            "a_throw_undoes_nothing",
            "what a handler has written before it throws stays",
        )
        .drive([ask("a", [write("1"), throw("!no")]), ask("a", [Do::Read])])
        .sees(["[!no, remote]", "1"]),
    ]
}

fn transactions() -> Vec<Case> {
    vec![
        Case::new(
            "T4, T7, 4.4",
            "a_refused_transaction_leaves_nothing",
            "a synchronous transaction is undone as a whole when a statement of it throws, and nothing before it is",
        )
        .drive([ask(
            "a",
            [
                write("1"),
                Do::Transact(vec![insert("2"), nowhere()], End::Commit),
                Do::Read,
            ],
        )])
        .sees(["NoSuchTable at 1 1"]),
        Case::new(
            "T4",
            "a_speculative_transaction_leaves_nothing",
            "a synchronous transaction whose code throws at its end leaves nothing",
        )
        .drive([ask(
            "a",
            [write("1"), Do::Transact(vec![insert("2")], End::Rollback), Do::Read],
        )])
        .sees(["1"]),
        Case::new(
            "T4",
            "a_transaction_takes_its_alarm_back",
            "a synchronous transaction that throws takes back the alarm that it has set",
        )
        .drive([ask(
            "a",
            [
                Do::TransactScript(vec![Do::SetAlarm(60_000), throw("!no")]),
                Do::GetAlarm,
            ],
        )])
        .sees(["[!no] none"])
        .kernel(BATCHES),
        Case::new(
            "T4",
            "an_inner_transaction_is_undone_alone",
            "of nested synchronous transactions only the one that throws is undone",
        )
        .drive([ask(
            "a",
            [
                Do::TransactScript(vec![
                    write("1"),
                    Do::TransactScript(vec![write("2"), throw("!no")]),
                    write("3"),
                ]),
                Do::Read,
            ],
        )])
        .sees(["[!no] 1 3"])
        .kernel(BATCHES),
        Case::new(
            "T6, 4.5",
            "a_transaction_that_throws",
            "an asynchronous transaction that throws takes its writes back, and its object goes on",
        )
        .drive([ask(
            "a",
            [
                Do::Keep(Text::new_static("m")),
                write("1"),
                Do::Catch(vec![Do::Transaction(vec![write("2"), Do::Sleep(20), throw("!no")])]),
                Do::Read,
                Do::Recall,
            ],
        )])
        .sees(["[!no] 1 m"]),
        Case::new(
            "T6, 4.5",
            "a_transaction_that_rolls_back",
            "an asynchronous transaction that is rolled back leaves nothing",
        )
        .drive([ask(
            "a",
            [
                write("1"),
                Do::Transaction(vec![write("2"), Do::Sleep(20), Do::RollBack]),
                Do::Read,
            ],
        )])
        .sees(["1"]),
        Case::new(
            "T6, 4.5",
            "a_transaction_that_commits",
            "an asynchronous transaction is one commit, made at its end",
        )
        .drive([ask(
            "a",
            [
                Do::Transaction(vec![write("1"), Do::Sleep(20), write("2")]),
                Do::Sleep(20),
                abort(),
            ],
        )])
        .drive([ask("a", [Do::Read])])
        .sees(["[!aborted, remote, reset]", "1 2"]),
        Case::new(
            "T6",
            "an_abort_within_a_transaction",
            "an abort within an asynchronous transaction loses all of it, also what was written before an await",
        )
        .drive([ask(
            "a",
            [Do::Transaction(vec![write("1"), Do::Sleep(20), write("2"), abort()])],
        )])
        .drive([ask("a", [Do::Read])])
        .sees(["[!aborted, remote, reset]", "nothing"]),
        Case::new(
            "T6, 6.2",
            "a_transaction_takes_an_alarm_back",
            "an asynchronous transaction that throws takes back the alarm that it has set",
        )
        .drive([ask(
            "a",
            [
                Do::Catch(vec![Do::Transaction(vec![Do::SetAlarm(60_000), throw("!no")])]),
                Do::GetAlarm,
            ],
        )])
        .sees(["[!no] none"]),
    ]
}

fn refusals() -> Vec<Case> {
    vec![
        Case::new(
            "T7, 4.8",
            "a_refused_statement_is_undone_alone",
            "a statement that is refused leaves none of its rows, and the unit goes on",
        )
        .drive([ask(
            "a",
            [
                write("1"),
                run("INSERT INTO t (id, v) VALUES (7, 'x'), (7, 'y')"),
                write("2"),
                Do::Read,
            ],
        )])
        .sees(["Unique 1 2"]),
        Case::new(
            "T8, 4.8",
            "the_second_of_two_statements_fails",
            "in a text of several statements, those before the one that is refused stay",
        )
        .drive([ask(
            "a",
            [
                write("1"),
                run("INSERT INTO t (v) VALUES ('2'); INSERT INTO nowhere (v) VALUES ('3')"),
                Do::Read,
            ],
        )])
        .sees(["NoSuchTable 1 2"]),
        Case::new(
            "T9",
            "a_conflict_that_rolls_back_destroys",
            "a conflict under OR ROLLBACK destroys the object, with the unit",
        )
        .drive([ask("a", [write("1")])])
        .drive([ask(
            "a",
            [Do::Keep(Text::new_static("m")), write("2"), conflict()],
        )])
        .drive([ask("a", [Do::Recall, Do::Read])])
        .sees(["done", "[the platform's error]", "nothing 1"])
        .kernel(Arm::Differs(
            "to be put right: this error has no flag at all",
            &["done", "[the platform's error, remote, reset]", "nothing 1"],
        )),
        Case::new(
            "T9",
            "code_after_a_conflict_that_rolls_back",
            "code that catches such a conflict goes on: what it writes then is durable, though its caller hears of an error",
        )
        .drive([ask("a", [write("1")])])
        .drive([ask("a", [write("2"), conflict(), write("3")])])
        .drive([ask("a", [Do::Read])])
        .sees(["done", "[the platform's error]", "1 3"])
        .kernel(Arm::Differs(
            "to be put right, or never to be written: the simulated platform loses the whole unit",
            &["done", "[the platform's error, remote, reset]", "1"],
        )),
        Case::new(
            "4.6",
            "a_deferred_constraint_resets",
            "a deferred constraint that is violated at the commit resets the object",
        )
        .drive([ask(
            "a",
            [run("CREATE TABLE p (id INTEGER PRIMARY KEY)"), run("CREATE TABLE c (p INTEGER REFERENCES p (id))")],
        )])
        .drive([ask(
            "a",
            [
                write("1"),
                run("PRAGMA defer_foreign_keys = ON"),
                sql("INSERT INTO c (p) VALUES (?)", [1_u32.into()]),
            ],
        )])
        .drive([ask("a", [Do::Read])])
        .sees(["done", "[the platform's error, remote]", "nothing"])
        .kernel(Arm::Absent(
            "the store refuses what would be checked at a commit only: such a run is void",
        )),
        Case::new(
            "T14, 6.14",
            "deleting_all_deletes_the_alarm",
            "`deleteAll` drops the tables and the alarm, and its instance goes on",
        )
        .drive([ask(
            "a",
            [
                Do::Keep(Text::new_static("m")),
                write("1"),
                Do::SetAlarm(60_000),
                Do::Await(Only::StorageDeleteAll),
                Do::Read,
                Do::GetAlarm,
                Do::Recall,
            ],
        )])
        .sees(["nothing none m"])
        .kernel(Arm::Absent("the seam has no `deleteAll`")),
    ]
}

fn conflict() -> Do {
    run("INSERT OR ROLLBACK INTO t (id, v) VALUES (1, 'x')")
}

fn insert(text: &'static str) -> Statement {
    Statement::new("INSERT INTO t (v) VALUES (?)", [protocol::host::Value::text(text)])
}

fn nowhere() -> Statement {
    Statement::new("INSERT INTO nowhere (v) VALUES ('x')", [])
}
