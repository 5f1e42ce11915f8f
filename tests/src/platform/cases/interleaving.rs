//! What else runs while code waits: the input gate, critical sections, locks.

use protocol::host::Text;
use sim::kernel::DigestAwait;

use super::commits::NO_SUCH_AWAIT;
use crate::platform::case::{Arm, Case, MOMENT, Machine, abort, answer, ask, call, keep, write};
use crate::platform::script::{Do, Only};

pub(super) fn cases() -> Vec<Case> {
    let mut cases = awaits();
    cases.extend(sections());
    cases.extend(locks());
    cases
}

/// Has a second request arrive while the first is in the midst of something, and tells the order.
fn during(rules: &'static str, name: &'static str, says: &'static str, wait: Vec<Do>, order: &str) -> Case {
    let first = begin_and_end(wait.into_iter());
    Case::new(rules, name, says)
        .drive([
            call("first", "a", first),
            Do::Sleep(MOMENT),
            call("second", "a", [keep("other")]),
            join(["first", "second"]),
            ask("a", [Do::Recall]),
        ])
        .sees([order])
}

pub(super) fn join<const N: usize>(labels: [&str; N]) -> Do {
    Do::Join(labels.map(Text::new).into())
}

const BETWEEN: &str = "begin other end";
const AFTER: &str = "begin end other";

fn awaits() -> Vec<Case> {
    vec![
        during(
            "I1, 2.3",
            "while_awaiting_a_call",
            "other requests run while one awaits a call",
            vec![ask("b", [Do::Sleep(3 * MOMENT)])],
            BETWEEN,
        ),
        during(
            "I2, 2.3",
            "while_awaiting_a_timer",
            "other requests run while one awaits a timer",
            vec![Do::Sleep(3 * MOMENT)],
            BETWEEN,
        ),
        during(
            "I3, 2.1",
            "while_holding_the_thread",
            "nothing else runs while code holds the thread",
            vec![Do::Work(3 * MOMENT)],
            AFTER,
        )
        .machine(Machine::Own),
        Case::new(
            "I4",
            "while_awaiting_digests",
            "no other request runs while one awaits digests",
        )
        .drive([
            call("first", "a", begin_and_end(std::iter::repeat_n(Do::Digest, 20))),
            call("second", "a", [keep("other")]),
            join(["first", "second"]),
            ask("a", [Do::Recall]),
        ])
        .sees([AFTER])
        .knobs("digest = goes-on", |knobs| knobs.digest = DigestAwait::GoesOn),
        at_once(
            "while_reading_storage",
            "no other request runs while one awaits reads of storage",
            Only::StorageGet,
        ),
        at_once(
            "while_writing_storage",
            "no other request runs while one awaits writes of storage",
            Only::StoragePut,
        ),
        Case::new(
            "T2, I4",
            "while_syncing_storage",
            "other requests run while one awaits `storage.sync`",
        )
        .drive([
            call("first", "a", awaiting(Only::StorageSync)),
            call("second", "a", [keep("other")]),
            join(["first", "second"]),
            ask("a", [Do::Recall]),
        ])
        .sees([BETWEEN])
        .kernel(NO_SUCH_AWAIT),
        Case::new(
            "I8, 2.2",
            "while_reading_a_body",
            "other requests run while one awaits its own body",
        )
        .drive([
            call("1", "a", [keep("1"), Do::Await(Only::Body), keep("end")]),
            call("2", "a", [keep("2"), Do::Await(Only::Body), keep("end")]),
            join(["1", "2"]),
            ask("a", [Do::Recall]),
        ])
        .sees(["1 2 end end"])
        .kernel(Arm::Absent(
            "a request of the seam begins when its body has arrived; the shell reads it before",
        )),
        Case::new(
            "I9, 12.6",
            "calls_in_a_circle",
            "an object that awaits a call can be called by its callee",
        )
        .drive([
            ask("a", [keep("1"), ask("b", [ask("a", [keep("2")])]), keep("3")]),
            ask("a", [Do::Recall]),
        ])
        .sees(["done", "1 2 3"]),
        Case::new(
            "I9",
            "a_call_to_itself",
            "an object that awaits a call to itself is answered",
        )
        .drive([
            ask("a", [keep("1"), ask("a", [keep("2")]), keep("3")]),
            ask("a", [Do::Recall]),
        ])
        .sees(["done", "1 2 3"]),
    ]
}

fn begin_and_end(waits: impl Iterator<Item = Do>) -> Vec<Do> {
    [keep("begin")]
        .into_iter()
        .chain(waits)
        .chain([keep("end")])
        .collect()
}

fn awaiting(wait: Only) -> Vec<Do> {
    begin_and_end(std::iter::repeat_n(Do::Await(wait), 20))
}

