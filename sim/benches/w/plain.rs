//! W as a loop written by hand: the limit. Its state is plain maps here; [`ordinary`](super::ordinary) is the same loop
//! over SQLite.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use protocol::host::Text;

use crate::workload::{
    Ask, BATCH, Change, Choices, LATENCY_MS, LOST_ONE_IN, Outcome, PULL_MS, Record, Row, TICK_MS,
    fingerprint, route,
};

/// Where an object keeps its rows, and the primary its log.
pub trait Database {
    fn open() -> Self;
    /// One transaction: three upserts, the fingerprint over all rows, the sealed record.
    fn seal(&mut self, head: u32, change: &Change);
    /// The records after `since`, a batch at most.
    fn log(&mut self, since: u32, limit: u32) -> Vec<Arc<Record>>;
    /// One transaction: three upserts and the position.
    fn apply(&mut self, record: &Record);
    fn read(&mut self, path: &Text) -> Option<Text>;
    /// Everything: rows of `node`, rows of `config`.
    fn rows(&mut self) -> (Vec<Row>, Vec<Row>);
}

/// Plain maps.
pub struct Maps {
    nodes: BTreeMap<Text, Text>,
    configs: BTreeMap<Text, Text>,
    log: Vec<Arc<Record>>,
}

impl Maps {
    fn change(&mut self, change: &Change) {
        for (path, body) in &change.nodes {
            self.nodes.insert(path.clone(), body.clone());
        }
        let (key, value) = &change.config;
        self.configs.insert(key.clone(), value.clone());
    }
}

