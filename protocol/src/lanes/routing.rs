//! Routing: which object a front Worker asks, and when it asks the primary again (`lanes.md` 4).

use std::fmt;

use super::rules::Rules;
use super::{count, header};
use crate::ecma::{JsString, is_word_boundary, trim};
use crate::host::Headers;
use crate::number::Number;

/// The only path that is spread over lanes.
pub const SERVE: &str = "/serve";
/// Paths that write what only the primary may originate: these, and everything below them.
pub const ORIGINATION_PATHS: [&str; 2] = ["/admin/modules", "/admin/config/drupflare/settings"];

/// `fnv1a32`: the hash that spreads affinity keys.
///
/// Each UTF-16 unit is taken whole, not byte by byte. So it agrees with the textbook's FNV-1a for ASCII only, and
/// half a surrogate pair has a hash as well (`lanes.md` 4 and 19.1).
pub fn fnv1a32(text: &JsString) -> u32 {
    const OFFSET: u32 = 2_166_136_261;
    const PRIME: u32 = 16_777_619;
    let step = |hash: u32, &unit: &u16| (hash ^ u32::from(unit)).wrapping_mul(PRIME);
    text.units().iter().fold(OFFSET, step)
}

/// What an affinity key is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AffinityFacts<'a> {
    /// The value of the session cookie, if there is one.
    pub session: Option<&'a str>,
    /// The visitor's address, if known.
    pub address: Option<&'a str>,
    /// The path that the visitor asked for.
    pub pathname: &'a str,
}

/// `affinityKey`: what a request is spread by (`lanes.md` 4).
///
/// With a session the path, so that lanes share the pages; without one the address, so that a visitor stays on a
/// lane. A blank session or address is none. The session itself is never part of the key.
pub fn affinity_key(facts: &AffinityFacts<'_>) -> String {
    match (filled(facts.session), filled(facts.address)) {
        (None, Some(address)) => format!("a:{address}"),
        _ => format!("p:{}", facts.pathname),
    }
}

/// The text without white space around it; none when nothing is left.
fn filled(text: Option<&str>) -> Option<&str> {
    text.map(trim).filter(|text| !text.is_empty())
}

/// Why a write must start on the primary: it makes something that no lane may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origination {
    /// A form with a file.
    Upload,
    /// One of [`ORIGINATION_PATHS`], or a path below it.
    Path(&'static str),
}

impl fmt::Display for Origination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origination::Upload => f.write_str("an upload writes the file store"),
            Origination::Path(path) => write!(f, "{path} writes what only the primary may originate"),
        }
    }
}

/// `originationRoute`: whether a write to this path, with this content type, must start on the primary (`lanes.md` 4).
///
/// The path is compared as it was sent: another case, an escape or a language's prefix goes past it.
pub fn origination_route(visitor_path: &str, content_type: Option<&str>) -> Option<Origination> {
    if content_type.is_some_and(is_upload) {
        return Some(Origination::Upload);
    }
    let path = visitor_path.split('?').next().unwrap_or_default();
    let is_at_or_below = |prefix: &&str| match path.strip_prefix(prefix) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    };
    ORIGINATION_PATHS
        .into_iter()
        .find(is_at_or_below)
        .map(Origination::Path)
}

/// `/^multipart\/form-data\b/i`. Not trimmed: a blank in front defeats it.
fn is_upload(content_type: &str) -> bool {
    const UPLOAD: &str = "multipart/form-data";
    content_type
        .get(..UPLOAD.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(UPLOAD))
        && is_word_boundary(content_type, UPLOAD.len())
}

/// What a route is chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteFacts<'a> {
    /// The site id: the name of the primary.
    pub site: &'a str,
    /// The request's method, in any case.
    pub method: &'a str,
    /// The affinity key.
    pub affinity: &'a str,
    /// How many lanes there are: the larger of the setting and the belief. Any number, NaN too.
    pub replicas: Number,
    /// The path of the object's route, if the caller names one.
    pub pathname: Option<&'a str>,
    /// Whether lanes may forward writes. Only an exact `true` counts.
    pub write_forward: bool,
    /// Whether the request carries a session cookie. Only an exact `true` counts.
    pub has_session: bool,
    /// The path that the visitor asked for.
    pub visitor_path: Option<&'a str>,
    /// The content type of the request.
    pub content_type: Option<&'a str>,
}

/// What an object is asked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TargetRole {
    /// The owner of the state.
    Primary,
    /// A lane.
    Replica,
}

