//! A site and its lanes in the kernel, on either store.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use protocol::host::{Body, Method, ObjectName, Outcome, Request, Response, Shared, Statement, Text};
use protocol::lanes::object::{LanesProgram, SITE, Version, serve_path};
use sim::kernel::storage::Store;
use sim::kernel::{
    Chance, Deployment, Kernel, Knobs, Micros, Observed, Observer, PartyId, ResetCause, Span, Stepped,
    UnsupportedStatement, What,
};

use super::application::told;
use super::front::Mute;

/// What was seen: notes, as `who label: detail`, and how many calls were begun under each label.
#[derive(Debug, Default)]
struct Seen {
    notes: Vec<String>,
    calls: BTreeMap<&'static str, u32>,
}

impl Observer for Seen {
    fn observe(&mut self, seen: &Observed<'_>) {
        match seen.what {
            What::Noted { note, .. } => self.notes.push(format!("{} {note}", seen.who)),
            What::Called { label, .. } => *self.calls.entry(label.0).or_default() += 1,
            _ => {}
        }
    }
}

/// A site and its lanes. Nothing is left to chance: a message takes 5 ms, a digest and a shared service 1, and a commit is
/// confirmed after 3.
#[derive(Debug)]
pub struct Site<S: Store> {
    kernel: Kernel<LanesProgram<Mute>, S>,
    seen: Seen,
    items: u32,
    answers: BTreeMap<u32, Outcome>,
}

impl<S: Store> Site<S> {
    /// An empty world under this version.
    #[must_use]
    pub fn new(version: Version) -> Self {
        let exactly = |millis| Span::millis(millis, millis);
        let knobs = Knobs {
            latency: exactly(5),
            late_by: exactly(0),
            notice: exactly(50),
            confirm: exactly(3),
            service: exactly(1),
            alarm_lateness: exactly(0),
            alarm_sync: exactly(0),
            ..Knobs::calm()
        };
        let pool = S::Pool::default();
        let program = LanesProgram::new(version);
        Site {
            kernel: Kernel::new(
                Deployment::of(program),
                &pool,
                Chance::new(1, &[]),
                knobs,
                BTreeMap::new(),
            ),
            seen: Seen::default(),
            items: 0,
            answers: BTreeMap::new(),
        }
    }

    fn party(&mut self, name: &str) -> PartyId {
        let party = self.kernel.object(&SITE, &ObjectName::new(name));
        party.expect("there is one namespace")
    }

    /// Sends a request to an object; its answer is another affair.
    pub fn send(&mut self, name: &str, request: Request) -> u32 {
        let party = self.party(name);
        self.items += 1;
        self.kernel.send(self.items, party, request);
        self.items
    }

    /// Takes events until a request is answered.
    ///
    /// # Panics
    /// When it never is.
    pub fn answer(&mut self, item: u32) -> Response {
        while !self.answers.contains_key(&item) {
            assert!(self.take(), "request {item} is never answered");
        }
        let answer = self.answers.remove(&item).expect("it is there");
        answer.expect("it does not throw").expect("it is a request")
    }

    /// Sends a request and waits for its answer.
    pub fn ask(&mut self, name: &str, request: Request) -> Response {
        let item = self.send(name, request);
        self.answer(item)
    }

    fn take(&mut self) -> bool {
        let Some(next) = self.kernel.earliest() else {
            return false;
        };
        let (kernel, seen) = (&mut self.kernel, &mut self.seen);
        let stepped = catch_unwind(AssertUnwindSafe(|| kernel.step(next, seen)));
        match stepped {
            Ok(Some(Stepped::Answered { item, outcome })) => drop(self.answers.insert(item, outcome)),
            Ok(_) => {}
            Err(panic) => match panic.downcast::<UnsupportedStatement>() {
                Ok(unsupported) => panic!("the store has no shape for {:?}", unsupported.0),
                Err(panic) => resume_unwind(panic),
            },
        }
        true
    }

    /// Lets so many seconds pass.
    pub fn wait(&mut self, seconds: u64) {
        self.pass(seconds * 1_000);
    }

    /// Lets so many milliseconds pass.
    pub fn pass(&mut self, millis: u64) {
        let until = self.kernel.now().after(Micros::from_millis(millis));
        while self.kernel.earliest().is_some_and(|next| next.at <= until) {
            self.take();
        }
        self.kernel.schedule_item(u32::MAX, until);
        while self.kernel.now() < until {
            self.take();
        }
    }

