//! Replays a record through the wasm module, under an interpreter in this process: every delivery must make the same
//! crossings, byte for byte, and every crossing is answered as it was.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use protocol::host::{Namespace, Text};
use protocol_worker::abi::{self, Function, IMPORT_MODULE, SEAM};
use protocol_worker::record::{Moment, RecordLine};
use protocol_worker::{Part, Start};
use wasmi::{
    Caller, Engine, Error, Instance, Linker, Memory, Module, Store, TypedFunc, WasmParams, WasmResults,
};

/// What a replay has gone through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Incarnations.
    pub lives: usize,
    /// Events.
    pub events: usize,
    /// Calls of the seam's functions.
    pub crossings: usize,
    /// Bytes of their arguments.
    pub bytes: usize,
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.lives += other.lives;
        self.events += other.events;
        self.crossings += other.crossings;
        self.bytes += other.bytes;
    }
}

/// Where the module did something else than the record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Whose line it is.
    pub who: Text,
    /// The line of the record, counted from 0.
    pub line: usize,
    /// What the record says.
    pub recorded: String,
    /// What the module did.
    pub replayed: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "the module parts from the record at its line {}:",
            self.line + 1
        )?;
        writeln!(f, "  recorded: {}", self.recorded)?;
        write!(f, "  replayed: {}", self.replayed)
    }
}

impl std::error::Error for Difference {}

/// Replays the record of one object, or of the isolates of one front Worker. Each life gets an instance of its own.
///
/// # Errors
/// The first difference of the first life that has one.
///
/// # Panics
/// When the module cannot be loaded, or is no module of the seam.
pub fn replay_in_wasm(module: &[u8], start: &Start, record: &[RecordLine]) -> Result<Stats, Difference> {
    let engine = Engine::default();
    let module = Module::new(&engine, module).expect("the module is valid");
    let mut lives: BTreeMap<u32, Vec<(usize, RecordLine)>> = BTreeMap::new();
    for (at, line) in record.iter().enumerate() {
        lives.entry(line.life).or_default().push((at, line.clone()));
    }
    let mut stats = Stats::default();
    for lines in lives.into_values() {
        replay_life(&module, start, lines, &mut stats)?;
    }
    Ok(stats)
}

/// Replays the record of a whole world, one after the other of those who are in it.
///
/// # Errors
/// The first difference of the first of them, by name, that has one. Its line is counted among that one's lines.
///
/// # Panics
/// As [`replay_in_wasm`].
pub fn replay_all(
    module: &[u8],
    program: &str,
    variant: &str,
    record: &[RecordLine],
) -> Result<Stats, Difference> {
    let mut own: BTreeMap<&Text, Vec<RecordLine>> = BTreeMap::new();
    for line in record {
        own.entry(&line.who).or_default().push(line.clone());
    }
    let mut total = Stats::default();
    for (who, lines) in own {
        let part = match who.split_once('/') {
            Some((namespace, _)) => Part::Object(Namespace(Text::new(namespace))),
            None => Part::Front,
        };
        let start = Start {
            program: Text::new(program),
            variant: Text::new(variant),
            part,
        };
        total += replay_in_wasm(module, &start, &lines)?;
    }
    Ok(total)
}

fn replay_life(
    module: &Module,
    start: &Start,
    lines: Vec<(usize, RecordLine)>,
    stats: &mut Stats,
) -> Result<(), Difference> {
    stats.lives += 1;
    let mut running = Running::start(module, start, Script::new(lines))?;
    while let Some(line) = running.store.data_mut().next() {
        let Moment::Event { event, .. } = &line.what else {
            let script = running.store.data();
            return Err(script.difference("(no event is under way)"));
        };
        stats.events += 1;
        if !running.turn(event.get())? {
            break;
        }
    }
    let script = running.store.data();
    stats.crossings += script.crossings;
    stats.bytes += script.bytes;
    if script.at < script.lines.len() {
        return Err(script.next_difference("(the incarnation has ended)"));
    }
    Ok(())
}

