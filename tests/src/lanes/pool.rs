//! A site with lanes on the simulated platform, behind the front Worker, with the application of the catalogue. Nothing
//! goes wrong on it by itself.

use std::collections::BTreeMap;

use protocol::host::{Millis, Note, ObjectName, Outcome, Request, Response, Statement, Text, Value};
use protocol::json::Json;
use protocol::lanes::Lanes;
use protocol::lanes::app::application;
use protocol::lanes::app::catalogue::{Ask, Visitor, session_of};
use protocol::lanes::app::page::{Evidence, Page, digest_rows};
use protocol::lanes::object::{Policy, SITE, Variables, Version, serve_path};
use protocol::lanes::operator::Operate;
use protocol::lanes::rules::Rules;
use protocol::lanes::wire::Cursor;
use protocol::number::Number;
use sim::kernel::storage::Store;
use sim::kernel::{Chance, Deployment, Kernel, Knobs, Micros, Observed, Observer, PartyId, Stepped, What};

/// The decisions of a run, as it went.
#[derive(Debug, Default)]
pub struct Notes(pub Vec<(Text, Note)>);

impl Observer for Notes {
    fn observe(&mut self, seen: &Observed<'_>) {
        if let What::Noted { note, .. } = seen.what {
            self.0.push((seen.who.clone(), note.clone()));
        }
    }
}

/// The site.
#[derive(Debug)]
pub struct Pool<S: Store> {
    /// The world.
    pub kernel: Kernel<Lanes, S>,
    /// The one isolate of the front Worker.
    pub front: PartyId,
    /// The primary.
    pub primary: PartyId,
    /// What was decided.
    pub notes: Notes,
    asked: u32,
}

/// The site, and its host.
pub const HOST: &str = "shop";

impl<S: Store> Pool<S> {
    /// An empty world under this version of the code.
    ///
    /// # Panics
    /// When the protocol has no objects of sites.
    #[must_use]
    pub fn under(version: Version) -> Self {
        let program = Lanes::new(version);
        let mut kernel = Kernel::new(
            Deployment::of(program),
            &S::Pool::default(),
            Chance::new(7, &[]),
            Knobs::calm(),
            BTreeMap::new(),
        );
        let front = kernel.add_front();
        let primary = kernel.object(&SITE, &ObjectName::new(HOST)).unwrap();
        Pool {
            kernel,
            front,
            primary,
            notes: Notes::default(),
            asked: 0,
        }
    }

    /// A lane.
    pub fn lane(&mut self, lane: u32) -> PartyId {
        let name = ObjectName::new(format!("{HOST}#r{lane}"));
        self.kernel.object(&SITE, &name).unwrap()
    }

    /// Sends a request.
    pub fn post(&mut self, to: PartyId, request: Request) -> u32 {
        let item = self.asked;
        self.asked += 1;
        self.kernel.send(item, to, request);
        item
    }

