use proptest::prelude::*;

use super::*;
use crate::host::{Body, Text};
use crate::json::Json;
use crate::lanes::admission::{Stage, StageName};
use crate::lanes::meta::{Key, Write};
use crate::lanes::rules::Rules;
use crate::lanes::wire::{Chunk, Cursor};
use crate::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

/// A chunk as it comes over the wire.
pub(in crate::lanes) fn chunk(text: &str) -> Chunk {
    (*Body::text(text).read::<Chunk>().expect("a chunk")).clone()
}

/// The first chunk of a copy.
pub(in crate::lanes) const FIRST: &str = r#"{"generation":7,"schemaVersion":"p1","table":"node","columns":["nid"],"rows":[[1]],"first":true,"ddl":["CREATE TABLE node (nid)","CREATE INDEX i ON node (nid)"],"expect":["node","users"],"origin":"https://example.com","hashSalt":"s"}"#;

/// A lane that nothing has landed on.
pub(in crate::lanes) fn facts() -> LandingFacts<'static> {
    LandingFacts {
        replica: true,
        stage: Stage::Created.into(),
        restore_generation: None,
        restore_seen: None,
        restore_attempt: None,
        hash_salt: None,
        commit_sequence: 5.into(),
        local_schema: Some("p1"),
        table_exists: false,
    }
}

#[test]
fn the_first_chunk_tells_what_the_copy_is() {
    let landing = land_chunk(RULES, &facts(), &chunk(FIRST)).expect("lands");
    let held = |key: Key| {
        landing.begin.iter().find_map(|write| match write {
            Write::Meta(written, text) if *written == key => Some(text.as_str()),
            _ => None,
        })
    };
    assert_eq!(held(Key::RESTORE_GENERATION), Some("7"));
    assert_eq!(held(Key::RESTORE_EXPECT), Some("node,users"));
    assert_eq!(held(Key::SITE_ORIGIN), Some("https://example.com"));
    assert_eq!(held(Key::HASH_SALT), Some("s"));
    assert_eq!(held(Key::INFLIGHT), Some("5:7"));
    assert_eq!(held(Key::STAGE), Some("RESTORING"));
    assert_eq!(
        (landing.moved, landing.drops_interpreter),
        (vec![Stage::Restoring], true)
    );
    assert_eq!(
        (landing.ddl.len(), landing.rows.len(), landing.is_last),
        (2, 2, false)
    );
}

#[test]
fn a_later_chunk_takes_nothing_over() {
    let later = LandingFacts {
        stage: Stage::Restoring.into(),
        restore_generation: Some("7"),
        restore_seen: Some("node"),
        table_exists: true,
        ..facts()
    };
    let landing = land_chunk(RULES, &later, &chunk(FIRST)).expect("lands");
    assert!(landing.begin.is_empty() && landing.ddl.is_empty() && landing.seen.is_empty());
    assert!(!landing.drops_interpreter && landing.moved.is_empty());
}

#[test]
fn a_chunk_that_may_not_land_changes_nothing() {
    let torn = LandingFacts {
        restore_generation: Some("6"),
        ..facts()
    };
    let why = land_chunk(RULES, &torn, &chunk(FIRST)).expect_err("torn");
    assert_eq!(
        why.to_string(),
        "torn copy: the restore began at generation 6 and this chunk was read at 7"
    );
    let primary = LandingFacts {
        replica: false,
        ..facts()
    };
    assert_eq!(
        land_chunk(RULES, &primary, &chunk(FIRST)),
        Err(NoLanding::NotAReplica)
    );
}

#[test]
fn a_promised_table_that_did_not_come_is_missing() {
    let stage: StageName = Stage::Restoring.into();
    let whole = finish_copy(
        RULES,
        &WholenessFacts {
            generation: 7.into(),
            stage,
            gap: &[Text::new("state:system.private_key")],
            restore_expect: Some("node,users"),
            restore_seen: Some("node"),
        },
    );
    let incomplete = whole.expect_err("incomplete");
    assert_eq!(
        incomplete.to_string(),
        "restore incomplete: state:system.private_key, table:users"
    );
}

