//! A site with lanes on the simulated platform: what a front, the primary and two lanes come to when nothing goes wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use protocol::host::{Millis, Note, ObjectName, Outcome, Request, Response, Statement, Text, Value};
use protocol::json::Json;
use protocol::lanes::Lanes;
use protocol::lanes::app::catalogue::{Ask, Visitor, session_of, title_of};
use protocol::lanes::app::page::{Evidence, Page, digest_rows};
use protocol::lanes::app::{application, tables};
use protocol::lanes::object::{Policy, SITE, Variables, Version, serve_path};
use protocol::lanes::operator::{Operate, PageOf};
use protocol::lanes::rules::Rules;
use protocol::lanes::wire::Cursor;
use protocol::number::Number;
use sim::kernel::storage::Store;
use sim::kernel::storage::limits::Limits;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::{
    Chance, Kernel, Knobs, Micros, Observed, Observer, PartyId, Stepped, UnsupportedStatement, What,
};

/// The decisions of a run, as it went.
#[derive(Default)]
struct Notes(Vec<(Text, Note)>);

impl Observer for Notes {
    fn observe(&mut self, seen: &Observed<'_>) {
        if let What::Noted { note, .. } = seen.what {
            self.0.push((seen.who.clone(), note.clone()));
        }
    }
}

struct Pool<S: Store> {
    kernel: Kernel<Lanes, S>,
    front: PartyId,
    primary: PartyId,
    notes: Notes,
    asked: u32,
}

const HOST: &str = "shop";

