//! Writing a trace to a file.

use std::fs;
use std::io::{Result, Write as _};
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

use super::Trace;

impl<Shape: Serialize + Clone, Operation: Serialize + Clone> Trace<Shape, Operation> {
    /// Writes the trace to a file, as [`put`] does.
    ///
    /// # Errors
    /// What the file system answers.
    pub fn save(&self, world: &str, file: &Path) -> Result<()> {
        let mut bytes = Vec::new();
        self.write(world, &mut bytes)?;
        put(file, &bytes)
    }

    /// Writes the trace to a file that is not there yet, whole or not at all.
    ///
    /// # Errors
    /// What the file system answers; that the file is there, where it is, whoever has made it meanwhile.
    pub fn save_new(&self, world: &str, file: &Path) -> Result<()> {
        let mut bytes = Vec::new();
        self.write(world, &mut bytes)?;
        unfinished(file, &bytes)?.persist_noclobber(file)?;
        Ok(())
    }
}

/// Writes a file whole or not at all: a killed process leaves no half file behind, and two at once do not mix theirs. What
/// is no plain file (a pipe, a device) is written to as it stands.
///
/// # Errors
/// What the file system answers.
pub fn put(file: &Path, bytes: &[u8]) -> Result<()> {
    if fs::symlink_metadata(file).is_ok_and(|there| !there.is_file()) {
        return fs::write(file, bytes);
    }
    unfinished(file, bytes)?.persist(file)?;
    Ok(())
}

/// A file beside another one that holds what that is to hold.
fn unfinished(file: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut unfinished = NamedTempFile::new_in(folder)?;
    unfinished.write_all(bytes)?;
    Ok(unfinished)
}
