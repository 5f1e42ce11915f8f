//! Trace files: reading one whose world is not known yet, and writing one.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;

use anyhow::{Context, Result};
use sim::trace::{self, Opened, Trace};
use sim::world::World;
use sim::world::known::{self, Visit};

/// What can be done with a trace of whichever world; it answers an exit code.
pub trait WithTrace {
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

fn with_opened(from: impl BufRead, name: &str, with: impl WithTrace) -> Result<u8> {
    let opened = trace::open(from).with_context(|| name.to_owned())?;
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

/// Writes a trace.
pub fn write<W: World>(trace: &Trace<W::Shape, W::Operation>, file: &Path) -> Result<()> {
    let mut bytes = Vec::new();
    trace
        .write(W::NAME, &mut bytes)
        .context("a trace cannot be written to memory")?;
    put(file, &bytes).with_context(|| format!("cannot write {}", file.display()))
}

/// Writes a file whole or not at all: a killed run leaves no half trace behind, and two runs at once do not mix theirs.
/// What is no plain file (a pipe, a device) is written to as it stands.
fn put(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::symlink_metadata(file).is_ok_and(|there| !there.is_file()) {
        return fs::write(file, bytes);
    }
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut unfinished = tempfile::NamedTempFile::new_in(folder)?;
    unfinished.write_all(bytes)?;
    unfinished.persist(file)?;
    Ok(())
}
