//! Asking for another copy: the lane asks (`lanes.md` 14.3), and the primary queues it (13.5 and 17).

use super::flows::two_segments;
use super::identity::{Identity, of};
use super::{Cx, Failure, Next, Segment, SiteObject, Value, Version, answer, labels, position, store};
use crate::host::{Body, Request, Response};
use crate::json::Json;
use crate::lanes::admission::{Move, Stage};
use crate::lanes::alarm::asked;
use crate::lanes::growth::{AGAIN_AFTER, Repairs};
use crate::lanes::meta::Key;
use crate::lanes::name::lane_number;
use crate::task::{On, Resume, Step};

/// A lane that asks, if it is withdrawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Asking {}

/// The segments of asking.
#[derive(Clone, Copy, Debug)]
pub struct AskSteps {
    /// First: become CREATED, and post.
    pub post: Segment<Asking>,
    /// With the primary's answer.
    pub told: Segment<Asking>,
}

impl AskSteps {
    /// As documented.
    pub const DOCUMENTED: AskSteps = AskSteps { post, told };
}

two_segments!(Asking, ask, post, told);

pub(super) fn post(
    _: &mut Asking,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let stage = site.stage(cx)?;
    let asks = store::meta(cx, Key::READMIT_ASKS.0)?;
    let Some(writes) = (version.rules.alarm.ask_for_copy)(&version.rules, &stage, asks.as_deref()) else {
        return Ok(Step::Return(Value::Asked(false)));
    };
    store::write(cx, writes)?;
    position::note(&stage, &Move::Moved(Stage::Created), cx);
    let asks = store::meta(cx, Key::READMIT_ASKS.0)?;
    cx.note(labels::ASKED, asked(asks.as_deref()).to_string());
    let identity = of(version, cx);
    let path = format!("/__replica?action=readmit&lane={}", identity.lane);
    let request = Request::post(path, Body::default());
    let call = cx.call(labels::ASK_READMIT, &identity.primary(), request);
    Ok(Step::Await(On::Call(call)))
}

/// An answer that is not what was hoped for is told, and nothing more: the lane waits, and asks no second time.
fn told(
    _: &mut Asking,
    _: &mut SiteObject,
    _: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let response = resume.response()?;
    if response.status != 200 {
        cx.note(labels::ASKED, format!("answered {}", response.status));
    }
    Ok(Step::Return(Value::Asked(true)))
}

impl SiteObject {
    /// `action=readmit` on the primary.
    pub(super) fn readmit(
        &self,
        identity: &Identity,
        lane: &str,
        cx: &mut Cx<'_, '_>,
    ) -> Result<Response, Failure> {
        if identity.is_lane() {
            return Ok(answer::problem(409, "a lane is readmitted by the primary"));
        }
        let Some(lane) = lane_number(lane) else {
            return Ok(answer::problem(400, "a lane number starts at 1"));
        };
        let mut repairs = Repairs::stored(store::meta(cx, Key::REPAIRS.0)?.as_deref());
        repairs.enqueue(lane);
        store::write(cx, [repairs.write()])?;
        cx.note(labels::REPAIR_QUEUED, lane.to_string());
        if cx.alarm().is_none() {
            cx.set_alarm(Some(cx.now().after(AGAIN_AFTER)));
        }
        Ok(answer::keys(
            200,
            [("queued", Json::Bool(true)), ("lane", Json::Number(lane))],
        ))
    }
}
