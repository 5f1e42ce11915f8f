//! `drydock check-log`: a captured log of a primary, held to what must hold of it.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::ValueHint;
use sim::captured::{Log, read};
use sim::report::figures::Of;

/// Check a captured log of a primary
///
/// Takes what `action=log` has answered, or records: as one JSON document, as a list, or as JSON Lines, also several
/// answers one after another. They must be a chain (LR-1); a record that occurs twice must be the same (LR-2); one that
/// overflowed carries no statements (LR-6); and a record that writes nothing which the fingerprint covers has the
/// fingerprint of the one before. Exits with 0 when all of it holds, 1 when something does not, 2 when the file cannot be
/// read, and 3 when it holds no two records.
#[derive(clap::Args)]
pub struct Arguments {
    /// The file; `-` is the standard input
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// The generation after which the log was asked for: the first record must build on it
    #[arg(long, value_name = "GENERATION")]
    since: Option<u64>,
}

/// The most bytes that a file may have: hundreds of the largest records.
const BYTES_MOST: u64 = 256 << 20;

/// The exit code of what has shown nothing.
const VOID: u8 = 3;

/// Does it, and answers the exit code.
pub fn check_log(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    let name = if arguments.file == Path::new("-") {
        "the standard input".to_owned()
    } else {
        arguments.file.display().to_string()
    };
    let bytes = bytes(&arguments.file, &name)?;
    let log: Log = read(&bytes).with_context(|| name.clone())?;
    let broken = log.broken(arguments.since);
    for breach in &broken {
        writeln!(out, "{name}:{}: {breach}", breach.line)?;
    }
    let records = Of(log.len() as u64, "record");
    if !broken.is_empty() {
        writeln!(out, "{records}: {} must not be", Of(broken.len() as u64, "thing"))?;
        return Ok(1);
    }
    if log.len() < 2 {
        writeln!(out, "{records}: nothing can be compared")?;
        return Ok(VOID);
    }
    writeln!(
        out,
        "{records}: a chain, each once, and each fingerprint as it must be"
    )?;
    Ok(0)
}

fn bytes(file: &Path, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = |from: &mut dyn Read, bytes: &mut Vec<u8>| from.take(BYTES_MOST + 1).read_to_end(bytes);
    if file == Path::new("-") {
        read(&mut std::io::stdin().lock(), &mut bytes)
    } else {
        let mut opened = File::open(file).with_context(|| format!("cannot open {name}"))?;
        read(&mut opened, &mut bytes)
    }
    .with_context(|| format!("cannot read {name}"))?;
    if bytes.len() as u64 > BYTES_MOST {
        bail!("{name}: more than {BYTES_MOST} bytes");
    }
    Ok(bytes)
}
