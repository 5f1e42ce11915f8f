//! Pages: where requests go, who answers them, and from what.

use super::Defect;
use crate::lanes::fence;
use crate::lanes::front::{self, AttemptFacts, ErrorFacts, Recovery};
use crate::lanes::object::defects as object;
use crate::lanes::routing::{self, FailoverFacts, RouteFacts, SERVE};
use crate::lanes::rules::Rules;
use crate::number::Number;

const ONE: Number = Number::integer(1);

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "spread-every-path",
        &["H33"],
        &["LR-28"],
        "reads of any path are spread over the lanes, and not only what is served",
        |rules| {
            rules.routing.choose_target = |rules, facts| {
                let facts = RouteFacts {
                    pathname: Some(SERVE),
                    ..*facts
                };
                routing::choose_target(rules, &facts)
            };
        },
    ),
    Defect::new(
        "one-lane-too-many",
        &["H25"],
        &["LR-31"],
        "a front spreads over one lane more than there are",
        |rules| {
            rules.routing.choose_target = |rules, facts| {
                let facts = RouteFacts {
                    replicas: if facts.replicas.js_ge(ONE) {
                        facts.replicas + ONE
                    } else {
                        facts.replicas
                    },
                    ..*facts
                };
                routing::choose_target(rules, &facts)
            };
        },
    ),
    Defect::new(
        "write-without-a-session",
        &[],
        &["LR-40"],
        "a write without a session goes to a lane",
        |rules| {
            rules.routing.choose_target = |rules, facts| {
                let facts = RouteFacts {
                    has_session: true,
                    ..*facts
                };
                routing::choose_target(rules, &facts)
            };
        },
    ),
    Defect::new(
        "upload-to-a-lane",
        &[],
        &["LR-40"],
        "what only the primary may originate goes to a lane",
        |rules| rules.routing.origination_route = |_, _| None,
    ),
    Defect::new(
        "ask-the-primary-after-an-error",
        &["A11"],
        &["LR-29"],
        "a request that a lane answered with 500 is sent to the primary",
        |rules| {
            rules.routing.should_failover = |facts| facts.status == 500 || routing::should_failover(facts);
        },
    ),
    Defect::new(
        "ask-the-primary-whatever-ran",
        &[],
        &["LR-29"],
        "a front asks the primary after any 421, whether the request may be repeated or not",
        |rules| rules.routing.should_failover = |facts: &FailoverFacts<'_>| facts.status == 421,
    )
    .unseen("a lane that says 421 says that it may be repeated: the same decision sets both"),
    Defect::new(
        "never-ask-the-primary",
        &[],
        &["LR-29"],
        "a front does not take to the primary what a lane hands over",
        |rules| rules.routing.should_failover = |_| false,
    ),
    Defect::new(
        "send-any-request-again",
        &["A11"],
        &["LR-36"],
        "a front repeats a write to an object that was reset, although nothing tells the primary that it is the same",
        |rules| {
            rules.front.after_error = |facts| {
                front::after_error(&ErrorFacts {
                    has_attempt: true,
                    ..*facts
                })
            };
        },
    ),
    Defect::new(
        "send-again-without-an-id",
        &[],
        &["LR-36"],
        "a write has no id by which the primary knows it again, and is repeated all the same",
        |rules| {
            rules.front.attaches_attempt = |_: &AttemptFacts<'_>| false;
            rules.front.after_error = |facts| {
                front::after_error(&ErrorFacts {
                    has_attempt: true,
                    ..*facts
                })
            };
        },
    ),
    Defect::new(
        "send-again-for-ever",
        &["A13"],
        &["LR-L5", "RUNAWAY"],
        "a front repeats a request as often as its object is reset",
        |rules| {
            rules.front.after_error = |facts| {
                front::after_error(&ErrorFacts {
                    repeated: false,
                    ..*facts
                })
            };
        },
    )
    .unseen(
        "each repetition draws its own fault: no run has so many resets in a row that a request does not end",
    ),
    Defect::new(
        "give-up-at-once",
        &[],
        &["LR-L5"],
        "a front repeats nothing",
        |rules| rules.front.after_error = |_| Recovery::GiveUp,
    )
    .unseen("the visitor is told so: an invariant on what a visitor could have had would see it"),
    Defect::new(
        "no-fence",
        &["S25"],
        &["LR-25"],
        "a lane answers whatever generation is asked for",
        |rules| rules.fence.allows = |_, _| true,
    ),
    Defect::new(
        "fence-one-behind",
        &[],
        &["LR-25"],
        "a lane that is one generation behind passes the fence",
        |rules| rules.fence.allows = |applied, required| fence::fence_allows(applied + ONE, required),
    ),
    Defect::new(
        "no-fence-on-a-lane",
        &["C19"],
        &["LR-25"],
        "the fence is asked of the primary, and not of lanes",
        |rules| {
            rules.fence.refusal = |rules, facts| {
                let facts = fence::FenceFacts {
                    replica: !facts.replica,
                    ..*facts
                };
                fence::fence_refusal(rules, &facts)
            };
        },
    ),
    Defect::new(
        "render-in-any-stage",
        &["H53"],
        &["LR-21", "LR-23"],
        "a lane renders whatever its stage",
        |rules| {
            rules.flows.serve.begin = |serving, site, version, resume, cx| {
                (version.rules.flows.serve.render)(serving, site, version, resume, cx)
            };
        },
    ),
    Defect::new(
        "fast-in-any-stage",
        &["S25"],
        &["LR-21", "LR-23", "LR-25"],
        "the fast lane asks for neither stage nor fence, as documented, and pages are shared where a generation is asked for",
        |rules| rules.flows.serve.fast = Rules::DOCUMENTED.flows.serve.fast,
    ),
    Defect::new(
        "purge-nothing",
        &[],
        &["LR-14", "LR-22", "LR-23"],
        "no cache is ever emptied",
        |rules| rules.flows.purged = |_| Ok(Vec::new()),
    ),
    Defect::new(
        "purge-all-but-pages",
        &[],
        &["LR-14", "LR-22", "LR-23"],
        "kept pages stay when what they show has changed",
        |rules| rules.flows.purged = object::all_but_pages,
    ),
    Defect::new(
        "no-tags-of-a-write",
        &["H55", "S27"],
        &["LR-14", "LR-22"],
        "the primary does not notice that cache tags were written, and keeps its pages",
        |rules| rules.flows.capture = object::no_tags,
    ),
];
