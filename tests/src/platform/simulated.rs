//! The kernel's arm.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use protocol::host::{Body, ObjectName, Outcome, Request, Text};
use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::{
    Chance, Deployment, Guest, Kernel, Knobs, Micros, PartyId, ResetCause, Span, Stepped,
    UnsupportedStatement,
};

use super::case::{Case, Step};
use super::guest::{OBJECTS, OnTasks, Scripted};
use super::script::{Do, Said};
use super::{missing, write_of};

/// How many worlds see a case, each with other latencies.
const SEEDS: u64 = 5;

/// How long a client waits, in simulated time, before the case is given up.
const PATIENCE: Micros = Micros::from_millis(600_000);

/// The writes of one client, one after the other, until power is cut.
const LOAD: u64 = 300;

/// Runs a case on both stores, and on several seeds.
///
/// # Errors
/// What was seen in the first world that has seen something else, and which that was.
pub fn run(case: &Case, expected: &[String]) -> Result<(), (String, Vec<String>)> {
    for seed in 0..SEEDS {
        let seen = run_on::<SqliteStore>(case, seed).unwrap_or_else(|unsupported| vec![unsupported]);
        if seen != expected {
            return Err((format!("SQLite, seed {seed}"), seen));
        }
        // A statement outside the closed list of this store ends the run, and says nothing about the platform.
        match run_on::<ModelStore>(case, seed) {
            Ok(seen) if seen != expected => return Err((format!("model, seed {seed}"), seen)),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

/// Runs a case in one world, up to a statement that its store does not run.
fn run_on<S: Store>(case: &Case, seed: u64) -> Result<Vec<String>, String> {
    let run = || match case.on_tasks {
        false => World::<Scripted, S>::run(Scripted, case, seed),
        true => World::<OnTasks, S>::run(OnTasks, case, seed),
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| match payload.downcast::<UnsupportedStatement>() {
        Ok(unsupported) => format!("unsupported: {}", unsupported.0),
        Err(payload) => resume_unwind(payload),
    })
}

/// A good day, on which failures are noticed as quickly as on one machine.
fn knobs() -> Knobs {
    Knobs {
        notice: Span::millis(0, 5),
        alarm_sync: Span::millis(0, 5),
        ..Knobs::calm()
    }
}

struct World<G: Guest, S: Store> {
    kernel: Kernel<G, S>,
    front: PartyId,
    items: u32,
    seen: Vec<String>,
}

impl<G: Guest, S: Store> World<G, S> {
    fn run(guest: G, case: &Case, seed: u64) -> Vec<String> {
        let mut knobs = knobs();
        if let Some(knob) = case.knobs {
            (knob.set)(&mut knobs);
        }
        let chance = Chance::new(seed, &[]);
        let mut kernel = Kernel::new(
            Deployment::of(guest),
            &S::Pool::default(),
            chance,
            knobs,
            BTreeMap::new(),
        );
        let front = kernel.add_front();
        let mut world: World<G, S> = World {
            kernel,
            front,
            items: 0,
            seen: Vec::new(),
        };
        for step in &case.steps {
            world.take(step);
        }
        world.seen
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Drive(script) => {
                let item = self.send(script);
                let said = self.answer_of(item);
                self.seen.extend(said.iter().map(Said::line));
            }
            Step::DriveAndLeave(script, after) => {
                let client = self.send(script);
                self.pause(*after);
                let item = self.item();
                self.kernel.cancel(item, client);
                self.pause(0);
            }
            Step::Pause(length) => self.pause(*length),
            Step::PowerCut => self.power_cut(),
            Step::PowerCutUnderLoad(object) => self.power_cut_under_load(object),
            Step::DiskFull(object) => {
                let object = self.kernel.object(&OBJECTS, &ObjectName::new(object));
                let item = self.item();
                self.kernel
                    .fail_commit(item, object.expect("the namespace is there"));
            }
        }
    }

    fn item(&mut self) -> u32 {
        self.items += 1;
        self.items
    }

    fn send(&mut self, script: &[Do]) -> u32 {
        let item = self.item();
        let script = serde_json::to_string(script).expect("a script is JSON");
        self.kernel
            .send(item, self.front, Request::post("/", Body::text(script)));
        item
    }

    fn answer_of(&mut self, item: u32) -> Vec<Said> {
        let patience = self.kernel.now().after(PATIENCE);
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= patience) {
            match self.kernel.step(key, &mut ()) {
                Some(Stepped::Answered { item: of, outcome }) if of == item => return said(outcome),
                _ => {}
            }
        }
        vec![Said::Text(Text::new_static("no answer"))]
    }

    fn pause(&mut self, length: u64) {
        let until = self.kernel.now().after(Micros::from_millis(length));
        // An item at the end, so that time passes even where nothing else happens.
        let item = self.item();
        self.kernel.schedule_item(item, until);
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= until) {
            self.kernel.step(key, &mut ());
        }
    }

    fn power_cut(&mut self) {
        let objects: Vec<_> = self.kernel.objects().map(|(_, _, object)| object).collect();
        for object in objects {
            let item = self.item();
            self.kernel.reset(item, object, ResetCause::Machine);
        }
        self.pause(0);
    }

    fn power_cut_under_load(&mut self, object: &Text) {
        let mut acknowledged = Vec::new();
        let mut clients = BTreeMap::new();
        for client in 0..4 {
            clients.insert(self.send(&write_of(object, client, 0)), (client, 0));
        }
        let cut = self.kernel.now().after(Micros::from_millis(700));
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= cut) {
            let stepped = self.kernel.step(key, &mut ());
            let Some(Stepped::Answered { item, outcome }) = stepped else {
                continue;
            };
            let (client, nth) = clients.remove(&item).expect("only these clients ask");
            if matches!(said(outcome).as_slice(), [Said::Answered(_)]) {
                acknowledged.push(format!("{client}.{nth}"));
            }
            if nth < LOAD {
                clients.insert(self.send(&write_of(object, client, nth + 1)), (client, nth + 1));
            }
        }
        self.power_cut();
        let item = self.send(&[super::case::ask(object, [Do::Read])]);
        let rows = self.answer_of(item);
        self.seen.push(missing(&acknowledged, &rows));
    }
}

fn said(outcome: Outcome) -> Vec<Said> {
    match outcome {
        Ok(response) => {
            let body = response.expect("a request is answered").body;
            serde_json::from_str(&body.to_text()).expect("a front Worker says what it says")
        }
        Err(error) => vec![Said::Failed(error)],
    }
}
