//! An alarm that sets itself again for ever: what a run keeps must not grow with how long it lasts.

use std::collections::BTreeMap;

use protocol::host::{AlarmRun, ObjectName, Statement, Text, Value};

use super::script::{Do, NS, Scripted, request};
use super::world::knobs;
use crate::check::Marks;
use crate::kernel::storage::Store as _;
use crate::kernel::storage::model::ModelStore;
use crate::kernel::{Chance, Deployment, EPOCH, FullChain, Kernel, Micros, PartyId};

const MINUTE: u64 = 60_000;

/// A million seconds, in minutes.
const MINUTES: u64 = 1_000_000 / 60;

/// Overwrites one row, and sets the alarm a minute on from when it was due.
fn again(run: AlarmRun) -> Vec<Do> {
    vec![overwrite(), Do::SetAlarm(run.scheduled.since(EPOCH).0 + MINUTE)]
}

fn overwrite() -> Do {
    let sql = "INSERT INTO t (id, v) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET v = excluded.v";
    Do::Sql(Statement::new(sql, [Value::Text(Text::new_static("x"))]))
}

/// Everything of a world that could grow, by name.
type Sizes = BTreeMap<&'static str, usize>;

fn sizes(kernel: &mut Kernel<Scripted, ModelStore>, object: PartyId) -> Sizes {
    let rows = kernel
        .store(object)
        .map(|store| store.contents().values().map(Vec::len).sum());
    let party = kernel.party(object);
    let storage = party.storage.as_ref().expect("an object has storage");
    BTreeMap::from([
        ("places and keys of events to come", kernel.queue.size()),
        ("parties", kernel.parties.len()),
        ("entries of shared services", kernel.services.held()),
        ("subscriptions", kernel.broker.subscriptions()),
        ("choices kept", kernel.chance.kept().len()),
        ("troubles", kernel.troubles.len()),
        ("numbers of tasks", party.current.tasks.len()),
        ("stubs", party.current.stubs.len()),
        ("calls in flight", party.current.in_flight.len()),
        ("stale incarnations", party.stale.len()),
        ("labels called at", party.calls_made.len()),
        ("deliveries that wait", party.current.waiting.len()),
        ("commits not confirmed", storage.unconfirmed.len()),
        ("rows", rows.expect("an object has a store")),
    ])
}

/// The length of all that can be printed of a world: a growth that [`sizes`] does not know of. Numbers that count how
/// much has happened have more digits later on.
fn printed(kernel: &Kernel<Scripted, ModelStore>) -> usize {
    let text = format!("{kernel:?}");
    text.chars().filter(|c| !c.is_ascii_digit()).count()
}

struct Perpetual {
    kernel: Kernel<Scripted, ModelStore>,
    object: PartyId,
    heard: (FullChain, Marks),
}

impl Perpetual {
    fn new() -> Self {
        let program = Scripted {
            alarm: again,
            version: 0,
        };
        let chance = Chance::new(7, &[]);
        let mut kernel = Kernel::new(
            Deployment::of(program),
            &Default::default(),
            chance,
            knobs(),
            BTreeMap::new(),
        );
        let object = kernel
            .object(&NS, &ObjectName::new("a"))
            .expect("the namespace is there");
        let create = Statement::new("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)", []);
        kernel.send(0, object, request([Do::Sql(create), Do::SetAlarm(MINUTE)]));
        Perpetual {
            kernel,
            object,
            heard: Default::default(),
        }
    }

    /// Until half a minute after the alarm of this minute: nothing is under way then.
    fn run(&mut self, minutes: u64) -> (Sizes, usize) {
        let until = Micros::from_millis(minutes * MINUTE + MINUTE / 2);
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= until) {
            self.kernel.step(key, &mut self.heard);
        }
        (sizes(&mut self.kernel, self.object), printed(&self.kernel))
    }
}

#[test]
fn a_million_seconds_of_alarms_keep_what_a_hundredth_of_them_keeps() {
    let mut world = Perpetual::new();
    let early = world.run(MINUTES / 100);
    let late = world.run(MINUTES);
    assert_eq!(
        world.kernel.commits(world.object),
        1 + MINUTES,
        "the alarm has run every minute: else this shows nothing"
    );
    assert_eq!(
        early, late,
        "something grows with every run of an alarm: forget it when it is over"
    );
}

/// While a run of the alarm is under way, too.
#[test]
fn a_million_seconds_of_alarms_have_few_events_to_come() {
    let mut world = Perpetual::new();
    let mut most = 0;
    let end = Micros::from_millis(MINUTES * MINUTE);
    while let Some(key) = world.kernel.earliest().filter(|key| key.at <= end) {
        world.kernel.step(key, &mut world.heard);
        most = most.max(world.kernel.enabled().len());
    }
    assert!(
        most <= 3,
        "{most} events were to come at once, of an object that does one thing at a time"
    );
}
