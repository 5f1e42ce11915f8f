//! Who an object is, and how long its memory lives.

use protocol::host::Text;
use sim::kernel::{Episode, Knobs, Micros, Ratio, Span};

use crate::platform::case::{Arm, Case, MOMENT, Machine, Step, answer, ask, call, keep, write};
use crate::platform::script::Do;

/// A little longer than an object without work stays in memory.
const IDLE: u64 = 11_500;

const EVICTING: &str = "eviction, idle = 10 s";

fn evict(knobs: &mut Knobs) {
    knobs.eviction = Episode::once(Ratio::ALWAYS);
    knobs.idle = Span::exactly(Micros::from_millis(10_000));
}

const LONG_NAME: &str = include_str!("long_name.txt");

pub(super) fn cases() -> Vec<Case> {
    let mut cases = names();
    cases.extend(memory());
    cases
}

fn named(name: &'static str, says: &'static str, object: &str, sees: &str) -> Case {
    Case::new("identity, 1.1", name, says)
        .drive([ask(object, [Do::Name])])
        .sees([sees])
}

fn names() -> Vec<Case> {
    vec![
        named(
            "an_object_knows_its_name",
            "an object that was called by its name knows it",
            "a",
            "a",
        ),
        named(
            "any_text_is_a_name",
            "a name can hold any characters",
            "#ü\u{1F600} /",
            "#ü\u{1F600} /",
        ),
        named("no_text_is_a_name", "a name can be empty", "", ""),
        Case::new(
            "identity, 1.1",
            "case_matters",
            "names that differ in case are of two objects",
        )
        .drive([ask("a", [keep("m")]), ask("A", [Do::Recall])])
        .sees(["done", "nothing"]),
        Case::new(
            "identity, 1.1",
            "one_name_one_object",
            "all callers of a name reach one object",
        )
        .drive([ask("a", [keep("m")])])
        .drive([ask("b", [ask("a", [Do::Recall])])])
        .sees(["done", "m"]),
        Case::new(
            "1.5",
            "memory_is_its_own",
            "what an object holds in memory, no other object has",
        )
        .drive([ask("a", [keep("m")]), ask("b", [Do::Recall])])
        .sees(["done", "nothing"]),
        named(
            "a_long_name_is_not_known",
            "an object does not know a name of more than 1,024 bytes",
            LONG_NAME,
            "nothing",
        ),
        named(
            "a_name_of_1000_bytes",
            "an object knows a name of 1,000 bytes",
            &"a".repeat(1_000),
            &"a".repeat(1_000),
        ),
        named(
            "a_long_name_of_few_characters_is_not_known",
            "an object does not know a name of 600 characters that are 1,200 bytes",
            &"é".repeat(600),
            "nothing",
        ),
        Case::untested(
            "identity",
            "an object that is called by its id does not know its name",
            "the seam calls by name",
            "the seam calls by name",
        ),
    ]
}

fn memory() -> Vec<Case> {
    vec![
        Case::new("1.2, 7.1, 7.5", "idle_for_ten_seconds", "an object without work loses its memory after 10 s")
            .drive([ask("a", [keep("m")])])
            .pause(IDLE)
            .drive([ask("a", [Do::Recall])])
            .sees(["done", "nothing"])
            .knobs(EVICTING, evict),
        Case::new("7.1, 7.5", "idle_after_a_write", "the same where the last that it did was a write, which stays")
            .drive([ask("a", [keep("m"), write("1")])])
            .pause(IDLE)
            .drive([ask("a", [Do::Recall, Do::Read])])
            .sees(["done", "nothing 1"])
            .knobs(EVICTING, evict),
        Case::new("7.1", "idle_for_less", "an object without work keeps its memory for some seconds")
            .drive([ask("a", [keep("m")])])
            .pause(7_500)
            .drive([ask("a", [Do::Recall])])
            .sees(["done", "m"])
            .knobs(EVICTING, evict),
        Case::new("7.1, 7.4", "busy_for_longer", "an object that has work to do keeps its memory")
            .drive([
                ask("a", [keep("m")]),
                call("work", "a", [Do::Sleep(IDLE + 1_000), Do::Recall]),
                answer("work"),
            ])
            .sees(["done", "m"])
            .knobs(EVICTING, evict),
        Case::new(
            "7.1, 6.16",
            "an_alarm_keeps_no_memory",
            "an alarm that is set does not keep its object in memory, and wakes it",
        )
        .drive([ask(
            "a",
            [
                keep("m"),
                Do::OnAlarm(vec![vec![Do::Recall, Do::Store]]),
                Do::SetAlarm(IDLE),
                // Here its last turn ends, without a write.
                Do::Sleep(20),
            ],
        )])
        .pause(IDLE + 1_000)
        .drive([ask("a", [Do::Read])])
        .sees(["done", "nothing"])
        .knobs(EVICTING, evict),
        Case::new("3.6, 7.5, 14.2", "a_power_cut", "a power cut takes the memory, and nothing that was answered")
            .drive([ask("a", [keep("m"), write("1")])])
            .step(Step::PowerCut)
            .drive([ask("a", [Do::Recall, Do::Read])])
            .sees(["done", "nothing 1"])
            .machine(Machine::Own),
        Case::new("T6, 4.5", "a_power_cut_in_a_transaction", "a power cut loses all of a transaction that has not ended")
            .step(Step::DriveAndLeave(
                vec![ask("a", [Do::Transaction(vec![write("1"), Do::Sleep(20), write("2"), Do::Sleep(60_000)])])],
                2 * MOMENT,
            ))
            .step(Step::PowerCut)
            .drive([ask("a", [Do::Read])])
            .sees(["nothing"])
            .machine(Machine::Own),
        Case::new("T12, 14.2", "a_power_cut_under_load", "a power cut under load loses no write that was answered")
            .step(Step::PowerCutUnderLoad(Text::new_static("a")))
            .sees(["lost 0"])
            .machine(Machine::Own),
        Case::new("15", "the_clock_moves_with_events", "the clock moves while code waits")
            .drive([ask("a", [Do::Clock, Do::Sleep(50), Do::Clock])])
            .sees(["moved"]),
        Case::new("15", "the_clock_stands_still", "the clock stands still while code runs")
            .drive([ask("a", [Do::Clock, Do::Work(20), Do::Clock])])
            .sees(["still"])
            .runtime(Arm::Differs(
                "the clock of one machine moves while code runs; production documents that its own does not. No protocol can tell: the shell reads the clock once an event, and hands that in",
                &["moved"],
            )),
    ]
}