fn at_once(name: &'static str, says: &'static str, wait: Only) -> Case {
    Case::new("I4, 2.2, 2.6", name, says)
        .drive([
            call("first", "a", awaiting(wait)),
            call("second", "a", [keep("other")]),
            join(["first", "second"]),
            ask("a", [Do::Recall]),
        ])
        .sees([AFTER])
        .kernel(NO_SUCH_AWAIT)
}

fn at_entry(name: &'static str, section: Do) -> Case {
    Case::new(
        "I5, I6",
        name,
        "no other request runs when a critical section is entered or left, though the commit unit ends there",
    )
    .drive([
        call("first", "a", begin_and_end([section].into_iter())),
        call("second", "a", [keep("other")]),
        join(["first", "second"]),
        ask("a", [Do::Recall]),
    ])
    .sees(["begin in end other"])
}

fn sections() -> Vec<Case> {
    let in_order = |script: fn(usize) -> Vec<Do>| -> Vec<Do> {
        let labels = ["1", "2", "3", "4"];
        let calls = labels
            .iter()
            .enumerate()
            .map(|(nth, label)| call(label, "a", script(nth)));
        calls.chain([join(labels), ask("a", [Do::Recall])]).collect()
    };
    vec![
        during(
            "I5, 2.5",
            "in_a_block_with_a_timer",
            "nothing else runs while blockConcurrencyWhile awaits a timer",
            vec![Do::Block(vec![Do::Sleep(3 * MOMENT)])],
            AFTER,
        ),
        during(
            "I5, 2.5",
            "in_a_block_with_a_call",
            "nothing else runs while blockConcurrencyWhile awaits a call",
            vec![Do::Block(vec![ask("b", [Do::Sleep(3 * MOMENT)])])],
            AFTER,
        ),
        during(
            "I6, T6, 4.5",
            "in_a_transaction",
            "nothing else runs while an asynchronous transaction awaits",
            vec![Do::Transaction(vec![Do::Sleep(3 * MOMENT)])],
            AFTER,
        ),
        Case::new("I5, 2.4", "after_a_block", "what waited for a critical section runs in the order it came")
            .drive(in_order(|nth| {
                let own = keep(["1", "2", "3", "4"][nth]);
                if nth == 0 { vec![Do::Block(vec![Do::Sleep(MOMENT)]), own] } else { vec![own] }
            }))
            .sees(["1 2 3 4"]),
        Case::new("I5", "blocks_one_after_another", "critical sections of several handlers run one after another")
            .drive(in_order(|nth| {
                let own = ["1", "2", "3", "4"][nth];
                vec![Do::Block(vec![keep(own), Do::Sleep(30), keep(own)])]
            }))
            .sees(["1 1 2 2 3 3 4 4"]),
        Case::new(
            "I7, I11, 2.5",
            "a_block_holds_continuations",
            "a critical section holds back the continuations of other handlers too, a timer's that is due within it",
        )
        .drive([
            call("first", "a", [keep("begin"), Do::Sleep(3 * MOMENT), keep("end")]),
            Do::Sleep(MOMENT),
            call("second", "a", [Do::Block(vec![keep("in"), Do::Sleep(4 * MOMENT), keep("out")])]),
            join(["first", "second"]),
            ask("a", [Do::Recall]),
        ])
        .sees(["begin in out end"]),
        Case::new(
            "I7",
            "a_block_holds_answers",
            "a critical section holds back the answers that other handlers await",
        )
        .drive([
            call("first", "a", [keep("begin"), ask("b", [Do::Sleep(3 * MOMENT)]), keep("end")]),
            Do::Sleep(MOMENT),
            call("second", "a", [Do::Block(vec![keep("in"), Do::Sleep(4 * MOMENT), keep("out")])]),
            join(["first", "second"]),
            ask("a", [Do::Recall]),
        ])
        .sees(["begin in out end"]),
        at_entry("a_block_is_entered_at_once", Do::Block(vec![keep("in")])),
        at_entry("a_transaction_is_entered_at_once", Do::Transaction(vec![keep("in")])),
        Case::new(
            "I10, 2.5, 12.6",
            "a_block_around_a_circle",
            "a critical section that waits for what it holds back is cancelled after 30 s, and its object reset",
        )
        .drive([ask("a", [Do::Block(vec![ask("b", [ask("a", [])])])])])
        .sees(["[the platform's error, remote, overloaded, reset]"])
        .slow(),
        Case::new(
            "6.1, 2.5",
            "a_long_transaction",
            "an asynchronous transaction that lasts 30 s is cancelled as well, and its object reset",
        )
        .drive([ask("a", [Do::Transaction(vec![write("1"), Do::Sleep(40_000)])])])
        .drive([ask("a", [Do::Read])])
        .sees(["[the platform's error, remote, overloaded, reset]", "nothing"])
        .slow(),
        Case::new("2.5", "sections_within_sections", "critical sections can be within one another")
            .drive([
                call(
                    "first",
                    "a",
                    [Do::Block(vec![
                        keep("1"),
                        Do::Transaction(vec![keep("2"), Do::Sleep(20), write("2")]),
                        Do::Block(vec![keep("3"), Do::Sleep(20)]),
                        keep("4"),
                    ])],
                ),
                call("second", "a", [keep("other")]),
                join(["first", "second"]),
                ask("a", [Do::Recall, Do::Read]),
            ])
            .sees(["1 2 3 4 other 2"]),
        Case::new("I12, 6.10", "an_alarm_during_a_request", "an alarm runs while a request awaits")
            .drive([
                ask("a", [Do::OnAlarm(vec![vec![keep("alarm")]]), Do::SetAlarm(MOMENT)]),
                ask("a", [keep("begin"), Do::Sleep(3 * MOMENT), keep("end")]),
                ask("a", [Do::Recall]),
            ])
            .sees(["done", "done", "begin alarm end"]),
        Case::new("I12, 6.10", "a_request_during_an_alarm", "a request runs while an alarm awaits")
            .drive([
                ask(
                    "a",
                    [
                        Do::OnAlarm(vec![vec![keep("begin"), Do::Sleep(3 * MOMENT), keep("end")]]),
                        Do::SetAlarm(20),
                    ],
                ),
                Do::Sleep(MOMENT),
                ask("a", [keep("other")]),
                Do::Sleep(4 * MOMENT),
                ask("a", [Do::Recall]),
            ])
            .sees(["done", "done", "begin other end"]),
        Case::new("I12, 2.5", "an_alarm_during_a_block", "an alarm waits for a critical section")
            .drive([
                ask("a", [Do::OnAlarm(vec![vec![keep("alarm")]]), Do::SetAlarm(MOMENT)]),
                ask("a", [Do::Block(vec![keep("begin"), Do::Sleep(3 * MOMENT), keep("end")])]),
                Do::Sleep(3 * MOMENT),
                ask("a", [Do::Recall]),
            ])
            .sees(["done", "done", "begin end alarm"]),
        Case::new(
            "I13, 6.10",
            "an_alarm_during_an_alarm",
            "an alarm that comes due while one runs begins when that has ended",
        )
        .drive([
            ask(
                "a",
                [
                    Do::OnAlarm(vec![
                        vec![keep("begin"), Do::SetAlarm(20), Do::Sleep(4 * MOMENT), keep("end")],
                        vec![keep("next")],
                    ]),
                    Do::SetAlarm(20),
                ],
            ),
            Do::Sleep(8 * MOMENT),
            ask("a", [Do::Recall]),
        ])
        .sees(["done", "begin end next"]),
        Case::untested(
            "I14",
            "a handler that never ends is never cancelled",
            "a task that waits for ever is what the checks of liveness look for",
            "that nothing happens for ever cannot be shown",
        ),
        Case::untested(
            "I15, 16.2",
            "work in the background goes on after the answer",
            "calls that nobody awaits: `returning_without_awaiting`",
            "calls that nobody awaits: `returning_without_awaiting`",
        ),
    ]
}

