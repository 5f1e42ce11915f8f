//! Replica lanes in words: what is said of each place of the protocol, of parties, and of what people do.

mod visits;

use protocol::host::Label;
use protocol::lanes::front::labels as front;
use protocol::lanes::name::replica_of;
use protocol::lanes::object::labels as object;
use protocol::lanes::operator::Operate;

use super::shape::{Operated, Operation, Shape};
use crate::printable::brief;
use crate::world::words::Phrase;
use visits::{asked, session};

/// What is said of each place, in the order of the protocol's own lists.
const PHRASES: [(Label, Phrase); 67] = [
    (
        object::GATE,
        Phrase::asks("waits for its turn", "its turn").routine(),
    ),
    (
        object::HERD,
        Phrase::does("waits for the same page, which another request renders: {detail}"),
    ),
    (
        object::SEAL_DIGEST,
        Phrase::asks("digests its state, to seal a record", "the digest is there"),
    ),
    (
        object::HEAD_DIGEST,
        Phrase::asks("digests its state, for its head", "the digest is there").routine(),
    ),
    (
        object::VERDICT_DIGEST,
        Phrase::asks(
            "digests its own state, to hold it against the primary's",
            "the digest is there",
        )
        .routine(),
    ),
    (
        object::MIGRATE_LANE,
        Phrase::asks("gives {to} the schema", "{to} has the schema"),
    ),
    (
        object::POST_CHUNK,
        Phrase::asks("sends {to} a chunk of its copy", "the chunk is answered"),
    ),
    (
        object::READ_HEAD,
        Phrase::asks("asks {to} for its head", "the head comes"),
    ),
    (
        object::READ_LOG,
        Phrase::asks("asks {to} for the log", "the log comes"),
    ),
    (
        object::ASK_READMIT,
        Phrase::asks("asks {to} for another copy", "that is answered"),
    ),
    (
        object::FORWARD,
        Phrase::asks("forwards its batch to {to}", "the batch is answered"),
    ),
    (
        object::FORWARD_AGAIN,
        Phrase::asks("forwards the batch to {to} once more", "the batch is answered"),
    ),
    (
        object::PUT_LANES,
        Phrase::does("tells KV how many lanes there are").routine(),
    ),
    (
        object::READ_OVERRIDE,
        Phrase::asks("reads an override from KV", "KV answers").routine(),
    ),
    (
        object::RENDER_PAUSE,
        Phrase::asks("pauses in mid-render", "the render goes on"),
    ),
    (
        object::CAPTURED,
        Phrase::does("writes what its log is to hold: {detail}"),
    ),
    (
        object::OVERFLOWED,
        Phrase::does("writes more than a record holds: its buffer overflows, from {detail} on"),
    ),
    (object::SEALED, Phrase::does("seals a record, {detail}")),
    (
        object::SEAL_DROPPED,
        Phrase::does("drops what it would have sealed: {detail}"),
    ),
    (object::STAGE, Phrase::does("moves its stage {detail}")),
    (
        object::STAGE_KEPT,
        Phrase::does("keeps its stage: {detail}").routine(),
    ),
    (object::BATCH, Phrase::does("judges a forwarded batch: {detail}")),
    (
        object::DEFERRED_LOST,
        Phrase::does("loses a deferred row: {detail}"),
    ),
    (
        object::LANDED,
        Phrase::does("takes in a chunk of its copy: {detail}"),
    ),
    (
        object::NOT_LANDED,
        Phrase::does("does not take the chunk in: {detail}"),
    ),
    (
        object::WHOLE,
        Phrase::does("has its copy whole, of generation {detail}"),
    ),
    (object::RECORD, Phrase::does("judges record {detail}")),
    (object::NO_ROUND, Phrase::does("does not catch up: {detail}")),
    (
        object::VERDICT,
        Phrase::does("comes to a verdict on itself: {detail}"),
    ),
    (
        object::ASKED,
        Phrase::does("has asked for another copy: {detail}"),
    ),
    (
        object::REPAIR_QUEUED,
        Phrase::does("queues lane {detail} for another copy"),
    ),
    (object::PROVISION_ENDED, Phrase::does("ends the copy: {detail}")),
    (
        object::PROVISION_PAUSED,
        Phrase::does("pauses the copy, at {detail}"),
    ),
    (
        object::PROVISIONED,
        Phrase::does("is done with the copy of lane {detail}"),
    ),
    (
        object::NO_GROWTH,
        Phrase::does("does not let the pool grow: {detail}").routine(),
    ),
    (
        object::FLUSHED,
        Phrase::does("makes of the batch's answer: {detail}"),
    ),
    (
        object::COLLECTED_DROPPED,
        Phrase::does("drops what the request has collected: {detail}"),
    ),
    (
        object::GUARDED,
        Phrase::does("refuses a call of the application: {detail}"),
    ),
    (
        object::SPECULATED,
        Phrase::does("runs a transaction only to see what it would do: {detail}").routine(),
    ),
    (
        object::HANDED_BACK,
        Phrase::does("hands the request back: {detail}"),
    ),
    (
        object::FENCED,
        Phrase::does("is not far enough for the request: it stands at {detail}"),
    ),
    (
        object::TIER,
        Phrase::does("takes the page from the tier {detail}").routine(),
    ),
    (object::SESSION_ABSENT, Phrase::does("does not know the session")),
    (
        object::NUDGED,
        Phrase::does("begins to catch up, to come to know it"),
    ),
    (
        object::PURGED,
        Phrase::does("empties the caches that show state: {detail}").routine(),
    ),
    (
        object::ALARM,
        Phrase::does("goes on by its alarm: {detail}").routine(),
    ),
    (
        object::BOOTED,
        Phrase::does("boots the interpreter, as lane {detail}").routine(),
    ),
    (
        object::DROPPED,
        Phrase::does("drops the interpreter: {detail}").routine(),
    ),
    (
        object::ATTEMPTED,
        Phrase::does("knows the attempt, and does not begin it again: {detail}"),
    ),
    (
        object::THREW,
        Phrase::does("fails in the request: {detail}").routine(),
    ),
    (
        object::SETTLE_TAGS,
        Phrase::does("settles the cache tags: {detail}").routine(),
    ),
    (
        object::CLAIMED,
        Phrase::does("answers with a claim page, as of a site that was never set up: {detail}"),
    ),
    (
        front::READ_OVERRIDE,
        Phrase::asks("reads an override from KV", "KV answers").routine(),
    ),
    (
        front::READ_SITE,
        Phrase::asks("looks for the site in KV", "KV answers").routine(),
    ),
    (
        front::READ_EDGE,
        Phrase::asks("looks for the pointer in the edge cache", "the cache answers").routine(),
    ),
    (
        front::READ_POINTER,
        Phrase::asks("looks for the pointer in KV", "KV answers").routine(),
    ),
    (
        front::WRITE_EDGE,
        Phrase::does("leaves the pointer in the edge cache").routine(),
    ),
    (front::ASK_PRIMARY, Phrase::asks("asks {to}", "{to} answers")),
    (front::ASK_LANE, Phrase::asks("asks {to}", "{to} answers")),
    (front::ASK_AGAIN, Phrase::asks("asks {to} again", "{to} answers")),
    (
        front::FAIL_OVER,
        Phrase::asks("asks {to} instead", "{to} answers"),
    ),
    (front::ROUTED, Phrase::does("chooses {detail}").routine()),
    (
        front::FAILED_OVER,
        Phrase::does("is handed the request back, {detail}"),
    ),
    (front::RECOVERED, Phrase::does("sees its call fail, {detail}")),
    (
        front::ATTEMPT,
        Phrase::does("calls the attempt {detail}").routine(),
    ),
    (
        front::HEARD,
        Phrase::does("hears of another number of lanes, {detail}").routine(),
    ),
    (front::ANSWERED, Phrase::does("answers by itself: {detail}")),
];

