//! W, the workload that every simulator is compared by: `cargo bench -p sim --bench w`.
#![allow(missing_docs, reason = "a bench has no readers but its output")]

mod client;
mod ordinary;
mod plain;
mod roles;
mod simulated;
mod sql;
mod wire;
mod workload;

use sim::kernel::storage::Store;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::{BehaviourChain, FullChain, Observed, Observer};

use workload::{Outcome, check};

/// As the command has it. The loops written by hand have it too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Both chains, as every run has them.
#[derive(Default)]
struct Chains(FullChain, BehaviourChain);

impl Observer for Chains {
    fn observe(&mut self, seen: &Observed<'_>) {
        self.0.observe(seen);
        self.1.observe(seen);
    }
}

/// The databases that runs leave to the next one.
#[derive(Default)]
struct Pools {
    model: <ModelStore as Store>::Pool,
    sqlite: <SqliteStore as Store>::Pool,
}

/// A form of W: runs a seed with so many lanes for so many seconds, and checks it. Answers how many events it took.
type Form = fn(&Pools, u64, u32, u32) -> u64;

const FORMS: [(&str, Form); 6] = [
    ("plain loop", |_, seed, lanes, seconds| {
        checked(plain::run::<plain::Maps>(seed, lanes, seconds))
    }),
    ("ordinary rusqlite", |_, seed, lanes, seconds| {
        checked(plain::run::<ordinary::Ordinary>(seed, lanes, seconds))
    }),
    ("model, no chains", |pools, seed, lanes, seconds| {
        bare::<ModelStore>(&pools.model, seed, lanes, seconds)
    }),
    ("model", |pools, seed, lanes, seconds| {
        chained::<ModelStore>(&pools.model, seed, lanes, seconds)
    }),
    ("sqlite, no chains", |pools, seed, lanes, seconds| {
        bare::<SqliteStore>(&pools.sqlite, seed, lanes, seconds)
    }),
    ("sqlite", |pools, seed, lanes, seconds| {
        chained::<SqliteStore>(&pools.sqlite, seed, lanes, seconds)
    }),
];

fn checked(mut outcome: Outcome) -> u64 {
    check(&mut outcome);
    outcome.events
}

fn bare<S: Store>(pool: &S::Pool, seed: u64, lanes: u32, seconds: u32) -> u64 {
    checked(simulated::run::<S>(seed, lanes, seconds, pool, &mut ()))
}

fn chained<S: Store>(pool: &S::Pool, seed: u64, lanes: u32, seconds: u32) -> u64 {
    let mut chains = Chains::default();
    let events = checked(simulated::run::<S>(seed, lanes, seconds, pool, &mut chains));
    std::hint::black_box((chains.0.0.finish(), chains.1.0.finish()));
    events
}

/// CPU time of this thread in nanoseconds, as the system counts it: other processes on the machine do not count.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next().and_then(|number| number.parse().ok());
    first.expect("the bench needs Linux, which counts a thread's time")
}

/// What one batch of seeds has cost.
struct Batch {
    ns: u64,
    seeds: u64,
    events: u64,
}

/// Runs seeds until enough time has passed to be measured.
fn batch(form: Form, pools: &Pools, lanes: u32, seconds: u32, first: u64) -> Batch {
    let start = cpu_ns();
    let mut batch = Batch {
        ns: 0,
        seeds: 0,
        events: 0,
    };
    while batch.ns < ENOUGH_NS {
        batch.events += form(pools, first + batch.seeds, lanes, seconds);
        batch.seeds += 1;
        batch.ns = cpu_ns() - start;
    }
    batch
}

const ENOUGH_NS: u64 = 80_000_000;
const ROUNDS: u64 = 7;

/// One size: all forms, in turns, so that a slow moment of the machine hits all of them.
fn size(lanes: u32, seconds: u32) {
    let mut batches: Vec<Vec<Batch>> = FORMS.iter().map(|_| Vec::new()).collect();
    let pools = Pools::default();
    for round in 0..ROUNDS {
        for (of_form, (_, form)) in batches.iter_mut().zip(FORMS) {
            of_form.push(batch(form, &pools, lanes, seconds, 1 + 1_000 * round));
        }
    }
    let medians: Vec<(u64, u64)> = batches.iter_mut().map(|of_form| median(of_form)).collect();
    for (at, ((name, _), (us, rate))) in FORMS.iter().zip(&medians).enumerate() {
        let to = |other: usize| {
            format!(
                "{:>5}.{:02}",
                us / medians[other].0,
                us * 100 / medians[other].0 % 100
            )
        };
        let (ms, us) = (us / 1_000, us % 1_000 / 10);
        println!(
            "{lanes:>4} {seconds:>4} s  {name:<18} {ms:>6}.{us:02} ms  {rate:>8} k/s  {} x plain  {} x rusqlite{}",
            to(0),
            to(1),
            if at % 2 == 1 && at > 2 {
                format!("  {} x without chains", to(at - 1))
            } else {
                String::new()
            }
        );
    }
}

/// Microseconds a seed and thousand events a second.
fn median(batches: &mut [Batch]) -> (u64, u64) {
    batches.sort_by_key(|batch| batch.ns / batch.seeds);
    let middle = &batches[batches.len() / 2];
    (
        middle.ns / middle.seeds / 1_000,
        middle.events * 1_000_000 / middle.ns,
    )
}

/// `w` prints the table; `w FORM LANES SECONDS SEEDS` runs one form only, for a profiler.
fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let number = |at: usize| -> u32 { words[at].parse().expect("a number") };
    match words.len() {
        0 => {
            for (lanes, seconds) in [(1, 60), (4, 60), (8, 60), (32, 60), (256, 60), (8, 600)] {
                size(lanes, seconds);
            }
        }
        2 => size(number(0), number(1)),
        _ => {
            let form = FORMS
                .iter()
                .find(|(name, _)| *name == words[0])
                .expect("a form")
                .1;
            let pools = Pools::default();
            let events: u64 = (1..=u64::from(number(3)))
                .map(|seed| form(&pools, seed, number(1), number(2)))
                .sum();
            println!("{events} events");
        }
    }
}
