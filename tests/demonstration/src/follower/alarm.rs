//! The alarm: pull, and ring again in a while, whatever came of it.

use protocol::task::{Resume, Step};

use super::{Cx, Follower, FollowerFrame, Pulling};
use crate::Next;
use crate::rules::Rules;

/// A segment of the alarm, between two waits.
pub type AlarmStep = fn(&Rules, &mut Cx<'_, '_>) -> Next<Follower>;

/// The segments of the alarm.
#[derive(Clone, Copy)]
pub struct AlarmSteps {
    /// First: pull.
    pub ring: AlarmStep,
    /// However that ends: set the alarm again.
    pub leave: AlarmStep,
}

impl AlarmSteps {
    /// As documented.
    pub const DOCUMENTED: AlarmSteps = AlarmSteps { ring, leave };
}

pub(super) fn step(rules: &Rules, resume: Resume<Follower>, cx: &mut Cx<'_, '_>) -> Next<Follower> {
    match resume {
        Resume::Start => (rules.alarm.ring)(rules, cx),
        Resume::Finally => (rules.alarm.leave)(rules, cx),
        _ => Ok(Step::Return(None)),
    }
}

fn ring(_: &Rules, _: &mut Cx<'_, '_>) -> Next<Follower> {
    Ok(Step::Enter(FollowerFrame::Pull(Pulling::new())))
}

fn leave(rules: &Rules, cx: &mut Cx<'_, '_>) -> Next<Follower> {
    cx.set_alarm(Some(cx.now().after(rules.policy.pull_every)));
    Ok(Step::Return(None))
}

/// The defect `alarm-not-set-again`.
///
/// # Errors
/// None.
pub fn leave_alarm_unset(_: &Rules, _: &mut Cx<'_, '_>) -> Next<Follower> {
    Ok(Step::Return(None))
}
