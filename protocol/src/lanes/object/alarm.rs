//! A run of the alarm (`lanes.md` 15). It runs outside of the gate.

use super::catch_up::Round;
use super::identity::{Identity, of};
use super::{Cx, Next, Segment, SiteFrame, SiteObject, Value, Version, labels, store};
use crate::host::{Answer, Millis, Shared, SqlError, Statement, Value as Sql};
use crate::lanes::admission::Stage;
use crate::lanes::alarm::{KEEP_WARM, LanePhase, LanePhaseFacts, idle_after};
use crate::lanes::catch_up::BATCH;
use crate::lanes::growth::AGAIN_AFTER;
use crate::lanes::meta::Key;
use crate::number::Number;
use crate::task::{On, Resume, Step};

use super::version::Variables;

/// A run of the alarm on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Alarming {
    phase: Phase,
    /// Which override is read.
    variable: usize,
    /// Whether this run has asked for another copy.
    asked: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Phase {
    /// Overrides of variables are read.
    #[default]
    Settings,
    /// The lane asks for another copy.
    Ask,
    /// The lane catches up.
    CatchUp,
    /// The primary grows and repairs its pool.
    Grow,
    /// What was captured is sealed, at the end.
    Seal,
}

/// The segments of a run of the alarm.
#[derive(Clone, Copy, Debug)]
pub struct AlarmSteps {
    /// What a request does about the alarm before anything else.
    pub on_request: fn(&Version, &Identity, &mut Cx<'_, '_>),
    /// First, when the settings are known: the phase of a lane, or growth.
    pub begin: Segment<Alarming>,
    /// When a withdrawn lane has asked: catch up.
    pub asked: Segment<Alarming>,
    /// When the lane has caught up: what follows its phase.
    pub caught_up: Segment<Alarming>,
    /// When the primary's step of growth has ended: what follows a report.
    pub grown: Segment<Alarming>,
    /// The ordinary body: sweep, and set the alarm again.
    pub body: Segment<Alarming>,
    /// However the run ends: settle, and seal.
    pub settle: Segment<Alarming>,
    /// When that is sealed: the alarm of a serving lane is pulled in.
    pub sealed: Segment<Alarming>,
}

impl AlarmSteps {
    /// As documented.
    pub const DOCUMENTED: AlarmSteps = AlarmSteps {
        on_request,
        begin,
        asked,
        caught_up,
        grown,
        body,
        settle,
        sealed,
    };
}

/// Nothing arms a lane's alarm but what the contract names. The primary's is set by whatever request finds none.
fn on_request(version: &Version, identity: &Identity, cx: &mut Cx<'_, '_>) {
    if !identity.is_lane() && cx.alarm().is_none() {
        cx.set_alarm(Some(cx.now().after(version.policy.window)));
    }
}

impl Alarming {
    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        if resume == Resume::Finally {
            return (version.rules.flows.alarm.settle)(self, site, version, resume, cx);
        }
        let steps = &version.rules.flows.alarm;
        let segment = match self.phase {
            Phase::Settings => return self.settings(site, version, resume, cx),
            Phase::Ask => steps.asked,
            Phase::CatchUp => steps.caught_up,
            Phase::Grow => steps.grown,
            Phase::Seal => steps.sealed,
        };
        segment(self, site, version, resume, cx)
    }

    /// Reads what KV says of the variables, one by one. What cannot be read leaves a variable as it was.
    fn settings(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        if let Resume::Answer { outcome, .. } = &resume {
            let name = Variables::OVERRIDABLE
                .get(self.variable)
                .copied()
                .unwrap_or_default();
            match outcome {
                Ok(Answer::Entry(Some(text))) => drop(site.overrides.insert(name, text.clone())),
                Ok(Answer::Entry(None)) => drop(site.overrides.remove(name)),
                _ => {}
            }
            self.variable += 1;
        }
        match Variables::OVERRIDABLE.get(self.variable) {
            Some(name) if version.policy.reads_overrides => {
                let call = cx.get(labels::READ_OVERRIDE, Shared::Kv, &format!("env:{name}"));
                Ok(Step::Await(On::Call(call)))
            }
            _ => (version.rules.flows.alarm.begin)(self, site, version, resume, cx),
        }
    }
}

