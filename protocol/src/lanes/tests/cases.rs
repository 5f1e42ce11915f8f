//! Single cases that no vector holds.

use crate::host::Headers;
use crate::lanes::backoff::copy_backoff_ms;
use crate::lanes::belief::*;
use crate::lanes::demand::*;
use crate::lanes::fence::*;
use crate::lanes::header::{REQUIRES_PRIMARY, RETRY_SAFE};
use crate::lanes::origin::pinnable;
use crate::lanes::routing::*;
use crate::lanes::rules::Rules;
use crate::lanes::setting::*;
use crate::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

#[test]
fn the_first_reason_of_the_contracts_order_is_given() {
    let mut facts = RouteFacts {
        site: "s",
        method: "POST",
        affinity: "p:/node/17",
        replicas: Number::ZERO,
        pathname: Some("/export"),
        write_forward: false,
        has_session: false,
        visitor_path: Some("/admin/modules"),
        content_type: Some("multipart/form-data"),
    };
    let reason = |facts: &RouteFacts<'_>| choose_target(RULES, facts).reason.to_string();
    assert_eq!(reason(&facts), "no replicas configured");
    facts.replicas = Number::integer(3);
    assert_eq!(
        reason(&facts),
        "a write goes to the primary without asking a replica first"
    );
    facts.write_forward = true;
    assert_eq!(reason(&facts), "/export is not the serving path");
    facts.pathname = Some(SERVE);
    assert_eq!(reason(&facts), "a write carrying no session may establish one");
    facts.has_session = true;
    assert_eq!(reason(&facts), "an upload writes the file store");
    facts.content_type = None;
    assert_eq!(
        reason(&facts),
        "/admin/modules writes what only the primary may originate"
    );
    facts.visitor_path = None;
    assert_eq!(reason(&facts), "affinity");
}

#[test]
fn a_host_outside_of_ascii_is_pinned_in_its_ascii_form_only() {
    assert!(pinnable(Some("https://xn--mnchen-3ya.de")));
    for origin in [
        "https://münchen.de",
        "https://ｌｏｃａｌｈｏｓｔ",
        "https://local\u{ad}host",
    ] {
        assert!(!pinnable(Some(origin)), "{origin}");
    }
}

#[test]
fn only_a_clean_handoff_is_asked_again() {
    let headers = Headers::from(vec![
        (REQUIRES_PRIMARY.into(), "serve".into()),
        (RETRY_SAFE.into(), "1".into()),
    ]);
    for (status, expected) in [(421, true), (200, false), (503, false)] {
        assert_eq!(
            should_failover(&FailoverFacts {
                status,
                headers: &headers
            }),
            expected,
            "{status}"
        );
    }
}

#[test]
fn a_fence_is_for_replicas_that_are_asked() {
    let facts = FenceFacts {
        replica: true,
        applied: Number::integer(3),
        header: Some("4"),
    };
    assert_eq!(
        fence_refusal(RULES, &facts),
        Fence::Refused {
            required: Number::integer(4)
        }
    );
    let blank = FenceFacts {
        header: Some(" \t"),
        ..facts
    };
    assert_eq!(
        fence_refusal(RULES, &blank),
        Fence::Refused {
            required: Number::NAN
        },
        "not the 0 of Number(' ')"
    );
    assert_eq!(
        fence_refusal(
            RULES,
            &FenceFacts {
                replica: false,
                ..facts
            }
        ),
        Fence::Absent
    );
    assert_eq!(
        fence_refusal(
            RULES,
            &FenceFacts {
                header: None,
                ..facts
            }
        ),
        Fence::Absent
    );
}

#[test]
fn a_bare_count_has_epoch_0() {
    let pointer = LanesPointer {
        lanes: Number::integer(12),
        epoch: Number::ZERO,
    };
    assert_eq!(parse_lanes_pointer(Some(" 12\n")), Some(pointer));
    assert_eq!(pointer_key("s"), "lanes:s");
}

#[test]
fn only_an_exact_0_turns_off() {
    for (variable, on) in [
        (None, true),
        (Some("0"), false),
        (Some("0 "), true),
        (Some("00"), true),
    ] {
        assert_eq!(
            (auto_scale(variable), write_forward(variable)),
            (on, on),
            "{variable:?}"
        );
    }
}

#[test]
fn no_growth_says_why() {
    let busy = Window::from(Seen {
        at: Number::ZERO,
        peak_inflight: Number::integer(9),
        queued: Number::integer(5),
        waited_ms: Number::ZERO,
    });
    let (busy, few) = ([busy.clone(), busy.clone(), busy.clone()], [busy.clone(), busy]);
    let facts = GrowthFacts {
        windows: &busy,
        provisioned: Number::integer(4),
        auto_scale: true,
        max_lanes: MOST_GROWN_LANES,
        rows: None,
    };
    let spent = RowBudget {
        today: Number::integer(81),
        replicated_today: Number::ZERO,
        limit: Number::integer(100),
        day_fraction: Number::integer(1),
    };
    assert_eq!(next_lane_to_provision(RULES, &facts), Ok(Number::integer(5)));
    for (facts, why) in [
        (
            GrowthFacts {
                auto_scale: false,
                ..facts
            },
            NoGrowth::Off,
        ),
        (
            GrowthFacts {
                provisioned: Number::integer(5),
                ..facts
            },
            NoGrowth::Enough,
        ),
        (
            GrowthFacts {
                windows: &few,
                ..facts
            },
            NoGrowth::Enough,
        ),
        (
            GrowthFacts {
                rows: Some(spent),
                ..facts
            },
            NoGrowth::RowBudget,
        ),
    ] {
        assert_eq!(next_lane_to_provision(RULES, &facts), Err(why), "{why}");
    }
}

#[test]
fn waiting_grows_to_a_minute() {
    let waits = |asks: i64| copy_backoff_ms(Number::integer(asks)).to_string();
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 6].map(waits),
        ["2000", "2000", "4000", "8000", "16000", "32000", "60000"]
    );
    assert_eq!(copy_backoff_ms(Number::INFINITY), Number::integer(60_000));
    assert_eq!(copy_backoff_ms(Number::NAN), Number::NAN);
}

#[test]
fn a_host_that_nobody_reaches_is_not_pinned_however_it_is_spelled() {
    for origin in [
        "localhost",
        "http://LocalHost/",
        "https://0x7f.0.0.1",
        "http://2130706433",
        "http://[0:0::1]/",
        "http://loc%61lhost",
        "http://user@do.local/",
        "http://0",
        "",
        " ",
    ] {
        assert!(!pinnable(Some(origin)), "{origin}");
    }
    assert!(pinnable(Some("https://localhost.example.com")));
}
