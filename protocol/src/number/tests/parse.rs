use proptest::prelude::*;

use super::{any_number, number};
use crate::number::Number;

#[track_caller]
fn assert_parses(text: &str, expected: f64) {
    assert_eq!(Number::parse(text), number(expected), "{text:?}");
}

/// The deployed protocol's own answers. Each integer among them is a safe one.
#[test]
fn conformance_vectors() {
    for (text, value, integer) in [
        ("\t\n", 0.0, true),
        ("0", 0.0, true),
        ("-0", -0.0, true),
        ("1", 1.0, true),
        ("-1", -1.0, true),
        ("1.", 1.0, true),
        (".", f64::NAN, false),
        ("1.5", 1.5, false),
        ("1E3", 1_000.0, true),
        ("-0x10", f64::NAN, false),
        ("0b11", 3.0, true),
        ("0o17", 15.0, true),
        ("Infinity", f64::INFINITY, false),
        ("-Infinity", f64::NEG_INFINITY, false),
        ("+Infinity", f64::INFINITY, false),
        ("infinity", f64::NAN, false),
        ("NaN", f64::NAN, false),
        ("\u{a0}12\u{a0}", 12.0, true),
        ("\u{feff}7", 7.0, true),
        ("\u{2028}3\u{2029}", 3.0, true),
        ("\u{180e}5", f64::NAN, false),
        ("\u{ff19}", f64::NAN, false),
        ("true", f64::NAN, false),
        ("null", f64::NAN, false),
        ("[object Object]", f64::NAN, false),
        ("9007199254740991", 9_007_199_254_740_991.0, true),
        ("1e309", f64::INFINITY, false),
        ("1e-400", 0.0, true),
        ("++5", f64::NAN, false),
        ("--5", f64::NAN, false),
        ("1e5.5", f64::NAN, false),
        ("\u{0}5", f64::NAN, false),
    ] {
        assert_parses(text, value);
        let n = Number::parse(text);
        assert_eq!(n.is_finite(), value.is_finite(), "{text:?}");
        assert_eq!(
            (n.is_integer(), n.is_safe_integer()),
            (integer, integer),
            "{text:?}"
        );
    }
}

#[test]
fn decimals() {
    for (text, expected) in [
        ("", 0.0),
        ("\u{feff}\u{a0}\u{2029}", 0.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("+.5e-1", 0.05),
        ("5.e2", 500.0),
        ("-.0", -0.0),
        ("007", 7.0),
        ("1e+3", 1000.0),
        ("0e99999999999999999999", 0.0),
        ("1e99999999999999999999", f64::INFINITY),
        ("-1e-99999999999999999999", -0.0),
        ("9007199254740993", 9_007_199_254_740_992.0),
        (
            "9007199254740993.00000000000000000000000000001",
            9_007_199_254_740_994.0,
        ),
        ("1.7976931348623158e308", f64::MAX),
        ("1.7976931348623159e308", f64::INFINITY),
        ("2.4703282292062328e-324", 5e-324),
        ("2.4703282292062327e-324", 0.0),
    ] {
        assert_parses(text, expected);
    }
}

#[test]
fn other_radices() {
    const TWO_POW_40: f64 = 1_099_511_627_776.0;
    for (text, expected) in [
        ("0xfF", 255.0),
        ("0XFF", 255.0),
        ("0B101", 5.0),
        ("0O17", 15.0),
        ("\t0x10\n", 16.0),
        ("0x00000000000000000000000000000001", 1.0),
        // 2^53 + 1 lies between two doubles; the last digit of the longer ones decides, however far away it
        // is.
        ("0x20000000000001", 9_007_199_254_740_992.0),
        ("0x20000000000003", 9_007_199_254_740_996.0),
        ("0x200000000000010000000000", 9_007_199_254_740_992.0 * TWO_POW_40),
        ("0x200000000000010000000001", 9_007_199_254_740_994.0 * TWO_POW_40),
        (
            "0b100000000000000000000000000000000000000000000000000001",
            9_007_199_254_740_992.0,
        ),
        ("0o400000000000000003", 9_007_199_254_740_996.0),
        ("0xffffffffffffffff", 18_446_744_073_709_551_616.0),
    ] {
        assert_parses(text, expected);
    }
    let zeros = |count: usize| "0".repeat(count);
    assert_parses(&format!("0x{}1", zeros(5000)), 1.0);
    assert_parses(&format!("0x1{}", zeros(5000)), f64::INFINITY);
    assert_parses(&format!("0xfffffffffffff8{}", zeros(242)), f64::MAX);
    assert_parses(&format!("0xfffffffffffffc{}", zeros(242)), f64::INFINITY);
    assert_parses(&format!("0xfffffffffffffb{}", "f".repeat(242)), f64::MAX);
    assert_parses(&format!("0b1{}", zeros(1023)), 8.98846567431158e307);
}

#[test]
fn texts_that_are_no_numbers() {
    for text in [
        "1_000",
        "1n",
        "-0x10",
        "+0x10",
        "0x",
        "0b",
        "0o",
        "0b2",
        "0o8",
        "0xg",
        "0x1.8",
        "0x_1",
        "0x+1",
        "0x 1",
        "00x1",
        "inf",
        "Inf",
        "nan",
        "NaN",
        "-NaN",
        "INFINITY",
        "Infinit",
        "Infinity1",
        "++Infinity",
        "- 1",
        "1 2",
        "1e",
        "1e+",
        "e1",
        ".e1",
        "+",
        "-",
        ".",
        "+.",
        "..5",
        "1.2.3",
        "1,5",
        "1f",
        "1e1e1",
        "\u{85}1",
        "1\u{200b}",
        "\u{661}",
        "\u{ff11}",
        "1\0",
        "0x\u{ff11}",
    ] {
        assert_parses(text, f64::NAN);
    }
}

proptest! {
    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        Number::parse(&text);
    }

    #[test]
    fn any_number_like_text_gets_an_answer(text in "[-+.0-9eExXoObBa-fInfinityNaN_ \u{feff}]{0,40}") {
        Number::parse(&text);
    }

    #[test]
    fn white_space_around_does_not_count(n in any_number()) {
        prop_assert_eq!(Number::parse(&format!("\u{feff} {n}\u{3000}\n")), Number::parse(&n.to_string()));
    }

    #[test]
    fn radices_agree_with_integers(value in any::<u64>()) {
        let expected = Number::from(value);
        prop_assert_eq!(Number::parse(&format!("0x{value:x}")), expected);
        prop_assert_eq!(Number::parse(&format!("0X{value:X}")), expected);
        prop_assert_eq!(Number::parse(&format!("0o{value:o}")), expected);
        prop_assert_eq!(Number::parse(&format!("0b{value:b}")), expected);
    }

    #[test]
    fn long_radices_agree_with_decimals(value in any::<u128>()) {
        let expected = Number::parse(&value.to_string());
        prop_assert_eq!(Number::parse(&format!("0x{value:x}")), expected);
        prop_assert_eq!(Number::parse(&format!("0o{value:o}")), expected);
        prop_assert_eq!(Number::parse(&format!("0b{value:b}")), expected);
    }
}