impl Database for Maps {
    fn open() -> Self {
        Maps {
            nodes: BTreeMap::new(),
            configs: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    fn seal(&mut self, head: u32, change: &Change) {
        self.change(change);
        let rows = self.nodes.iter().chain(&self.configs);
        self.log.push(Arc::new(Record {
            generation: head + 1,
            parent: head,
            schema: 1,
            fingerprint: fingerprint(rows.map(|(key, text)| (key.as_str(), text.as_str()))),
            change: change.clone(),
        }));
    }

    fn log(&mut self, since: u32, limit: u32) -> Vec<Arc<Record>> {
        let after = self.log.iter().skip(since as usize);
        after.take(limit as usize).cloned().collect()
    }

    fn apply(&mut self, record: &Record) {
        self.change(&record.change);
    }

    fn read(&mut self, path: &Text) -> Option<Text> {
        self.nodes.get(path).cloned()
    }

    fn rows(&mut self) -> (Vec<Row>, Vec<Row>) {
        let all = |rows: &BTreeMap<Text, Text>| rows.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        (all(&self.nodes), all(&self.configs))
    }
}

/// What is on its way, or due. Object 0 is the primary.
enum Event {
    Tick,
    Pull { lane: u32 },
    Ask { to: u32, number: u32, ask: Ask },
    Head { lane: u32 },
    Log { lane: u32, since: u32 },
    Done { number: u32, answer: Answer },
    HeadIs { lane: u32, generation: u32 },
    Records { lane: u32, records: Vec<Arc<Record>> },
}

enum Answer {
    Page(Option<Text>),
    Sealed(u32),
    Misdirected,
}

struct Due {
    at: u64,
    serial: u64,
    event: Event,
}

impl Ord for Due {
    /// The earliest is the greatest: the heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.serial).cmp(&(self.at, self.serial))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Due {}

struct Open {
    ask: Ask,
    sent: u64,
}

struct Loop<D> {
    now: u64,
    serial: u64,
    heap: BinaryHeap<Due>,
    choices: Choices,
    lanes: u32,
    objects: Vec<D>,
    /// The primary's head, and each lane's position.
    stands: Vec<u32>,
    open: BTreeMap<u32, Open>,
    asked: u32,
}

/// Runs a seed. Times are microseconds.
pub fn run<D: Database>(seed: u64, lanes: u32, seconds: u32) -> Outcome {
    let mut world = Loop {
        now: 0,
        serial: 0,
        heap: BinaryHeap::new(),
        choices: Choices::new(seed),
        lanes,
        objects: (0..=lanes).map(|_| D::open()).collect::<Vec<D>>(),
        stands: vec![0; lanes as usize + 1],
        open: BTreeMap::new(),
        asked: 0,
    };
    world.schedule(0, Event::Tick);
    for lane in 1..=lanes {
        let phase = world.choices.below(PULL_MS * 1_000);
        world.schedule(phase, Event::Pull { lane });
    }
    let mut events = 0;
    while let Some(due) = world.heap.pop() {
        if due.at > u64::from(seconds) * 1_000_000 {
            break;
        }
        world.now = due.at;
        events += 1;
        world.take(due.event);
    }
    world.outcome(events)
}

impl<D: Database> Loop<D> {
    fn schedule(&mut self, at: u64, event: Event) {
        let serial = self.serial;
        self.serial += 1;
        self.heap.push(Due { at, serial, event });
    }

    fn send(&mut self, event: Event) {
        let (least, most) = (LATENCY_MS.0 * 1_000, LATENCY_MS.1 * 1_000);
        let drawn = self.choices.below((most - least + 1) * u64::from(LOST_ONE_IN));
        if !drawn.is_multiple_of(u64::from(LOST_ONE_IN)) {
            self.schedule(self.now + least + drawn / u64::from(LOST_ONE_IN), event);
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Tick => self.tick(),
            Event::Pull { lane } => {
                self.schedule(self.now + PULL_MS * 1_000, Event::Pull { lane });
                self.send(Event::Head { lane });
            }
            Event::Ask { to, number, ask } => {
                let answer = self.answer(to, &ask);
                self.send(Event::Done { number, answer });
            }
            Event::Head { lane } => {
                let generation = self.stands[0];
                self.send(Event::HeadIs { lane, generation });
            }
            Event::HeadIs { lane, generation } => {
                let since = self.stands[lane as usize];
                if generation > since {
                    self.send(Event::Log { lane, since });
                }
            }
            Event::Log { lane, since } => {
                let records = self.objects[0].log(since, BATCH);
                self.send(Event::Records { lane, records });
            }
            Event::Records { lane, records } => self.apply(lane, &records),
            Event::Done { number, answer } => self.done(number, &answer),
        }
    }

    fn tick(&mut self) {
        self.schedule(self.now + TICK_MS * 1_000, Event::Tick);
        let old = self
            .open
            .iter_mut()
            .filter(|(_, open)| open.sent + TICK_MS * 1_000 <= self.now);
        let mut asks: Vec<_> = old
            .map(|(number, open)| {
                open.sent = self.now;
                (*number, open.ask.clone())
            })
            .collect();
        for ask in self.choices.tick(self.asked) {
            let sent = self.now;
            self.open.insert(
                self.asked,
                Open {
                    ask: ask.clone(),
                    sent,
                },
            );
            asks.push((self.asked, ask));
            self.asked += 1;
        }
        for (number, ask) in asks {
            let to = match &ask {
                Ask::Read(path) => route(path, self.lanes),
                Ask::Write(_) => 0,
            };
            self.send(Event::Ask { to, number, ask });
        }
    }

    fn answer(&mut self, to: u32, ask: &Ask) -> Answer {
        let object = &mut self.objects[to as usize];
        let stands = &mut self.stands[to as usize];
        match ask {
            Ask::Read(_) if to > 0 && *stands == 0 => Answer::Misdirected,
            Ask::Read(path) => Answer::Page(object.read(path)),
            Ask::Write(change) => {
                object.seal(*stands, change);
                *stands += 1;
                Answer::Sealed(*stands)
            }
        }
    }

    fn apply(&mut self, lane: u32, records: &[Arc<Record>]) {
        let stands = &mut self.stands[lane as usize];
        for record in records {
            if record.parent == *stands {
                self.objects[lane as usize].apply(record);
                *stands = record.generation;
            }
        }
        if records.len() == BATCH as usize {
            self.send(Event::Head { lane });
        }
    }

    fn done(&mut self, number: u32, answer: &Answer) {
        match answer {
            Answer::Misdirected => {
                if let Some(open) = self.open.get_mut(&number) {
                    open.sent = self.now;
                    let ask = open.ask.clone();
                    self.send(Event::Ask { to: 0, number, ask });
                }
            }
            Answer::Page(page) => {
                std::hint::black_box(page);
                self.open.remove(&number);
            }
            Answer::Sealed(generation) => {
                std::hint::black_box(generation);
                self.open.remove(&number);
            }
        }
    }

    fn outcome(mut self, events: u64) -> Outcome {
        let log = self.objects[0].log(0, u32::MAX);
        assert!(log.len() == self.stands[0] as usize, "the log is whole");
        let lanes = self.objects.iter_mut().zip(&self.stands).skip(1);
        let lanes = lanes.map(|(object, stands)| {
            let (nodes, configs) = object.rows();
            (*stands, nodes, configs)
        });
        Outcome {
            events,
            log,
            lanes: lanes.collect(),
        }
    }
}
