//! Logging in and out, and subscribing.

use super::parts::{
    Ddl, NOW, account_of, cached, ignored, in_seconds, insert, log, query, row_of, transaction, work, write,
};
use crate::host::{Millis, Text, Value};
use crate::lanes::app::program::{Act, Condition, OnRefusal, Operand, Register, RenderProgram, Step};
use crate::lanes::app::tables::FLOOD;
use crate::number::Number;

const ACCOUNT: Register = Register(0);
const REFUSED: Register = Register(1);
const NUMBER: Register = Register(2);

/// Somebody logs in and is given a session.
#[must_use]
pub fn login(token: Text, uid: u32, session: &str) -> RenderProgram {
    let person = query(
        "SELECT uid, name, status FROM users_field_data WHERE uid = :uid",
        [(":uid", uid.into())],
    );
    let known = |step: Step| step.when(Condition::Present(ACCOUNT));
    let greeted = write(
        "UPDATE users_field_data SET login = :login, access = :access WHERE uid = :uid",
        [(":login", NOW), (":access", NOW), (":uid", ACCOUNT.into())],
    );
    let opened = insert(
        "sessions",
        [
            ("sid", row_of(session).into()),
            ("uid", ACCOUNT.into()),
            ("hostname", "".into()),
            ("timestamp", NOW),
            ("session", token.clone().into()),
        ],
    );
    let forgiven = write(
        "DELETE FROM flood WHERE event = :event AND identifier = :identifier",
        [
            (":event", "user.failed_login_user".into()),
            (":identifier", uid.into()),
        ],
    );
    RenderProgram {
        steps: vec![
            person.keep(ACCOUNT).into(),
            ignored(forgiven),
            known(opened.into()),
            known(greeted.into()),
            known(log("user", "Session opened.", ACCOUNT)),
            known(Act::SetSession(session.into()).into()),
            Step::from(Act::Status(403)).when(Condition::Missing(ACCOUNT)),
            work(60),
        ],
        token,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}

/// Somebody tries to log in with a wrong password. The table that counts this is created when it is first needed.
#[must_use]
pub fn failed_login(token: Text, uid: u32) -> RenderProgram {
    let counted = || {
        insert(
            "flood",
            [
                ("event", "user.failed_login_user".into()),
                ("identifier", uid.into()),
                ("timestamp", NOW),
                ("expiration", in_seconds(21_600)),
            ],
        )
    };
    let refused = |step: Step| step.when(Condition::Equal(REFUSED, Value::from(1)));
    let created = Ddl(FLOOD.ddl_if_missing()).into();
    RenderProgram {
        steps: vec![
            cached("login-form").into(),
            Step::from(counted()).on_refusal(OnRefusal::Ignore { told: Some(REFUSED) }),
            refused(created),
            refused(counted().into()),
            log("user", "Login attempt failed.", 0),
            work(60),
        ],
        token,
        ..RenderProgram::default()
    }
}

/// Somebody logs out.
#[must_use]
pub fn logout(token: Text, session: &str) -> RenderProgram {
    let closed = write(
        "DELETE FROM sessions WHERE sid = :sid",
        [(":sid", row_of(session).into())],
    );
    RenderProgram {
        steps: vec![
            account_of(session, ACCOUNT),
            log("user", "Session closed.", ACCOUNT),
            closed.into(),
            Act::SetSession(Value::Null.into()).into(),
            work(10),
        ],
        token,
        account: Some(ACCOUNT),
        ..RenderProgram::default()
    }
}

/// Somebody subscribes to the site's letter: two pieces of work are queued, each in a transaction of its own, and it is
/// remembered for a day who did. Between the two the application may wait for somebody else's answer. A number is taken
/// from the sequences, and a mail is sent, by the primary alone: a lane has written by then, and hands all of it over.
#[must_use]
pub fn subscribe(token: Text, pause: Millis, mails: bool, numbered: bool) -> RenderProgram {
    let queued = |data: Text| {
        Step::from(insert(
            "queue",
            [
                ("name", "letter".into()),
                ("data", data.into()),
                ("expire", 0.into()),
                ("created", NOW),
            ],
        ))
    };
    let remembered = insert(
        "key_value_expire",
        [
            ("collection", "update".into()),
            ("name", token.clone().into()),
            ("value", token.clone().into()),
            ("expire", in_seconds(86_400)),
        ],
    );
    let mut steps = vec![queued(token.clone())];
    if pause.0 > 0 {
        steps.push(Act::Pause(pause).into());
    }
    steps.push(queued(Text::from(format!("letter of {token}"))));
    steps.push(remembered.into());
    if numbered {
        steps.extend(next_number());
    }
    if mails {
        let detail = Text::from(format!("{{\"token\":\"{token}\"}}"));
        let name = Text::new_static("cfwMail");
        steps.push(Act::Capability { name, detail }.into());
    }
    steps.push(work(20));
    RenderProgram {
        token,
        steps,
        ..RenderProgram::default()
    }
}

/// Takes the next value of the application's id service, which keeps the last one.
fn next_number() -> [Step; 3] {
    let last = query("SELECT MAX(value) AS value FROM sequences", []);
    let first = insert("sequences", [("value", 1.into())]);
    let next = Operand::Sum {
        register: NUMBER,
        by: Number::integer(1),
    };
    let moved = transaction(vec![
        insert("sequences", [("value", next)]).into(),
        write(
            "DELETE FROM sequences WHERE value = :value",
            [(":value", NUMBER.into())],
        )
        .into(),
    ]);
    [
        last.keep(NUMBER).into(),
        Step::from(first).when(Condition::Missing(NUMBER)),
        moved.when(Condition::Present(NUMBER)),
    ]
}
