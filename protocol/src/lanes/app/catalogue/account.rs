//! Logging in and out.

use super::parts::{
    Ddl, NOW, account_of, cached, ignored, in_seconds, insert, log, query, row_of, work, write,
};
use crate::host::{Text, Value};
use crate::lanes::app::program::{Act, Condition, OnRefusal, Register, RenderProgram, Step};
use crate::lanes::app::tables::FLOOD;

const ACCOUNT: Register = Register(0);
const REFUSED: Register = Register(1);

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
