//! The real runtime: a `workerd` of its own for a test, with the shell, the module and a folder for storage.

mod process;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use libtest_mimic::Failed;
use protocol::host::{Body, Headers, Namespace, ObjectName, Request, Response, Text};
use protocol_worker::conformance::Conformance;
use protocol_worker::record::{self, RecordLine};
use tempfile::TempDir;
use ureq::Agent;
use ureq::http;

use process::PATIENCE;
pub use process::{Process, agent};

use crate::database::{Contents, Database};
use crate::pieces::Piece;

/// The version of the runtime's behaviour that the Worker asks for.
pub const COMPATIBILITY: &str = "2026-04-01";

/// What is deployed.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The program's name.
    pub program: Text,
    /// Its variant; empty for the one it has by default.
    pub variant: Text,
    /// The module that the runtime calls: it exports the front Worker and the classes.
    pub main: &'static str,
    /// Namespaces, each with the class that the shell has for it.
    pub namespaces: Vec<(Namespace, &'static str)>,
    /// The deployment's variables.
    pub configuration: BTreeMap<Text, Text>,
    /// What the test asks of the shell.
    pub conformance: Conformance,
}

impl Setup {
    /// The demonstration in this variant.
    #[must_use]
    pub fn demonstration(variant: &str) -> Self {
        Setup {
            program: Text::new_static("demonstration"),
            variant: Text::new(variant),
            main: "demonstration.mjs",
            namespaces: vec![
                (demonstration::names::COUNTER, "Counter"),
                (demonstration::names::FOLLOWER, "Follower"),
            ],
            ..Setup::default()
        }
    }
}

/// A running `workerd`, which ends with this value, as does its folder.
#[derive(Debug)]
pub struct Workerd {
    process: Process,
    agent: Agent,
}

impl Workerd {
    /// Lays out a folder and starts the runtime in it.
    ///
    /// # Errors
    /// Where a piece is missing, or the runtime does not come up: with what it said.
    pub fn start(setup: &Setup) -> Result<Self, Failed> {
        let folder = TempDir::with_prefix("drydock-workerd-")?;
        let shell = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/worker/shell");
        let mut modules = Vec::new();
        for entry in fs::read_dir(shell)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            modules.push(name);
        }
        modules.retain(|name| name.ends_with(".mjs"));
        modules.sort();
        for name in &modules {
            let from = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../protocol/worker/shell")
                .join(name);
            fs::copy(from, folder.path().join(name))?;
        }
        fs::copy(Piece::Wasm.require()?, folder.path().join("protocol.wasm"))?;
        fs::write(folder.path().join("config.capnp"), configuration(setup, &modules))?;
        Ok(Workerd {
            process: Process::start(folder)?,
            agent: agent(PATIENCE),
        })
    }

    /// Starts it again on what it has stored.
    ///
    /// # Errors
    /// Where it does not come up: with what it said.
    pub fn restart(&mut self) -> Result<(), Failed> {
        self.process.restart()
    }

    /// Kills it as a power cut would: SIGKILL, to it and nobody else.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Asks the front Worker, as a client does.
    ///
    /// # Errors
    /// Where there is no answer.
    pub fn ask(&self, request: &Request) -> Result<Response, Failed> {
        let mut asked = http::Request::builder()
            .method(request.method.as_str())
            .uri(format!(
                "http://127.0.0.1:{}{}",
                self.process.port(),
                request.path
            ));
        for (name, value) in request.headers.iter() {
            asked = asked.header(name, value);
        }
        let body = request.body.to_text();
        let answer = if body.is_empty() {
            self.agent.run(asked.body(())?)
        } else {
            self.agent.run(asked.body(body.to_string())?)
        };
        let mut answer =
            answer.map_err(|error| format!("{} {}: {error}", request.method.as_str(), request.path))?;
        let mut headers = Headers::default();
        for (name, value) in answer.headers() {
            headers.set(name.as_str(), value.to_str()?);
        }
        let text = answer.body_mut().with_config().limit(u64::MAX).read_to_string()?;
        Ok(Response {
            status: answer.status().as_u16(),
            headers,
            body: if text.is_empty() {
                Body::default()
            } else {
                Body::text(text)
            },
        })
    }

    /// Asks the front Worker and hangs up after a while, answered or not.
    ///
    /// # Errors
    /// Where it cannot be asked.
    #[expect(
        clippy::disallowed_methods,
        reason = "the real runtime takes real time; no run sees it"
    )]
    pub fn ask_and_go(&self, request: &Request, patience: Duration) -> Result<(), Failed> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.process.port()))?;
        let (method, path, body) = (request.method.as_str(), &request.path, request.body.to_text());
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )?;
        std::thread::sleep(patience);
        Ok(())
    }

    /// Asks an object, past the front Worker.
    ///
    /// # Errors
    /// Where there is no answer.
    pub fn ask_object(
        &self,
        namespace: &Namespace,
        name: &ObjectName,
        request: &Request,
    ) -> Result<Response, Failed> {
        let path = format!("/__object/{namespace}/{}{}", escaped(&name.0), request.path);
        self.ask(&Request {
            path: Text::from(path),
            ..request.clone()
        })
    }

    /// All that was recorded since the runtime started, by whomever, in order.
    ///
    /// # Errors
    /// Where it cannot be had, or a line of it cannot be read.
    pub fn record(&self) -> Result<Vec<RecordLine>, Failed> {
        let text = self.ask(&Request::get("/__record"))?.body.to_text();
        record::read(&text).map_err(|(line, error)| format!("line {line} of the record: {error}").into())
    }

    /// Waits until no line has been added to the record for this long.
    ///
    /// # Errors
    /// As for [`record`](Self::record), or where it never becomes quiet.
    #[expect(
        clippy::disallowed_methods,
        reason = "the real runtime takes real time; no run sees it"
    )]
    pub fn quiet_record(&self, quiet: Duration) -> Result<Vec<RecordLine>, Failed> {
        let mut before = self.record()?;
        for _ in 0..100 {
            std::thread::sleep(quiet);
            let after = self.record()?;
            if after.len() == before.len() {
                return Ok(after);
            }
            before = after;
        }
        Err("the record does not come to rest".into())
    }

    /// The tables of an object, as they are in its file: after [`kill`](Self::kill), what was durable.
    ///
    /// # Errors
    /// Where the object has no file, or it cannot be read.
    pub fn tables(&self, namespace: &Namespace, id: &str) -> Result<Contents, Failed> {
        let file = format!("{id}.sqlite");
        let from = self.process.folder().join("data").join(&*namespace.0);
        // A copy: to read it, SQLite takes in the log beside it.
        let copy = TempDir::with_prefix("drydock-tables-")?;
        fs::copy(from.join(&file), copy.path().join(&file))?;
        let log = format!("{file}-wal");
        if from.join(&log).exists() {
            fs::copy(from.join(&log), copy.path().join(&log))?;
        }
        Ok(Database::open(&copy.path().join(file))?.contents()?)
    }

    /// The id under which an object of this name stores its tables.
    ///
    /// # Errors
    /// Where the Worker does not answer.
    pub fn id(&self, namespace: &Namespace, name: &ObjectName) -> Result<Text, Failed> {
        let path = format!("/__id/{namespace}/{}", escaped(&name.0));
        Ok(self.ask(&Request::get(path))?.body.to_text())
    }

    /// What the runtime has said.
    #[must_use]
    pub fn log(&self) -> String {
        self.process.log()
    }
}

