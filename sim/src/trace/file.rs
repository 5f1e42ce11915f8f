//! Writing a trace to a file.
//!
//! A file is written whole or not at all: first beside itself, under a hidden name, and then it takes its name. Who is killed
//! in between leaves the hidden file behind, and the next one who writes to that folder takes it away. A writer holds a lock
//! on its own, which ends with its process: so nobody takes away what is still being written.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Error, ErrorKind, Result, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use tempfile::{NamedTempFile, PersistError};

use super::Trace;

/// What the names of files that are being written begin and end with.
const UNFINISHED: (&str, &str) = (".drydock-", ".tmp");

/// How many letters and digits stand between the two, drawn at random.
const UNFINISHED_DRAWN: usize = 6;

/// How many links are followed from one to another: as many as Linux follows, which refuses a longer chain before this does.
const LINKS_MOST: usize = 40;

impl<Shape: Serialize + Clone, Operation: Serialize + Clone> Trace<Shape, Operation> {
    /// Writes the trace to a file, as [`put`] does.
    ///
    /// # Errors
    /// What the file system answers.
    pub fn save(&self, world: &str, file: &Path) -> Result<()> {
        put(file, &self.bytes(world)?)
    }

    /// Writes the trace to a file that is not there yet, whole or not at all.
    ///
    /// # Errors
    /// What the file system answers; that the file is there, where it is, whoever has made it meanwhile.
    pub fn save_new(&self, world: &str, file: &Path) -> Result<()> {
        written(file, &self.bytes(world)?, |unfinished| {
            unfinished.persist_noclobber(file)
        })
    }

    /// Finds out whether the trace could be written to a file now, and leaves the file as it is: for who has much to do
    /// before that. The folder it is to be in is made where it is missing, with those above it, and stays.
    ///
    /// # Errors
    /// What the file system answers.
    pub fn could_save(&self, world: &str, file: &Path) -> Result<()> {
        match place(file)? {
            // Whoever reads a pipe would take it for ended.
            Place::Device => Ok(()),
            Place::File(file) => unfinished(&file, &self.bytes(world)?).map(drop),
        }
    }

    fn bytes(&self, world: &str) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(world, &mut bytes)?;
        Ok(bytes)
    }
}

/// Writes a file whole or not at all: a killed process leaves no half file behind, and two at once do not mix theirs. What
/// is no plain file (a pipe, a device) is written to as it stands.
///
/// # Errors
/// What the file system answers.
pub fn put(file: &Path, bytes: &[u8]) -> Result<()> {
    match place(file)? {
        Place::Device => fs::write(file, bytes),
        Place::File(file) => written(&file, bytes, |unfinished| unfinished.persist(&file)),
    }
}

/// Whether what is written to a file takes the place of what was there before: a pipe gets one after the other.
///
/// # Errors
/// What the file system answers.
pub fn replaces(file: &Path) -> Result<bool> {
    Ok(matches!(place(file)?, Place::File(_)))
}

/// Where something is written to.
enum Place {
    /// A pipe or a device, or what a process has open, `/dev/stdout` say: whoever has opened it goes on with that very file,
    /// so that another one in its place would never be seen there.
    Device,
    /// A plain file, or one that is not there yet.
    File(PathBuf),
}