    /// An object loses its memory.
    pub fn reset(&mut self, name: &str) {
        let party = self.party(name);
        self.items += 1;
        self.kernel.reset(self.items, party, ResetCause::Machine);
        self.wait(1);
    }

    /// Whether a request has its answer.
    #[must_use]
    pub fn is_answered(&self, item: u32) -> bool {
        self.answers.contains_key(&item)
    }

    /// Puts a value into KV.
    pub fn configure(&mut self, key: &str, value: &str) {
        self.kernel.configure(Shared::Kv, key, Some(value));
    }

    /// A POST to `/__replica`.
    pub fn post(&mut self, name: &str, query: &str, body: &str) -> Response {
        self.ask(
            name,
            Request::post(format!("/__replica?{query}"), Body::text(body)),
        )
    }

    /// A GET of `/__replica`.
    pub fn get(&mut self, name: &str, query: &str) -> Response {
        self.ask(name, Request::get(format!("/__replica?{query}")))
    }

    /// A visitor's request for a page that does this.
    #[must_use]
    pub fn visit(method: Method, path: &str, program: &str) -> Request {
        Request {
            method,
            body: Body::text(program),
            ..Request::get(serve_path(path))
        }
    }

    /// A POST that runs these statements in one transaction, without parameters.
    pub fn write(&mut self, name: &str, statements: &[&str]) -> Response {
        let program = transaction(statements);
        self.ask(name, Site::<S>::visit(Method::Post, "/write", &program))
    }

    /// The site is set up: its schema, and what is mandatory.
    pub fn install(&mut self, name: &str) {
        assert_eq!(self.ask(name, Request::get("/__migrate")).status, 200);
        let mut statements: Vec<String> = ["private_key", "cron_key"]
            .map(|name| ("state", format!("system.{name}")))
            .into_iter()
            .chain(["install_time", "install_task"].map(|name| ("state", name.to_owned())))
            .chain([("system.schema", "node".to_owned())])
            .map(|(collection, name)| {
                format!(
                    "INSERT INTO key_value (collection, name, value) VALUES ('{collection}', '{name}', 'v')"
                )
            })
            .collect();
        statements.push("INSERT INTO node (nid, title) VALUES (1, 'front page')".to_owned());
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        let written = self.write(name, &statements);
        assert_eq!(written.status, 200, "{}", written.body.to_text());
    }

    /// What a query answers in an object's database, a text a row.
    ///
    /// # Panics
    /// When the query does not run.
    pub fn rows(&mut self, name: &str, sql: &str) -> Vec<String> {
        let party = self.party(name);
        let statement = Statement {
            sql: Text::new(sql),
            params: Vec::new(),
        };
        let rows = self.kernel.read(party, &statement);
        rows.expect("a test's query runs")
            .rows
            .iter()
            .map(|row| told(row))
            .collect()
    }

    /// What an object keeps under a key; the empty text where nothing is.
    pub fn meta(&mut self, name: &str, key: &str) -> String {
        let rows = self.rows(name, &format!("SELECT v FROM cfw_meta WHERE k = '{key}'"));
        rows.into_iter().next().unwrap_or_default()
    }

    /// The notes of an object under a label, in order.
    #[must_use]
    pub fn notes(&self, name: &str, label: &str) -> Vec<String> {
        let prefix = format!("{}/{name} {label}: ", SITE.0);
        let notes = self.seen.notes.iter();
        notes
            .filter_map(|note| note.strip_prefix(&prefix))
            .map(str::to_owned)
            .collect()
    }

    /// All notes, for a person who looks for what went wrong.
    #[must_use]
    pub fn story(&self) -> String {
        self.seen.notes.join("\n")
    }

    /// How many calls were begun under a label.
    #[must_use]
    pub fn calls(&self, label: &str) -> u32 {
        self.seen.calls.get(label).copied().unwrap_or_default()
    }
}

/// A program that runs these statements in one transaction.
#[must_use]
pub fn transaction(statements: &[&str]) -> String {
    let texts = statements.iter().map(|sql| format!(r#"{{"sql":"{sql}"}}"#));
    let texts: Vec<String> = texts.collect();
    format!(
        r#"{{"calls":[{{"txn":{{"statements":[{}]}}}}]}}"#,
        texts.join(",")
    )
}