fn begin(
    run: &mut Alarming,
    _: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if of(version, cx).is_lane() {
        run.phase = Phase::Ask;
        return Ok(Step::Enter(SiteFrame::Ask(Box::default())));
    }
    run.phase = Phase::Grow;
    Ok(Step::Enter(SiteFrame::Grow(Box::default())))
}

fn asked(
    run: &mut Alarming,
    _: &mut SiteObject,
    _: &Version,
    resume: Resume<SiteObject>,
    _: &mut Cx<'_, '_>,
) -> Next {
    run.asked = resume == Resume::Returned(Value::Asked(true));
    run.phase = Phase::CatchUp;
    Ok(Step::Enter(SiteFrame::CatchUp(Box::new(Round::new(
        Number::from(BATCH),
    )))))
}

fn caught_up(
    run: &mut Alarming,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let ran = matches!(&resume, Resume::Returned(Value::Round(round)) if round.ran.is_true());
    let asks = store::stored(cx, Key::READMIT_ASKS.0)?;
    let facts = LanePhaseFacts {
        stage: site.stage(cx)?,
        round_ran: ran,
        asked_now: run.asked,
        asks: asks.as_deref(),
    };
    match (version.rules.alarm.after_lane_phase)(&version.rules, &facts) {
        LanePhase::GoesOn => (version.rules.flows.alarm.body)(run, site, version, resume, cx),
        LanePhase::Again(after) => {
            // Backoffs are whole and short; what is neither is as long as any.
            let after = after.to_u64_exact().map_or(KEEP_WARM, Millis);
            arm(cx, after, "lane");
            Ok(Step::Return(Value::Nothing))
        }
        LanePhase::Sleeps => {
            cx.note(labels::ALARM, "lane sleeps");
            Ok(Step::Return(Value::Nothing))
        }
    }
}

fn grown(
    run: &mut Alarming,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if let Resume::Returned(Value::Report(Some(_))) = resume {
        arm(cx, AGAIN_AFTER, "growth");
        return Ok(Step::Return(Value::Nothing));
    }
    (version.rules.flows.alarm.body)(run, site, version, resume, cx)
}

fn body(
    _: &mut Alarming,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    sweep_attempts(cx)?;
    if of(version, cx).is_lane() {
        site.peak = site.inflight;
    }
    let idle = !std::mem::take(&mut site.served) && site.peak < 1;
    if idle {
        arm(cx, idle_after(version.policy.window), "idle");
    } else {
        arm(cx, version.policy.window, "served");
    }
    Ok(Step::Return(Value::Nothing))
}

pub(super) fn arm(cx: &mut Cx<'_, '_>, after: Millis, why: &'static str) {
    cx.note(labels::ALARM, why);
    cx.set_alarm(Some(cx.now().after(after)));
}

/// How long the marker of an attempt is kept.
const ATTEMPT_KEPT: Millis = Millis(600_000);

/// Takes away the markers of attempts that are long over.
fn sweep_attempts(cx: &mut Cx<'_, '_>) -> Result<(), SqlError> {
    let all = Statement::new(
        "SELECT k, v FROM cfw_meta WHERE k >= ? AND k < ? ORDER BY k",
        [Sql::text("attempt:"), Sql::text("attempt;")],
    );
    let now = Number::from(cx.now().0);
    for row in cx.sql(&all)?.rows {
        let text = |at: usize| row.get(at).and_then(Sql::as_text).unwrap_or_default();
        if (now - Number::parse(text(1))).js_gt(Number::from(ATTEMPT_KEPT.0)) {
            store::remove(cx, text(0))?;
        }
    }
    Ok(())
}

pub(super) fn settle(
    run: &mut Alarming,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    run.phase = Phase::Seal;
    site.settle(version, cx)?;
    Ok(Step::Enter(SiteFrame::Seal(Box::default())))
}

fn sealed(
    _: &mut Alarming,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if of(version, cx).is_lane() && site.stage(cx)? == Stage::Serving.into() {
        let lag = site.variable("REPLICA_LAG_MS", &version.variables.replica_lag_ms);
        let lag = (version.rules.settings.replica_lag)(lag);
        let due = (version.rules.alarm.serving_alarm)(cx.now(), lag, cx.alarm());
        cx.set_alarm(Some(due));
    }
    Ok(Step::Return(Value::Nothing))
}
