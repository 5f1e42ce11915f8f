//! A lane's round of catching up (`catchUpOnce`, `lanes.md` 14.2). Rounds overlap each other, requests and chunks.

use std::sync::Arc;

use super::identity::of;
use super::state::State;
use super::store;
use super::{
    Cx, Failure, Next, Segment, SiteObject, Value, Version, labels, pages, position, sequence, state,
};
use crate::host::{Answer, Request, SqlError, Text};
use crate::lanes::admission::{AdmissionFacts, Move};
use crate::lanes::catch_up::{NoRound, Pull, PullEnd, RefusedRecord, RoundFacts};
use crate::lanes::log::{Application, Plan};
use crate::lanes::wire::{CatchUpAnswer, Head, LogAnswer};
use crate::number::Number;
use crate::task::{On, Resume, Step};

/// A round on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Round {
    pub(super) limit: Number,
    pub(super) phase: Phase,
    /// Where the round found the lane, or has brought it since. Others may have brought it further.
    reached: Number,
    /// What the primary told of itself.
    pub(super) head: Option<Arc<Head>>,
    /// How many records were applied.
    pub(super) count: usize,
    /// How many records the last answer held.
    pub(super) brought: usize,
    /// The position and the state whose digest is awaited.
    digested: Option<(Number, State)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Phase {
    Head,
    Log,
    Digest,
}

/// The segments of a round.
#[derive(Clone, Copy, Debug)]
pub struct RoundSteps {
    /// First: whether it runs; asks for the head.
    pub begin: Segment<Round>,
    /// With the head: asks for the log, or goes on to the verdict.
    pub head: Segment<Round>,
    /// With the records: applies them in order, without a wait.
    pub records: Segment<Round>,
    /// What the commit sequence is set to when the records are applied: what this round has come to.
    pub clock: fn(&Round, &SiteObject, &Version, &mut Cx<'_, '_>) -> Result<Number, SqlError>,
    /// Begins the digest of the lane's own state.
    pub digest: Segment<Round>,
    /// With the digest: the verdict, and its moves.
    pub verdict: Segment<Round>,
}

impl RoundSteps {
    /// As documented.
    pub const DOCUMENTED: RoundSteps = RoundSteps {
        begin,
        head,
        records,
        clock: |round, _, _, _| Ok(round.reached),
        digest,
        verdict,
    };
}

impl Round {
    pub(super) fn new(limit: Number) -> Self {
        Round {
            limit,
            phase: Phase::Head,
            reached: Number::ZERO,
            head: None,
            count: 0,
            brought: 0,
            digested: None,
        }
    }

    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        let steps = &version.rules.flows.catch_up;
        let segment = match (&resume, self.phase) {
            (Resume::Start, _) => steps.begin,
            (_, Phase::Head) => steps.head,
            (_, Phase::Log) => steps.records,
            (_, Phase::Digest) => steps.verdict,
        };
        segment(self, site, version, resume, cx)
    }

    /// Asks for the log after a generation.
    pub(super) fn pull(&mut self, since: Number, version: &Version, cx: &mut Cx<'_, '_>) -> Step<SiteObject> {
        self.phase = Phase::Log;
        let path = format!("/__replica?action=log&since={since}&limit={}", self.limit);
        let call = cx.call(labels::READ_LOG, &of(version, cx).primary(), Request::get(path));
        Step::Await(On::Call(call))
    }

    /// The generation that the primary told of; 0 when it was not asked.
    pub(super) fn advertised(&self) -> Number {
        self.head
            .as_ref()
            .map_or(Number::ZERO, |head| head.generation.to_number())
    }

    pub(super) fn ended(
        &self,
        site: &SiteObject,
        version: &Version,
        ran: bool,
        reason: impl Into<Text>,
        admitted: bool,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        let reason: Text = reason.into();
        Ok(Step::Return(Value::Round(CatchUpAnswer {
            ran: ran.into(),
            reason: reason.into(),
            applied: site.position(version, cx)?.applied.into(),
            advertised: self.advertised().into(),
            records: Number::from(self.count as u64).into(),
            stage: Text::new(site.stage(cx)?.as_str()).into(),
            admitted: admitted.into(),
            ..CatchUpAnswer::default()
        })))
    }
}

fn begin(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let identity = of(version, cx);
    let (stage, position) = (site.stage(cx)?, site.position(version, cx)?);
    let facts = RoundFacts {
        pool_lane: identity.is_lane(),
        namespace_bound: true,
        stage: stage.clone(),
        position,
    };
    if let Err(why) = (version.rules.catch_up.begin)(&version.rules, &facts) {
        cx.note(labels::NO_ROUND, why.to_string());
        if matches!(why, NoRound::Untrusted(_)) {
            site.withdrawal = Some(Text::from(why.to_string()));
            let wish = (version.rules.catch_up.withdraw)(&version.rules, &stage);
            site.made(&stage, &wish, cx)?;
        }
        return round.ended(site, version, false, why.to_string(), false, cx);
    }
    let call = cx.call(labels::READ_HEAD, &identity.primary(), Request::get("/__replica"));
    Ok(Step::Await(On::Call(call)))
}

