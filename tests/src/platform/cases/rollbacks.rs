//! Statements that roll back what they are part of.
//!
//! The runtime does not notice: to it a commit unit is open that SQLite has closed. So each later statement of the unit
//! is committed by itself, and the end of the unit fails. That is no way to write code, and the simulator does the same.
//! (Whether an asynchronous transaction that begins in such a unit comes to run is a race in the runtime: in a busy one it
//! did now and then. The simulator has the unit fail first, always.)

use protocol::host::{End, Statement};

use super::commits::insert;
use super::sql::run;
use crate::platform::case::{Case, MOMENT, abort, answer, ask, ask_on, call, fresh, keep, throw, write};
use crate::platform::script::Do;

const FAILED: &str = "[the platform's error]";
const RESET: &str = "[the platform's error, remote, reset]";

const CONFLICT: &str = "INSERT OR ROLLBACK INTO t (id, v) VALUES (1, 'x')";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = of_units();
    cases.extend(of_sections());
    cases
}

fn conflict() -> Do {
    run(CONFLICT)
}

/// What an object with one row does that runs into a conflict, what its caller hears, and what another finds.
fn after(
    name: &'static str,
    says: &'static str,
    script: impl Into<Vec<Do>>,
    [hears, finds]: [&str; 2],
) -> Case {
    Case::new("T9", name, says)
        .drive([ask("a", [write("1")])])
        .drive([ask("a", script.into())])
        .drive([ask("a", [Do::Recall, Do::Read, Do::GetAlarm])])
        .sees(["done".to_owned(), hears.to_owned(), format!("nothing {finds}")])
}

fn of_units() -> Vec<Case> {
    let conflict_in_batch = Statement::new(CONFLICT, []);
    vec![
        after(
            "a_conflict_that_rolls_back_destroys",
            "a conflict under OR ROLLBACK destroys the object, with the unit",
            [keep("m"), write("2"), conflict()],
            [FAILED, "1 none"],
        ),
        after(
            "code_after_a_conflict_that_rolls_back",
            "code that catches such a conflict goes on: what it writes then is durable, though its caller hears of an error",
            [write("2"), conflict(), write("3")],
            [FAILED, "1 3 none"],
        ),
        after(
            "an_alarm_before_a_conflict_that_rolls_back",
            "an alarm that was set before such a conflict is lost",
            [Do::SetAlarm(60_000), conflict(), write("3")],
            [FAILED, "1 3 none"],
        ),
        Case::new(
            "T9",
            "an_alarm_after_a_conflict_that_rolls_back",
            "an alarm that is set after such a conflict is kept",
        )
        .drive([ask("a", [write("1"), Do::SetAlarm(60_000)])])
        .drive([ask("a", [Do::DeleteAlarm])])
        .drive([ask("a", [write("2"), conflict(), Do::SetAlarm(60_000)])])
        .drive([ask("a", [Do::Read, Do::GetAlarm])])
        .sees(["done", "done", FAILED, "1 set"]),
        after(
            "a_batch_after_a_conflict_that_rolls_back",
            "a synchronous transaction after such a conflict is a transaction still",
            [
                write("2"),
                conflict(),
                Do::Transact(vec![insert("3"), insert("4")], End::Commit),
                Do::Transact(vec![insert("5")], End::Rollback),
            ],
            [FAILED, "1 3 4 none"],
        ),
        after(
            "a_batch_with_a_conflict_that_rolls_back",
            "such a conflict in a synchronous transaction takes the unit around it with it",
            [
                write("2"),
                Do::Transact(vec![insert("3"), conflict_in_batch.clone()], End::Commit),
                write("4"),
            ],
            [FAILED, "1 4 none"],
        ),
        after(
            "conflicts_that_roll_back",
            "a second conflict of the kind takes nothing with it but a synchronous transaction",
            [
                write("2"),
                conflict(),
                write("3"),
                conflict(),
                write("4"),
                Do::Transact(vec![insert("5"), conflict_in_batch], End::Commit),
                write("6"),
            ],
            [FAILED, "1 3 4 6 none"],
        ),
        after(
            "a_trigger_that_rolls_back",
            "RAISE (ROLLBACK) is such a conflict",
            [
                write("2"),
                run(
                    "CREATE TRIGGER g BEFORE INSERT ON t WHEN new.v = 'x' BEGIN SELECT RAISE (ROLLBACK, 'no'); END",
                ),
                run("INSERT INTO t (v) VALUES ('x')"),
                write("3"),
            ],
            [FAILED, "1 3 none"],
        ),
        after(
            "an_abort_after_a_conflict_that_rolls_back",
            "an abort after such a conflict is what the caller hears of; it loses nothing more",
            [write("2"), conflict(), write("3"), abort()],
            ["[!aborted, remote, reset]", "1 3 none"],
        ),
        after(
            "a_throw_after_a_conflict_that_rolls_back",
            "a throw after such a conflict is heard by nobody",
            [write("2"), conflict(), write("3"), throw("!no")],
            [FAILED, "1 3 none"],
        ),
        after(
            "an_await_after_a_conflict_that_rolls_back",
            "at the first await after such a conflict the object is no more",
            [write("2"), conflict(), write("3"), Do::Sleep(20), write("4")],
            [FAILED, "1 3 none"],
        ),
        Case::new(
            "T9, 3.1",
            "calls_around_a_conflict_that_rolls_back",
            "no call of a unit with such a conflict leaves",
        )
        .drive([ask("a", [write("1")])])
        .drive([ask(
            "a",
            [
                call("before", "b", [keep("before")]),
                conflict(),
                call("after", "b", [keep("after")]),
            ],
        )])
        .pause(MOMENT)
        .drive([ask("b", [Do::Recall])])
        .sees(["done", FAILED, "nothing"]),
        Case::new(
            "T9, 12.2",
            "a_stub_after_a_conflict_that_rolls_back",
            "the stub of such a conflict fails for ever, and all that is under way on others fails too",
        )
        .drive([
            ask("a", [write("1")]),
            call("late", "a", [Do::Sleep(3 * MOMENT), write("late")]),
            Do::Sleep(MOMENT),
            ask_on(fresh("a", 1), [conflict()]),
            ask_on(fresh("a", 1), [Do::Read]),
            answer("late"),
            ask_on(fresh("a", 2), [Do::Read]),
        ])
        .sees(["done", FAILED, FAILED, FAILED, "1"]),
        Case::new(
            "T9, 6.6",
            "a_conflict_that_rolls_back_in_an_alarm",
            "a run of the alarm that ends with such a conflict does not count",
        )
        .drive([ask(
            "a",
            [
                write("1"),
                Do::OnAlarm(vec![vec![conflict(), Do::RetryCount, Do::Store]]),
                Do::SetAlarm(50),
            ],
        )])
        .pause(4_000)
        .drive([ask("a", [Do::Read, Do::GetAlarm])])
        .sees(["done", "1 0 0 set"]),
    ]
}