fn locks() -> Vec<Case> {
    vec![
        Case::new(
            "design 3",
            "a_lock_is_passed_on_within_the_unit",
            "a gate that is released wakes the next waiter in the same commit unit: an abort there loses both's writes",
        )
        .drive([
            call("first", "a", [Do::Lock, Do::Sleep(3 * MOMENT), write("1"), Do::Unlock]),
            Do::Sleep(MOMENT),
            call("second", "a", [Do::Lock, write("2"), abort()]),
            answer("first"),
            answer("second"),
        ])
        .drive([ask("a", [Do::Read])])
        .sees([
            "[!aborted, remote, reset]",
            "[!aborted, remote, reset]",
            "nothing",
        ])
        .on_tasks(),
        Case::new(
            "design 3",
            "a_lock_goes_to_the_first",
            "a gate that is released goes to the one who has waited longest",
        )
        .drive([
            call("1", "a", [Do::Lock, Do::Sleep(3 * MOMENT), keep("1"), Do::Unlock]),
            Do::Sleep(MOMENT),
            call("2", "a", [Do::Lock, keep("2"), Do::Sleep(30), Do::Unlock]),
            call("3", "a", [Do::Lock, keep("3"), Do::Unlock]),
            join(["1", "2", "3"]),
            ask("a", [Do::Recall]),
        ])
        .sees(["1 2 3"])
        .on_tasks(),
    ]
}