fn head(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let head = resume.response()?.body.read::<Head>()?;
    round.head = Some(Arc::clone(&head));
    let (stage, applied) = (site.stage(cx)?, site.position(version, cx)?.applied);
    round.reached = applied;
    match (version.rules.catch_up.after_head)(&version.rules, &stage, applied, &head) {
        Pull::Nothing => (version.rules.flows.catch_up.digest)(round, site, version, Resume::Start, cx),
        Pull::After {
            since,
            to_catching_up,
        } => {
            if let Some(wish) = to_catching_up {
                site.made(&stage, &wish, cx)?;
            }
            Ok(round.pull(since, version, cx))
        }
    }
}

fn records(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let log = resume.response()?.body.read::<LogAnswer>()?;
    let records = log.records.get().ok_or(Failure::NotIterable("records"))?;
    round.brought = records.len();
    for record in records {
        // What is no record has no fields, and is refused for it.
        let record = record.get().cloned().unwrap_or_default();
        match site.apply_record(version, &record, Number::INFINITY, cx)? {
            Application::Runs { batches, .. } => {
                position::run(cx, batches)?;
                round.count += 1;
                round.reached = record.generation.or_nan();
            }
            Application::Stays(Plan::Refuse(refusal)) => {
                let refused = RefusedRecord {
                    generation: record.generation.to_text(),
                    refusal,
                };
                return withdraw(round, site, version, &refused, cx);
            }
            Application::Stays(_) => {}
        }
    }
    let applied = (version.rules.flows.catch_up.clock)(round, site, version, cx)?;
    end_pull(
        version,
        cx,
        (version.rules.catch_up.after_records)(applied, round.count),
    )?;
    (version.rules.flows.catch_up.digest)(round, site, version, Resume::Start, cx)
}

/// A record was refused: the lane is withdrawn.
fn withdraw(
    round: &Round,
    site: &mut SiteObject,
    version: &Version,
    refused: &RefusedRecord,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let reason = Text::from(refused.to_string());
    let (stage, applied) = (site.stage(cx)?, site.position(version, cx)?.applied);
    let rules = &version.rules;
    end_pull(
        version,
        cx,
        (rules.catch_up.after_refusal)(rules, &stage, applied, round.count),
    )?;
    position::note(&stage, &(rules.catch_up.withdraw)(rules, &stage), cx);
    site.withdrawal = Some(reason.clone());
    round.ended(site, version, true, reason, false, cx)
}

fn end_pull(version: &Version, cx: &mut Cx<'_, '_>, end: PullEnd) -> Result<(), SqlError> {
    store::write(cx, end.writes)?;
    if end.purges {
        pages::purge(version, cx, "round")?;
    }
    Ok(())
}

pub(super) fn digest(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let (applied, state) = (site.position(version, cx)?.applied, state::read(cx)?);
    let digest = cx.digest(labels::VERDICT_DIGEST, &state.bytes(version));
    round.digested = Some((applied, state));
    round.phase = Phase::Digest;
    Ok(Step::Await(On::Call(digest)))
}

fn verdict(
    round: &mut Round,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let (Answer::Digest(fingerprint), Some((applied, state)), Some(head)) =
        (resume.answer()?, round.digested.take(), round.head.clone())
    else {
        unreachable!("the digest follows the head");
    };
    let rules = &version.rules;
    let (stage, schema) = (site.stage(cx)?, sequence::schema(cx)?);
    let verdict = (rules.admission.verdict)(
        rules,
        &AdmissionFacts {
            stage: stage.clone(),
            present_state: &state.entries(),
            present_collections: &state.collections(),
            applied,
            advertised: head.generation.or_nan(),
            fingerprint: Some(&fingerprint),
            primary_fingerprint: head.fingerprint.as_str(),
            schema: schema.as_deref(),
            primary_schema: head.schema_version.as_str(),
        },
    );
    let refusals: Vec<String> = verdict.refusals().iter().map(ToString::to_string).collect();
    let told = if verdict.is_admitted() {
        "admitted".to_owned()
    } else {
        refusals.join("; ")
    };
    cx.note(labels::VERDICT, told);
    let mut at = stage.clone();
    for next in (rules.catch_up.after_verdict)(rules, &stage, &verdict) {
        site.made(&at, &Move::Moved(next), cx)?;
        at = next.into();
    }
    round.ended(
        site,
        version,
        true,
        refusals.join("; "),
        verdict.is_admitted(),
        cx,
    )
}
