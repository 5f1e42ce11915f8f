//! The real runtime's arm.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use libtest_mimic::Failed;
use protocol::host::Text;
use tempfile::TempDir;

use super::case::{Case, Machine, Step};
use super::script::{Do, Said, scoped};
use super::{missing, write_of};
use crate::workerd::{COMPATIBILITY, Process, agent};

/// How long a client waits for what a front Worker has to say: no script of one takes as long.
const PATIENCE: Duration = Duration::from_secs(120);

/// How large a file can be on a small disk. A database and its log take some tens of kibibytes from the start.
const SMALL_DISK_KIBIBYTES: u32 = 1_024;

/// The runtimes that cases share, each with some of them: all objects of one run on one thread. They end with this
/// value.
#[derive(Debug, Default)]
pub struct Runtime([Mutex<Option<Process>>; 4]);

impl Runtime {
    /// Runs a case.
    ///
    /// # Errors
    /// Where the runtime does not come up, or does not answer.
    pub fn run(&self, case: &Case) -> Result<Vec<String>, Failed> {
        let mut own = match case.machine {
            Machine::Shared => None,
            Machine::Own => Some(Process::start(folder()?)?),
            Machine::SmallDisk => Some(Process::start_on_small_disk(folder()?, SMALL_DISK_KIBIBYTES)?),
        };
        let mut seen = Vec::new();
        for step in &case.steps {
            seen.extend(self.take(step, case, own.as_mut())?);
        }
        Ok(seen)
    }

    fn take(&self, step: &Step, case: &Case, own: Option<&mut Process>) -> Result<Vec<String>, Failed> {
        let port = match &own {
            Some(process) => process.port(),
            None => self.port(case)?,
        };
        match step {
            Step::Drive(script) => {
                let said = drive(port, script, case)?;
                return Ok(said.iter().map(Said::line).collect());
            }
            Step::DriveAndLeave(script, after) => {
                let leaving = agent(Duration::from_millis(*after));
                let gone = leaving.post(url(port)).send(scoped(script, case.name));
                if let Ok(answer) = gone {
                    return Err(format!("the client should have gone before {answer:?}").into());
                }
            }
            Step::Pause(length) => pause(*length),
            Step::PowerCut => own
                .ok_or("a case that kills the runtime has one of its own")?
                .restart()?,
            Step::PowerCutUnderLoad(object) => {
                let process = own.ok_or("a case that kills the runtime has one of its own")?;
                return power_cut_under_load(process, object, case);
            }
            Step::DiskFull(_) => {}
        }
        Ok(Vec::new())
    }

    fn port(&self, case: &Case) -> Result<u16, Failed> {
        let which = case.name.bytes().map(usize::from).sum::<usize>() % self.0.len();
        let mut shared = self.0[which]
            .lock()
            .map_err(|_| "another case has failed to start it")?;
        if shared.is_none() {
            *shared = Some(Process::start(folder()?)?);
        }
        Ok(shared.as_ref().expect("it was started").port())
    }
}

fn folder() -> Result<TempDir, Failed> {
    let folder = TempDir::with_prefix("drydock-platform-")?;
    std::fs::write(folder.path().join("object.mjs"), include_str!("object.mjs"))?;
    let configuration = include_str!("config.capnp").replace("COMPATIBILITY", COMPATIBILITY);
    std::fs::write(folder.path().join("config.capnp"), configuration)?;
    Ok(folder)
}

fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/")
}

fn drive(port: u16, script: &[Do], case: &Case) -> Result<Vec<Said>, Failed> {
    let answer = agent(PATIENCE)
        .post(url(port))
        .send(scoped(script, case.name))?
        .body_mut()
        .read_to_string()?;
    serde_json::from_str(&answer).map_err(|error| format!("{error}: {answer}").into())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the real runtime takes real time, and more than one client; no run sees it"
)]
fn power_cut_under_load(process: &mut Process, object: &Text, case: &Case) -> Result<Vec<String>, Failed> {
    let port = process.port();
    let cut = AtomicBool::new(false);
    let acknowledged: Vec<String> = std::thread::scope(|scope| {
        let load = |client: u32| {
            let mut done = Vec::new();
            for nth in 0.. {
                let said = drive(port, &write_of(object, client, nth), case);
                match said.as_deref() {
                    Ok([Said::Answered(_)]) => done.push(format!("{client}.{nth}")),
                    _ if cut.load(Ordering::Relaxed) => break,
                    other => panic!("a write was not answered before power was cut: {other:?}"),
                }
            }
            done
        };
        let clients: Vec<_> = (0..4).map(|client| scope.spawn(move || load(client))).collect();
        std::thread::sleep(Duration::from_millis(700));
        cut.store(true, Ordering::Relaxed);
        process.kill();
        let done = clients.into_iter();
        done.flat_map(|client| client.join().expect("a client does not panic"))
            .collect()
    });
    if acknowledged.is_empty() {
        return Err("no write was acknowledged before power was cut".into());
    }
    process.restart()?;
    let rows = drive(process.port(), &[super::case::ask(object, [Do::Read])], case)?;
    Ok(vec![missing(&acknowledged, &rows)])
}

#[expect(
    clippy::disallowed_methods,
    reason = "the real runtime has the real clock only"
)]
fn pause(length: u64) {
    std::thread::sleep(Duration::from_millis(length));
}