/// What is said of a place.
pub(super) fn phrase(label: Label) -> Option<Phrase> {
    let found = PHRASES.iter().find(|(of, _)| *of == label);
    found.map(|(_, phrase)| *phrase)
}

/// The roles that violations tell apart.
pub(super) const ROLES: [&str; 4] = ["primary", "lane", "front", "client"];

/// The role of a party, or of a client.
pub(super) fn role(who: &str) -> &'static str {
    let [primary, lane, front, client] = ROLES;
    match who.strip_prefix("site/").map(replica_of) {
        Some(None) => primary,
        Some(Some(_)) => lane,
        None if who.starts_with("front ") => front,
        None => client,
    }
}

/// A party, in words.
pub(super) fn party(who: &str) -> String {
    let Some(name) = who.strip_prefix("site/") else {
        return who.to_owned();
    };
    match replica_of(name) {
        None => "the primary".to_owned(),
        Some(lane) => format!("lane {}", lane.lane),
    }
}

/// Who acts, and what they do, in words.
pub(super) fn operation(operation: &Operation, shape: &Shape) -> (&'static str, String) {
    match operation {
        Operation::Visit {
            front, ask, visitor, ..
        } => {
            let (who, with) = session(visitor, shape);
            (who, format!("{}, at front {front}{with}", asked(ask)))
        }
        Operation::Recreate { lane } => (
            "operator",
            format!("takes lane {lane} away, and asks for a copy to the new one"),
        ),
        Operation::Set { variable, value } => {
            let variable = <&'static str>::from(*variable);
            let told = match value {
                Some(value) => format!("sets {variable} to `{}` in KV", value.escape_debug()),
                None => format!("takes the override of {variable} out of KV"),
            };
            ("operator", told)
        }
        Operation::LateChunk {
            lane,
            nth,
            from_the_last,
        } => {
            let chunk = match (from_the_last, nth) {
                (false, nth) => format!("chunk {nth}"),
                (true, 0) => "the last chunk".to_owned(),
                (true, nth) => format!("the last chunk but {nth}"),
            };
            (
                "network",
                format!("{chunk} that the primary has sent to lane {lane} arrives once more"),
            )
        }
        Operation::Forge { lane, forged } => {
            let forged = serde_json::to_value(forged).expect("a kind can be written");
            let forged = forged.as_str().unwrap_or_default().replace('-', " ");
            ("stranger", format!("sends lane {lane} a {forged}"))
        }
        Operation::Operate { on, operate } => {
            let on = match on {
                Operated::Front(front) => format!("the primary, through front {front},"),
                Operated::Primary => "the primary".to_owned(),
                Operated::Lane(lane) => format!("lane {lane}"),
            };
            ("operator", format!("has {on} {}", operated(operate)))
        }
    }
}

