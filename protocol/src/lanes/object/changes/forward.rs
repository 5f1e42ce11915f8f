//! What a lane sends on, and what it does not.

use super::super::flush::{Flushing, drop_collected, raise};
use super::super::forward::{self, Accepting, committed};
use super::super::identity::of;
use super::super::memory::Collected;
use super::super::store;
use crate::host::{Response, SqlError, Text};
use crate::lanes::MOST_LANES;
use crate::lanes::object::{Cx, Next, SiteObject, Value, Version};
use crate::lanes::wire::ForwardBatch;
use crate::number::Number;
use crate::task::{Resume, Step};

/// A request that is handed back as if nothing had run leaves nothing to send.
pub(in crate::lanes) fn drop_what_is_handed_back(
    site: &mut SiteObject,
    response: &Response,
    cx: &mut Cx<'_, '_>,
) {
    if response.status == 421 {
        drop_collected(site, cx);
    }
}

/// Raises the marks of the ids that it has minted before they leave, and then sends: whatever becomes of the answer, no
/// id is minted twice. What is called leaves only when the marks are durable.
pub(in crate::lanes) fn mark_before_sending(
    flushing: &mut Flushing,
    site: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    match site.forward.take() {
        Some(Collected { parent, statements }) if !statements.is_empty() => {
            for (table, id) in (version.rules.forwarding.high_water)(&statements) {
                raise(cx, &table, id)?;
            }
            flushing.statements = statements;
            Ok(flushing.post(version, parent, cx))
        }
        _ => Ok(Step::Return(Value::Nothing)),
    }
}

/// How many bytes tell a batch from the others of its lane.
const NAME_BYTES: usize = 16;

/// Names a batch, that the primary knows it again: its lane, and bytes that no other batch of that lane has.
#[allow(clippy::unnecessary_wraps, reason = "a batch may have none")]
pub(in crate::lanes) fn name_batch(version: &Version, cx: &mut Cx<'_, '_>) -> Option<Text> {
    let told_apart = hex::encode(cx.entropy(NAME_BYTES));
    Some(Text::from(format!("{}:{told_apart}", of(version, cx).lane)))
}

/// Answers a batch that it has committed as it did then. It remembers the last one of each lane, in the commit of the
/// batch: an object sends one at a time, and one that was forgotten is of a request that nobody answers any more.
pub(in crate::lanes) fn commit_once(
    accepting: &mut Accepting,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let batch = accepting.body.read::<ForwardBatch>()?;
    let Some(key) = batch.batch.as_str().and_then(key_of) else {
        return forward::commit(accepting, site, version, resume, cx);
    };
    let name = batch.batch.as_str().unwrap_or_default();
    if let Some(answer) = remembered(&key, name, cx)? {
        return Ok(Step::Return(Value::Response(answer)));
    }
    let next = forward::commit(accepting, site, version, resume, cx)?;
    let commits = match &next {
        Step::Enter(_) => true,
        Step::Return(Value::Response(response)) => response.status == 200,
        _ => false,
    };
    if commits {
        let (generation, deferred) = (site.sequence(cx)?, accepting.deferred.len());
        store::set(cx, &key, &format!("{name} {generation} {deferred}"))?;
    }
    Ok(next)
}

/// Where the last batch of a lane is remembered; nothing for a name that no lane gives.
fn key_of(name: &str) -> Option<String> {
    let (lane, _) = name.split_once(':')?;
    let lane = Number::from(u64::from(lane.parse::<u32>().ok()?));
    MOST_LANES.js_ge(lane).then(|| format!("last_batch:{lane}"))
}

fn remembered(key: &str, name: &str, cx: &mut Cx<'_, '_>) -> Result<Option<Response>, SqlError> {
    let known = store::meta(cx, key)?;
    let mut parts = known.as_deref().unwrap_or_default().rsplitn(3, ' ');
    let (deferred, generation) = (parts.next(), parts.next());
    let (Some(deferred), Some(generation), true) = (deferred, generation, parts.next() == Some(name)) else {
        return Ok(None);
    };
    Ok(Some(committed(
        Number::parse(generation),
        Number::parse(deferred),
    )))
}
