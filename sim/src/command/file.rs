//! Trace files: reading one whose world is not known yet, and writing one.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, bail};
use sim::trace::{self, Opened, Trace};
use sim::world::World;
use sim::world::known::{self, Visit};

/// What can be done with a trace of whichever world; it answers an exit code.
pub trait WithTrace {
    /// Whether the history is wanted too.
    const WITH_HISTORY: bool = false;

    /// Does it.
    fn visit<W: World>(self, trace: Trace<W::Shape, W::Operation>) -> Result<u8>;
}

/// Does something with a trace that stands in a file, or on the standard input where that is `-`.
pub fn with_trace(file: &Path, with: impl WithTrace) -> Result<u8> {
    if file == Path::new("-") {
        return with_opened(std::io::stdin().lock(), "the standard input", with);
    }
    let opened = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    with_opened(BufReader::new(opened), &file.display().to_string(), with)
}

fn with_opened<V: WithTrace>(from: impl BufRead, name: &str, with: V) -> Result<u8> {
    let opened = trace::open(from).with_context(|| name.to_owned())?;
    let opened = if V::WITH_HISTORY {
        opened.with_history()
    } else {
        opened
    };
    let world = opened.world().clone();
    known::with(&world, Read { opened, name, with }).expect("a trace of another world is not opened")
}

struct Read<'a, R, V> {
    opened: Opened<R>,
    name: &'a str,
    with: V,
}

impl<R: BufRead, V: WithTrace> Visit for Read<'_, R, V> {
    type Output = Result<u8>;

    fn visit<W: World>(self) -> Result<u8> {
        let trace = self.opened.read::<W>().with_context(|| self.name.to_owned())?;
        self.with.visit::<W>(trace)
    }
}

/// Reads a trace of a world.
pub fn read<W: World>(file: &Path) -> Result<Trace<W::Shape, W::Operation>> {
    let opened = File::open(file).with_context(|| format!("cannot open {}", file.display()))?;
    trace::read::<W>(BufReader::new(opened)).with_context(|| file.display().to_string())
}

/// Writes a trace.
pub fn write<W: World>(trace: &Trace<W::Shape, W::Operation>, file: &Path) -> Result<()> {
    let written = trace.save(W::NAME, file);
    written.with_context(|| format!("cannot write {}", file.display()))
}

/// Refuses to make a trace for a file that cannot be written, before anything is done that would be lost.
///
/// # Errors
/// What the file system answers.
pub fn refuse_unwritable<W: World>(trace: &Trace<W::Shape, W::Operation>, file: &Path) -> Result<()> {
    let could = trace.could_save(W::NAME, file);
    could.with_context(|| format!("cannot write {}", file.display()))
}

/// Refuses to write to a folder, or to what stands for the standard output, before anything is done that would be lost.
///
/// # Errors
/// Where it is one.
pub fn refuse_no_file(file: &Path) -> Result<()> {
    if file == Path::new("-") {
        bail!(
            "this is not written to the standard output: name a file, or `./-` where it is to have that name"
        );
    }
    if file.is_dir() {
        bail!("{} is a folder: name a file", file.display());
    }
    Ok(())
}