/// What a path leads to: a link stays what it is, and what it leads to is written, be it there or not.
fn place(file: &Path) -> Result<Place> {
    let is_there = match fs::metadata(file) {
        Ok(there) if !there.is_file() => return Ok(Place::Device),
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    let mut file = file.to_owned();
    for _ in 0..LINKS_MOST {
        if is_there && is_of_devices(&fs::canonicalize(folder_of(&file))?) {
            return Ok(Place::Device);
        }
        let Ok(target) = fs::read_link(&file) else {
            return Ok(Place::File(file));
        };
        file = fs::canonicalize(folder_of(&file))?.join(target);
    }
    Err(Error::other("too many links lead from one to another"))
}

/// Whether what is in a folder names devices and what processes have open.
fn is_of_devices(folder: &Path) -> bool {
    // That one holds files as any other folder does.
    let is_memory = folder.starts_with("/dev/shm");
    (folder.starts_with("/dev") && !is_memory) || folder.starts_with("/proc")
}

/// The folder that a file is in, or is to be in.
fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Writes a file beside another one, and lets it take that one's name.
fn written(
    file: &Path,
    bytes: &[u8],
    take_name: impl Fn(NamedTempFile) -> std::result::Result<File, PersistError>,
) -> Result<()> {
    match take_name(unfinished(file, bytes)?) {
        // Another machine may have taken it for abandoned: on some network file systems it does not see the lock.
        Err(failed) if failed.error.kind() == ErrorKind::NotFound => {
            take_name(unfinished(file, bytes)?)?;
        }
        taken => drop(taken?),
    }
    Ok(())
}

/// A file beside another one that holds what that is to hold. The folder they are in is made where it is missing.
fn unfinished(file: &Path, bytes: &[u8]) -> Result<NamedTempFile> {
    let folder = folder_of(file);
    fs::create_dir_all(folder)?;
    remove_abandoned(folder);
    let mut unfinished = locked(folder)?;
    unfinished.write_all(bytes)?;
    Ok(unfinished)
}

/// A new file with a hidden name that nobody takes away while it is being written.
fn locked(folder: &Path) -> Result<NamedTempFile> {
    let (begins, ends) = UNFINISHED;
    loop {
        let mut builder = tempfile::Builder::new();
        builder.prefix(begins).suffix(ends).rand_bytes(UNFINISHED_DRAWN);
        #[cfg(unix)]
        builder.permissions(readable());
        let file = builder.tempfile_in(folder)?;
        // A file system without locks is one on which nothing is taken away either.
        if file.as_file().lock().is_err() || file.path().exists() {
            return Ok(file);
        }
        // Somebody took it for abandoned before it was locked.
    }
}

/// Who may read a trace is whoever may read other files that its writer makes.
#[cfg(unix)]
fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o666)
}

/// Takes away what writers that are gone have left in a folder. What cannot be taken away harms nobody.
fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_str().is_some_and(is_unfinished);
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_if_abandoned(&entry.path());
        }
    }
}

/// Whether a name is one of a file that is being written, and of nobody else's.
fn is_unfinished(name: &str) -> bool {
    let (begins, ends) = UNFINISHED;
    let drawn = name.strip_prefix(begins).and_then(|name| name.strip_suffix(ends));
    drawn.is_some_and(|drawn| {
        drawn.len() == UNFINISHED_DRAWN && drawn.chars().all(|drawn| drawn.is_ascii_alphanumeric())
    })
}

