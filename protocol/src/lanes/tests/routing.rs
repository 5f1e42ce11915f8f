use proptest::prelude::*;

use super::any_number;
use crate::lanes::name::replica_of;
use crate::lanes::routing::*;
use crate::lanes::rules::Rules;
use crate::number::Number;

const RULES: &Rules = &Rules::DOCUMENTED;

/// Requests of one kind, numbered: what a site's visitors ask for, and where they come from.
fn any_traffic() -> impl Strategy<Value = fn(u32) -> String> {
    prop::sample::select(vec![
        (|n| format!("p:/node/{n}")) as fn(u32) -> String,
        |n| format!("p:/user/{n}/edit"),
        |n| format!("p:/taxonomy/term/{n}"),
        |n| format!("p:/blog/2026/{:02}/{:02}/post-{n}", n % 12 + 1, n % 28 + 1),
        |n| {
            format!(
                "p:/products/{}/{}",
                ["shoes", "hats", "coats"][(n % 3) as usize],
                n / 3
            )
        },
        |n| format!("p:/ニュース/{n}"),
        |n| format!("a:10.{}.{}.{}", n >> 16 & 255, n >> 8 & 255, n & 255),
        |n| format!("a:203.0.{}.{}", n % 256, n / 256 % 256),
        |n| format!("a:2001:db8::{:x}:{:x}", n >> 16, n & 0xffff),
    ])
}

fn read<'a>(affinity: &'a str, replicas: Number) -> RouteFacts<'a> {
    RouteFacts {
        site: "example.com",
        method: "GET",
        affinity,
        replicas,
        pathname: Some(SERVE),
        write_forward: false,
        has_session: false,
        visitor_path: None,
        content_type: None,
    }
}

/// A bucket's index: the lane, which here is always small.
fn bucket(route: &Route) -> usize {
    route.lane.to_u32_exact().unwrap_or(u32::MAX) as usize
}

proptest! {
    /// The stated bound: over 200 keys a bucket, each of 1 to 33 buckets gets between half and one and a half of its
    /// share.
    #[test]
    fn traffic_is_spread_evenly(key in any_traffic(), first in 0..100_000_u32, replicas in 0..=32_u32) {
        const SHARE: usize = 200;
        let mut buckets = vec![0_usize; replicas as usize + 1];
        for n in 0..SHARE as u32 * (replicas + 1) {
            buckets[bucket(&choose_target(RULES, &read(&key(first + n), replicas.into())))] += 1;
        }
        for keys in &buckets {
            prop_assert!((SHARE / 2..=SHARE * 3 / 2).contains(keys), "{buckets:?}");
        }
    }

    #[test]
    fn a_lane_is_one_of_those_that_exist(affinity in any::<String>(), replicas in 0..=256_u32) {
        let route = choose_target(RULES, &read(&affinity, replicas.into()));
        prop_assert!(bucket(&route) <= replicas as usize);
        let lane = replica_of(&route.target).map_or(Number::ZERO, |name| name.lane);
        prop_assert_eq!(lane, route.lane);
        prop_assert_eq!(route.role == TargetRole::Replica, route.lane != Number::ZERO);
    }

    #[test]
    fn a_write_never_reaches_a_lane_unless_lanes_forward_and_it_has_a_session(
        method in "[A-Za-z]{0,7}",
        write_forward in any::<bool>(),
        has_session in any::<bool>(),
        affinity in any::<String>(),
        replicas in any_number(),
    ) {
        prop_assume!(!["GET", "HEAD"].contains(&method.to_uppercase().as_str()));
        let facts = RouteFacts { method: &method, write_forward, has_session, ..read(&affinity, replicas) };
        let route = choose_target(RULES, &facts);
        prop_assert!(route.role == TargetRole::Primary || write_forward && has_session, "{route:?}");
    }

    #[test]
    fn a_session_is_never_part_of_the_key(session in "[a-z]{20}", address in any::<Option<String>>()) {
        let facts = AffinityFacts { session: Some(&session), address: address.as_deref(), pathname: "/node/1" };
        prop_assert_eq!(affinity_key(&facts), "p:/node/1");
    }

    #[test]
    fn any_texts_are_answered(path in any::<String>(), content_type in any::<String>()) {
        origination_route(&path, Some(&content_type));
        origination_route(&path, Some(&format!("multipart/form-data{content_type}")));
        affinity_key(&AffinityFacts { session: Some(&path), address: Some(&content_type), pathname: &path });
    }
}

#[test]
fn nan_lanes_reach_the_hash() {
    let route = choose_target(RULES, &read("p:/", Number::NAN));
    assert_eq!(
        (route.lane, route.target.as_str()),
        (Number::NAN, "example.com#rNaN")
    );
}