impl fmt::Display for TargetRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TargetRole::Primary => "primary",
            TargetRole::Replica => "replica",
        })
    }
}

/// Which object to ask, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Route {
    /// The object's name.
    pub target: String,
    /// As what.
    pub role: TargetRole,
    /// Its lane; 0 is the primary. NaN when the number of lanes was NaN.
    pub lane: Number,
    /// Why.
    pub reason: RouteReason,
}

/// Why a request goes where it goes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RouteReason {
    /// There are no lanes.
    NoReplicas,
    /// A write, and lanes do not forward.
    WriteNotForwarded,
    /// A path other than [`SERVE`]; empty when the caller named none.
    NotServing(String),
    /// A write that may establish a session.
    WriteWithoutSession,
    /// A write that makes something only the primary may make.
    Origination(Origination),
    /// The hash fell into the primary's bucket.
    AffinityPrimary,
    /// The hash fell into a lane's bucket.
    Affinity,
}

impl fmt::Display for RouteReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RouteReason::NoReplicas => f.write_str("no replicas configured"),
            RouteReason::WriteNotForwarded => {
                f.write_str("a write goes to the primary without asking a replica first")
            }
            RouteReason::NotServing(path) if path.is_empty() => {
                f.write_str("an unnamed route is not the serving path")
            }
            RouteReason::NotServing(path) => write!(f, "{path} is not the serving path"),
            RouteReason::WriteWithoutSession => f.write_str("a write carrying no session may establish one"),
            RouteReason::Origination(why) => write!(f, "{why}"),
            RouteReason::AffinityPrimary => f.write_str("affinity chose the primary lane"),
            RouteReason::Affinity => f.write_str("affinity"),
        }
    }
}

/// `chooseTarget`: which object a request goes to (`lanes.md` 4).
///
/// The primary is a bucket of its own, so it serves its share of what is spread. NaN lanes pass every check, and the
/// request goes to the object `<site>#rNaN` (`lanes.md` 19.5).
pub fn choose_target(rules: &Rules, facts: &RouteFacts<'_>) -> Route {
    let lanes = count(facts.replicas) + Number::integer(1);
    if let Some(reason) = pinned(rules, facts, lanes) {
        return to_primary(facts.site, reason);
    }
    let lane = Number::from(fnv1a32(&facts.affinity.into())) % lanes;
    if lane.js_eq(Number::ZERO) {
        return to_primary(facts.site, RouteReason::AffinityPrimary);
    }
    Route {
        target: (rules.names.replica_name)(facts.site, lane),
        role: TargetRole::Replica,
        lane,
        reason: RouteReason::Affinity,
    }
}

fn to_primary(site: &str, reason: RouteReason) -> Route {
    Route {
        target: site.to_owned(),
        role: TargetRole::Primary,
        lane: Number::ZERO,
        reason,
    }
}

/// Why a request is not spread at all, in the contract's order.
fn pinned(rules: &Rules, facts: &RouteFacts<'_>, lanes: Number) -> Option<RouteReason> {
    let is_read = ["GET", "HEAD"]
        .iter()
        .any(|read| facts.method.eq_ignore_ascii_case(read));
    if lanes.js_eq(Number::integer(1)) {
        return Some(RouteReason::NoReplicas);
    }
    if !is_read && !facts.write_forward {
        return Some(RouteReason::WriteNotForwarded);
    }
    if facts.pathname != Some(SERVE) {
        return Some(RouteReason::NotServing(
            facts.pathname.unwrap_or_default().to_owned(),
        ));
    }
    if is_read {
        return None;
    }
    if !facts.has_session {
        return Some(RouteReason::WriteWithoutSession);
    }
    (rules.routing.origination_route)(facts.visitor_path.unwrap_or_default(), facts.content_type)
        .map(RouteReason::Origination)
}

/// What an object answered, as far as a failover asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FailoverFacts<'a> {
    /// The response's status.
    pub status: u16,
    /// The response's header fields.
    pub headers: &'a Headers,
}

/// `shouldFailover`: whether the same request may be sent to the primary: it was refused there, needs the primary, and
/// left nothing behind (`lanes.md` 4).
pub fn should_failover(facts: &FailoverFacts<'_>) -> bool {
    facts.status == 421
        && facts.headers.get(header::REQUIRES_PRIMARY).is_some()
        && facts.headers.get(header::RETRY_SAFE) == Some("1")
}
