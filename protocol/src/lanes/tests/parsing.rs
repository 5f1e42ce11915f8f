//! Every parser accepts what its writer writes, and none panics on any text.

use proptest::prelude::*;

use super::any_number;
use crate::ecma::JsString;
use crate::host::Millis;
use crate::lanes::belief::*;
use crate::lanes::demand::*;
use crate::lanes::fence::*;
use crate::lanes::name::*;
use crate::lanes::origin::pinnable;
use crate::lanes::rules::Rules;
use crate::lanes::session::*;
use crate::lanes::setting::*;
use crate::lanes::site::*;
use crate::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

/// Texts near what the parsers look for, and any others.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ \t\u{feff}é#rR@:;=.,_\\[\\]0-9a-fxSE/-]{0,40}",
        "S?SESS[0-9a-f]{31,33}( ?= ?[a-z;]{0,4})?",
        "(https?|ftp)?(://)?[a-zA-Z0-9.\\[\\]:é-]{0,20}(/[a-z]{0,3})?",
        "\\[?\\{?\"(at|queued|peakInflight)\":[0-9e\"-]{0,6}\\}?\\]?",
    ]
}

/// Any finite number: JSON carries it.
fn any_finite() -> impl Strategy<Value = Number> {
    prop_oneof![
        (0..100_i64).prop_map(Number::from),
        prop::num::f64::NORMAL.prop_map(Number::from_f64)
    ]
}

fn any_window() -> impl Strategy<Value = Window> {
    let count = any_finite;
    (count(), count(), count(), count()).prop_map(|(at, peak_inflight, queued, waited_ms)| {
        Window::from(Seen {
            at,
            peak_inflight,
            queued,
            waited_ms,
        })
    })
}

proptest! {
    #[test]
    fn a_lanes_name_is_read_back(site in ".+", lane in 1..=u32::MAX) {
        let lane = Number::from(lane);
        let name = replica_name(&site, lane);
        prop_assert_eq!(replica_of(&name), Some(LaneName { site: &site, lane }));
    }

    #[test]
    fn a_site_is_no_lane(identity in any_text()) {
        let id = encode_site_id(&identity);
        prop_assert_eq!(replica_of(&id), None);
    }

    #[test]
    fn a_pointer_is_read_back(lanes in 0..1_u64 << 60, epoch in 0..1_u64 << 60) {
        let pointer = LanesPointer { lanes: lanes.into(), epoch: epoch.into() };
        prop_assert_eq!(parse_lanes_pointer(Some(&format_lanes_pointer(pointer))), Some(pointer));
    }

    #[test]
    fn windows_are_read_back(windows in prop::collection::vec(any_window(), 0..8)) {
        prop_assert_eq!(parse_windows(&format_windows(&windows)), Ok(windows));
    }

    #[test]
    fn a_site_id_says_which_identity_it_is_of(identity in any_text()) {
        let id = encode_site_id(&identity);
        prop_assert!(id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_')), "{}", id);
        prop_assert_eq!(decoded(&id), identity.trim_matches(['.', '-']).as_bytes());
    }

    #[test]
    fn a_host_and_its_default_port_are_one_site(name in "[a-zA-Z0-9é_-]{1,12}(\\.[a-z]{2,3})?") {
        let with = |port: u16| format!("{name}:{port}");
        prop_assert_eq!(site_from_host(&with(443), Scheme::Https), site_from_host(&name, Scheme::Https));
        prop_assert_eq!(site_from_host(&with(80), Scheme::Other), site_from_host(&name, Scheme::Other));
    }

    #[test]
    fn settings_stay_within_their_bounds(text in any_text(), number in any_number()) {
        for text in [text, number.to_string()] {
            let within = |n: Number, most: i64| {
                n.is_integer() && n.js_ge(Number::ZERO) && n.js_le(Number::integer(most))
            };
            prop_assert!(within(replica_count(Some(&text)), 256));
            prop_assert!(within(max_lanes(Some(&text)), 32));
            prop_assert!((LEAST_LAG..=MOST_LAG).contains(&replica_lag(Some(&text))));
        }
    }

    #[test]
    fn any_text_is_answered(text in any_text()) {
        replica_of(&text);
        parse_lanes_pointer(Some(&text));
        let _ = parse_windows(&text);
        session_cookie_value(Some(&text));
        attempt_key(Some(&text));
        site_from_host(&text, Scheme::Https);
        pinnable(Some(&text));
        fence_refusal(RULES, &FenceFacts { replica: true, applied: Number::ZERO, header: Some(&text) });
        drupal_session_row_id(&JsString::from(text.as_str()));
    }

    #[test]
    fn a_belief_is_whole_and_expires(heard in prop::collection::vec((0..80_u32, any_number(), any_number()), 1..200)) {
        let mut beliefs = Beliefs::default();
        for (now, (site, lanes, epoch)) in (0..).map(Millis).zip(heard) {
            let site = site.to_string();
            remember_lanes(&mut beliefs, &Hearsay { site: &site, lanes, epoch, now });
            prop_assert!(beliefs.len() <= MOST_SITES + 1);
            let believed = believed_lanes(&beliefs, &site, now);
            prop_assert!(believed.is_integer() && believed.js_le(Number::integer(256)));
            prop_assert_eq!(believed_lanes(&beliefs, &site, now.after(TRUST)), Number::ZERO);
        }
    }
}

/// The bytes that a site id stands for.
fn decoded(id: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), id.bytes());
    while let Some(byte) = rest.next() {
        let mut digit = || {
            rest.next()
                .and_then(|digit| char::from(digit).to_digit(16))
                .unwrap_or(0) as u8
        };
        bytes.push(if byte == b'_' {
            digit() << 4 | digit()
        } else {
            byte
        });
    }
    bytes
}

