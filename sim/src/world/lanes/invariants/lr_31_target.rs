//! LR-31. A front asks the primary, or a lane that it may believe in.
//!
//! A call to a lane needs a number that is a whole one from 1 to 256, and not above what this front was told within the
//! time for which a belief counts: by the primary's own answers, by a pointer that it has read, or by an override of
//! `REPLICA_COUNT`, without which that is 0 in this world. The true time and a little slack stand for the front's clock. It cannot see
//! that of two beliefs the one with the lower epoch is used. Catches H23's opposite, H25, and beliefs that lanes spread.

use super::{Check, Judgement, Stand, Triage};

use crate::check::{Breach, Class, Invariant};
use crate::kernel::Micros;
use crate::world::lanes::Variable;
use crate::world::lanes::truth::Truth;
use crate::world::lanes::truth::overrides::READING;
use crate::world::lanes::truth::wire::Called;

/// It asks a lane past that number.
const NEVER_TOLD_OF: Class = Class("never-told-of");

/// The check.
pub(super) const CHECK: Check = Check {
    invariant: Invariant {
        id: "LR-31",
        statement: "a front asks the primary or a lane up to the number that it was lately told of, 256 at most",
        classes: &[NEVER_TOLD_OF],
    },
    triage: Triage::AsWorded,
    stands: &[Stand::Call(check)],
};

/// For how long a belief counts (`lanes.md` 3), and a millisecond for a clock that has no finer grain.
const TRUST: Micros = Micros::from_millis(60_001);

/// The highest number of a lane.
const MOST: u32 = 256;

fn check(truth: &mut Truth, called: &Called) -> Judgement {
    let is_front = truth.lane_of(&called.who).is_none();
    if !is_front || called.to.0 == truth.site {
        return Judgement::NoSubject;
    }
    let lane = truth.number_of(&called.to.0);
    // The same lane again, after an error, needs no new belief.
    if called.run.iter().any(|run| run.calls().next().is_some()) {
        return Judgement::NoSubject;
    }
    let told = truth
        .announced
        .most_since(&called.who, called.incarnation, truth.now.since(TRUST))
        .max(set(truth, called));
    let holds = lane.is_some_and(|lane| (1..=MOST.min(told)).contains(&lane));
    Judgement::that(holds, || {
        Breach::new(NEVER_TOLD_OF, format!("{} asks {}, and was told of {told} lanes", called.who, called.to)).between((format!("lanes that {} was told of", called.who), told), ("it asks", &called.to))
    })
}

/// The most that overrides say, as far as the isolate that asks can go by. A front reads two of them before it goes by
/// either, and holds what it has read for as long as a belief, or until KV can be read again.
pub(super) fn set(truth: &Truth, called: &Called) -> u32 {
    let since = truth.now.since(TRUST.after(READING));
    let in_force =
        truth
            .overrides
            .in_force(&called.who, called.incarnation, Variable::ReplicaCount, since);
    let counts = in_force.filter_map(|text| text.parse().ok());
    counts.max().unwrap_or(0)
}