/// The lines of one life, and how far its replay is.
struct Script {
    lines: Vec<(usize, RecordLine)>,
    at: usize,
    crossings: usize,
    bytes: usize,
    difference: Option<Difference>,
}

impl Script {
    fn new(lines: Vec<(usize, RecordLine)>) -> Self {
        Script {
            lines,
            at: 0,
            crossings: 0,
            bytes: 0,
            difference: None,
        }
    }

    fn next(&mut self) -> Option<RecordLine> {
        let (_, line) = self.lines.get(self.at)?;
        self.at += 1;
        Some(line.clone())
    }

    /// The last line that was taken is not what the module did.
    fn difference(&self, replayed: &str) -> Difference {
        self.difference_at(self.at.saturating_sub(1), replayed)
    }

    /// The next line is not what the module did.
    fn next_difference(&self, replayed: &str) -> Difference {
        self.difference_at(self.at, replayed)
    }

    fn difference_at(&self, at: usize, replayed: &str) -> Difference {
        let past_end = || self.lines.last().map_or(0, |(line, _)| line + 1);
        let recorded = |(_, line): &(usize, RecordLine)| abi::encode(&line.what);
        Difference {
            who: self
                .lines
                .first()
                .map(|(_, line)| line.who.clone())
                .unwrap_or_default(),
            line: self.lines.get(at).map_or_else(past_end, |(line, _)| *line),
            recorded: self
                .lines
                .get(at)
                .map_or_else(|| "(nothing more)".to_owned(), recorded),
            replayed: replayed.to_owned(),
        }
    }

    /// The recorded answer, if this is the crossing that was recorded.
    fn cross(&mut self, name: &str, args: &str) -> Option<String> {
        self.crossings += 1;
        self.bytes += args.len();
        if let Some((_, line)) = self.lines.get(self.at)
            && let Moment::Cross {
                function,
                args: recorded,
                answer,
            } = &line.what
            && (function.name(), recorded.get()) == (name, args)
        {
            let answer = answer.get().to_owned();
            self.at += 1;
            return Some(answer);
        }
        self.difference = Some(self.next_difference(&format!("{name} {args}")));
        None
    }

    fn aborted(&self) -> bool {
        let last = self.at.checked_sub(1).and_then(|at| self.lines.get(at));
        last.is_some_and(|(_, line)| line.what.is_abort())
    }
}

struct Running {
    store: Store<Script>,
    memory: Memory,
    allocate: TypedFunc<u32, u32>,
    release: TypedFunc<(u32, u32), ()>,
    deliver: TypedFunc<(u32, u32), u64>,
}

impl Running {
    fn start(module: &Module, start: &Start, script: Script) -> Result<Self, Difference> {
        let mut store = Store::new(module.engine(), script);
        let mut linker = Linker::new(module.engine());
        for name in SEAM {
            let import =
                move |caller: Caller<'_, Script>, address, length| cross(caller, name, address, length);
            linker
                .func_wrap(IMPORT_MODULE, name, import)
                .expect("each function has its own name");
        }
        let instance = linker
            .instantiate_and_start(&mut store, module)
            .expect("the seam is all it imports");
        let memory = memory(&instance, &store);
        let mut running = Running {
            memory,
            allocate: exported(&instance, &store, "allocate"),
            release: exported(&instance, &store, "release"),
            deliver: exported(&instance, &store, "deliver"),
            store,
        };
        let begin: TypedFunc<(u32, u32), ()> = exported(&instance, &running.store, "start");
        let given = running.give(&abi::encode(start));
        let started = begin.call(&mut running.store, given);
        started.map_err(|trap| running.trapped(&trap))?;
        Ok(running)
    }

