use super::*;

const PULL: Text = Text::new_static("pull");

fn chance(seed: u64) -> (Chance, Source) {
    let mut chance = Chance::new(seed, &[]);
    let item = source(&mut chance, &Origin::Item(3));
    (chance, item)
}

fn source(chance: &mut Chance, origin: &Origin) -> Source {
    Source {
        origin: chance.origin(origin),
        place: PlaceId::NOWHERE,
    }
}

/// A seed must mean the same on every machine and after every update of a library: else no trace could be believed.
#[test]
fn values_are_pinned() {
    let (mut chance, item) = chance(1);
    let alarm = source(&mut chance, &Origin::Alarm(Text::new_static("follower/main#f1")));
    let drawn = [
        chance.choose(Purpose::RequestLatency, item, &PULL, 1_000_000),
        chance.choose(Purpose::RequestLatency, item, &PULL, 1_000_000),
        chance.choose(Purpose::AnswerLatency, item, &PULL, 1_000_000),
        chance.choose(Purpose::RequestLatency, alarm, &PULL, 1_000_000),
    ];
    assert_eq!(
        drawn, PINNED,
        "the values of seed 1 have changed: every seed now means another run"
    );
}

const PINNED: [u64; 4] = [224_617, 274_316, 441_733, 8_595];

#[test]
fn a_choice_depends_on_its_key_alone() {
    let (mut one, item) = chance(7);
    let first = one.choose(Purpose::RequestLatency, item, &PULL, 1 << 40);
    let (mut other, item) = chance(7);
    let stranger = source(&mut other, &Origin::Item(99));
    for _ in 0..50 {
        other.choose(Purpose::RequestLatency, stranger, &PULL, 1 << 40);
        other.choose(Purpose::Order, item, &PULL, 1 << 40);
        other.choose(Purpose::RequestLatency, item, &Text::new_static("push"), 1 << 40);
    }
    assert_eq!(other.choose(Purpose::RequestLatency, item, &PULL, 1 << 40), first);
}

#[test]
fn each_part_of_a_key_counts() {
    let long = "a label that is longer than the bytes which are kept for it in the key";
    let labels = [
        PULL,
        Text::new_static("push"),
        Text::new(long),
        Text::from(format!("{long}!")),
    ];
    let mut seen = std::collections::BTreeSet::new();
    let mut drawn = 0;
    for seed in [1, 2] {
        let mut chance = Chance::new(seed, &[]);
        let places = [
            PlaceId::NOWHERE,
            chance.place(&PULL),
            chance.place(&Text::new_static("front 0")),
        ];
        for origin in [
            Origin::Item(1),
            Origin::Item(2),
            Origin::Alarm(PULL),
            Origin::Plan,
        ] {
            let origin = chance.origin(&origin);
            for place in places {
                for purpose in [Purpose::RequestLatency, Purpose::AnswerLatency] {
                    for label in &labels {
                        for _nth in 0..3 {
                            seen.insert(chance.choose(purpose, Source { origin, place }, label, u64::MAX));
                            drawn += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen.len(), drawn, "two keys have one value");
}

#[test]
fn alternatives_come_evenly() {
    let (mut chance, item) = chance(5);
    let mut counts = [0_u32; 7];
    for _ in 0..70_000 {
        let drawn = chance.choose(Purpose::Order, item, &PULL, 7);
        counts[usize::try_from(drawn).expect("below seven")] += 1;
    }
    // Five standard deviations of a fair seventh of 70,000 are 463.
    assert!(
        counts.iter().all(|count| count.abs_diff(10_000) < 463),
        "{counts:?}"
    );
}

#[test]
fn something_happens_as_often_as_its_rate_says() {
    let (mut chance, item) = chance(5);
    let rate = Ratio { hits: 1, of: 10 };
    let hits = (0..10_000)
        .filter(|_| chance.happens(Purpose::RequestLoss, item, &PULL, rate))
        .count();
    assert!(hits.abs_diff(1_000) < 150, "{hits} of 10,000 at {rate}");
    assert!((0..1_000).all(|_| !chance.happens(Purpose::AnswerLoss, item, &PULL, Ratio::NEVER)));
    assert!((0..1_000).all(|_| chance.happens(Purpose::RequestLate, item, &PULL, Ratio { hits: 3, of: 3 })));
}

#[test]
fn a_fixed_choice_is_taken_and_moves_no_other() {
    let key = ChoiceKey {
        purpose: Purpose::RequestLatency,
        origin: Origin::Item(3),
        at: Text::default(),
        label: PULL,
        nth: 1,
    };
    let draws = |alternative| {
        let fixed: Vec<_> = Option::into_iter(alternative)
            .map(|alternative| FixedChoice {
                key: key.clone(),
                alternative,
            })
            .collect();
        let mut chance = Chance::new(7, &fixed);
        let item = source(&mut chance, &Origin::Item(3));
        [(); 3].map(|()| chance.choose(Purpose::RequestLatency, item, &PULL, 1_000))
    };
    let free = draws(None);
    assert_eq!(draws(Some(12)), [free[0], 12, free[2]]);
    assert_eq!(
        draws(Some(u64::MAX)),
        [free[0], 999, free[2]],
        "one past the last takes the last"
    );
}

#[test]
fn rates_are_read_as_they_are_written() {
    for (text, rate) in [("1 in 20", Ratio { hits: 1, of: 20 }), ("0 in 1", Ratio::NEVER)] {
        assert_eq!(Ratio::try_from(text.to_owned()), Ok(rate));
        assert_eq!(rate.to_string(), text);
    }
    for wrong in [
        "",
        "1",
        "1 in 0",
        "3 in 2",
        "-1 in 2",
        "+1 in 2",
        "1 of 2",
        "one in two",
        "1 in 99999999999",
    ] {
        let error = Ratio::try_from(wrong.to_owned()).expect_err(wrong);
        assert!(error.contains(&format!("{wrong:?}")), "{error}");
    }
}
