//! What leaves an object, in which order, and what its callers are told.

use protocol::host::{CallError, Text};

use super::interleaving::join;
use super::sql::run_with;
use crate::platform::case::{
    Arm, Case, MOMENT, Machine, Step, abort, answer, ask, ask_on, call, call_on, fresh, keep, say, stub,
    throw, write,
};
use crate::platform::script::{Do, Param};

const ABORTED: &str = "[!aborted, remote, reset]";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = output();
    cases.extend(failures());
    cases.extend(departures());
    cases.extend(order());
    cases
}

fn output() -> Vec<Case> {
    vec![
        Case::new(
            "T10, 3.1",
            "a_call_waits_for_the_writes_before_it",
            "a call that was begun after a write does not leave when the write is lost",
        )
        .drive([ask("a", [write("1"), call("lost", "b", [keep("got")]), abort()])])
        .pause(MOMENT)
        .drive([ask("b", [Do::Recall])])
        .sees([ABORTED, "nothing"]),
        Case::new(
            "T13, 3.1",
            "an_abort_keeps_back_its_calls",
            "a call of the turn that aborts does not leave, though nothing was written before it",
        )
        .drive([ask("a", [call("lost", "b", [keep("got")]), abort()])])
        .pause(MOMENT)
        .drive([ask("b", [Do::Recall])])
        .sees([ABORTED, "nothing"]),
        Case::new(
            "3.1",
            "a_call_leaves_when_its_writes_are_durable",
            "a call leaves once the writes before it are durable, whatever becomes of later ones",
        )
        .drive([ask(
            "a",
            [
                write("1"),
                call("sent", "b", [keep("got")]),
                Do::Sleep(MOMENT),
                write("2"),
                abort(),
            ],
        )])
        .drive([ask("b", [Do::Recall]), ask("a", [Do::Read])])
        .sees([ABORTED, "got", "1"]),
        Case::new(
            "T11, 3.1, 4.7",
            "a_full_disk",
            "a commit that fails: its answer and its calls do not leave, its object is reset, earlier writes stay",
        )
        .drive([ask("a", [write("1")])])
        .step(Step::DiskFull(Text::new_static("a")))
        .drive([ask(
            "a",
            [
                keep("m"),
                run_with("INSERT INTO t (v) VALUES (?)", [Param::Long(1_800_000)]),
                call("lost", "b", [keep("got")]),
                say("fine"),
            ],
        )])
        .pause(MOMENT)
        .drive([ask("b", [Do::Recall]), ask("a", [Do::Recall, Do::Read])])
        .sees([
            "done",
            "[the platform's error, remote, reset]",
            "nothing",
            "nothing 1",
        ])
        .machine(Machine::SmallDisk),
        Case::untested(
            "3.2, 3.3, 17",
            "what else is gated, and what is not: sockets, queues, automatic responses",
            "the seam has requests and calls only",
            "the seam has requests and calls only",
        ),
        Case::untested(
            "3.4",
            "a commit that is not confirmed for 30 s resets the object",
            "knob `commit-stall`",
            "documented only: a disk that does not answer needs a file system of one's own",
        ),
    ]
}

