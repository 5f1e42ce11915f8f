//! `/__serve`: the fast lane, and what is decided in the gate (`lanes.md` 16).

use super::guarded::Lent;
use super::identity::of;
use super::plain::FIRST_RUN;
use super::render::Rendering;
use super::{
    Cx, Failure, Next, Refusal, Segment, SiteFrame, SiteObject, Thrown, Value, Version, answer, labels,
    pages, query, sequence, store,
};
use crate::ecma::JsString;
use crate::host::{Method, Millis, Request, Response, SqlError, SqlErrorKind, Statement, Text, Value as Sql};
use crate::lanes::admission::{Stage, StageName};
use crate::lanes::app::Interpreter;
use crate::lanes::catch_up::BATCH;
use crate::lanes::fence::{Fence, FenceFacts};
use crate::lanes::handoff::Started;
use crate::lanes::header;
use crate::lanes::wire::FenceAnswer;
use crate::number::Number;
use crate::task::{On, Resume, Step};

/// A request for a page, in the gate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Serving {
    request: Request,
    /// When its render began, once it has.
    pub(super) began: Option<Millis>,
    /// Where the lane stood when its render began, where a variant asks for it.
    pub(super) stood: Option<(StageName, Number)>,
    /// The render, while it pauses.
    rendering: Option<Interpreter>,
}

/// What answers a request outside of the gate, without a wait; nothing where the gate must.
pub type FastLane = fn(&SiteObject, &Version, &Request, &mut Cx<'_, '_>) -> Result<Option<Response>, Failure>;

/// The segments of serving.
#[derive(Clone, Copy, Debug)]
pub struct ServeSteps {
    /// Outside of the gate.
    pub fast: FastLane,
    /// First in the gate: everything that can refuse before a render.
    pub begin: Segment<Serving>,
    /// Renders up to a pause, which lets other events in, or to its end, and answers.
    pub render: Segment<Serving>,
    /// When a round of catching up was nudged: hand the session back.
    pub nudged: Segment<Serving>,
}

impl ServeSteps {
    /// As documented.
    pub const DOCUMENTED: ServeSteps = ServeSteps {
        fast,
        begin,
        render,
        nudged,
    };
}

impl Serving {
    pub(super) fn new(request: Request) -> Self {
        Serving {
            request,
            began: None,
            stood: None,
            rendering: None,
        }
    }

    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        let segment = match resume {
            Resume::Start => version.rules.flows.serve.begin,
            Resume::Answer { .. } => version.rules.flows.serve.render,
            _ => version.rules.flows.serve.nudged,
        };
        segment(self, site, version, resume, cx)
    }

    fn cookie(&self) -> Option<&str> {
        self.request.headers.get("cookie")
    }
}

/// The visitor's path: the key `path` of the query.
fn visitor_path(request: &Request) -> Text {
    query::get(query::target(request).1, "path").unwrap_or(Text::new_static("/"))
}

fn is_safe(request: &Request) -> bool {
    matches!(request.method, Method::Get | Method::Head)
}

/// The fast lane checks neither the stage nor the fence.
pub(super) fn fast(
    _: &SiteObject,
    version: &Version,
    request: &Request,
    cx: &mut Cx<'_, '_>,
) -> Result<Option<Response>, Failure> {
    let gate = query::get(query::target(request).1, "lane");
    let cookie = request.headers.get("cookie");
    if request.method != Method::Get
        || gate.as_deref() == Some("gate")
        || (version.rules.sessions.cookie_value)(cookie).is_some()
        || sequence::schema(cx)?.is_none()
        || is_claim(request, cx)?
    {
        return Ok(None);
    }
    let page = pages::find(cx, &visitor_path(request))?;
    if page.is_some() {
        cx.work(version.policy.cached);
    }
    Ok(page)
}

/// Whether the answer is the claim page: this object itself does not know that the site was ever run.
fn is_claim(request: &Request, cx: &mut Cx<'_, '_>) -> Result<bool, SqlError> {
    let accept = request.headers.get("accept").unwrap_or_default();
    Ok(is_safe(request) && accept.contains("text/html") && store::meta(cx, FIRST_RUN)?.is_none())
}

fn begin(
    serving: &mut Serving,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let (rules, identity) = (&version.rules, of(version, cx));
    let stage = site.stage(cx)?;
    if identity.is_lane() && stage != Stage::Serving.into() {
        let refusal = Refusal::new(Refusal::SERVE, format!("the lane is {stage}"));
        return returned(site.hand_back(rules, &refusal, Started::Never, cx));
    }
    if let Some(response) = fence(serving, site, version, cx)? {
        return returned(response);
    }
    if sequence::schema(cx)?.is_none() {
        return returned(answer::problem(503, "the site was never migrated"));
    }
    if is_claim(&serving.request, cx)? {
        cx.note(labels::CLAIMED, visitor_path(&serving.request));
        let mut response = answer::problem(200, "this site is not claimed");
        pages::tiered(cx, &mut response, "CLAIM")?;
        return returned(response);
    }
    let session = (rules.sessions.cookie_value)(serving.cookie()).map(Text::new);
    if session.is_none()
        && is_safe(&serving.request)
        && let Some(page) = pages::find(cx, &visitor_path(&serving.request))?
    {
        cx.work(version.policy.cached);
        return returned(page);
    }
    let Some(value) = session.filter(|_| identity.is_lane()) else {
        return (rules.flows.serve.render)(serving, site, version, resume, cx);
    };
    if !session_is_absent(version, &value, cx)? {
        return (rules.flows.serve.render)(serving, site, version, resume, cx);
    }
    cx.note(labels::SESSION_ABSENT, "");
    if !(rules.catch_up.may_nudge)(site.nudged_at, cx.now()) {
        return (rules.flows.serve.nudged)(serving, site, version, resume, cx);
    }
    site.nudged_at = Some(cx.now());
    cx.note(labels::NUDGED, "");
    let round = super::catch_up::Round::new(Number::from(BATCH));
    Ok(Step::Start(SiteFrame::CatchUp(Box::new(round))))
}