#[test]
fn a_session_row_is_found_as_the_contract_shows() {
    let value = JsString::from("78e094846386248b8a5685a8a2dd4568");
    assert_eq!(
        drupal_session_row_id(&value),
        "TIkEn6fkVm-NaFDE5eDlIfIXxgfFJXI2XRRnMxjurwI"
    );
}

#[test]
fn an_attempt_has_a_uuid() {
    let id = "123e4567-e89b-12d3-a456-426614174000";
    assert_eq!(attempt_key(Some(id)), Some(format!("attempt:{id}")));
    for bad in [
        "123e4567-e89b-12d3-a456-42661417400",
        "123e4567-e89b-12d3-a456-4266141740000",
        "",
        "----",
    ] {
        assert_eq!(attempt_key(Some(bad)), None, "{bad}");
    }
    assert_eq!(attempt_key(Some(&id.replace("-", ""))), None);
    assert_eq!(attempt_key(Some(&format!("{id}\n"))), None);
}

#[test]
fn a_cookie_without_a_value_is_a_session() {
    let name = format!("SSESS{}", "0f".repeat(16));
    assert_eq!(session_cookie_value(Some(&format!("a; {name} ; b"))), Some(""));
    assert_eq!(session_cookie_value(Some(&format!("S{name}=x"))), None);
    assert_eq!(session_cookie_value(Some(&format!("{name}f=x"))), None);
}

#[test]
fn stored_windows_that_are_none_ask_for_nothing() {
    let windows = parse_windows(r#"[null, 5, {"peakInflight": "4", "queued": "3"}]"#).expect("a list");
    let peaks: Vec<Number> = windows.iter().map(|window| window.peak_inflight()).collect();
    assert_eq!(peaks, [Number::NAN, Number::NAN, Number::from(4)]);
    assert!(windows.iter().all(|window| window.queued().is_none()));
}

#[test]
fn a_stored_window_is_kept_as_it_is() {
    let stored = r#"[null,5,{"waitedMs":[1],"later":{"b":1,"a":2},"queued":"3","peakInflight":"4"}]"#;
    let windows = parse_windows(stored).expect("a list");
    assert_eq!(format_windows(&windows), stored);
}

#[test]
fn a_stored_text_without_windows_says_what_it_is() {
    assert_eq!(parse_windows(""), Ok(Vec::new()), "an empty text means absent");
    let error = |text| parse_windows(text).map_err(|error| error.to_string());
    assert_eq!(
        error("{}"),
        Err("`demand_windows` is an object where a list is expected".into())
    );
    let cut = error("[{\n\"at\": 1}").expect_err("no JSON");
    assert!(cut.starts_with("`demand_windows` is not JSON: "), "{cut}");
    assert!(
        cut.ends_with("at line 2 column 8"),
        "the place in the text is named: {cut}"
    );
}