/// A name as one segment of a path.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    name.bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// The runtime's configuration, in its own language.
fn configuration(setup: &Setup, modules: &[String]) -> String {
    let text = |value: &str| serde_json::to_string(value).expect("a text can be quoted");
    // The first is the one that the runtime calls.
    let (front, others): (Vec<_>, Vec<_>) = modules.iter().partition(|name| *name == setup.main);
    let modules: String = front
        .into_iter()
        .chain(others)
        .map(|name| format!("(name = {0}, esModule = embed {0}), ", text(name)))
        .collect();
    let classes: String = setup
        .namespaces
        .iter()
        .map(|(namespace, class)| {
            format!(
                "(className = {}, uniqueKey = {}, enableSql = true), ",
                text(class),
                text(&namespace.0)
            )
        })
        .collect();
    let bound: String = setup
        .namespaces
        .iter()
        .map(|(namespace, class)| {
            format!(
                "(name = {}, durableObjectNamespace = {}), ",
                text(&namespace.0),
                text(class)
            )
        })
        .collect();
    let variables = serde_json::to_string(&setup.configuration).expect("variables are JSON");
    let conformance = serde_json::to_string(&setup.conformance).expect("what a test asks for is JSON");
    format!(
        r#"using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker), (name = "disk", disk = (path = "data", writable = true)) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ] );
const worker :Workerd.Worker = (
  modules = [ {modules}(name = "protocol.wasm", wasm = embed "protocol.wasm") ],
  compatibilityDate = "{COMPATIBILITY}",
  compatibilityFlags = ["enable_request_signal"],
  durableObjectNamespaces = [ {classes}],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [ {bound}
    (name = "PROGRAM", text = {program}), (name = "VARIANT", text = {variant}),
    (name = "CONFIGURATION", json = {configuration}), (name = "CONFORMANCE", text = {conformance}) ] );
"#,
        program = text(&setup.program),
        variant = text(&setup.variant),
        configuration = text(&variables),
        conformance = text(&conformance),
    )
}