fn remove_if_abandoned(path: &Path) {
    // Some file systems lock only what is open for writing.
    let Ok(file) = OpenOptions::new().write(true).open(path) else {
        return;
    };
    match file.try_lock() {
        // The lock is held until it is gone: who has made it just now sees then that it is.
        Ok(()) => drop(fs::remove_file(path)),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
    }
    drop::<File>(file);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::ffi::OsString;

    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let entries = fs::read_dir(folder).expect("it is there").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_writer_has_left_is_taken_away() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join(".drydock-killed.tmp"), "half").expect("it is written");
        put(&folder.path().join("a.jsonl"), b"whole").expect("it is written");
        assert_eq!(names(folder.path()), ["a.jsonl"]);
    }

    #[test]
    fn what_another_writer_still_writes_stays() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mine = folder.path().join("mine.jsonl");
        let writing = unfinished(&mine, b"mine").expect("it is begun");
        put(&folder.path().join("a.jsonl"), b"whole").expect("it is written");
        writing.persist(&mine).expect("it is still there");
        assert_eq!(fs::read(&mine).expect("it is there"), b"mine");
    }

    #[test]
    fn what_is_somebody_elses_stays() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let others = [
            ".drydock-",
            ".drydock-killed",
            ".drydock-my.old.tmp",
            ".drydock-notes.tmp",
            ".drydock-of-mine.tmp",
            ".tmpAbCdEf",
            "drydock-killed.tmp",
        ];
        for other in others {
            fs::write(folder.path().join(other), "of somebody else").expect("it is written");
        }
        put(&folder.path().join("of-mine.jsonl"), b"whole").expect("it is written");
        assert_eq!(names(folder.path())[..others.len()], others, "these stay");
    }

    #[test]
    fn what_somebody_takes_away_meanwhile_is_written_once_more() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("a.jsonl");
        let is_first = Cell::new(true);
        let done = written(&file, b"whole", |unfinished| {
            if is_first.replace(false) {
                fs::remove_file(unfinished.path()).expect("it was there");
            }
            unfinished.persist(&file)
        });
        done.expect("the second one takes the name");
        assert_eq!(fs::read(&file).expect("it is there"), b"whole");
    }

    #[test]
    fn several_at_once_write_all_of_theirs() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        #[expect(clippy::disallowed_methods, reason = "who writes a file is no run's")]
        std::thread::scope(|scope| {
            for writer in 0..4_u8 {
                let folder = folder.path();
                scope.spawn(move || {
                    for nth in 0..50_u8 {
                        put(&folder.join(format!("{writer}-{nth}")), &[writer, nth]).expect("it is written");
                        put(&folder.join("of-all"), &[writer; 64]).expect("it is written");
                    }
                });
            }
        });
        let names = names(folder.path());
        assert_eq!(names.len(), 4 * 50 + 1, "{names:?}");
        let of_all = fs::read(folder.path().join("of-all")).expect("it is there");
        assert_eq!(
            of_all, [of_all[0]; 64],
            "one of them has written it, and none a part"
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "old").expect("it is written");
        std::os::unix::fs::symlink(&target, &link).expect("it is made");
        put(&link, b"new").expect("it is written");
        assert!(link.is_symlink());
        assert_eq!(fs::read(&target).expect("it is there"), b"new");
    }

    /// A folder with a link to a file in a folder below it, which is not there: the folder, and the link.
    #[cfg(unix)]
    fn with_a_link_to_nothing() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("below/target", &link).expect("it is made");
        (folder, link)
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_what_is_not_there_yet_stays_one() {
        let (folder, link) = with_a_link_to_nothing();
        put(&link, b"new").expect("it is written");
        assert!(link.is_symlink(), "the file it leads to is written in its place");
        let target = folder.path().join("below/target");
        assert_eq!(fs::read(target).expect("it is there"), b"new");
    }

    #[test]
    #[cfg(unix)]
    fn what_a_link_leads_to_is_replaced_whole() {
        let (_folder, link) = with_a_link_to_nothing();
        assert!(
            replaces(&link).expect("it leads to a file"),
            "what is to be there is a plain file, even where it is not there yet"
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_where_no_folder_can_be_is_no_place_to_write_to() {
        let (folder, link) = with_a_link_to_nothing();
        fs::write(folder.path().join("below"), "a file in the folder's place").expect("it is written");
        assert!(
            replaces(&link).is_err(),
            "it must be told before there is anything to lose"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_process_has_open_is_not_replaced() {
        use std::os::fd::AsRawFd as _;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = File::create(folder.path().join("open")).expect("it is made");
        let link = folder.path().join("link");
        let of_process = format!("/proc/self/fd/{}", open.as_raw_fd());
        std::os::unix::fs::symlink(of_process, &link).expect("it is made");
        put(&link, b"new").expect("it is written");
        let length = open.metadata().expect("it is open").len();
        assert_eq!(length, 3, "what is written goes to the file that is open");
    }

    #[test]
    #[cfg(unix)]
    fn links_that_lead_to_one_another_lead_nowhere() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&link, &link).expect("it is made");
        assert!(put(&link, b"new").is_err(), "there is no file to write to");
    }
}