fn failures() -> Vec<Case> {
    let forged = CallError {
        retryable: true,
        ..CallError::thrown("!no")
    };
    vec![
        Case::new(
            "errors, 9, 11.1",
            "a_throw",
            "a throw reaches the caller as it is; the same stub reaches the same instance",
        )
        .drive([ask("a", [keep("m"), throw("!no")]), ask("a", [Do::Recall])])
        .sees(["[!no, remote]", "m"]),
        Case::new("11.5", "a_forged_flag", "an error that code has marked retryable arrives so")
            .drive([ask("a", [Do::Throw(forged)])])
            .sees(["[!no, remote, retryable]"]),
        Case::new(
            "errors, 11.7, 12.2",
            "a_dead_stub",
            "a stub whose object was aborted fails for ever with that error; another stub reaches a new instance",
        )
        .drive([
            ask("a", [keep("m"), abort()]),
            ask("a", [Do::Recall]),
            Do::Sleep(100),
            ask("a", [Do::Recall]),
            ask_on(fresh("a", 1), [Do::Recall]),
        ])
        .sees([ABORTED, "[!aborted, reset]", "[!aborted, reset]", "nothing"]),
        Case::new(
            "errors, 11.7",
            "a_dead_stub_of_an_object",
            "the same of a stub that an object holds",
        )
        .drive([ask(
            "c",
            [
                ask("a", [keep("m"), abort()]),
                ask("a", [Do::Recall]),
                ask_on(fresh("a", 1), [Do::Recall]),
            ],
        )])
        .sees(["[!aborted, remote, reset] [!aborted, reset] nothing"]),
        Case::new(
            "T13, 9, 11.4",
            "an_abort_ends_all_handlers",
            "an abort ends every handler of its object: none goes on, and all callers get its error",
        )
        .drive([
            call("first", "a", [Do::Sleep(3 * MOMENT), write("1")]),
            Do::Sleep(MOMENT),
            call("second", "a", [Do::Catch(vec![abort()]), write("2")]),
            answer("first"),
            answer("second"),
            Do::Sleep(4 * MOMENT),
        ])
        .drive([ask("a", [Do::Read])])
        .sees([ABORTED, ABORTED, "nothing"]),
        Case::new(
            "errors, 2.5, 9",
            "a_throw_in_a_block",
            "a throw in blockConcurrencyWhile resets the object, caught or not",
        )
        .drive([ask(
            "a",
            [keep("m"), write("1"), Do::Catch(vec![Do::Block(vec![throw("!no")])])],
        )])
        .drive([ask("a", [Do::Recall, Do::Read])])
        .sees(["[!no, remote, reset]", "nothing 1"]),
        Case::new(
            "errors, 2.5, 9",
            "a_late_throw_in_a_block",
            "a throw in blockConcurrencyWhile after an await resets the object; what was committed before stays",
        )
        .drive([ask(
            "a",
            [
                keep("m"),
                write("1"),
                Do::Block(vec![Do::Sleep(20), write("2"), throw("!no")]),
            ],
        )])
        .drive([ask("a", [Do::Recall, Do::Read])])
        .sees(["[!no, remote, reset]", "nothing 1"]),
        Case::new(
            "T13, 12.2",
            "an_abort_fails_calls_on_all_stubs",
            "calls that are under way on other stubs of an object that is reset fail as well",
        )
        .drive([
            call_on("first", fresh("a", 1), [Do::Sleep(4 * MOMENT)]),
            Do::Sleep(MOMENT),
            ask("a", [abort()]),
            answer("first"),
            ask_on(fresh("a", 2), [Do::Recall]),
        ])
        .sees([ABORTED, ABORTED, "nothing"]),
        Case::new(
            "errors, 12.1",
            "a_throw_fails_its_call_alone",
            "a throw fails no other call on its stub",
        )
        .drive([
            call("first", "a", [Do::Sleep(3 * MOMENT), say("fine")]),
            Do::Sleep(MOMENT),
            ask("a", [throw("!no")]),
            answer("first"),
        ])
        .sees(["[!no, remote]", "fine"]),
        Case::new(
            "errors, 2.5",
            "what_waited_for_a_block_that_throws",
            "a request that waits for a critical section fails with it",
        )
        .drive([
            call("first", "a", [Do::Block(vec![Do::Sleep(3 * MOMENT), throw("!no")])]),
            Do::Sleep(MOMENT),
            call("second", "a", [Do::Recall]),
            call_on("third", fresh("a", 1), [Do::Recall]),
            answer("first"),
            answer("second"),
            answer("third"),
        ])
        .sees(["[!no, remote, reset]", "[!no, remote, reset]", "[!no, remote, reset]"]),
        Case::new(
            "4.5",
            "a_transaction_that_throws_out",
            "an asynchronous transaction that throws passes its error on, and resets nothing",
        )
        .drive([
            ask("a", [keep("m"), Do::Transaction(vec![write("1"), throw("!no")])]),
            ask("a", [Do::Recall, Do::Read]),
        ])
        .sees(["[!no, remote]", "m nothing"]),
        Case::untested(
            "errors, 9",
            "a constructor that throws fails each call that wakes the object",
            "an object of the seam has no constructor that can fail",
            "an object of the seam has no constructor that can fail",
        ),
        Case::untested(
            "errors",
            "RPC: its own errors, and 32 MiB at most",
            "the seam calls with requests",
            "the seam calls with requests",
        ),
        Case::untested(
            "errors",
            "an error in mid body shows when the body is read; a status passes through as it is",
            "a response of the seam has its whole body",
            "tests/tests/workerd passes statuses through",
        ),
        Case::untested(
            "10, 11.3",
            "an object with too much to do refuses requests",
            "assumed: no sizes of queues are published",
            "cannot be provoked on one machine",
        ),
        Case::untested(
            "11.2, 12.3",
            "a lost connection is retryable, and says nothing of what ran",
            "the kernel's own tests: `calls`",
            "no call is lost on one machine",
        ),
    ]
}

