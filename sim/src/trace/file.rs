//! Writing a trace to a file.

use std::fs;
use std::io::{Result, Write as _};
use std::path::Path;

use serde::Serialize;

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
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut unfinished = tempfile::NamedTempFile::new_in(folder)?;
    unfinished.write_all(bytes)?;
    unfinished.persist(file)?;
    Ok(())
}
