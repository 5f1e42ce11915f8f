use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::catalogue::{Ask, Visitor};
use super::page::{AUTHENTICATED, Evidence, Page, digest_rows};
use super::program::{
    Act, Arguments, Condition, Item, NewId, OnRefusal, Operand, Query, Register, RenderProgram, Step,
    Transaction, Write,
};
use super::{Ending, Interpreter, Progress};
use crate::host::{Body, End, Millis, Payload, Rows, SqlError, SqlErrorKind, Text, Value};
use crate::lanes::bridge::{SqlExec, SqlTxn};
use crate::lanes::object::{Refusal, RenderHost, Thrown};
use crate::lanes::partition::{PartitionFacts, Writer};
use crate::lanes::rules::Rules;
use crate::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

/// Tells what it was asked, and answers what it was told to: then with no rows.
struct Fake {
    writer: Writer,
    memo: BTreeMap<Text, Number>,
    asked: Vec<String>,
    answers: VecDeque<Result<Rows, Thrown>>,
}

impl RenderHost for Fake {
    fn exec(&mut self, call: &SqlExec) -> Result<Rows, Thrown> {
        self.asked.push(format!("exec {}", call.sql));
        self.answers.pop_front().unwrap_or_else(|| Ok(Rows::default()))
    }

    fn transaction(&mut self, call: &SqlTxn) -> Result<Rows, Thrown> {
        let end = match call.end {
            End::Commit => "commit",
            End::Rollback => "replay",
        };
        let read = call.read.as_ref().map_or("", |_| " and a read");
        self.asked.push(format!("{end} {}{read}", call.statements.len()));
        self.answers.pop_front().unwrap_or_else(|| Ok(Rows::default()))
    }

    fn capability(&mut self, name: &str, _: &str) -> Result<(), Thrown> {
        self.asked.push(name.to_owned());
        Err(Thrown::Requires(Refusal {
            capability: name.into(),
            detail: "because".into(),
        }))
    }

    fn work(&mut self, cost: Millis) {
        self.asked.push(format!("work {cost}"));
    }

    fn writer(&self) -> Writer {
        self.writer
    }

    fn memo(&mut self) -> Option<&mut BTreeMap<Text, Number>> {
        Some(&mut self.memo)
    }

    fn now(&self) -> Millis {
        Millis(1_700_000_000_123)
    }
}

/// The host of a lane, or of a primary with so many lanes.
fn host(lane: u32, provisioned: u32) -> Fake {
    Fake {
        writer: (RULES.partition.writer)(&PartitionFacts {
            write_forward: true,
            lane: lane.into(),
            provisioned: provisioned.into(),
        }),
        memo: BTreeMap::new(),
        asked: Vec::new(),
        answers: VecDeque::new(),
    }
}

fn run(program: RenderProgram, fake: &mut Fake) -> Ending {
    let mut interpreter = Interpreter::new(Arc::new(program), fake.now());
    match interpreter.run(RULES, fake) {
        Progress::Ended(ending) => ending,
        progress => panic!("{progress:?}"),
    }
}

fn one(value: impl Into<Value>) -> Result<Rows, Thrown> {
    Ok(Rows {
        columns: vec!["v".into()].into(),
        rows: vec![vec![value.into()]],
    })
}

fn visitor() -> Visitor {
    Visitor {
        address: None,
        session: Some("session-of-account-1".into()),
    }
}

