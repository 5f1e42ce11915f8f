//! Reading traces, which may come from anywhere: whatever is wrong is told with its line and field, and reading takes
//! bounded memory.

use std::collections::BTreeSet;
use std::io::{BufRead, Read};

use protocol::host::Text;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::checks::{check_header, check_pattern};
use super::{Certificate, Entry, FORMAT, Header, Instead, Part, Trace, TraceError, TraceErrorKind};
use crate::check::Pattern;
use crate::plan::{Act, Fault};
use crate::printable::brief;
use crate::world::{PlanOf, World, known};

/// The longest line that is read, in bytes.
pub(super) const LINE_MOST: usize = 1 << 20;

/// The most lines that are read.
pub(super) const LINES_MOST: usize = 1_000_000;

/// The most bytes that are read: what a plan needs in memory is a small multiple of them.
pub(super) const BYTES_MOST: usize = 64 << 20;

/// How the header begins that is written.
const HEADER_BEGINS: &str = r#"{"drydock-trace""#;

/// The format since which classes are those that checks declare.
const CLASSES_SINCE: u64 = 2;

/// The part of a header that every version and world has.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", expecting = "the header of a trace")]
struct AnyHeader {
    drydock_trace: u64,
    world: Text,
}

/// Lines of bounded length, with their numbers.
#[derive(Debug)]
struct Lines<R> {
    reader: R,
    line: usize,
    bytes: usize,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<Option<&str>, TraceError> {
        self.line += 1;
        let line = self.line;
        let wrong = |kind| TraceError { line, kind };
        if line > LINES_MOST {
            return Err(wrong(TraceErrorKind::TooMany));
        }
        self.buffer.clear();
        let mut limited = self.reader.by_ref().take(LINE_MOST as u64 + 1);
        limited
            .read_until(b'\n', &mut self.buffer)
            .map_err(|error| wrong(error.into()))?;
        if self.buffer.is_empty() {
            return Ok(None);
        }
        if self.buffer.len() > LINE_MOST {
            return Err(wrong(TraceErrorKind::TooLong));
        }
        self.bytes += self.buffer.len();
        if self.bytes > BYTES_MOST {
            return Err(wrong(TraceErrorKind::TooLarge));
        }
        if self.buffer.starts_with("\u{feff}".as_bytes()) {
            return Err(wrong(TraceErrorKind::ByteOrderMark));
        }
        let text = std::str::from_utf8(&self.buffer).map_err(|error| wrong(error.into()))?;
        Ok(Some(text.trim_end_matches(['\n', '\r'])))
    }
}

fn parse<T: DeserializeOwned>(line: usize, text: &str) -> Result<T, TraceError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let parsed = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let field = error.path().to_string();
        (field, error.into_inner())
    });
    let ended = parsed.and_then(|value| {
        reader
            .end()
            .map(|()| value)
            .map_err(|error| (".".to_owned(), error))
    });
    ended.map_err(|(field, error)| {
        // The line of a line is always 1: only its column is worth telling.
        let reason = error.to_string().replace(" at line 1 column ", " at column ");
        TraceError {
            line,
            kind: TraceErrorKind::Field {
                field: brief(&field).into_owned(),
                reason: brief(&reason).into_owned(),
            },
        }
    })
}

/// Which world a trace is of, from its first line.
///
/// # Errors
/// [`TraceError`] where the line is not a header that this version reads.
fn read_world(first_line: &str) -> Result<AnyHeader, TraceError> {
    let header: AnyHeader = parse(1, first_line)?;
    let drydock_trace = header.drydock_trace;
    if !(1..=u64::from(FORMAT)).contains(&drydock_trace) {
        return Err(TraceError {
            line: 1,
            kind: TraceErrorKind::Format { found: drydock_trace },
        });
    }
    Ok(header)
}

/// A trace of which no more than its world is known.
#[derive(Debug)]
pub struct Opened<R> {
    lines: Lines<R>,
    header: String,
    world: Text,
    keeps_history: bool,
    has_classes: bool,
}

/// Reads as much of a trace as tells its world.
///
/// # Errors
/// [`TraceError`] where the first line is no header of this version, or of no world that there is.
pub fn open<R: BufRead>(from: R) -> Result<Opened<R>, TraceError> {
    let mut lines = Lines {
        reader: from,
        line: 0,
        bytes: 0,
        buffer: Vec::new(),
    };
    let Some(first) = lines.next()? else {
        return Err(TraceError {
            line: 1,
            kind: TraceErrorKind::Empty,
        });
    };
    let AnyHeader { drydock_trace, world } = read_world(first)?;
    let header = first.to_owned();
    let known: Vec<_> = known::all().iter().map(|about| about.name).collect();
    if !known.contains(&world.as_str()) {
        return Err(of_another_world(world, known.join(", ")));
    }
    Ok(Opened {
        lines,
        header,
        world,
        keeps_history: false,
        has_classes: drydock_trace >= CLASSES_SINCE,
    })
}

fn of_another_world(found: Text, has: String) -> TraceError {
    TraceError {
        line: 1,
        kind: TraceErrorKind::World { found, has },
    }
}

/// Reads a trace of a world.
///
/// # Errors
/// [`TraceError`], with the first line that is wrong. Nothing has happened then.
pub fn read<W: World>(from: impl BufRead) -> Result<Trace<W::Shape, W::Operation>, TraceError> {
    open(from)?.read::<W>()
}

