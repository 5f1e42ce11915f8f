//! Rules that neither arm can show, beyond those that stand beside the cases they belong to.

use crate::platform::case::Case;

const ONE_MACHINE: &str = "documented only: nothing of it happens on one machine";

const NOT_OF_THE_SEAM: &str = "not of the seam";

pub(super) fn cases() -> Vec<Case> {
    let documented = |rules, says, kernel| Case::untested(rules, says, kernel, ONE_MACHINE);
    vec![
        documented(
            "1.3",
            "an object is near its first caller, and can move",
            "`latency`; a move is a reset: the kernel's own tests, `resets`",
        ),
        documented(
            "7.2",
            "an object that cannot hibernate is evicted after 70 to 140 s",
            "knob `idle`",
        ),
        documented(
            "7.3, 8, 9",
            "deployments, updates, moves and limits of memory and time reset an object",
            "the kernel's own tests: `resets`",
        ),
        documented(
            "11.6",
            "the text of an error is no contract",
            "no case compares a text of the platform's",
        ),
        documented("12.5", "browsers and proxies repeat requests", "knob `duplicate`"),
        documented(
            "13",
            "an object can run twice for a while, of which only the newer can touch the storage",
            "knob `displacement`",
        ),
        documented(
            "14.1",
            "a write is confirmed when three machines have it",
            "knob `confirm`; what is confirmed is never lost",
        ),
        documented(
            "14.3, 14.4, 14.5, 14.6",
            "recovery to a point in time, clones, classes that are deleted, replicas of objects",
            NOT_OF_THE_SEAM,
        ),
        documented(
            "18",
            "KV is eventually consistent",
            "assumed: one copy, read at once",
        ),
        documented(
            "19",
            "front Workers are many, and share no memory",
            "a world has as many as it likes; a case has one",
        ),
        documented(
            "20",
            "what is not documented at all",
            "a knob each, where a protocol could tell",
        ),
        documented("21", "D1", NOT_OF_THE_SEAM),
    ]
}