#[test]
fn a_lane_mints_ids_of_its_own_class_and_sends_one_transaction() {
    let mut fake = host(1, 0);
    // The account; the highest nid of the copy, then the mark; the same of the revisions.
    let mark = one(Value::text("515"));
    fake.answers
        .extend([one(1), one(300), one(Value::Null), one(0), mark]);
    let program = Ask::Create.program(&visitor(), &"t1".into());
    let Ending::Page(rendered) = run(program, &mut fake) else {
        panic!("the render passes");
    };
    let commit = fake.asked.iter().find(|asked| asked.starts_with("commit"));
    assert_eq!(commit.unwrap(), "commit 5 and a read");
    assert!(
        !fake.asked.iter().any(|asked| asked.starts_with("replay")),
        "{:?}",
        fake.asked
    );
    let behind = rendered.page.evidence.iter().find_map(|evidence| match evidence {
        Evidence::Read { behind, .. } if !behind.is_empty() => Some(behind),
        _ => None,
    });
    let first: Vec<_> = behind
        .unwrap()
        .iter()
        .map(|statement| statement.sql.as_str())
        .collect();
    assert_eq!(
        first[..2],
        [
            r#"INSERT INTO node ("nid", type, uuid, langcode) VALUES (515, ?, ?, ?)"#,
            r#"INSERT INTO node_revision ("vid", nid, revision_uid, revision_timestamp) VALUES (772, ?, ?, ?)"#,
        ]
    );
    assert_eq!(rendered.role(), AUTHENTICATED);
}

#[test]
fn a_memory_of_what_was_minted_outlives_the_transaction_and_the_request() {
    let mut fake = host(2, 0);
    for expected in [2, 259] {
        let program = Ask::Enqueue.program(&Visitor::default(), &"t".into());
        assert!(matches!(run(program, &mut fake), Ending::Page(_)));
        assert_eq!(fake.memo["queue"], expected.into());
    }
}

#[test]
fn a_primary_without_lanes_leaves_ids_to_the_database_and_asks_for_them_by_replays() {
    let mut fake = host(0, 0);
    let program = Ask::Create.program(&visitor(), &"t1".into());
    run(program, &mut fake);
    let replays = fake.asked.iter().filter(|asked| asked.starts_with("replay"));
    assert_eq!(
        replays.collect::<Vec<_>>(),
        ["replay 1 and a read", "replay 2 and a read"]
    );
}

#[test]
fn an_unbuffered_write_is_a_transaction_on_a_lane_only_and_a_definition_never() {
    let asked = |mut fake: Fake| {
        run(Ask::Logout.program(&visitor(), &"t".into()), &mut fake);
        run(Ask::DefineTable.program(&visitor(), &"t".into()), &mut fake);
        fake.asked
    };
    let on_lane = asked(host(1, 0));
    assert!(on_lane.contains(&"commit 1".to_owned()), "{on_lane:?}");
    let defined = |asked: &[String]| asked.iter().any(|asked| asked.starts_with("exec CREATE TABLE"));
    assert!(defined(&on_lane), "{on_lane:?}");
    let on_primary = asked(host(0, 1));
    assert!(
        on_primary
            .iter()
            .any(|asked| asked.starts_with("exec DELETE FROM"))
    );
    assert!(defined(&on_primary), "{on_primary:?}");
    assert!(!on_primary.iter().any(|asked| asked.starts_with("commit")));
}

#[test]
fn a_refusal_passes_is_swallowed_or_ignored() {
    let told = Register(7);
    let mail = |on_refusal| {
        let act = Act::Capability {
            name: "cfwMail".into(),
            detail: Text::default(),
        };
        let after = Step::from(Act::Status(299)).when(Condition::Equal(told, Value::from(1)));
        let program = RenderProgram {
            steps: vec![Step::from(act).on_refusal(on_refusal), after],
            ..RenderProgram::default()
        };
        run(program, &mut host(0, 0))
    };
    assert!(matches!(mail(OnRefusal::Pass), Ending::Refused(_)));
    let status = |ending| match ending {
        Ending::Page(rendered) => rendered.status,
        Ending::Refused(thrown) => panic!("{thrown}"),
    };
    assert_eq!(status(mail(OnRefusal::Swallow)), 500);
    assert_eq!(status(mail(OnRefusal::Ignore { told: None })), 200);
    assert_eq!(status(mail(OnRefusal::Ignore { told: Some(told) })), 299);
}

