//! The process: a `workerd` of its own for a test, in a temporary folder, which ends with its value.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use libtest_mimic::Failed;
use tempfile::TempDir;
use ureq::Agent;

use crate::pieces::Piece;

/// How long the runtime may take to listen, and a request to be answered. Nothing waits that long unless it hangs.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// A `workerd` on a folder that holds its `config.capnp` and what that names. Its data is in `data/`.
#[derive(Debug)]
pub struct Process {
    folder: TempDir,
    program: PathBuf,
    file_limit: Option<u32>,
    child: Option<Child>,
    port: u16,
}

impl Process {
    /// Starts the runtime in a folder.
    ///
    /// # Errors
    /// Where the program is missing, or does not come up: with what it said.
    pub fn start(folder: TempDir) -> Result<Self, Failed> {
        Self::start_with(folder, None)
    }

    /// Starts it so that no file of its grows beyond so many kibibytes: a disk that is full for those that are large.
    ///
    /// # Errors
    /// As for [`start`](Self::start).
    pub fn start_on_small_disk(folder: TempDir, kibibytes: u32) -> Result<Self, Failed> {
        Self::start_with(folder, Some(kibibytes))
    }

    fn start_with(folder: TempDir, file_limit: Option<u32>) -> Result<Self, Failed> {
        fs::create_dir(folder.path().join("data"))?;
        let mut process = Process {
            folder,
            program: Piece::Workerd.require()?,
            file_limit,
            child: None,
            port: 0,
        };
        process.restart()?;
        Ok(process)
    }

    /// Kills it and starts it again on what it has stored.
    ///
    /// # Errors
    /// Where it does not come up: with what it said.
    pub fn restart(&mut self) -> Result<(), Failed> {
        self.kill();
        let log = self.folder.path().join("log");
        // A write beyond the limit is an error then, and not a signal that ends the process. POSIX counts in 512 bytes.
        let limit = self.file_limit.map_or_else(String::new, |kibibytes| {
            format!("trap '' XFSZ; ulimit -f {}; ", u64::from(kibibytes) * 2)
        });
        // It tells its port on descriptor 3, which the shell makes out of the one pipe that we can give it.
        let command = format!("{limit}exec \"$0\" serve config.capnp --control-fd=3 3>&1 1>&2");
        let child = Command::new("sh")
            .args(["-c", &command])
            .arg(&self.program)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log)?)
            .spawn()?;
        let child = self.child.insert(child);
        let control = child.stdout.take().ok_or("the pipe was asked for")?;
        self.port = port(control)
            .map_err(|error| format!("workerd did not come up: {error}\n{}", said(self.folder.path())))?;
        Ok(())
    }

    /// Kills it as a power cut would: SIGKILL, to it and nobody else.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself: then there is nothing to do.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Where it listens, on the loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where it lives.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it has said.
    #[must_use]
    pub fn log(&self) -> String {
        said(self.folder.path())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn said(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}

/// What asks a runtime on the loopback: a status is an answer, whatever it is, and nothing stands between.
#[must_use]
pub fn agent(patience: Duration) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None)
        .timeout_global(Some(patience))
        .max_redirects(0)
        .build()
        .new_agent()
}

/// The port that the runtime tells when it listens.
#[expect(
    clippy::disallowed_methods,
    reason = "a read with a time-out needs a thread; no run sees it"
)]
fn port(control: impl io::Read + Send + 'static) -> Result<u16, String> {
    let (told, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(control).lines().map_while(Result::ok) {
            let event: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            if event["event"] == "listen" {
                let _ = told.send(event["port"].as_u64().and_then(|port| u16::try_from(port).ok()));
            }
        }
    });
    match heard.recv_timeout(PATIENCE) {
        Ok(Some(port)) => Ok(port),
        Ok(None) => Err("it named no port".to_owned()),
        Err(_) => Err("it does not listen".to_owned()),
    }
}