    /// Lets the world go on until a request is answered; nothing where so many milliseconds do not do.
    pub fn answer(&mut self, item: u32, milliseconds: u64) -> Option<Response> {
        let until = self.kernel.now().after(Micros::from_millis(milliseconds));
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= until) {
            let stepped = self.kernel.step(key, &mut self.notes);
            if let Some(Stepped::Answered {
                item: answered,
                outcome,
            }) = stepped
                && answered == item
            {
                let outcome: Outcome = outcome;
                return outcome.unwrap_or_else(|error| panic!("{error}"));
            }
        }
        None
    }

    /// Sends a request, and lets the world go on until it is answered.
    pub fn send(&mut self, to: PartyId, request: Request) -> Response {
        let what = format!("{} {}", request.method.as_str(), request.path);
        let item = self.post(to, request);
        let answer = self.answer(item, 60_000);
        answer.unwrap_or_else(|| panic!("{what} was not answered: {:?}", self.kernel.waits()))
    }

    /// Lets the world go on by one event; false where nothing is to come.
    pub fn goes_on(&mut self) -> bool {
        let next = self.kernel.earliest();
        next.is_some_and(|key| {
            self.kernel.step(key, &mut self.notes);
            true
        })
    }

    /// Lets so much time pass.
    pub fn passes(&mut self, milliseconds: u64) {
        let until = self.kernel.now().after(Micros::from_millis(milliseconds));
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= until) {
            self.kernel.step(key, &mut self.notes);
        }
        self.kernel.pass_until(until);
    }

    /// A visitor's request as a front sends it on.
    #[must_use]
    pub fn hop(ask: &Ask, visitor: &Visitor, token: &str) -> Request {
        let request = ask.request(HOST, visitor, &token.into());
        Request {
            path: serve_path(&request.path),
            ..request
        }
    }

    /// A visitor asks through the front.
    pub fn ask(&mut self, ask: &Ask, visitor: &Visitor, token: &str) -> Response {
        let request = ask.request(HOST, visitor, &token.into());
        self.send(self.front, request)
    }

    /// A primary of the documented protocol that is installed, and has its private key.
    ///
    /// # Panics
    /// When the site does not come to be.
    #[must_use]
    pub fn installed() -> Self {
        Self::installed_under(documented())
    }

    /// The same of another version.
    ///
    /// # Panics
    /// When the site does not come to be.
    #[must_use]
    pub fn installed_under(version: Version) -> Self {
        Self::with_accounts(version, 2)
    }

    /// The same with so many accounts, each with a session.
    ///
    /// # Panics
    /// When the site does not come to be.
    #[must_use]
    pub fn with_accounts(version: Version, accounts: u32) -> Self {
        let mut pool = Self::under(version);
        let migrated = pool.send(pool.primary, Operate::Migrate.direct());
        assert_eq!(migrated.status, 200);
        let nobody = Visitor::default();
        let install = Ask::Install { nodes: 30, accounts };
        assert_eq!(pool.ask(&install, &nobody, "install").status, 200);
        assert_eq!(pool.ask(&Ask::PrivateKey, &nobody, "first key").status, 200);
        pool
    }

    /// Copies the site to a lane, step by step.
    pub fn provision(&mut self, lane: u32) {
        let mut cursor = None;
        for _ in 0..10 {
            let step = Operate::Provision {
                lane: lane.into(),
                cursor: cursor.take(),
                budget: None,
            };
            let request = step.through_front(HOST).unwrap();
            let response = self.send(self.front, request);
            let text = response.body.to_text();
            assert_eq!(response.status, 200, "{text}");
            let answer = Json::parse(&text).unwrap();
            let answer = answer.as_object().unwrap();
            if answer.get("done").is_some_and(Json::is_true) {
                return;
            }
            cursor = Cursor::parse(&answer.get("cursor").unwrap().to_string()).unwrap();
        }
        panic!("lane {lane} is not copied in ten steps");
    }

    /// The newest record of the primary's log.
    pub fn generation(&mut self) -> Option<Number> {
        self.number(self.primary, "SELECT MAX(generation) FROM cfw_repl_log", &[])
    }

    /// The stage of a lane, as it is stored.
    pub fn stage(&mut self, lane: u32) -> String {
        let party = self.lane(lane);
        let read = Statement::new(
            "SELECT v FROM cfw_meta WHERE k = ?",
            [Value::text("replica_stage")],
        );
        let rows = self.kernel.read(party, &read).unwrap();
        rows.first()
            .and_then(Value::as_text)
            .unwrap_or("CREATED")
            .to_owned()
    }

    /// The first value that an object's database answers, if it is a number.
    pub fn number(&mut self, party: PartyId, sql: &'static str, params: &[Value]) -> Option<Number> {
        let read = Statement::new(sql, params);
        self.kernel
            .read(party, &read)
            .unwrap()
            .first()
            .and_then(Value::as_number)
    }
}

/// The documented protocol with the application of the catalogue. Its interpreter boots faster than the deployed one.
#[must_use]
pub fn documented() -> Version {
    of(Rules::DOCUMENTED)
}

/// These rules with the application of the catalogue, as [`documented`] has it.
#[must_use]
pub fn of(rules: Rules) -> Version {
    Version {
        rules,
        policy: Policy {
            boot: Millis(50),
            ..Policy::DOCUMENTED
        },
        variables: Variables::default(),
        application: application(),
    }
}

/// Whether a page reads the same on this database. A lane's render does not see its own writes, the primary's does.
///
/// # Panics
/// When it does not: with the first statement that reads otherwise.
pub fn recompute<S: Store>(page: &Page, database: &mut S, sees_its_writes: bool) {
    let mut database = database.fork();
    for evidence in &page.evidence {
        match evidence {
            Evidence::Wrote(statements) if sees_its_writes => {
                for statement in statements {
                    database.run(statement).outcome.unwrap();
                }
            }
            Evidence::Wrote(_) => {}
            Evidence::Read {
                statement,
                behind,
                digest,
            } => {
                // Each object's own.
                if statement.sql.contains(" cache") {
                    continue;
                }
                let mark = database.mark();
                for statement in behind {
                    database.run(statement).outcome.unwrap();
                }
                let rows = database.run(statement).outcome.unwrap();
                assert_eq!(digest_rows(&rows), *digest, "{statement:?}");
                database.rollback_to(mark);
                database.release(mark);
            }
        }
    }
    assert_eq!(Page::digest_of(page.reads()), page.digest);
}

/// The object that answered.
#[must_use]
pub fn answered_by(response: &Response) -> &str {
    response.headers.get("x-cfw-replica").unwrap_or("nobody")
}

/// A visitor with the session that the installer gave to this account.
#[must_use]
pub fn visitor(uid: u32) -> Visitor {
    Visitor {
        address: None,
        session: Some(session_of(uid)),
    }
}
