//! Visits in words: who comes, with what session, and for what.

use protocol::lanes::app::catalogue::{Ask, Visitor, session_of};

use crate::printable::brief;
use crate::world::lanes::shape::Shape;

/// Who visits, and with what session.
pub(super) fn session(visitor: &Visitor, shape: &Shape) -> (&'static str, String) {
    let Some(session) = &visitor.session else {
        return ("visitor", String::new());
    };
    match (0..=shape.accounts).find(|uid| session_of(*uid) == *session) {
        Some(0) => ("visitor", ", with a session of nobody (account 0)".to_owned()),
        Some(uid) => ("editor", format!(", as account {uid}")),
        // Who logs in is given a session that is called as the attempt is: another attempt's name may be one.
        None => (
            "visitor",
            format!(
                ", with the cookie `{}`, which is a session only where a login has opened it",
                brief(session)
            ),
        ),
    }
}

/// What is asked for, as what whoever visits does.
pub(super) fn asked(ask: &Ask) -> String {
    match ask {
        Ask::Install { nodes, .. } => format!("installs the site, with {}", counted(*nodes, "node")),
        Ask::Front { .. } => "opens the front page".to_owned(),
        Ask::Node { nid, .. } => format!("opens node {nid}"),
        Ask::Waiting { nid, pause } => format!("opens the feed of node {nid}, which waits {pause}"),
        Ask::Fenced { nid, generation } => {
            format!("wants node {nid} as of generation {generation} at least")
        }
        Ask::Login { uid } => format!("logs in as account {uid}"),
        Ask::FailedLogin { uid } => format!("fails to log in as account {uid}"),
        Ask::Logout => "logs out".to_owned(),
        Ask::Create => "creates a node".to_owned(),
        Ask::Edit { nid } => format!("opens the form of node {nid}"),
        Ask::Save { nid, .. } => format!("saves node {nid}"),
        Ask::Upload => "uploads a file".to_owned(),
        Ask::InstallModule { objects, routes } => {
            let (objects, routes) = (counted(*objects, "object"), counted(*routes, "route"));
            format!("installs a module of {objects} and {routes}")
        }
        Ask::DefineTable => "defines a table".to_owned(),
        Ask::Cron => "runs cron".to_owned(),
        Ask::Enqueue => "queues a piece of work".to_owned(),
        Ask::Mail { to } => format!("has account {to} sent a mail"),
        Ask::RenewKey => "renews the key of cron".to_owned(),
        Ask::PrivateKey => "has the private key made".to_owned(),
        Ask::Subscribe { .. } => "subscribes to the letter".to_owned(),
    }
}

/// So many of something.
fn counted(count: u32, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use protocol::host::Text;

    use super::*;

    #[test]
    fn a_cookie_says_whose_it_is() {
        let shape = Shape {
            site: Text::new_static("shop"),
            nodes: 1,
            accounts: 2,
            lanes: 1,
            fronts: 1,
            keyed: true,
            overrides: false,
        };
        let told = |cookie: Option<&str>| {
            let visitor = Visitor {
                session: cookie.map(Text::new),
                ..Visitor::default()
            };
            session(&visitor, &shape)
        };
        assert_eq!(told(None), ("visitor", String::new()));
        assert_eq!(
            told(Some("session-of-account-2")),
            ("editor", ", as account 2".to_owned())
        );
        assert_eq!(
            told(Some("session-of-account-0")),
            ("visitor", ", with a session of nobody (account 0)".to_owned())
        );
        for unknown in ["session-of-account-3", "t7"] {
            let (who, with) = told(Some(unknown));
            assert_eq!(who, "visitor");
            assert!(with.contains("only where a login has opened it"), "{with}");
        }
    }
}