    /// Delivers one event. Whether the incarnation goes on.
    fn turn(&mut self, event: &str) -> Result<bool, Difference> {
        let given = self.give(event);
        match self.deliver.call(&mut self.store, given) {
            Ok(packed) => {
                let answer = self.take(packed);
                let script = self.store.data_mut();
                if script.aborted() {
                    return Ok(false);
                }
                match script.next().map(|line| line.what) {
                    Some(Moment::Returned(returned)) if abi::encode(&returned) == answer => Ok(true),
                    _ => Err(script.difference(&format!("returned {answer}"))),
                }
            }
            Err(trap) => {
                let script = self.store.data_mut();
                let next = script.lines.get(script.at).map(|(_, line)| &line.what);
                if script.difference.is_none() && matches!(next, Some(Moment::Trapped { .. })) {
                    script.at += 1;
                    return Ok(false);
                }
                Err(self.trapped(&trap))
            }
        }
    }

    fn trapped(&self, trap: &Error) -> Difference {
        let script = self.store.data();
        let other = || script.next_difference(&format!("trapped: {trap}"));
        script.difference.clone().unwrap_or_else(other)
    }

    fn give(&mut self, text: &str) -> (u32, u32) {
        let length = u32::try_from(text.len()).expect("a text is shorter than the memory");
        let address = self
            .allocate
            .call(&mut self.store, length)
            .expect("memory can be allocated");
        self.memory
            .write(&mut self.store, address as usize, text.as_bytes())
            .expect("allocated memory is there");
        (address, length)
    }

    fn take(&mut self, packed: u64) -> String {
        let (address, length) = ((packed >> 32) as u32, packed as u32);
        let bytes = &self.memory.data(&self.store)[address as usize..][..length as usize];
        let text = String::from_utf8(bytes.to_vec()).expect("an answer is UTF-8");
        self.release
            .call(&mut self.store, (address, length))
            .expect("an answer can be released");
        text
    }
}

fn exported<P: WasmParams, R: WasmResults>(
    instance: &Instance,
    store: &Store<Script>,
    name: &str,
) -> TypedFunc<P, R> {
    let function = instance.get_typed_func(store, name);
    function.unwrap_or_else(|error| panic!("the module exports no `{name}` of the right type: {error}"))
}

fn memory(instance: &Instance, store: &Store<Script>) -> Memory {
    instance
        .get_memory(store, "memory")
        .expect("the module exports its memory")
}

/// One call of an import: answered out of the record, or the end of the replay.
fn cross(mut caller: Caller<'_, Script>, name: &str, address: u32, length: u32) -> Result<u64, Error> {
    let memory = caller
        .get_export("memory")
        .and_then(|export| export.into_memory());
    let memory = memory.ok_or_else(|| Error::new("the module exports its memory"))?;
    let mut args = vec![0; length as usize];
    memory
        .read(&caller, address as usize, &mut args)
        .map_err(|error| Error::new(error.to_string()))?;
    let args = String::from_utf8(args).map_err(|error| Error::new(error.to_string()))?;
    let answer = caller
        .data_mut()
        .cross(name, &args)
        .ok_or_else(|| Error::new("the replay ends here"))?;
    let allocate = caller
        .get_export("allocate")
        .and_then(|export| export.into_func());
    let allocate = allocate.ok_or_else(|| Error::new("the module exports `allocate`"))?;
    let allocate = allocate.typed::<u32, u32>(&caller)?;
    let length = u32::try_from(answer.len()).map_err(|error| Error::new(error.to_string()))?;
    let address = allocate.call(&mut caller, length)?;
    memory
        .write(&mut caller, address as usize, answer.as_bytes())
        .map_err(|error| Error::new(error.to_string()))?;
    Ok((u64::from(address) << 32) | u64::from(length))
}

/// The functions that a record has crossed, each with how often.
#[must_use]
pub fn crossed(record: &[RecordLine]) -> BTreeMap<Function, usize> {
    let mut counts = BTreeMap::new();
    for line in record {
        if let Moment::Cross { function, .. } = line.what {
            *counts.entry(function).or_default() += 1;
        }
    }
    counts
}
