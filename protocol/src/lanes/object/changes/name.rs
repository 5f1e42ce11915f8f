//! An object that knows its own name.

use super::super::store;
use crate::host::{Millis, ObjectName};
use crate::lanes::MOST_LANES;
use crate::lanes::object::{Cx, Failure, Next, Value, Version};
use crate::lanes::rules::Names;
use crate::number::Number;
use crate::task::Step;

/// The key under which an object keeps its name.
const OWN_NAME: &str = "own_name";
/// How long the alarm of an object without a name waits for somebody who tells it.
const NAMELESS_FOR: Millis = Millis(60_000);

/// Keeps the name while the platform tells it, and recalls it when the platform does not.
pub(in crate::lanes) fn keep_the_name(cx: &mut Cx<'_, '_>) -> Result<Option<ObjectName>, Failure> {
    match cx.name().cloned() {
        Some(name) => {
            store::set(cx, OWN_NAME, &name.0)?;
            Ok(None)
        }
        None => Ok(store::meta(cx, OWN_NAME)?.map(ObjectName)),
    }
}

/// Whose of the site's names the object's id is: that of the recalled one, but where another object's storage was copied
/// over this one's, whose name is in it (`platform.md` section 14, item 4).
pub(in crate::lanes) fn named_by_its_id(
    version: &Version,
    cx: &Cx<'_, '_>,
    recalled: ObjectName,
) -> Option<ObjectName> {
    let id = cx.id();
    own_name(&version.rules.names, recalled, |name| cx.id_of(name) == id)
}

/// The recalled name where it is the object's own, else its own among those of the recalled one's site.
fn own_name(names: &Names, recalled: ObjectName, is_own: impl Fn(&ObjectName) -> bool) -> Option<ObjectName> {
    if is_own(&recalled) {
        return Some(recalled);
    }
    let site = (names.replica_of)(&recalled.0).map_or(recalled.0.as_str(), |lane| lane.site);
    let lanes = (1..=MOST_LANES.to_u32_exact()?)
        .map(|lane| ObjectName::new((names.replica_name)(site, Number::from(lane))));
    std::iter::once(ObjectName::new(site)).chain(lanes).find(is_own)
}

/// Puts off the alarm's run of an object that finds no name of its own, such as one whose storage is another site's: without
/// a name it does not know its role, and must not act as a primary. Whoever asks it next tells it.
pub(in crate::lanes) fn put_the_alarm_off(cx: &mut Cx<'_, '_>) -> Option<Next> {
    cx.set_alarm(Some(cx.now().after(NAMELESS_FOR)));
    Some(Ok(Step::Return(Value::Nothing)))
}

/// Ends an incarnation that was woken without its name before it could keep it. The next request wakes one that is told.
#[allow(clippy::unnecessary_wraps, reason = "a variant may go on")]
pub(in crate::lanes) fn ask_for_the_name(cx: &mut Cx<'_, '_>) -> Option<Next> {
    Some(Ok(cx.abort("an object that does not know its name")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::changes::hardened;

    /// What an object that is called `own` goes by when its storage says `stored`.
    fn goes_by(own: &str, stored: &str) -> Option<ObjectName> {
        own_name(&hardened().names, ObjectName::new(stored), |name| name.0 == own)
    }

    #[test]
    fn a_name_that_is_its_own_stays() {
        assert_eq!(goes_by("shop#r2", "shop#r2"), Some(ObjectName::new("shop#r2")));
    }

    #[test]
    fn a_clone_of_another_lane_finds_its_own_name_among_those_of_the_site() {
        assert_eq!(
            goes_by("shop#r256", "shop#r1"),
            Some(ObjectName::new("shop#r256"))
        );
    }

    #[test]
    fn a_lane_that_the_primary_was_copied_over_finds_its_own_name() {
        assert_eq!(goes_by("shop#r1", "shop"), Some(ObjectName::new("shop#r1")));
    }

    #[test]
    fn a_clone_of_another_sites_object_has_no_name() {
        assert_eq!(
            goes_by("shop#r1", "forum#r1"),
            None,
            "with a name of the other site it would act for that one"
        );
    }
}
