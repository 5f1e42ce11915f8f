//! Turns: identity, interleaving, the time. `platform.md` sections 1, 2, 15.

use protocol::host::Text;

use super::script::{Do, call, keep, say, stub, write};
use super::world::{Setting, world};

#[test]
fn platform_1_1_a_name_is_one_object_which_the_first_call_makes() {
    let mut world = world(Setting::default());
    let _made = stub("b");
    world.run(10);
    assert!(!world.exists("b"), "making a stub sends nothing");
    world.ask(20, "front 0", [call("b", [keep("x")])]);
    let asked = world.ask(40, "front 1", [call("b", [Do::Recall]), Do::Await]);
    world.run(100);
    assert_eq!(world.answer(asked), "x", "both have reached the same object");
}

#[test]
fn platform_1_2_memory_is_new_at_every_start_also_at_one_by_alarm() {
    let mut world = world(Setting {
        alarm: |_| vec![keep("woken")],
        ..Setting::default()
    });
    world.ask(0, "a", [keep("x"), Do::SetAlarm(1_000)]);
    world.reset(500, "a");
    let asked = world.ask(2_000, "a", [Do::Recall]);
    world.run(3_000);
    assert_eq!(world.answer(asked), "woken");
    assert_eq!(world.incarnation("a"), 1);
}

#[test]
fn platform_1_4_an_object_knows_its_name() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "Naïve #1", [Do::Name]);
    world.run(10);
    assert_eq!(world.answer(asked), "Naïve #1");
}

/// By its bytes: the second one has fewer characters.
#[test]
fn workerd_identity_an_object_does_not_know_a_name_of_more_than_1024_bytes() {
    let mut world = world(Setting::default());
    let [longest, long] = [format!("{}é", "n".repeat(1_022)), format!("{}n", "é".repeat(512))];
    let asked = [&longest, &long].map(|name| world.ask(0, name, [Do::Name]));
    world.run(10);
    assert_eq!(asked.map(|item| world.answer(item)), [longest.as_str(), ""]);
}

/// Two requests of one instant: neither comes between the other's statements, both between the other's awaits.
#[test]
fn platform_2_1_handlers_interleave_at_awaits_and_nowhere_else() {
    let mut world = world(Setting::default());
    let script = |who: &str| {
        let step = |nth: u32| keep(&format!("{who}{nth}"));
        vec![
            step(1),
            Do::Work(5),
            step(2),
            Do::Sleep(20),
            step(3),
            Do::Work(5),
            step(4),
        ]
    };
    world.ask(0, "a", script("x"));
    world.ask(0, "a", script("y"));
    let asked = world.ask(100, "a", [Do::Recall]);
    world.run(200);
    let kept = world.answer(asked);
    let orders = ["x1 x2 y1 y2 x3 x4 y3 y4", "y1 y2 x1 x2 y3 y4 x3 x4"];
    assert!(orders.contains(&kept), "{kept}");
}

/// Another request is served while a task waits for something that is not storage. `workerd.md` I1, I2; that a digest
/// lets others in is what the documentation says and I4 does not show.
#[test]
fn platform_2_3_requests_interleave_at_awaits_of_what_is_not_storage() {
    let awaits = [
        vec![Do::Sleep(10)],
        vec![call("b", []), Do::Await],
        vec![Do::Digest],
        vec![Do::Get(Text::new("k"))],
    ];
    for wait in awaits {
        let mut world = world(Setting::default());
        let script = [&[keep("1")], &wait[..], &[keep("2"), Do::Recall]].concat();
        let first = world.ask(0, "a", script);
        // The shortest wait takes 1 ms: the other request is asked for in the course of the first one's turn.
        world.run(0);
        let other = world.ask(0, "a", [keep("other"), Do::Recall]);
        world.run(100);
        assert_eq!(world.answer(other), "1 other", "{wait:?}");
        assert!(world.answer(first).ends_with("1 other 2"), "{wait:?}");
    }
}

/// `workerd.md` I3.
#[test]
fn platform_2_2_nothing_is_delivered_while_code_holds_the_thread() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [Do::Sleep(20), keep("slept")]);
    world.ask(10, "a", [Do::Work(50), keep("worked")]);
    let asked = world.ask(30, "a", [Do::Recall, Do::Now]);
    world.run(100);
    assert_eq!(
        (world.answer(asked), world.answered_at(asked)),
        ("worked slept 60", 60)
    );
}

#[test]
fn platform_2_4_who_waits_for_the_thread_is_served_in_the_order_it_came() {
    let mut world = world(Setting::default());
    world.ask(0, "a", [Do::Work(50)]);
    for at in 0..20 {
        world.ask(10 + at, "a", [keep(&at.to_string()), Do::Work(3)]);
    }
    let asked = world.ask(40, "a", [Do::Recall]);
    world.run(1_000);
    let in_order: Vec<String> = (0..20).map(|at| at.to_string()).collect();
    assert_eq!(world.answer(asked), in_order.join(" "));
    assert_eq!(world.answered_at(asked), 50 + 20 * 3);
}

#[test]
fn platform_2_6_no_event_comes_between_two_statements() {
    let mut world = world(Setting::default());
    let pairs: Vec<u32> = (0..10)
        .map(|_| world.ask(0, "a", [write("x"), Do::Work(1), write("y")]))
        .collect();
    world.run(1_000);
    assert_eq!(world.rows("a"), ["x y"; 10].join(" "));
    assert!(pairs.iter().all(|pair| world.answer(*pair).is_empty()));
}

/// What the code sends leaves when the work is done; the order of work and sending within the turn does not matter.
#[test]
fn work_holds_back_what_its_turn_sends() {
    let mut world = world(Setting::default());
    let put = Do::Put(Text::new("k"), Text::new("v"));
    let script = [
        call("b", []),
        Do::Act(Text::new("mail")),
        put,
        Do::Work(100),
        say("done"),
    ];
    let asked = world.ask(0, "front 0", script);
    let early = world.ask(90, "front 1", [Do::Get(Text::new("k"))]);
    world.run(1_000);
    assert_eq!(world.times("b", "receives"), [105]);
    assert_eq!(world.times("front 0", "acts"), [100]);
    assert_eq!((world.answer(asked), world.answered_at(asked)), ("done", 100));
    assert_eq!(world.answer(early), "nothing");
}

#[test]
fn work_delays_the_commit_of_its_turn() {
    let mut world = world(Setting::default());
    let asked = world.ask(0, "a", [write("x"), Do::Work(100)]);
    world.run(1_000);
    assert_eq!(world.times("a", "commits"), [100]);
    assert_eq!(world.answered_at(asked), 120);
}

#[test]
fn platform_15_the_clock_stands_still_within_a_turn_and_goes_on_with_the_next() {
    let mut world = world(Setting::default());
    let asked = world.ask(10, "a", [Do::Now, Do::Work(50), Do::Now, Do::Sleep(7), Do::Now]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "10 10 67");
}

#[test]
fn platform_15_in_a_timer_the_clock_shows_when_it_was_due() {
    let mut world = world(Setting {
        alarm: |_| vec![Do::Now, Do::Act(Text::new("rung"))],
        ..Setting::default()
    });
    let asked = world.ask(3, "a", [Do::SetAlarm(500), Do::Sleep(100), Do::Now]);
    world.run(1_000);
    assert_eq!(world.answer(asked), "103");
    assert_eq!(world.times("a", "wakes"), [500]);
}
