//! A site with lanes on the simulated platform: what a front, the primary and two lanes come to when nothing goes wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use protocol::host::{Statement, Text, Value};
use protocol::lanes::app::catalogue::{Ask, Visitor, title_of};
use protocol::lanes::app::page::Page;
use protocol::lanes::app::tables;
use protocol::lanes::operator::{Operate, PageOf};
use protocol::number::Number;
use sim::kernel::UnsupportedStatement;
use sim::kernel::storage::limits::Limits;
use sim::kernel::storage::model::ModelStore;
use sim::kernel::storage::sqlite::SqliteStore;
use sim::kernel::storage::{Contents, Store};
use tests::lanes::pool::{HOST, Pool, answered_by, recompute, visitor};

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
        let of = |contents: Contents| {
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
        (
            Ask::RenewKey,
            HandedOver(
                "forward requires the primary: refuse: key_value:state originates a value a lane may not mint",
            ),
        ),
        (Ask::Logout, Forwarded),
    ];
    for (at, (ask, expected)) in cases.into_iter().enumerate() {
        pool.passes(40_000);
        let visitor = match ask {
            Ask::Front { .. } | Ask::PrivateKey | Ask::FailedLogin { .. } => Visitor::default(),
            _ => editor.clone(),
        };
        let request = Pool::<ModelStore>::hop(&ask, &visitor, &format!("token {at}"));
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
    let visit = Pool::<ModelStore>::hop(&Ask::Front { nodes: 1 }, &Visitor::default(), "t");
    assert_eq!(pool.send(lane, visit).status, 421);
}