fn departures() -> Vec<Case> {
    let late = || vec![Do::Sleep(3 * MOMENT), write("late")];
    let stays = |case: Case, first: &[&str]| {
        case.pause(4 * MOMENT)
            .drive([ask("a", [Do::Read])])
            .sees(first.iter().chain(&["late"]).copied())
    };
    vec![
        stays(
            Case::new(
                "errors, 16.2",
                "a_caller_goes_away",
                "a caller that goes away does not stop its callee",
            )
            .drive([Do::GoAway(stub("a"), late()), Do::Sleep(MOMENT)]),
            &[],
        ),
        stays(
            Case::new(
                "errors, 16.2",
                "a_caller_aborts",
                "a caller that is reset does not stop its callee",
            )
            .drive([ask("c", [call("left", "a", late()), Do::Sleep(MOMENT), abort()])]),
            &[ABORTED],
        ),
        stays(
            Case::new(
                "errors, 16.2",
                "returning_without_awaiting",
                "a caller that does not wait for the answer does not stop its callee",
            )
            .drive([ask("c", [call("left", "a", late()), Do::Sleep(MOMENT)])]),
            &["done"],
        ),
        stays(
            Case::new(
                "16.2, 16.3",
                "a_client_goes_away",
                "a client of a front Worker that goes away does not stop the object that was called",
            )
            .step(Step::DriveAndLeave(vec![ask("a", late())], MOMENT)),
            &[],
        ),
        Case::new(
            "16.1",
            "a_front_is_cancelled",
            "a front Worker whose client goes away is cancelled: what it had not sent is never sent",
        )
        .step(Step::DriveAndLeave(
            vec![Do::Sleep(3 * MOMENT), ask("a", [write("late")])],
            MOMENT,
        ))
        .pause(4 * MOMENT)
        .drive([ask("a", [Do::Read])])
        .sees(["nothing"])
        .runtime(Arm::Differs(
            "this runtime does not tell a Worker that its client has gone; production documents that it does. A client of the simulator goes away where a plan or the knob `cancel` says so, and so both are run",
            &["late"],
        )),
    ]
}

fn order() -> Vec<Case> {
    let labels: Vec<Text> = (0..50).map(|nth| Text::from(format!("{nth}"))).collect();
    let in_order = labels.join(" ");
    let many = |first: Option<Do>| -> Vec<Do> {
        let calls = labels.iter().map(|label| call(label, "a", [keep(label)]));
        let all = first.into_iter().chain(calls);
        all.chain([Do::Join(labels.clone()), ask("a", [Do::Recall])])
            .collect()
    };
    vec![
        Case::new(
            "order, 12.1",
            "calls_on_one_stub",
            "calls on one stub begin in the order they were made",
        )
        .drive(many(None))
        .sees([in_order.clone()]),
        Case::new(
            "order, 12.1",
            "calls_of_an_object",
            "the same of an object's calls",
        )
        .drive([ask("c", many(None))])
        .sees([in_order.clone()]),
        Case::new(
            "order, 2.4",
            "calls_into_a_block",
            "the same where a critical section holds them back",
        )
        .drive(many(Some(call("block", "a", [Do::Block(vec![Do::Sleep(100)])]))))
        .sees([in_order]),
        Case::new(
            "T1, 4.1",
            "answers_are_read_after_writes",
            "a request that begins after another was answered sees what that has written",
        )
        .drive([
            call("first", "a", [write("1"), Do::Sleep(MOMENT)]),
            call("second", "a", [write("2")]),
            join(["second"]),
            ask("a", [Do::Read]),
            join(["first"]),
        ])
        .sees(["1 2"]),
        Case::untested(
            "12.1",
            "calls on two stubs have no order",
            "the kernel's own tests: `stubs`",
            "they keep their order on one machine, which nothing may rely on",
        ),
        Case::untested(
            "12.4",
            "the runtime may repeat a call whose connection was lost",
            "assumed off: no knob yet",
            "no call is lost on one machine",
        ),
    ]
}
