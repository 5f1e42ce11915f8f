//! What a lane sends on, and what it does not.

use super::super::flush::{Flushing, drop_collected, raise};
use super::super::forward::{self, Accepting, committed};
use super::super::identity::of;
use super::super::memory::Collected;
use super::super::store;
use crate::host::{Response, Text};
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

/// How many batches of a lane are remembered. A lane sends one at a time; where it was started elsewhere while it ran,
/// there are two of it for a while.
const REMEMBERED: usize = 4;

/// Answers a batch that it knows again with its commit. It remembers the last ones of each lane, in their own
/// transactions; who has sent one that was forgotten waits for no answer any more.
pub(in crate::lanes) fn commit_once(
    accepting: &mut Accepting,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let batch = accepting.body.read::<ForwardBatch>()?;
    let name = batch.batch.as_str().unwrap_or_default();
    let Some(key) = key_of(name) else {
        return forward::commit(accepting, site, version, resume, cx);
    };
    let known = store::meta(cx, &key)?.unwrap_or_default();
    if let Some(answer) = remembered(&known, name) {
        return Ok(Step::Return(Value::Response(answer)));
    }
    let next = site.sequence(cx)? + Number::integer(1);
    let latest = std::iter::once(format!("{name} {next}"));
    let entries = latest.chain(known.lines().take(REMEMBERED - 1).map(str::to_owned));
    let entries: Vec<String> = entries.collect();
    accepting.remember = Some(store::put(&key, Text::from(entries.join("\n"))));
    forward::commit(accepting, site, version, resume, cx)
}

/// Where the last batches of a lane are remembered; nothing for a name that no lane gives.
fn key_of(name: &str) -> Option<String> {
    let (lane, told_apart) = name.split_once(':')?;
    let number = Number::from(u64::from(lane.parse::<u32>().ok()?));
    let is_lane = number.js_ge(Number::integer(1)) && MOST_LANES.js_ge(number) && lane == number.to_string();
    let is_ours =
        told_apart.len() == 2 * NAME_BYTES && told_apart.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_lane && is_ours).then(|| format!("last_batches:{lane}"))
}

fn remembered(known: &str, name: &str) -> Option<Response> {
    let generation = known
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    Some(committed(Number::parse(generation), Number::ZERO))
}
