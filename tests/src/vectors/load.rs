//! Reading a folder of vectors.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::Js;

/// One vector, as a file holds it.
#[derive(Clone, Debug, Deserialize)]
pub struct Vector {
    /// What it is about; not always unique within its file.
    pub name: String,
    /// Why it was chosen, and whether it gates: see [`Kind`].
    pub kind: String,
    /// What the function or flow is given.
    pub input: Js,
    /// What it answers.
    pub expect: Js,
}

/// What a vector is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its answer must be right.
    Gates,
    /// `uncertain`: the expectation was reconstructed. It is run and reported.
    Reported,
}

impl Vector {
    /// What this vector is for; nothing when its kind is none of the known ones.
    pub fn kind(&self) -> Option<Kind> {
        match self.kind.as_str() {
            "normal" | "boundary" | "hostile" | "js-quirk" => Some(Kind::Gates),
            "uncertain" => Some(Kind::Reported),
            _ => None,
        }
    }
}

/// One file of vectors, or why it could not be read.
pub struct File {
    /// Its name without `.json`.
    pub stem: String,
    /// What it holds.
    pub vectors: Result<Vec<Vector>, String>,
}

/// One line of `index.json`.
#[derive(Debug, Deserialize)]
pub struct Entry {
    /// The file, with `.json`.
    pub file: String,
    /// How many vectors it holds.
    pub vectors: usize,
}

/// All `.json` files of a folder but the index, by name.
pub fn files(folder: &Path, index: &str) -> Result<Vec<File>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|error| format!("{}: {error}", folder.display()))?
            .path();
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if is_json && stem != index {
            let vectors = read(&path);
            files.push(File { stem, vectors });
        }
    }
    files.sort_by(|a, b| a.stem.cmp(&b.stem));
    Ok(files)
}

/// The list of files in `index.json`.
pub fn index(folder: &Path, index: &str) -> Result<Vec<Entry>, String> {
    read(&folder.join(index).with_extension("json"))
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, String> {
    let teach = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| teach(&error))?;
    serde_json::from_str(&text).map_err(|error| teach(&error))
}
