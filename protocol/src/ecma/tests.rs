use std::cmp::Ordering;

use proptest::prelude::*;

use super::*;

/// ECMA-262, WhiteSpace and LineTerminator, written out as a list of code points rather than as ranges.
const SPACES: [u32; 25] = [
    0x9, 0xa, 0xb, 0xc, 0xd, 0x20, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
    0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
];

#[test]
fn white_space_is_the_listed_set_and_nothing_else() {
    let found: Vec<u32> = ('\0'..=char::MAX)
        .filter(|&c| is_js_space(c))
        .map(u32::from)
        .collect();
    assert_eq!(found, SPACES);
}

#[test]
fn white_space_differs_from_rust_in_two_characters() {
    let differing: Vec<char> = ('\0'..=char::MAX)
        .filter(|&c| is_js_space(c) != c.is_whitespace())
        .collect();
    assert_eq!(differing, ['\u{85}', '\u{feff}']);
}

#[test]
fn trim_takes_both_ends() {
    for (text, expected) in [
        ("", ""),
        (" \t\u{feff}", ""),
        ("\u{feff}\u{a0}a b\u{2029}\r\n", "a b"),
        ("\u{85}a\u{200b}", "\u{85}a\u{200b}"),
        ("\u{180e}a", "\u{180e}a"),
    ] {
        assert_eq!(trim(text), expected, "{text:?}");
    }
}

#[test]
fn collapse_keeps_one_space_a_run() {
    for (text, expected) in [
        ("", ""),
        ("a", "a"),
        (" a\n\t b\u{feff} ", " a b "),
        ("a\u{a0}b", "a b"),
        ("a\u{85}b  ", "a\u{85}b "),
    ] {
        assert_eq!(collapse_space(text), expected, "{text:?}");
    }
}

#[test]
fn word_and_digit_are_ascii() {
    let word: String = ('\0'..=char::MAX).filter(|&c| is_word(c)).collect();
    assert_eq!(
        word,
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
    );
    let digits: String = ('\0'..=char::MAX).filter(|&c| is_digit(c)).collect();
    assert_eq!(digits, "0123456789");
}

#[test]
fn word_boundaries() {
    let boundaries = |text: &str| {
        (0..=text.len() + 1)
            .filter(|&at| is_word_boundary(text, at))
            .collect::<Vec<_>>()
    };
    assert_eq!(boundaries(""), [0usize; 0]);
    assert_eq!(boundaries("a"), [0, 1]);
    assert_eq!(boundaries("SELECT(a)"), [0, 6, 7, 8]);
    assert_eq!(boundaries("é_é"), [2, 3], "é is no word character");
    assert_eq!(boundaries("form-data; x"), [0, 4, 5, 9, 11, 12]);
}

#[test]
fn order_is_by_unit() {
    let (astral, private) = ("\u{1f6a2}", "\u{e000}");
    assert_eq!(astral.cmp(private), Ordering::Greater, "by scalar value");
    assert_eq!(cmp_utf16(astral, private), Ordering::Less, "by unit");
    assert_eq!(cmp_utf16("a", "ab"), Ordering::Less);
    assert_eq!(cmp_utf16("B", "a"), Ordering::Less);
    assert_eq!(cmp_utf16("a", "a"), Ordering::Equal);
}

#[test]
fn lone_surrogates_survive_as_units_and_are_marked_as_text() {
    let lone = JsString::from(vec![0x61, 0xd83d, 0x62]);
    assert_eq!(lone.to_string_lossy(), "a\u{fffd}b");
    assert_eq!(lone.to_string(), "a\u{fffd}b");
    assert_eq!(lone.to_string_from_sql(), "a\u{fffd}\u{fffd}\u{fffd}b");
    assert_eq!(format!("{lone:?}"), r#""a\u{d83d}b""#);

    let reversed = JsString::from(vec![0xde00, 0xd83d]);
    assert_eq!(reversed.to_string_lossy(), "\u{fffd}\u{fffd}");
    assert_ne!(reversed, JsString::from("\u{fffd}\u{fffd}"));

    let astral = JsString::from("\u{1f600}");
    assert_eq!(astral.units(), [0xd83d, 0xde00]);
    assert_eq!(
        astral.to_string_from_sql(),
        "\u{1f600}",
        "a whole pair is an ordinary character"
    );
}

proptest! {
    #[test]
    fn a_well_formed_text_comes_back(text in any::<String>()) {
        let js = JsString::from(text.as_str());
        prop_assert_eq!(&js.to_string_lossy(), &text);
        prop_assert_eq!(&js.to_string_from_sql(), &text);
    }

    #[test]
    fn both_orders_agree(a in any::<String>(), b in any::<String>()) {
        prop_assert_eq!(cmp_utf16(&a, &b), JsString::from(a.as_str()).cmp(&JsString::from(b.as_str())));
    }

    #[test]
    fn any_units_are_held_and_printed(units in any::<Vec<u16>>()) {
        let js = JsString::from(units.clone());
        prop_assert_eq!(js.units(), &units[..]);
        prop_assert_eq!(js.to_string_lossy(), String::from_utf16_lossy(&units));
    }

    #[test]
    fn boundaries_never_panic(text in any::<String>(), at in any::<usize>()) {
        is_word_boundary(&text, at);
        is_word_boundary(&text, at % (text.len() + 2));
    }

    #[test]
    fn escapes_of_any_units_read_as_the_well_formed_text(
        units in prop::collection::vec(prop_oneof![0xd7ff..0xe001_u16, Just(0x5c), Just(0x75), any::<u16>()], 0..9)
    ) {
        let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let json = format!("\"\\\\{escaped}\"");
        let read: String = serde_json::from_str(&to_well_formed_json(&json)).expect("well-formed JSON");
        prop_assert_eq!(read, format!("\\{}", String::from_utf16_lossy(&units)));
    }

    #[test]
    fn a_json_text_keeps_its_length_and_never_panics(json in r#"(\\|u|d8|dc|00|🚢|"|\\ud83d){0,12}"#) {
        prop_assert_eq!(to_well_formed_json(&json).len(), json.len());
    }
}
