//! What every form of W has in common: its messages' contents, its client's choices, its fingerprint, its checks.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::host::Text;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How often the client acts, in milliseconds.
pub const TICK_MS: u64 = 100;
/// Reads a tick.
pub const READS: u32 = 10;
/// How often a lane pulls, in milliseconds.
pub const PULL_MS: u64 = 2_000;
/// Records that one answer holds at most.
pub const BATCH: u32 = 25;
/// Of so many messages one is lost.
pub const LOST_ONE_IN: u32 = 20;
/// The shortest time that a message is on its way, and the longest.
pub const LATENCY_MS: (u64, u64) = (1, 50);

const NODES: u64 = 16;
const CONFIGS: u64 = 4;

/// A row of either table: key and text, some 70 bytes together.
pub type Row = (Text, Text);

/// What one write changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Change {
    /// Two rows of `node`.
    pub nodes: [Row; 2],
    /// One row of `config`.
    pub config: Row,
}

/// One sealed write.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Record {
    /// The generation that it leads to.
    pub generation: u32,
    /// The generation that it was made on.
    pub parent: u32,
    /// The version of the tables.
    pub schema: u32,
    /// SHA-256 over all rows, which are 20 and about 1.4 kB.
    pub fingerprint: Text,
    /// What it changes.
    pub change: Change,
}

/// What the client asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ask {
    /// The row of this path.
    Read(Text),
    /// This change.
    Write(Arc<Change>),
}

/// The client's choices: the same for a seed, whatever runs them.
pub struct Choices {
    rng: ChaCha8Rng,
    paths: Vec<Text>,
    keys: Vec<Text>,
}

impl Choices {
    pub fn new(seed: u64) -> Self {
        let name = |table: &str, number: u64| Text::from(format!("/{table}/{number:02}"));
        Choices {
            rng: ChaCha8Rng::seed_from_u64(seed),
            paths: (0..NODES).map(|number| name("node", number)).collect(),
            keys: (0..CONFIGS).map(|number| name("config", number)).collect(),
        }
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        let wide = u128::from(self.rng.next_u64()) * u128::from(end);
        u64::try_from(wide >> 64).expect("the high half of a product has 64 bits")
    }

    /// What the client asks at a tick: the write first. `first` is the number of the first ask.
    pub fn tick(&mut self, first: u32) -> Vec<Ask> {
        let mut asks = Vec::with_capacity(READS as usize + 1);
        asks.push(Ask::Write(Arc::new(self.change(first))));
        for _ in 0..READS {
            let path = self.below(NODES) as usize;
            asks.push(Ask::Read(self.paths[path].clone()));
        }
        asks
    }

    fn change(&mut self, number: u32) -> Change {
        let one = self.below(NODES);
        let other = (one + 1 + self.below(NODES - 1)) % NODES;
        let key = self.below(CONFIGS);
        let row = |key: &Text| {
            let text = format!("what the client's ask no. {number:08} has put into {key:>12} ");
            (key.clone(), Text::from(text))
        };
        Change {
            nodes: [row(&self.paths[one as usize]), row(&self.paths[other as usize])],
            config: row(&self.keys[key as usize]),
        }
    }
}

/// The object that serves a path: 0 is the primary, the others are lanes.
pub fn route(path: &str, lanes: u32) -> u32 {
    let hash = path.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    hash % (lanes + 1)
}

/// SHA-256 over rows in the order of their keys.
pub fn fingerprint<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> Text {
    let mut state = Vec::with_capacity(2_048);
    for (key, text) in rows {
        state.extend_from_slice(key.as_bytes());
        state.push(0);
        state.extend_from_slice(text.as_bytes());
        state.push(b'\n');
    }
    Text::from(hex::encode(Sha256::digest(&state)))
}

/// What a run has come to: the log, and each lane's position and rows.
pub struct Outcome {
    pub events: u64,
    pub log: Vec<Arc<Record>>,
    /// Position, rows of `node`, rows of `config`, both by key.
    pub lanes: Vec<(u32, Vec<Row>, Vec<Row>)>,
}

/// W's own checks.
///
/// # Panics
/// When a lane is ahead of the primary, or its rows are not the log replayed to its generation.
pub fn check(outcome: &mut Outcome) {
    outcome.lanes.sort_by_key(|(applied, ..)| *applied);
    let (mut nodes, mut configs) = (BTreeMap::new(), BTreeMap::new());
    let mut replayed = 0;
    for (applied, of_node, of_config) in &outcome.lanes {
        assert!(*applied as usize <= outcome.log.len(), "a lane is ahead");
        for record in &outcome.log[replayed..*applied as usize] {
            nodes.extend(record.change.nodes.iter().cloned());
            configs.extend([record.change.config.clone()]);
        }
        replayed = *applied as usize;
        let same = |rows: &[Row], replayed: &BTreeMap<Text, Text>| {
            rows.len() == replayed.len()
                && rows
                    .iter()
                    .zip(replayed)
                    .all(|(row, (k, v))| row.0 == *k && row.1 == *v)
        };
        assert!(
            same(of_node, &nodes) && same(of_config, &configs),
            "a lane's rows are not the log replayed to its generation"
        );
    }
    assert!(replayed > 0, "no lane has applied anything");
}
