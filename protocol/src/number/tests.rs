use std::collections::BTreeSet;
use std::hash::Hasher;

use proptest::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::*;

mod json;
mod parse;

/// Any double, with the odd ones far more often than chance would bring them.
fn any_number() -> impl Strategy<Value = Number> {
    let edges = [
        0.0,
        -0.0,
        1.0,
        0.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        9_007_199_254_740_991.0,
        9_007_199_254_740_992.0,
        -9_007_199_254_740_992.0,
        18_446_744_073_709_551_616.0,
        1e21,
        1e-6,
        1e-7,
    ];
    prop_oneof![
        4 => any::<u64>().prop_map(|bits| Number::from_f64(f64::from_bits(bits))),
        2 => any::<i64>().prop_map(Number::from),
        2 => any::<i32>().prop_map(|thousandths| Number::from(thousandths) / Number::from(1000)),
        1 => any::<i32>().prop_map(|small| Number::from(small) / Number::from_f64(1e12)),
        1 => prop::sample::select(edges.to_vec()).prop_map(Number::from_f64),
    ]
}

fn number(value: f64) -> Number {
    Number::from_f64(value)
}

fn hash(n: Number) -> u64 {
    let mut hasher = Xxh3::new();
    n.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn prints_as_javascript_does() {
    for (value, expected) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (9_223_372_036_854_775_808.0, "9223372036854776000"),
        (f64::MAX, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
    ] {
        assert_eq!(number(value).to_string(), expected);
    }
    assert_eq!(
        format!("{:?} {:?} {:?}", number(-0.0), number(0.0), number(1e21)),
        "-0 0 1e+21"
    );
    assert_eq!(format!("[{:>4}]", Number::from(7)), "[   7]");
}

#[test]
fn every_nan_is_one() {
    for bits in [
        0x7ff8_0000_0000_0000,
        0xfff8_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        u64::MAX,
    ] {
        assert_eq!(number(f64::from_bits(bits)), Number::NAN);
    }
    let made = [
        Number::ZERO / Number::ZERO,
        Number::INFINITY - Number::INFINITY,
        Number::INFINITY * Number::ZERO,
        Number::from(1) % Number::ZERO,
        -Number::NAN,
        Number::NAN.floor(),
        Number::NAN.trunc(),
    ];
    assert_eq!(made, [Number::NAN; 7]);
    assert_eq!(Number::NAN.to_f64().to_bits(), 0x7ff8_0000_0000_0000);
}

#[test]
fn order_is_total() {
    let ascending = [
        f64::NEG_INFINITY,
        -1.0,
        -5e-324,
        -0.0,
        0.0,
        5e-324,
        1.0,
        f64::INFINITY,
        f64::NAN,
    ]
    .map(number);
    let set: BTreeSet<Number> = ascending.iter().rev().copied().collect();
    assert_eq!(set.into_iter().collect::<Vec<_>>(), ascending);
}

#[test]
fn javascript_compares_otherwise() {
    let (zero, minus_zero, one, nan) = (Number::ZERO, number(-0.0), Number::from(1), Number::NAN);
    assert!(zero.js_eq(minus_zero) && zero.js_le(minus_zero) && zero.js_ge(minus_zero));
    assert!(!minus_zero.js_lt(zero) && !zero.js_gt(minus_zero));
    assert!(zero.js_lt(one) && zero.js_le(one) && one.js_gt(zero) && one.js_ge(zero));
    for other in [zero, one, nan, Number::INFINITY] {
        for (a, b) in [(nan, other), (other, nan)] {
            assert!(!a.js_eq(b) && !a.js_lt(b) && !a.js_le(b) && !a.js_gt(b) && !a.js_ge(b));
        }
    }
}

#[test]
fn max_and_min_keep_nan_and_the_sign_of_zero() {
    let (zero, minus_zero, nan) = (Number::ZERO, number(-0.0), Number::NAN);
    for (a, b) in [
        (zero, nan),
        (nan, zero),
        (nan, Number::INFINITY),
        (Number::NEG_INFINITY, nan),
    ] {
        assert_eq!((a.js_max(b), a.js_min(b)), (nan, nan));
    }
    for (a, b) in [(zero, minus_zero), (minus_zero, zero)] {
        assert_eq!((a.js_max(b), a.js_min(b)), (zero, minus_zero));
    }
    assert_eq!(
        Number::from(3).js_max(Number::from(5)).js_min(Number::from(4)),
        Number::from(4)
    );
}

#[test]
fn operators() {
    let n = |value: i32| Number::from(value);
    assert_eq!(
        (n(7) + n(2), n(7) - n(2), n(7) * n(2), n(7) / n(2)),
        (n(9), n(5), n(14), number(3.5))
    );
    assert_eq!(
        (n(-7) % n(2), n(7) % n(-2), n(-4) % n(2)),
        (n(-1), n(1), number(-0.0))
    );
    assert_eq!(n(5) % Number::INFINITY, n(5));
    assert_eq!(
        (n(1) / n(0), n(-1) / n(0), n(1) / -n(0)),
        (Number::INFINITY, -Number::INFINITY, -Number::INFINITY)
    );
    assert_eq!(
        Number::MAX_SAFE_INTEGER + n(1),
        Number::MAX_SAFE_INTEGER + n(2),
        "integers alias beyond 2^53"
    );
}

#[test]
fn floor_and_trunc() {
    for (value, floor, trunc) in [
        (1.5, 1.0, 1.0),
        (-1.5, -2.0, -1.0),
        (-0.5, -1.0, -0.0),
        (0.5, 0.0, 0.0),
        (-0.0, -0.0, -0.0),
        (f64::INFINITY, f64::INFINITY, f64::INFINITY),
    ] {
        assert_eq!(
            (number(value).floor(), number(value).trunc()),
            (number(floor), number(trunc)),
            "{value}"
        );
    }
}

#[test]
fn predicates() {
    for (value, finite, integer, safe) in [
        (0.0, true, true, true),
        (-0.0, true, true, true),
        (0.5, true, false, false),
        (9_007_199_254_740_991.0, true, true, true),
        (-9_007_199_254_740_992.0, true, true, false),
        (f64::MAX, true, true, false),
        (f64::NAN, false, false, false),
        (f64::INFINITY, false, false, false),
    ] {
        let n = number(value);
        assert_eq!(
            (n.is_finite(), n.is_integer(), n.is_safe_integer()),
            (finite, integer, safe),
            "{value}"
        );
        assert_eq!(n.is_nan(), value.is_nan());
    }
}

#[test]
fn integers_come_in_rounded_as_javascript_rounds() {
    const TWO_POW_53: i64 = 1 << 53;
    assert_eq!(
        Number::integer(TWO_POW_53 + 1),
        Number::integer(TWO_POW_53),
        "a tie goes to even"
    );
    assert_eq!(Number::from(TWO_POW_53 + 3), Number::from(TWO_POW_53 + 4));
    assert_eq!(Number::from(u64::MAX), number(18_446_744_073_709_551_616.0));
    assert_eq!(Number::from(i64::MIN), number(-9_223_372_036_854_775_808.0));
    assert_eq!(
        (Number::from(u32::MAX), Number::from(i32::MIN)),
        (number(4_294_967_295.0), number(-2_147_483_648.0))
    );
    assert_eq!(Number::default(), Number::ZERO);
}

#[test]
fn integers_go_out_exactly_or_not_at_all() {
    for (value, as_u64, as_i64) in [
        (0.0, Some(0), Some(0)),
        (-0.0, Some(0), Some(0)),
        (-1.0, None, Some(-1)),
        (0.5, None, None),
        (
            9_223_372_036_854_774_784.0,
            Some(9_223_372_036_854_774_784),
            Some(9_223_372_036_854_774_784),
        ),
        (9_223_372_036_854_775_808.0, Some(1 << 63), None),
        (-9_223_372_036_854_775_808.0, None, Some(i64::MIN)),
        (
            18_446_744_073_709_549_568.0,
            Some(18_446_744_073_709_549_568),
            None,
        ),
        (18_446_744_073_709_551_616.0, None, None),
        (f64::NAN, None, None),
        (f64::INFINITY, None, None),
        (f64::NEG_INFINITY, None, None),
    ] {
        assert_eq!(
            (number(value).to_u64_exact(), number(value).to_i64_exact()),
            (as_u64, as_i64),
            "{value}"
        );
    }
    assert_eq!(Number::from(u32::MAX).to_u32_exact(), Some(u32::MAX));
    assert_eq!((Number::from(u32::MAX) + Number::from(1)).to_u32_exact(), None);
}

#[test]
fn thirty_two_bits() {
    for (value, unsigned, signed) in [
        (-0.0, 0, 0),
        (1.9, 1, 1),
        (-1.9, u32::MAX, -1),
        (2_147_483_648.0, 1 << 31, i32::MIN),
        (4_294_967_295.0, u32::MAX, -1),
        (4_294_967_297.0, 1, 1),
        (-4_294_967_297.0, u32::MAX, -1),
        (1e21, 3_735_027_712, -559_939_584),
        (f64::MAX, 0, 0),
        (f64::NAN, 0, 0),
        (f64::INFINITY, 0, 0),
    ] {
        assert_eq!(
            (number(value).to_uint32(), number(value).to_int32()),
            (unsigned, signed),
            "{value}"
        );
    }
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(n in any_number()) {
        let expected = if n.js_eq(Number::ZERO) { Number::ZERO } else { n };
        prop_assert_eq!(Number::parse(&n.to_string()), expected);
    }

    #[test]
    fn order_and_hash_agree_with_equality(a in any_number(), b in any_number()) {
        prop_assert_eq!(a == b, a.cmp(&b).is_eq());
        prop_assert_eq!(a == b, hash(a) == hash(b));
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a.partial_cmp(&b), Some(a.cmp(&b)));
    }

    #[test]
    fn order_agrees_with_javascript(a in any_number(), b in any_number()) {
        prop_assert!(!a.js_lt(b) || a < b);
        prop_assert!(!a.js_gt(b) || a > b);
        prop_assert_eq!(a.js_eq(b), a == b && !a.is_nan() || a.to_f64() == 0.0 && b.to_f64() == 0.0);
    }

    #[test]
    fn unequal_numbers_look_unequal(a in any_number(), b in any_number()) {
        prop_assert_eq!(a == b, format!("{a:?}") == format!("{b:?}"));
    }

    #[test]
    fn integers_survive(value in any::<i32>(), unsigned in any::<u32>()) {
        prop_assert_eq!(Number::from(value).to_int32(), value);
        prop_assert_eq!(Number::from(value).to_i64_exact(), Some(i64::from(value)));
        prop_assert_eq!(Number::from(unsigned).to_u32_exact(), Some(unsigned));
        prop_assert_eq!(Number::from(unsigned).to_uint32(), unsigned);
    }
}
