//! What is undone: by transactions, and by statements that are refused.

use protocol::host::{End, Statement, Text};

use super::commits::insert;
use super::sql::{run, sql};
use crate::platform::case::{Arm, Case, abort, ask, throw, write};
use crate::platform::script::{Do, Only};

const BATCHES: Arm = Arm::Absent("a transaction of the seam is a batch of statements, and holds no code");

pub(super) fn cases() -> Vec<Case> {
    let mut cases = transactions();
    cases.extend(refusals());
    cases
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
            "4.6",
            "a_deferred_constraint_resets",
            "a deferred constraint that is violated at the commit resets the object",
        )
        .drive([ask(
            "a",
            [
                run("CREATE TABLE p (id INTEGER PRIMARY KEY)"),
                run("CREATE TABLE c (p INTEGER REFERENCES p (id))"),
            ],
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
            "T14, 4.9, 6.14",
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

fn nowhere() -> Statement {
    Statement::new("INSERT INTO nowhere (v) VALUES ('x')", [])
}