#[test]
fn a_step_of_a_copy_begins_or_says_why_not() {
    let gap = [Text::new("state:system.private_key")];
    let ready = ProvisionFacts {
        primary: true,
        namespace_bound: true,
        lane: 1.into(),
        gap: &[],
        generation: 9.into(),
        cursor: None,
    };
    assert_eq!(begin_provision(&ready), Ok(Cursor::start(9.into())));
    let cursor = Cursor::start(7.into());
    let says = |facts: ProvisionFacts<'_>| begin_provision(&facts).expect_err("no").to_string();
    assert_eq!(
        says(ProvisionFacts {
            primary: false,
            ..ready.clone()
        }),
        "a lane is provisioned from the primary"
    );
    assert_eq!(
        says(ProvisionFacts {
            namespace_bound: false,
            ..ready.clone()
        }),
        "the namespace is not bound"
    );
    assert_eq!(
        says(ProvisionFacts {
            lane: Number::NAN,
            ..ready.clone()
        }),
        "a lane number starts at 1"
    );
    assert_eq!(
        says(ProvisionFacts {
            gap: &gap,
            ..ready.clone()
        }),
        "the primary is missing state:system.private_key"
    );
    assert_eq!(
        says(ProvisionFacts {
            cursor: Some(&cursor),
            ..ready
        }),
        "the primary committed during the copy: began at 7, now 9"
    );
}

#[test]
fn a_cursor_that_shows_no_place_is_refused() {
    let error = Place::of(&Cursor::at(7.into(), Number::parse("0.5"), 0.into())).expect_err("half a table");
    assert_eq!(error.to_string(), "the copy's cursor carries no readable index");
    let place = Place {
        index: 3,
        offset: 800,
    };
    assert_eq!(Place::of(&place.cursor(7.into())), Ok(place));
}

proptest! {
    /// The pages of a copy hold every row of every table once, in order; one page is the first and one the last.
    #[test]
    fn pages_lose_and_repeat_nothing(tables in prop::collection::vec(0..1300u64, 1..5), budget in 1..2000i32) {
        let (mut place, mut copied) = (Place::default(), 0u64);
        let (mut rows_seen, mut fresh, mut done) = (vec![0; tables.len()], 0, 0);
        loop {
            match step_end(place, tables.len(), copied.into(), budget.into()) {
                Some(StepEnd::Done) => break,
                Some(StepEnd::Paused(at)) => {
                    prop_assert_eq!(at, place);
                    copied = 0;
                }
                None => {
                    let rows = (tables[place.index] - place.offset).min(PAGE_ROWS);
                    let page = next_page(place, tables.len(), rows);
                    prop_assert_eq!(place.offset, rows_seen[place.index]);
                    rows_seen[place.index] += rows;
                    fresh += u32::from(page.fresh);
                    done += u32::from(page.done);
                    copied += rows;
                    place = page.next;
                }
            }
        }
        prop_assert_eq!((rows_seen, fresh, done), (tables, 1, 1));
    }

    /// A chunk that may land writes statements of as many parameters as places.
    #[test]
    fn what_may_land_can_be_bound(width in 1..4usize, cells in prop::collection::vec(0..4usize, 0..4)) {
        let columns = (0..width).map(|nth| Json::text(format!("c{nth}"))).collect::<Vec<_>>();
        let rows = cells.iter().map(|count| Json::Array(vec![Json::Bool(true); *count])).collect::<Vec<_>>();
        let chunk = Chunk {
            generation: Number::from(7).into(),
            schema_version: Text::new("p1").into(),
            table: Text::new("node").into(),
            columns: columns.into(),
            rows: rows.into(),
            ..Chunk::default()
        };
        if chunk_refusal(RULES, &chunk, Some("p1"), None).is_none() {
            for statement in restore_statements(&chunk) {
                prop_assert_eq!(statement.sql.matches('?').count(), statement.params.len());
            }
        } else {
            prop_assert!(cells.iter().any(|count| *count != width));
        }
    }
}