impl<S: Store> Pool<S> {
    fn new() -> Self {
        let version = Version {
            rules: Rules::DOCUMENTED,
            policy: Policy {
                boot: Millis(50),
                ..Policy::DOCUMENTED
            },
            variables: Variables::default(),
            application: application(),
        };
        let program = Lanes::new(version);
        let mut kernel = Kernel::new(
            program,
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

    fn lane(&mut self, lane: u32) -> PartyId {
        let name = ObjectName::new(format!("{HOST}#r{lane}"));
        self.kernel.object(&SITE, &name).unwrap()
    }

    /// Sends a request.
    fn post(&mut self, to: PartyId, request: Request) -> u32 {
        let item = self.asked;
        self.asked += 1;
        self.kernel.send(item, to, request);
        item
    }

    /// Lets the world go on until a request is answered; nothing where so many milliseconds do not do.
    fn answer(&mut self, item: u32, milliseconds: u64) -> Option<Response> {
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
    fn send(&mut self, to: PartyId, request: Request) -> Response {
        let what = format!("{} {}", request.method.as_str(), request.path);
        let item = self.post(to, request);
        let answer = self.answer(item, 60_000);
        answer.unwrap_or_else(|| panic!("{what} was not answered: {:?}", self.kernel.waits()))
    }

    fn passes(&mut self, milliseconds: u64) {
        let until = self.kernel.now().after(Micros::from_millis(milliseconds));
        while let Some(key) = self.kernel.earliest().filter(|key| key.at <= until) {
            self.kernel.step(key, &mut self.notes);
        }
    }

    fn ask(&mut self, ask: &Ask, visitor: &Visitor, token: &str) -> Response {
        let request = ask.request(HOST, visitor, &token.into());
        self.send(self.front, request)
    }

    /// A primary that is installed, and has its private key.
    fn installed() -> Self {
        let mut pool = Self::new();
        let migrated = pool.send(pool.primary, Operate::Migrate.direct());
        assert_eq!(migrated.status, 200);
        let nobody = Visitor::default();
        let install = Ask::Install {
            nodes: 30,
            accounts: 2,
        };
        assert_eq!(pool.ask(&install, &nobody, "install").status, 200);
        assert_eq!(pool.ask(&Ask::PrivateKey, &nobody, "first key").status, 200);
        pool
    }

    fn provision(&mut self, lane: u32) {
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
    fn generation(&mut self) -> Option<Number> {
        self.number(self.primary, "SELECT MAX(generation) FROM cfw_repl_log", &[])
    }

    fn stage(&mut self, lane: u32) -> String {
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

    fn number(&mut self, party: PartyId, sql: &'static str, params: &[Value]) -> Option<Number> {
        let read = Statement::new(sql, params);
        self.kernel
            .read(party, &read)
            .unwrap()
            .first()
            .and_then(Value::as_number)
    }
}

/// Whether a page reads the same on this database. A lane's render does not see its own writes, the primary's does.
fn recompute<S: Store>(page: &Page, database: &mut S, sees_its_writes: bool) {
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

fn answered_by(response: &Response) -> &str {
    response.headers.get("x-cfw-replica").unwrap_or("nobody")
}

#[test]
fn two_lanes_serve_what_the_primary_holds_and_forward_what_is_written() {
    let run = catch_unwind(AssertUnwindSafe(serve_and_forward::<ModelStore>));
    if let Err(panic) = run {
        match panic.downcast_ref::<UnsupportedStatement>() {
            Some(statement) => panic!("the model does not run {statement:?}"),
            None => resume_unwind(panic),
        }
    }
}

#[test]
fn so_they_do_on_sqlite() {
    serve_and_forward::<SqliteStore>();
}

fn serve_and_forward<S: Store>() {
    let mut pool = Pool::<S>::installed();
    for lane in 1..=2 {
        pool.provision(lane);
        pool.passes(20_000);
        assert_eq!(
            pool.stage(lane),
            "SERVING",
            "{:#?}",
            pool.notes.0.iter().rev().take(12).collect::<Vec<_>>()
        );
    }

    // Its interpreter booted before there were lanes, and would go on minting every id (`lanes.md` 18).
    pool.kernel.evict(u32::MAX, pool.primary);
    pool.passes(1_000);

    // Visitors without a session are spread by their addresses.
    let primary = pool.primary;
    let mut served = BTreeSet::new();
    for address in 0..12 {
        let visitor = Visitor {
            address: Some(format!("10.0.0.{address}").into()),
            session: None,
        };
        let ask = Ask::Node {
            nid: 1 + address % 3,
            history: false,
        };
        let response = pool.ask(&ask, &visitor, "");
        assert_eq!(response.status, 200);
        served.insert(answered_by(&response).to_owned());
        let page = response.body.read::<Page>().unwrap();
        let by = answered_by(&response).to_owned();
        recompute(&page, pool.kernel.store(primary).unwrap(), by == "primary");
    }
    assert_eq!(served.iter().collect::<Vec<_>>(), ["primary", "r1", "r2"]);

    // Somebody who is logged in edits nodes: some of the requests run on a lane, all of them count on the primary.
    let editor = visitor(1);
    let mut edited = BTreeSet::new();
    for nid in 1..=9 {
        pool.passes(40_000);
        let mut before = pool.kernel.store(primary).unwrap().fork();
        let response = pool.ask(&Ask::Edit { nid }, &editor, &format!("edit {nid}"));
        assert_eq!(response.status, 200, "{}", response.body.to_text());
        let by = answered_by(&response).to_owned();
        let page = response.body.read::<Page>().unwrap();
        recompute(&page, &mut before, by == "primary");
        edited.insert(by);
        let edits = pool.number(
            primary,
            "SELECT edits FROM node_field_data WHERE nid = ?",
            &[Value::from(nid)],
        );
        assert_eq!(edits, Some(1.into()));
    }
    assert!(edited.contains("r1") && edited.contains("r2"), "{edited:?}");

    // New nodes: by a lane with an id of its class, and by the primary with one of its own.
    let mut created = BTreeMap::new();
    for nth in 0..12 {
        pool.passes(40_000);
        let token = Text::from(format!("create {nth}"));
        let mut request = Ask::Create.request(HOST, &editor, &token);
        request.path = Text::from(format!("/node/add/article-{nth}"));
        let response = pool.send(pool.front, request);
        assert_eq!(response.status, 200, "{}", response.body.to_text());
        let by = answered_by(&response).to_owned();
        let nid = pool.number(
            primary,
            "SELECT nid FROM node_field_data WHERE title = ?",
            &[Value::Text(title_of(&token))],
        );
        let class = nid.expect("the node is there") % Number::from(257);
        let writer = by.strip_prefix('r').map_or(Number::ZERO, Number::parse);
        let tail: Vec<_> = pool
            .notes
            .0
            .iter()
            .rev()
            .take(40)
            .rev()
            .map(|(who, note)| format!("{who} {note}"))
            .collect();
        assert_eq!(class, writer, "{token} {tail:#?}");
        created.insert(by, nid);
    }
    assert_eq!(created.keys().collect::<Vec<_>>(), ["primary", "r1", "r2"]);

    // At rest the lanes hold what the primary holds.
    pool.passes(120_000);
    let lanes = [pool.lane(1), pool.lane(2)];
    for table in [
        "node",
        "node_field_data",
        "node_revision",
        "node__body",
        "sessions",
        "key_value",
    ] {
        let of = |contents: sim::kernel::storage::Contents| {
            contents
                .into_iter()
                .find(|(name, _)| name == table)
                .map(|(_, rows)| rows)
        };
        let truth = of(pool.kernel.store(primary).unwrap().contents());
        for lane in lanes {
            let copy = of(pool.kernel.store(lane).unwrap().contents());
            assert_eq!(copy, truth, "{table}");
        }
    }
}

/// The tables and the statements of the catalogue are those that the model runs, and it runs them as SQLite does.
#[test]
fn the_catalogue_runs_on_both_stores_alike() {
    fn answers<S: Store>() -> Vec<(String, u16, String)> {
        let mut pool = Pool::<S>::installed();
        let editor = visitor(1);
        let asks = [
            Ask::Front { nodes: 10 },
            Ask::Front { nodes: 10 },
            Ask::Node {
                nid: 3,
                history: true,
            },
            Ask::Fenced {
                nid: 3,
                generation: 1.into(),
            },
            Ask::Login { uid: 2 },
            Ask::Login { uid: 99 },
            Ask::FailedLogin { uid: 2 },
            Ask::FailedLogin { uid: 2 },
            Ask::Create,
            Ask::Edit { nid: 3 },
            Ask::Edit { nid: 999 },
            Ask::Save {
                nid: 3,
                tags: 3,
                indexes: true,
            },
            Ask::Save {
                nid: 3,
                tags: 3,
                indexes: false,
            },
            Ask::Upload,
            Ask::InstallModule {
                objects: 600,
                routes: 40,
            },
            Ask::DefineTable,
            Ask::Enqueue,
            Ask::Cron,
            Ask::Cron,
            Ask::Mail { to: 1 },
            Ask::PrivateKey,
            Ask::Logout,
        ];
        let answer = |(at, ask): (usize, &Ask)| {
            let visitor = match ask {
                Ask::Login { .. } | Ask::Front { .. } => Visitor::default(),
                _ => editor.clone(),
            };
            let response = pool.ask(ask, &visitor, &format!("token {at}"));
            (
                format!("{ask:?}"),
                response.status,
                response.body.to_text().to_string(),
            )
        };
        asks.iter().enumerate().map(answer).collect()
    }
    let model = answers::<ModelStore>();
    for (at, sqlite) in answers::<SqliteStore>().into_iter().enumerate() {
        assert_eq!(model[at], sqlite);
        let expected = match sqlite.0.as_str() {
            "Login { uid: 99 }" => 403,
            "Edit { nid: 999 }" => 404,
            _ => 200,
        };
        assert_eq!(sqlite.1, expected, "{sqlite:?}");
    }
}

#[test]
fn the_tables_of_the_catalogue_are_known_to_both_stores() {
    fn run<S: Store>() {
        let mut store = S::open(&S::Pool::default(), Limits::default());
        for table in tables::TABLES.iter().chain([&tables::FLOOD]) {
            let ddl = Statement {
                sql: table.ddl(),
                params: Vec::new(),
            };
            store.run(&ddl).outcome.unwrap();
            assert_eq!(tables::find(table.name), Some(table));
        }
    }
    run::<ModelStore>();
    run::<SqliteStore>();
}

/// How a lane ends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// It answers by itself.
    Alone,
    /// It answers, and the primary has committed what was written.
    Forwarded,
    /// It hands the request over, for this reason.
    HandedOver(&'static str),
}

/// What becomes of each kind of request on a lane.
#[test]
fn a_lane_answers_forwards_or_hands_over() {
    use Ends::{Alone, Forwarded, HandedOver};
    const EXEC: &str = "cfwSqlExec requires the primary: a write on the exec bridge cannot be rolled back, so it cannot be forwarded";
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    let lane = pool.lane(1);
    let editor = visitor(1);
    let save = |indexes| Ask::Save {
        nid: 3,
        tags: 3,
        indexes,
    };
    let seen = |history| Ask::Node { nid: 3, history };
    let cases = [
        (Ask::Front { nodes: 10 }, Alone),
        (seen(false), Forwarded),
        (
            seen(true),
            HandedOver(
                "forward requires the primary: refuse: history originates a value a lane may not mint",
            ),
        ),
        (Ask::FailedLogin { uid: 2 }, HandedOver(EXEC)),
        (Ask::Create, Forwarded),
        (Ask::Edit { nid: 3 }, Forwarded),
        (
            save(true),
            HandedOver(
                "forward requires the primary: refuse: comment_entity_statistics originates a value a lane may not mint",
            ),
        ),
        (save(false), Forwarded),
        (
            Ask::Upload,
            HandedOver(
                "cfwFileWrite requires the primary: the capability mutates state outside this replica",
            ),
        ),
        (Ask::DefineTable, HandedOver(EXEC)),
        (Ask::Enqueue, Forwarded),
        (
            Ask::Cron,
            HandedOver(
                "forward requires the primary: refuse: key_value_expire originates a value a lane may not mint",
            ),
        ),
        (
            Ask::Mail { to: 1 },
            HandedOver("cfwMail requires the primary: the capability mutates state outside this replica"),
        ),
        (Ask::PrivateKey, Alone),
        (Ask::Logout, Forwarded),
    ];
    for (at, (ask, expected)) in cases.into_iter().enumerate() {
        pool.passes(40_000);
        let visitor = match ask {
            Ask::Front { .. } | Ask::PrivateKey | Ask::FailedLogin { .. } => Visitor::default(),
            _ => editor.clone(),
        };
        let mut request = ask.request(HOST, &visitor, &format!("token {at}").into());
        request.path = serve_path(&request.path);
        let before = pool.generation();
        let response = pool.send(lane, request);
        let moved = pool.generation() != before;
        let body = response.body.to_text();
        match (response.status, moved, expected) {
            (200, false, Alone) | (200, true, Forwarded) => {}
            (421, false, HandedOver(why)) => assert!(body.contains(why), "{ask:?}: {body}"),
            ended => panic!("{ask:?}: {ended:?} {body}"),
        }
    }
}

/// A flaw of the documented protocol. A visitor without a role is handed over after the render, which is as if nothing
/// had run (`x-cfw-retry-safe: 1`); but what the render wrote is forwarded all the same, and then the front sends the
/// request to the primary (`lanes.md` 16; LR-30, LR-36).
#[test]
fn what_a_visitor_without_a_role_writes_on_a_lane_is_written_twice() {
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    // So that its interpreter knows of the lane when it boots, and mints no id of the lane's class.
    pool.kernel.evict(u32::MAX, pool.primary);
    for nth in 0..10 {
        pool.passes(40_000);
        let token = Text::from(format!("once {nth}"));
        let mut request = Ask::Enqueue.request(HOST, &visitor(0), &token);
        request.path = Text::from(format!("/queue/{nth}"));
        let response = pool.send(pool.front, request);
        assert_eq!((response.status, answered_by(&response)), (200, "primary"));
        let times = pool.number(
            pool.primary,
            "SELECT COUNT(*) FROM queue WHERE data = ?",
            &[Value::Text(token)],
        );
        let expected = match response.headers.get("x-cfw-failover") {
            Some(_) => 2,
            None => 1,
        };
        assert_eq!(times, Some(expected.into()));
        if expected == 2 {
            return;
        }
    }
    panic!("none of ten paths is routed to the lane");
}

fn visitor(uid: u32) -> Visitor {
    Visitor {
        address: None,
        session: Some(session_of(uid)),
    }
}

/// A flaw of the documented protocol. An interpreter that booted before the first lane goes on leaving ids to the
/// database, which gives those of all classes in turn: then a lane mints one that is taken (`lanes.md` 18; LR-32).
#[test]
fn a_primary_that_booted_before_its_first_lane_takes_the_lanes_ids() {
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    let primary = Ask::Enqueue.request(HOST, &Visitor::default(), &"first".into());
    assert_eq!(answered_by(&pool.send(pool.front, primary)), "primary");
    let mut request = Ask::Enqueue.request(HOST, &visitor(1), &"second".into());
    request.path = serve_path("/queue");
    let lane = pool.lane(1);
    let response = pool.send(lane, request);
    assert_eq!(response.status, 421);
    let threw = "request-threw: statement 0 of the transaction: UNIQUE constraint failed: queue.item_id";
    assert!(pool.notes.0.iter().any(|(_, note)| note.to_string() == threw));
}

/// An operator's actions, through a front and at the objects themselves.
#[test]
fn an_operator_reaches_the_primary_through_a_front_and_a_lane_directly() {
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    let lane = pool.lane(1);
    let through = |pool: &mut Pool<ModelStore>, operate: &Operate| {
        let response = pool.send(pool.front, operate.through_front(HOST).unwrap());
        assert_eq!(answered_by(&response), "primary");
        (response.status, response.body.to_text())
    };
    let page = PageOf {
        table: "users".into(),
        offset: 0.into(),
        limit: Some(1.into()),
    };
    let cases = [
        (Operate::Head, 200, "\"primary\""),
        (Operate::Stage { to: "".into() }, 400, "to"),
        (Operate::CatchUp { limit: None }, 409, ""),
        (
            Operate::Log {
                since: 0.into(),
                limit: None,
            },
            200,
            "\"records\"",
        ),
        (Operate::Snapshot { page: None }, 200, "node_field_data"),
        (Operate::Snapshot { page: Some(page) }, 200, "account 1"),
        (Operate::Readmit { lane: 1.into() }, 200, ""),
    ];
    for (operate, status, holds) in cases {
        let (got, body) = through(&mut pool, &operate);
        assert_eq!(got, status, "{operate:?}: {body}");
        assert!(body.contains(holds), "{operate:?}: {body}");
    }
    let status = |pool: &mut Pool<ModelStore>, operate: Operate| pool.send(lane, operate.direct()).status;
    assert_eq!(status(&mut pool, Operate::CatchUp { limit: None }), 200);
    assert_eq!(status(&mut pool, Operate::Readmit { lane: 1.into() }), 409);
    assert_eq!(status(&mut pool, Operate::Stage { to: "SERVING".into() }), 409);
    assert_eq!(
        status(
            &mut pool,
            Operate::Stage {
                to: "WITHDRAWN".into()
            }
        ),
        200
    );
    let visit = Ask::Front { nodes: 1 }.request(HOST, &Visitor::default(), &"t".into());
    let visit = Request {
        path: serve_path(&visit.path),
        ..visit
    };
    assert_eq!(pool.send(lane, visit).status, 421);
}

/// A flaw of the documented protocol. A lane catches up while a render waits, so the page shows one generation above and
/// another below (`lanes.md` 20; LR-22).
#[test]
fn a_page_that_waits_on_a_lane_shows_two_generations() {
    let mut pool = Pool::<ModelStore>::installed();
    pool.provision(1);
    pool.passes(20_000);
    let (lane, primary) = (pool.lane(1), pool.primary);
    let mut before = pool.kernel.store(primary).unwrap().fork();
    let ask = Ask::Waiting {
        nid: 3,
        pause: Millis(90_000),
    };
    let mut request = ask.request(HOST, &Visitor::default(), &"t".into());
    request.path = serve_path(&request.path);
    let item = pool.post(lane, request);
    pool.passes(1_000);
    let edit = Ask::Edit { nid: 3 }.request(HOST, &Visitor::default(), &"edited".into());
    assert_eq!(answered_by(&pool.send(pool.front, edit)), "primary");
    let response = pool.answer(item, 120_000).expect("the page is rendered");
    let page = response.body.read::<Page>().unwrap();
    let after = pool.kernel.store(primary).unwrap();
    let same = |database: &mut ModelStore| -> Vec<bool> {
        let reads = page.evidence.iter().filter_map(|evidence| match evidence {
            Evidence::Read {
                statement, digest, ..
            } => Some((statement, digest)),
            Evidence::Wrote(_) => None,
        });
        reads
            .map(|(statement, digest)| digest_rows(&database.run(statement).outcome.unwrap()) == *digest)
            .collect()
    };
    assert_eq!(same(&mut before), [true, false]);
    assert_eq!(same(after), [false, true]);
}