#[test]
fn a_missing_table_is_created_when_it_is_first_written() {
    let mut fake = host(0, 0);
    let missing = SqlError::of(SqlErrorKind::NoSuchTable);
    fake.answers.extend([Ok(Rows::default()), Err(missing.into())]);
    let program = Ask::FailedLogin { uid: 1 }.program(&Visitor::default(), &"t".into());
    run(program, &mut fake);
    let verbs = fake.asked.iter().map(|asked| asked.split(' ').nth(1).unwrap());
    assert_eq!(
        verbs.collect::<Vec<_>>(),
        ["SELECT", "INSERT", "CREATE", "INSERT", "INSERT", "60"]
    );
}

#[test]
fn a_pause_lets_go_and_the_render_goes_on_where_it_was() {
    let read = Query {
        sql: "SELECT 1".into(),
        params: Default::default(),
        into: Some(Register(0)),
    };
    let program = RenderProgram {
        steps: vec![Act::Pause(Millis(5)).into(), Act::Read(read).into()],
        account: Some(Register(0)),
        ..RenderProgram::default()
    };
    let mut interpreter = Interpreter::new(Arc::new(program), Millis::ZERO);
    let mut fake = host(0, 0);
    fake.answers.push_back(one(3));
    assert_eq!(interpreter.run(RULES, &mut fake), Progress::Paused(Millis(5)));
    let Progress::Ended(Ending::Page(rendered)) = interpreter.run(RULES, &mut fake) else {
        panic!("it ends");
    };
    assert_eq!(rendered.page.account, Value::from(3));
    let digest = digest_rows(&one(3).unwrap());
    assert_eq!(
        rendered.page.digest,
        Page::digest_of([digest.as_str()].into_iter())
    );
}

#[test]
fn programs_and_pages_are_read_back_from_their_bodies() {
    let program = Ask::Save {
        nid: 3,
        tags: 2,
        indexes: true,
    }
    .program(&visitor(), &"t".into());
    let body = Body::text(program.encode());
    assert_eq!(*body.read::<RenderProgram>().unwrap(), program);
    let mut fake = host(1, 0);
    fake.answers.push_back(one(-Number::ZERO));
    let Ending::Page(rendered) = run(program, &mut fake) else {
        panic!("the render passes");
    };
    let body = Body::text(rendered.page.encode());
    assert_eq!(*body.read::<Page>().unwrap(), rendered.page);
}

#[test]
fn an_ask_is_a_request_as_a_browser_sends_it() {
    let ask: Ask = serde_json::from_str(r#"{"fenced": {"nid": 3, "generation": 7}}"#).unwrap();
    let request = ask.request("shop.example", &visitor(), &"t".into());
    assert_eq!(request.path, "/node/3");
    assert_eq!(request.headers.get("x-cfw-require-generation"), Some("7"));
    let cookie = (RULES.sessions.cookie_value)(request.headers.get("cookie"));
    assert_eq!(cookie, Some("session-of-account-1"));
    let upload = Ask::Upload.request("shop.example", &Visitor::default(), &"t".into());
    let content_type = upload.headers.get("content-type");
    assert!((RULES.routing.origination_route)(&upload.path, content_type).is_some());
}

proptest! {
    /// No program makes the interpreter panic, and what it answers can be sent.
    #[test]
    fn any_program_ends(steps in vec(any_step(), 0..12), lane in 0..3_u32, answers in vec(any_answer(), 0..20)) {
        let program = RenderProgram { steps, account: Some(Register(0)), ..RenderProgram::default() };
        let body = Body::text(program.encode());
        prop_assert_eq!(&*body.read::<RenderProgram>().unwrap(), &program);
        let mut fake = host(lane, 1);
        fake.answers.extend(answers);
        let mut interpreter = Interpreter::new(Arc::new(program), fake.now());
        for _ in 0..50 {
            if let Progress::Ended(ending) = interpreter.run(RULES, &mut fake) {
                if let Ending::Page(finished) = ending {
                    let body = Body::text(finished.page.encode());
                    prop_assert_eq!(&*body.read::<Page>().unwrap(), &finished.page);
                }
                return Ok(());
            }
        }
        prop_assert!(false, "twelve steps are over in fifty");
    }
}

fn any_register() -> impl Strategy<Value = Register> {
    (0..4_u16).prop_map(Register)
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(|number| Value::Number(number.into())),
        Just(Value::Number(Number::NAN)),
        ".{0,6}".prop_map(Value::text),
    ]
}