fn operated(operate: &Operate) -> String {
    match operate {
        Operate::Head => "tell how it stands".to_owned(),
        Operate::Stage { to } => format!("move its stage to {}", brief(to)),
        Operate::Provision {
            lane, cursor: None, ..
        } => format!("begin the copy of lane {lane}"),
        Operate::Provision { lane, .. } => format!("go on with the copy of lane {lane}"),
        Operate::Readmit { lane } => format!("queue lane {lane} for another copy"),
        Operate::CatchUp { .. } => "catch up".to_owned(),
        Operate::Log { since, .. } => format!("tell its records after {since}"),
        Operate::Snapshot { page: None } => "tell the plan of a copy".to_owned(),
        Operate::Snapshot { .. } => "tell a page of a table".to_owned(),
        Operate::Restore { .. } => "take in a chunk".to_owned(),
        Operate::Migrate => "take on the schema of its code".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::World;
    use crate::world::lanes::LanesWorld;

    #[test]
    fn parties_have_words() {
        assert_eq!(party("site/shop"), "the primary");
        assert_eq!(party("site/shop#r12"), "lane 12");
        assert_eq!(party("front 0"), "front 0");
    }

    #[test]
    fn parties_have_roles() {
        let roles = ["site/shop", "site/shop#r12", "front 0", "client"].map(role);
        assert_eq!(roles, ROLES);
    }

    #[test]
    fn each_label_has_one_phrase() {
        let labels = LanesWorld::labels();
        for label in &labels {
            let phrases = PHRASES.iter().filter(|(of, _)| of == label).count();
            assert_eq!(phrases, 1, "`{}` has {phrases} phrases", label.0);
        }
        assert_eq!(
            PHRASES.len(),
            labels.len(),
            "a phrase is of a label that is there"
        );
    }
}
