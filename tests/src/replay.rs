//! Replays a record: every delivery must make the same crossings, byte for byte, and every crossing is answered as it
//! was. Through the wasm module, under an interpreter in this process; or through the same code compiled natively.

mod native;
mod wasm;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

use protocol::host::{Namespace, Text};
use protocol_worker::abi::{self, Function};
use protocol_worker::record::{Moment, RecordLine};
use protocol_worker::{Part, Start};

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

/// Where the code did something else than the record says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Whose line it is.
    pub who: Text,
    /// The line of the record, counted from 0.
    pub line: usize,
    /// What the record says.
    pub recorded: String,
    /// What the code did.
    pub replayed: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "the replay parts from the record at its line {}:",
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
    let module = wasm::load(module);
    replay(record, |script| wasm::Running::start(&module, start, script))
}

/// As [`replay_in_wasm`], through the native code behind the adapter that the module has.
///
/// # Errors
/// As [`replay_in_wasm`].
///
/// # Panics
/// When the table of programs has no such start.
pub fn replay_natively(start: &Start, record: &[RecordLine]) -> Result<Stats, Difference> {
    replay(record, |script| Ok(native::Running::start(start, script)))
}

/// Splits the record of a whole world into those of who is in it, each with what it was started as.
#[must_use]
pub fn by_who(program: &str, variant: &str, record: &[RecordLine]) -> Vec<(Start, Vec<RecordLine>)> {
    let mut own: BTreeMap<&Text, Vec<RecordLine>> = BTreeMap::new();
    for line in record {
        own.entry(&line.who).or_default().push(line.clone());
    }
    let start = |who: &Text| Start {
        program: Text::new(program),
        variant: Text::new(variant),
        part: match who.split_once('/') {
            Some((namespace, _)) => Part::Object(Namespace(Text::new(namespace))),
            None => Part::Front,
        },
    };
    own.into_iter().map(|(who, lines)| (start(who), lines)).collect()
}

/// Replays the record of a whole world through the module, one after the other of those who are in it.
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
    let mut total = Stats::default();
    for (start, lines) in by_who(program, variant, record) {
        total += replay_in_wasm(module, &start, &lines)?;
    }
    Ok(total)
}

/// An incarnation under replay.
trait Replay {
    /// The lines that it must keep to.
    fn script(&mut self) -> &mut Script;

    /// Delivers one event: what it returned, or how it trapped.
    fn deliver(&mut self, event: &str) -> Result<String, String>;
}

fn replay<R: Replay>(
    record: &[RecordLine],
    start: impl Fn(Script) -> Result<R, Difference>,
) -> Result<Stats, Difference> {
    let mut lives: BTreeMap<u32, Vec<(usize, RecordLine)>> = BTreeMap::new();
    for (at, line) in record.iter().enumerate() {
        lives.entry(line.life).or_default().push((at, line.clone()));
    }
    let mut stats = Stats::default();
    for lines in lives.into_values() {
        stats += replay_life(start(Script::new(lines))?)?;
    }
    Ok(stats)
}

fn replay_life(mut running: impl Replay) -> Result<Stats, Difference> {
    let mut goes_on = true;
    while goes_on && let Some(line) = running.script().next() {
        let Moment::Event { event, .. } = &line.what else {
            return Err(running.script().difference("(no event is under way)"));
        };
        running.script().stats.events += 1;
        let ending = running.deliver(event.get());
        goes_on = running.script().end_turn(ending)?;
    }
    let script = running.script();
    if script.at < script.lines.len() {
        return Err(script.next_difference("(the incarnation has ended)"));
    }
    Ok(script.stats)
}

/// The lines of one life, and how far its replay is.
struct Script {
    lines: Vec<(usize, RecordLine)>,
    at: usize,
    stats: Stats,
    difference: Option<Difference>,
}

impl Script {
    fn new(lines: Vec<(usize, RecordLine)>) -> Self {
        Script {
            lines,
            at: 0,
            stats: Stats {
                lives: 1,
                ..Stats::default()
            },
            difference: None,
        }
    }

    fn next(&mut self) -> Option<RecordLine> {
        let (_, line) = self.lines.get(self.at)?;
        self.at += 1;
        Some(line.clone())
    }

    /// The last line that was taken is not what the code did.
    fn difference(&self, replayed: &str) -> Difference {
        self.difference_at(self.at.saturating_sub(1), replayed)
    }

    /// The next line is not what the code did.
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
        self.stats.crossings += 1;
        self.stats.bytes += args.len();
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

    /// Compares the end of a turn. Whether the incarnation goes on.
    fn end_turn(&mut self, ending: Result<String, String>) -> Result<bool, Difference> {
        if let Some(difference) = self.difference.take() {
            return Err(difference);
        }
        if self.aborted() {
            return Ok(false);
        }
        let line = self.next().map(|line| line.what);
        match (line, ending) {
            (Some(Moment::Returned(recorded)), Ok(returned)) if abi::encode(&recorded) == returned => {
                Ok(true)
            }
            (Some(Moment::Trapped { .. }), Err(_)) => Ok(false),
            (None, Ok(returned)) => Err(self.next_difference(&format!("returned {returned}"))),
            (None, Err(trap)) => Err(self.next_difference(&format!("trapped: {trap}"))),
            (Some(_), Ok(returned)) => Err(self.difference(&format!("returned {returned}"))),
            (Some(_), Err(trap)) => Err(self.difference(&format!("trapped: {trap}"))),
        }
    }

    fn aborted(&self) -> bool {
        let last = self.at.checked_sub(1).and_then(|at| self.lines.get(at));
        last.is_some_and(|(_, line)| line.what.is_abort())
    }
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
