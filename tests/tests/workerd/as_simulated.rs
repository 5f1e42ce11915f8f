//! One plan, simulated and real.

use std::time::Duration;

use demonstration::names;
use libtest_mimic::Failed;
use protocol::host::{CallError, Entry, Event, ObjectName, Text};
use protocol_worker::abi::{Function, Hexadecimal};
use protocol_worker::conformance::Fault;
use protocol_worker::record::{Moment, RecordLine, part_at, story};
use sim::kernel::{Aim, CallFault, Micros};
use sim::plan::Act;
use tests::simulated::{DemonstrationPlan, kept, simulate};
use tests::workerd::{Setup, Workerd};

use super::replayed;

/// Plays a plan against the runtime, in real time: what its clients do, one after the other, and the faults that are
/// aimed at calls. The front Worker is given the bytes that it drew in the simulated run.
fn played(
    plan: &DemonstrationPlan,
    variant: &str,
    drawn: Hexadecimal,
) -> Result<(Workerd, Vec<RecordLine>), Failed> {
    let mut setup = Setup::demonstration(variant);
    let counter = Text::new_static(demonstration::front::COUNTER_KEY);
    setup.configuration.insert(counter, plan.shape.counter.clone());
    setup.conformance.entropy.insert(Text::new_static("front"), drawn);
    for (aim, faults) in plan.aims() {
        setup
            .conformance
            .faults
            .extend(faults.into_iter().map(|fault| shell_fault(&aim, fault)));
    }
    let workerd = Workerd::start(&setup)?;
    // The runtime loads the Worker at its first request: that must not eat into the plan's first pause.
    workerd.id(&names::COUNTER, &ObjectName::new("main"))?;
    let mut operations: Vec<_> = plan.items.iter().collect();
    operations.sort_by_key(|item| item.at);
    let mut before = Micros::ZERO;
    for item in operations {
        let Act::Operation(operation) = &item.act else {
            continue;
        };
        pause(Duration::from_micros(item.at.since(before).0));
        before = item.at;
        workerd.ask(&operation.request())?;
    }
    // The alarm comes last: once it has rung and all is quiet again, what is stored is what stays.
    for _ in 0..40 {
        let record = workerd.quiet_record(Duration::from_millis(300))?;
        if record.iter().any(rings) {
            return Ok((workerd, record));
        }
    }
    Err("the follower's alarm never rang".into())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the real runtime has the real clock only"
)]
fn pause(length: Duration) {
    std::thread::sleep(length);
}

fn shell_fault(aim: &Aim, fault: CallFault) -> Fault {
    let on = Fault {
        from: aim.caller.clone(),
        label: aim.label.clone(),
        nth: aim.nth,
        ..Fault::default()
    };
    let lost = || CallError {
        retryable: true,
        ..CallError::thrown("Network connection lost.")
    };
    match fault {
        CallFault::LoseRequest => Fault {
            lost: Some(lost()),
            ..on
        },
        CallFault::LoseAnswer => Fault {
            answer_lost: Some(lost()),
            ..on
        },
        CallFault::DelayRequest(by) => Fault { delay: by, ..on },
        CallFault::DelayAnswer(by) => Fault {
            answer_delay: by,
            ..on
        },
        CallFault::Duplicate(_) | CallFault::Cancel(_) => {
            panic!("the shell's network does not know the fault {fault:?}: choose a trace without it")
        }
    }
}

/// Whether an alarm rings in this line.
fn rings(line: &RecordLine) -> bool {
    let Moment::Event { event, .. } = &line.what else {
        return false;
    };
    matches!(
        serde_json::from_str(event.get()),
        Ok(Event::Begin(Entry::Alarm(_)))
    )
}

/// Everything up to the second alarm, in which nothing new can happen: real time goes on where a plan has ended.
fn up_to_the_second_alarm(record: &[RecordLine]) -> &[RecordLine] {
    let second = record.iter().enumerate().filter(|(_, line)| rings(line)).nth(1);
    &record[..second.map_or(record.len(), |(at, _)| at)]
}

/// All bytes that the front Worker drew.
fn drawn_by_the_front(record: &[RecordLine]) -> Hexadecimal {
    let own = record.iter().filter(|line| line.who == "front");
    let drawn = own.filter_map(|line| match &line.what {
        Moment::Cross {
            function: Function::Entropy,
            answer,
            ..
        } => Some(
            serde_json::from_str::<Hexadecimal>(answer.get())
                .expect("entropy is answered with bytes")
                .0,
        ),
        _ => None,
    });
    Hexadecimal(drawn.flatten().collect())
}

/// One plan, simulated and real: the same commands in the same order, pulls by alarm included, and the same rows in the
/// end.
fn tells_the_same_story(trace: &str, variant: &str) -> Result<(), Failed> {
    let plan = kept(trace).plan;
    let simulated = simulate(&plan, variant);
    let (mut workerd, record) = played(&plan, variant, drawn_by_the_front(&simulated.record))?;
    let objects = [
        ("counter/main", names::COUNTER, ObjectName::new("main")),
        ("follower/main#f1", names::FOLLOWER, ObjectName::new("main#f1")),
    ];
    for who in ["front", "counter/main", "follower/main#f1"] {
        let real = story(who, up_to_the_second_alarm(&record));
        let simulated = story(who, up_to_the_second_alarm(&simulated.record));
        assert!(real.len() > 20, "{who} has done something: {real:#?}");
        if let Some(parting) = part_at(&real, &simulated) {
            return Err(format!("{who}, real and simulated: {parting}").into());
        }
    }
    let ids: Vec<_> = objects
        .iter()
        .map(|(_, namespace, name)| workerd.id(namespace, name))
        .collect::<Result<_, _>>()?;
    workerd.kill();
    for ((who, namespace, _), id) in objects.iter().zip(ids) {
        let tables = workerd.tables(namespace, &id)?;
        assert!(
            tables.values().any(|rows| !rows.is_empty()),
            "{who} has rows: {tables:?}"
        );
        assert_eq!(
            Some(&tables),
            simulated.tables.get(*who),
            "the rows of {who}, real and simulated"
        );
    }
    replayed(&record, variant)
}

pub(super) fn older_answer_last_documented() -> Result<(), Failed> {
    tells_the_same_story("demonstration/older-answer-last.jsonl", "documented")
}

pub(super) fn older_answer_last_hardened() -> Result<(), Failed> {
    tells_the_same_story("demonstration/older-answer-last.jsonl", "hardened")
}

pub(super) fn lost_pull() -> Result<(), Failed> {
    tells_the_same_story("demonstration/pull-after-a-lost-one.jsonl", "hardened")
}