pub(super) fn returned(response: Response) -> Next {
    Ok(Step::Return(Value::Response(response)))
}

fn fence(
    serving: &Serving,
    site: &SiteObject,
    version: &Version,
    cx: &mut Cx<'_, '_>,
) -> Result<Option<Response>, SqlError> {
    let applied = site.sequence(cx)?;
    let facts = FenceFacts {
        replica: of(version, cx).is_replica(),
        applied,
        header: serving.request.headers.get(header::REQUIRE_GENERATION),
    };
    let Fence::Refused { required } = (version.rules.fence.refusal)(&version.rules, &facts) else {
        return Ok(None);
    };
    cx.note(labels::FENCED, format!("{applied} of {required}"));
    let mut response = answer::problem(503, "this lane has not reached that generation");
    FenceAnswer { applied, required }.write(&mut response.headers);
    Ok(Some(response))
}

/// `sessionReach`, where it says absent. A site without sessions, or a cookie without a value, says nothing.
fn session_is_absent(version: &Version, value: &str, cx: &mut Cx<'_, '_>) -> Result<bool, SqlError> {
    if value.is_empty() {
        return Ok(false);
    }
    let row = (version.rules.sessions.row_id)(&JsString::from(value));
    let by_id = Statement::new("SELECT sid FROM sessions WHERE sid = ?", [Sql::text(row)]);
    match cx.sql(&by_id) {
        Ok(found) => Ok(found.rows.is_empty()),
        Err(error) if error.kind == SqlErrorKind::NoSuchTable => Ok(false),
        Err(error) => Err(error),
    }
}

/// Hands back a request whose session the lane does not know.
fn nudged(
    _: &mut Serving,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let refusal = Refusal::new(Refusal::SESSION, "the lane does not know this session");
    returned(site.hand_back(&version.rules, &refusal, Started::Perhaps, cx))
}

pub(super) fn render(
    serving: &mut Serving,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let identity = of(version, cx);
    let began = match serving.began {
        Some(began) => began,
        None => {
            let request = &serving.request;
            if !is_safe(request) && !identity.is_lane() && !attempt_begins(version, request, cx)? {
                return returned(answer::problem(503, "this attempt was begun before"));
            }
            site.boot(version, cx)?;
            cx.now()
        }
    };
    serving.began = Some(began);
    let (application, rules) = (&version.application, &version.rules);
    let mut lent = Lent::new(site, version, cx);
    let rendered = match (application.render)(rules, &serving.request, &mut serving.rendering, &mut lent) {
        Ok(Rendering::Done(rendered)) => rendered,
        Ok(Rendering::Paused(length)) => {
            let pause = cx.sleep(labels::RENDER_PAUSE, length);
            return Ok(Step::Await(On::Call(pause)));
        }
        Err(Thrown::Requires(refusal)) => return Err(refusal.into()),
        Err(thrown) => return returned(answer::problem(500, thrown)),
    };
    let request = &serving.request;
    let session = (version.rules.sessions.cookie_value)(serving.cookie());
    let anonymous = rendered
        .roles
        .split(',')
        .all(|role| matches!(role.trim(), "" | "anonymous"));
    if identity.is_lane() && session.is_some() && anonymous {
        let refusal = Refusal::new(Refusal::SESSION, "the visitor has no role here");
        return returned(site.hand_back(&version.rules, &refusal, Started::Perhaps, cx));
    }
    if request.method == Method::Get && session.is_none() && rendered.status == 200 {
        pages::keep(cx, &visitor_path(request), &rendered, began)?;
    }
    let mut response = Response {
        status: rendered.status,
        headers: rendered.headers,
        body: rendered.body,
    };
    response.headers.set(header::ROLES, rendered.roles);
    pages::tiered(cx, &mut response, "RENDER")?;
    returned(response)
}

/// Marks that an attempt has begun. One that had is not begun again; a request without an id always is.
fn attempt_begins(version: &Version, request: &Request, cx: &mut Cx<'_, '_>) -> Result<bool, SqlError> {
    let id = request.headers.get(header::ATTEMPT);
    let Some(key) = (version.rules.sessions.attempt_key)(id) else {
        return Ok(true);
    };
    if store::meta(cx, &key)?.is_some() {
        cx.note(labels::ATTEMPTED, key);
        return Ok(false);
    }
    store::set(cx, &key, &cx.now().0.to_string())?;
    Ok(true)
}