fn of_sections() -> Vec<Case> {
    let within = |end: Do| {
        vec![
            write("2"),
            Do::Transaction(vec![
                write("3"),
                Do::Sleep(20),
                write("4"),
                conflict(),
                write("5"),
                Do::Sleep(20),
                write("6"),
                end,
            ]),
            write("7"),
        ]
    };
    vec![
        after(
            "a_block_with_a_conflict_that_rolls_back",
            "such a conflict in blockConcurrencyWhile takes its unit with it",
            [
                write("2"),
                Do::Block(vec![
                    write("3"),
                    Do::Sleep(20),
                    write("4"),
                    conflict(),
                    write("5"),
                ]),
                write("6"),
            ],
            [FAILED, "1 2 3 5 none"],
        ),
        after(
            "a_block_that_throws_after_a_conflict_that_rolls_back",
            "the throw of a block is what the caller hears of",
            [Do::Block(vec![write("2"), conflict(), write("3"), throw("!no")])],
            ["[!no, remote, reset]", "1 3 none"],
        ),
        after(
            "a_block_after_a_conflict_that_rolls_back",
            "blockConcurrencyWhile is not entered after such a conflict",
            [conflict(), write("2"), Do::Block(vec![write("3")])],
            [FAILED, "1 2 none"],
        ),
        after(
            "a_transaction_with_a_conflict_that_rolls_back",
            "such a conflict takes all of an asynchronous transaction with it, and its code goes on up to the end, which \
             resets the object",
            within(Do::Recall),
            [RESET, "1 2 5 6 none"],
        ),
        after(
            "a_transaction_that_throws_after_a_conflict_that_rolls_back",
            "an asynchronous transaction that throws after such a conflict resets its object all the same",
            within(throw("!no")),
            [RESET, "1 2 5 6 none"],
        ),
        after(
            "a_transaction_that_is_rolled_back_after_a_conflict_that_rolls_back",
            "so does one that is to be rolled back",
            within(Do::RollBack),
            [RESET, "1 2 5 6 none"],
        ),
        after(
            "an_abort_in_a_transaction_after_a_conflict_that_rolls_back",
            "an abort in an asynchronous transaction after such a conflict loses nothing more",
            within(abort()),
            ["[!aborted, remote, reset]", "1 2 5 6 none"],
        ),
        after(
            "a_nested_transaction_with_a_conflict_that_rolls_back",
            "such a conflict takes the transactions around the innermost with it",
            [Do::Transaction(vec![
                write("2"),
                Do::Catch(vec![Do::Transaction(vec![write("3"), conflict(), write("4")])]),
                write("5"),
            ])],
            [RESET, "1 4 none"],
        ),
        after(
            "a_transaction_in_one_with_a_conflict_that_rolls_back",
            "an asynchronous transaction that begins after such a conflict is a transaction still",
            [Do::Transaction(vec![
                write("2"),
                conflict(),
                write("3"),
                Do::Transaction(vec![write("4"), Do::Sleep(20)]),
                Do::Catch(vec![Do::Transaction(vec![
                    write("5"),
                    Do::Sleep(20),
                    throw("!no"),
                ])]),
                write("6"),
            ])],
            [RESET, "1 3 4 6 none"],
        ),
        Case::new(
            "T9, 6.6",
            "a_transaction_with_a_conflict_that_rolls_back_in_an_alarm",
            "a run of the alarm that ends with such a transaction counts",
        )
        .drive([ask(
            "a",
            [
                write("1"),
                Do::OnAlarm(vec![vec![Do::Transaction(vec![
                    conflict(),
                    Do::RetryCount,
                    Do::Store,
                ])]]),
                Do::SetAlarm(50),
            ],
        )])
        .pause(4_000)
        .drive([ask("a", [Do::Read, Do::GetAlarm])])
        .sees(["done", "1 0 1 set"]),
    ]
}