fn any_operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        any_value().prop_map(Operand::Value),
        any_register().prop_map(Operand::Register),
        (any_register(), any::<i32>()).prop_map(|(register, by)| Operand::Sum {
            register,
            by: by.into()
        }),
        any::<i32>().prop_map(|plus| Operand::Now { plus: plus.into() }),
    ]
}

fn any_sql() -> impl Strategy<Value = Text> {
    prop_oneof![
        "INSERT INTO [a-z]{1,4} \\([a-z]\\) VALUES \\(\\?\\)",
        "(SELECT|DELETE|CREATE|UPDATE) .{0,10}:a",
        ".{0,12}",
    ]
    .prop_map(Text::from)
}

fn any_arguments() -> impl Strategy<Value = Arguments> {
    prop_oneof![
        vec(any_operand(), 0..3).prop_map(Arguments::List),
        any_operand().prop_map(|operand| Arguments::Named(Vec::from([(":a".into(), operand)]))),
    ]
}

fn any_query() -> impl Strategy<Value = Query> {
    (any_sql(), any_arguments(), of(any_register())).prop_map(|(sql, params, into)| Query {
        sql,
        params,
        into,
    })
}

fn any_write() -> impl Strategy<Value = Write> {
    let new_id = (".{0,4}", ".{0,4}", of(any_register())).prop_map(|(table, column, into)| NewId {
        table: table.into(),
        column: column.into(),
        into,
    });
    (any_sql(), any_arguments(), of(new_id)).prop_map(|(sql, params, new_id)| Write { sql, params, new_id })
}

fn any_step() -> impl Strategy<Value = Step> {
    let item = prop_oneof![
        any_write().prop_map(Item::Write),
        any_query().prop_map(Item::Read)
    ];
    let transaction = (vec(item, 0..4), any::<bool>())
        .prop_map(|(items, rolls_back)| Act::Transaction(Transaction { items, rolls_back }));
    let act = prop_oneof![
        any_query().prop_map(Act::Read),
        any_write().prop_map(Act::Write),
        transaction,
        Just(Act::Pause(Millis(1))),
        any::<u16>().prop_map(Act::Status),
        any_operand().prop_map(Act::SetSession),
        ".{0,6}".prop_map(|name| Act::Capability {
            name: name.into(),
            detail: Text::default()
        }),
    ];
    let condition = prop_oneof![
        any_register().prop_map(Condition::Missing),
        any_register().prop_map(Condition::Present),
        (any_register(), any_value()).prop_map(|(at, value)| Condition::Equal(at, value)),
        (any_register(), any::<i32>()).prop_map(|(at, bound)| Condition::Below(at, bound.into())),
    ];
    let on_refusal = prop_oneof![
        Just(OnRefusal::Pass),
        Just(OnRefusal::Swallow),
        of(any_register()).prop_map(|told| OnRefusal::Ignore { told }),
    ];
    (act, vec(condition, 0..2), on_refusal).prop_map(|(act, when, on_refusal)| Step {
        act,
        when,
        on_refusal,
    })
}

fn any_answer() -> impl Strategy<Value = Result<Rows, Thrown>> {
    prop_oneof![
        any_value().prop_map(one),
        Just(Ok(Rows::default())),
        Just(Err(SqlError::of(SqlErrorKind::NoSuchTable).into())),
    ]
}