impl<R: BufRead> Opened<R> {
    /// The world that it is of.
    #[must_use]
    pub fn world(&self) -> &Text {
        &self.world
    }

    /// The same, with the history too, which is the bulk of a trace and is only checked otherwise.
    #[must_use]
    pub fn with_history(self) -> Self {
        Opened {
            keeps_history: true,
            ..self
        }
    }

    /// Reads the rest, as a trace of a world.
    ///
    /// # Errors
    /// [`TraceError`], with the first line that is wrong. Nothing has happened then.
    pub fn read<W: World>(self) -> Result<Trace<W::Shape, W::Operation>, TraceError> {
        if self.world != W::NAME {
            return Err(of_another_world(self.world, W::NAME.to_owned()));
        }
        let mut trace = read_header::<W>(&self.header)?;
        let parts = Parts {
            keeps_history: self.keeps_history,
            has_classes: self.has_classes,
            ..Parts::default()
        };
        read_entries::<W>(self.lines, parts, &mut trace)?;
        Ok(trace)
    }
}

fn read_header<W: World>(line: &str) -> Result<Trace<W::Shape, W::Operation>, TraceError> {
    let header: Header<W::Shape> = parse(1, line)?;
    let trace = Trace {
        plan: PlanOf::<W> {
            scenario: header.scenario,
            seed: header.seed,
            lasts: header.lasts,
            settles: header.settles,
            knobs: header.knobs,
            shape: header.shape,
            items: Vec::new(),
            fixed: Vec::new(),
        },
        expect: header.expect,
        shrunk: header.shrunk,
        certificates: Vec::new(),
        history: Vec::new(),
    };
    check_header::<W>(&trace).map_err(|kind| TraceError { line: 1, kind })?;
    Ok(trace)
}

fn read_entries<W: World>(
    mut lines: Lines<impl BufRead>,
    mut parts: Parts,
    trace: &mut Trace<W::Shape, W::Operation>,
) -> Result<(), TraceError> {
    loop {
        let Some(text) = lines.next()? else {
            return Ok(());
        };
        if text.trim().is_empty() {
            continue;
        }
        let text = text.to_owned();
        let line = lines.line;
        let wrong = |kind| TraceError { line, kind };
        if text.starts_with(HEADER_BEGINS) {
            return Err(wrong(TraceErrorKind::SecondHeader));
        }
        let entry = parse(line, &text)?;
        read_entry::<W>(entry, &mut parts, trace).map_err(wrong)?;
    }
}

/// What a trace has had so far.
#[derive(Debug, Default)]
struct Parts {
    there: BTreeSet<Part>,
    certified: BTreeSet<Part>,
    keeps_history: bool,
    /// Whether the classes of its identities are those that checks declare.
    has_classes: bool,
}

fn read_entry<W: World>(
    entry: Entry<W::Operation>,
    parts: &mut Parts,
    trace: &mut Trace<W::Shape, W::Operation>,
) -> Result<(), TraceErrorKind> {
    match entry {
        Entry::Item(item) => {
            if !parts.there.insert(Part::Item(item.id)) {
                return Err(TraceErrorKind::Twice(item.id));
            }
            item.check()?;
            // What is aimed at a call has no time of its own.
            let has_time = !matches!(item.act, Act::Fault(Fault::Call { .. }));
            if has_time && item.at > trace.plan.lasts {
                return Err(TraceErrorKind::TooLate {
                    at: item.at,
                    lasts: trace.plan.lasts,
                });
            }
            if let Act::Operation(operation) = &item.act {
                W::check_operation(operation)?;
            }
            trace.plan.items.push(item);
        }
        Entry::Fixed(fixed) => {
            let part = Part::Fixed(fixed.key.clone());
            if parts.there.contains(&part) {
                return Err(TraceErrorKind::FixedTwice(part));
            }
            parts.there.insert(part);
            trace.plan.fixed.push(fixed);
        }
        Entry::Certificate(certificate) => {
            check_certificate::<W>(&certificate, parts)?;
            if trace.shrunk.is_none() {
                return Err(TraceErrorKind::NotShrunk);
            }
            trace.certificates.push(certificate);
        }
        Entry::History(line) => trace.history.extend(parts.keeps_history.then_some(line)),
    }
    Ok(())
}

fn check_certificate<W: World>(certificate: &Certificate, parts: &mut Parts) -> Result<(), TraceErrorKind> {
    let Certificate { of, instead } = certificate;
    if !parts.there.contains(of) {
        return Err(TraceErrorKind::OfNothing(of.clone()));
    }
    if !parts.certified.insert(of.clone()) {
        return Err(TraceErrorKind::CertifiedTwice(of.clone()));
    }
    if let Instead::Violated(identity) = instead {
        let pattern = if parts.has_classes {
            Pattern::from(identity)
        } else {
            Pattern::any(identity.invariant.clone())
        };
        check_pattern::<W>("certificate.instead.violated", &pattern)?;
    }
    let mut texts = instead.texts();
    match texts.find(|text| text.chars().any(char::is_control)) {
        None => Ok(()),
        Some(found) => Err(TraceErrorKind::ControlCharacters {
            field: "certificate.instead",
            found: found.clone(),
        }),
    }
}
