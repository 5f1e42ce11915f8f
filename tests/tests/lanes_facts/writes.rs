//! What a write costs, and whose ids it takes (`replica-lanes`, Rows Written; `replica-settings`, WRITE_FORWARD).

use std::collections::BTreeSet;

use protocol::host::Statement;
use protocol::lanes::app::catalogue::Ask;
use protocol::lanes::minting;
use protocol::lanes::partition::Writer;
use protocol::lanes::rules::Rules;
use protocol::number::Number;
use sim::kernel::PartyId;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::world::lanes::truth::contents::Contents;
use sim::world::lanes::truth::standing::Standing;
use tests::lanes::pool::{Pool, visitor};

use super::variants;

/// "With N replica lanes, and W the rows one change writes on the primary, the pool writes (N + 1) W rows for that change."
/// Of both variants.
#[test]
fn a_pool_of_n_lanes_writes_a_change_n_plus_one_times() {
    for (name, version) in variants() {
        for lanes in [0, 1, 4] {
            let mut pool = Pool::<SqliteStore>::installed_under(version.clone());
            for lane in 1..=lanes {
                pool.provision(lane);
            }
            pool.passes(40_000);
            let parties: Vec<PartyId> = (1..=lanes).map(|lane| pool.lane(lane)).collect();
            let objects: Vec<PartyId> = std::iter::once(pool.primary).chain(parties).collect();
            let states = |pool: &mut Pool<SqliteStore>| -> Vec<Contents> {
                let of = |object: &PartyId| Standing::of(&mut pool.kernel, *object).contents;
                objects.iter().map(of).collect()
            };
            let before = states(&mut pool);
            let save = Ask::Save {
                nid: 3,
                tags: 2,
                indexes: false,
            };
            let saved = pool.send(
                pool.primary,
                Pool::<SqliteStore>::hop(&save, &visitor(1), "saved"),
            );
            assert_eq!(saved.status, 200, "{name}");
            pool.passes(40_000);
            let after = states(&mut pool);
            let written: Vec<usize> = before
                .iter()
                .zip(&after)
                .map(|(before, after)| rows(before, after))
                .collect();
            let change = written[0];
            assert!(change > 0, "{name}: a node that is saved is written");
            let sum: usize = written.iter().sum();
            assert_eq!(
                sum,
                (lanes as usize + 1) * change,
                "{name}, {lanes} lanes: {written:?}"
            );
        }
    }
}

/// The rows of the state that are not as they were.
fn rows(before: &Contents, after: &Contents) -> usize {
    let tables = after.tables().map(|(name, table)| {
        let were = before.table(name).map_or(&[][..], |table| table.rows.as_slice());
        table.rows.iter().filter(|row| !were.contains(row)).count()
    });
    tables.sum()
}

/// "256 is the largest pool whose writers all hold a class of their own": with the primary's there are 257, and no id is of
/// two of them. Of both variants, which mint alike.
#[test]
fn there_are_257_classes_of_ids() {
    let rules = Rules::DOCUMENTED;
    let after = Number::integer(1_000);
    let next = |lane: u32| {
        let writer = Writer {
            lane: lane.into(),
            lanes: 256.into(),
        };
        assert!(minting::is_partitioned(writer));
        let first = (rules.partition.next_id)(&rules, after, writer);
        let second = (rules.partition.next_id)(&rules, first, writer);
        (
            first.to_u64_exact().expect("an id"),
            second.to_u64_exact().expect("an id"),
        )
    };
    let ids: Vec<(u64, u64)> = (0..=256).map(next).collect();
    let classes: BTreeSet<u64> = ids.iter().map(|(first, _)| first % 257).collect();
    assert_eq!(classes.len(), 257);
    assert!(
        ids.iter()
            .all(|(first, second)| second - first == 257 && *first > 1_000)
    );
}

/// The same of a site: the primary, the first lane and the last one mint ids of their own classes. Of both variants; the
/// documented primary begins to when its interpreter boots after the first lane.
#[test]
fn the_last_lane_of_256_mints_ids_of_its_own() {
    for (name, version) in variants() {
        let mut pool = Pool::<SqliteStore>::installed_under(version);
        pool.provision(1);
        pool.provision(256);
        pool.passes(20_000);
        pool.kernel.evict(u32::MAX, pool.primary);
        pool.passes(1_000);
        let before = nodes(&mut pool);
        let writers = [pool.primary, pool.lane(1), pool.lane(256)];
        for (nth, writer) in writers.into_iter().enumerate() {
            pool.passes(40_000);
            let create = Pool::<SqliteStore>::hop(&Ask::Create, &visitor(1), &format!("create {nth}"));
            let created = pool.send(writer, create);
            assert_eq!(created.status, 200, "{name}: {}", created.body.to_text());
        }
        let minted: Vec<u64> = nodes(&mut pool).difference(&before).copied().collect();
        assert_eq!(minted.len(), 3, "{name}: {minted:?}");
        let classes: BTreeSet<u64> = minted.iter().map(|id| id % 257).collect();
        assert_eq!(classes, BTreeSet::from([0, 1, 256]), "{name}: {minted:?}");
    }
}

/// The ids of the nodes that there are on the primary.
fn nodes(pool: &mut Pool<SqliteStore>) -> BTreeSet<u64> {
    let read = Statement::new("SELECT nid FROM node", []);
    let rows = pool.kernel.read(pool.primary, &read).expect("it is read").rows;
    let ids = rows
        .iter()
        .filter_map(|row| row.first()?.as_number()?.to_u64_exact());
    ids.collect()
}
