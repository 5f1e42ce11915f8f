//! What an await on a digest is: `platform.md` section 2, item 3; `workerd.md` T2 and I4 did not see it suspend.

use super::script::{Do, abort, keep, write};
use super::world::{Setting, World, world};
use crate::kernel::DigestAwait;

fn with(digest: DigestAwait) -> World {
    let mut setting = Setting::default();
    setting.knobs.digest = digest;
    world(setting)
}

fn rows_after_abort(digest: DigestAwait) -> String {
    let mut world = with(digest);
    world.ask(0, "a", [write("x"), Do::Digest, abort("boom")]);
    world.run(1_000);
    world.rows("a")
}

#[test]
fn platform_2_3_a_digest_that_suspends_ends_the_commit_unit() {
    assert_eq!(rows_after_abort(DigestAwait::Suspends), "x");
}

#[test]
fn workerd_t2_a_digest_that_goes_on_does_not_end_the_commit_unit() {
    assert_eq!(rows_after_abort(DigestAwait::GoesOn), "");
}

/// What a request finds that comes in the same instant, right after the one that digests.
fn seen_by_another(digest: DigestAwait) -> String {
    let mut world = with(digest);
    world.ask(0, "a", [keep("1"), Do::Digest, keep("2"), Do::Digest, keep("3")]);
    world.run(0);
    let other = world.ask(0, "a", [Do::Recall]);
    world.run(1_000);
    world.answer(other).to_owned()
}

#[test]
fn platform_2_3_a_digest_that_suspends_admits_another_event() {
    assert_eq!(seen_by_another(DigestAwait::Suspends), "1");
}

#[test]
fn workerd_i4_a_digest_that_goes_on_admits_no_other_event() {
    assert_eq!(seen_by_another(DigestAwait::GoesOn), "1 2 3");
}
