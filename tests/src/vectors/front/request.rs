//! What is decided about one request: its route, its site, its session, its fence.

use std::collections::BTreeMap;

use protocol::host::Headers;
use protocol::lanes::fence::{Fence, FenceFacts};
use protocol::lanes::routing::{AffinityFacts, FailoverFacts, RouteFacts, fnv1a32};
use protocol::lanes::site::{Scheme, encode_site_id};
use protocol::number::Number;

use super::RULES;
use crate::vectors::{Js, Ran, Runner, Stop, unheld};

pub fn runners() -> Vec<Runner> {
    vec![
        Runner::answers("fnv1a32", hash),
        Runner::answers("affinityKey", affinity_key),
        Runner::answers("originationRoute", origination_route),
        Runner::answers("chooseTarget", choose_target),
        Runner::answers("laneSpread", lane_spread),
        Runner::answers("shouldFailover", should_failover),
        Runner::answers("siteFromHost", site_from_host),
        Runner::answers("encodeSiteId", site_id),
        Runner::answers("sessionCookieValue", session_cookie_value),
        Runner::answers("drupalSessionRowId", session_row_id),
        Runner::answers("attemptKey", attempt_key),
        Runner::answers("fenceAllows", fence_allows),
        Runner::answers("fenceRefusal", fence_refusal),
        Runner::answers("pinnable", pinnable),
    ]
}

fn hash(input: &Js) -> Ran {
    Ok(fnv1a32(input.field("text").js_text()?).into())
}

fn affinity_key(input: &Js) -> Ran {
    let session = input.field("session").option(Js::text)?;
    let address = input.field("address").option(Js::text)?;
    let pathname = input.field("pathname").text()?;
    let facts = AffinityFacts {
        session: session.as_deref(),
        address: address.as_deref(),
        pathname: &pathname,
    };
    Ok((RULES.routing.affinity_key)(&facts).into())
}

fn origination_route(input: &Js) -> Ran {
    let path = input.field("visitorPath").option(Js::text)?.unwrap_or_default();
    let content_type = input.field("contentType").option(Js::text)?;
    let why = (RULES.routing.origination_route)(&path, content_type.as_deref());
    Ok(why.map(|why| why.to_string()).into())
}

fn choose_target(input: &Js) -> Ran {
    let pathname = input.field("pathname").option(Js::text)?;
    let visitor_path = input.field("visitorPath").option(Js::text)?;
    let content_type = input.field("contentType").option(Js::text)?;
    let route = (RULES.routing.choose_target)(
        &RULES,
        &RouteFacts {
            site: &input.field("site").text()?,
            method: &input.field("method").text()?,
            affinity: &input.field("affinity").text()?,
            replicas: input.field("replicas").number()?,
            pathname: pathname.as_deref(),
            write_forward: input.field("writeForward").is_true(),
            has_session: input.field("hasSession").is_true(),
            visitor_path: visitor_path.as_deref(),
            content_type: content_type.as_deref(),
        },
    );
    Ok(Js::object([
        ("target", route.target.into()),
        ("role", route.role.to_string().into()),
        ("lane", route.lane.into()),
        ("reason", route.reason.to_string().into()),
    ]))
}

/// How many of the keys `<prefix>0`, `<prefix>1` and so on go to each lane.
fn lane_spread(input: &Js) -> Ran {
    let prefix = input.field("prefix").text()?;
    let Some(keys) = input.field("keys").number()?.to_u32_exact() else {
        return unheld("a number of keys is needed");
    };
    let mut buckets: BTreeMap<Number, u32> = BTreeMap::new();
    for key in 0..keys {
        let route = (RULES.routing.choose_target)(
            &RULES,
            &RouteFacts {
                site: "s",
                method: "GET",
                affinity: &format!("{prefix}{key}"),
                replicas: input.field("replicas").number()?,
                pathname: Some("/serve"),
                write_forward: false,
                has_session: false,
                visitor_path: None,
                content_type: None,
            },
        );
        *buckets.entry(route.lane).or_default() += 1;
    }
    Ok(Js::Object(
        buckets
            .into_iter()
            .map(|(lane, keys)| (lane.to_string(), keys.into()))
            .collect(),
    ))
}

fn should_failover(input: &Js) -> Ran {
    let mut headers = Headers::default();
    for (name, value) in input.field("headers").option(Js::entries)?.unwrap_or_default() {
        headers.set(name, value.text()?);
    }
    let exact = input
        .field("status")
        .number()?
        .to_u32_exact()
        .and_then(|status| u16::try_from(status).ok());
    let Some(status) = exact else {
        return unheld("a status is a number of three digits");
    };
    Ok((RULES.routing.should_failover)(&FailoverFacts {
        status,
        headers: &headers,
    })
    .into())
}

fn site_from_host(input: &Js) -> Ran {
    let scheme = input
        .field("protocol")
        .option(Js::text)?
        .map_or(Scheme::Https, |text| Scheme::of(&text));
    Ok((RULES.sites.from_host)(&input.field("host").text()?, scheme).into())
}

fn site_id(input: &Js) -> Ran {
    Ok(encode_site_id(&input.field("identity").text()?).into())
}

fn session_cookie_value(input: &Js) -> Ran {
    let header = input.field("header").option(Js::text)?;
    Ok((RULES.sessions.cookie_value)(header.as_deref()).into())
}

fn session_row_id(input: &Js) -> Ran {
    Ok((RULES.sessions.row_id)(input.field("value").js_text()?).into())
}

fn attempt_key(input: &Js) -> Ran {
    let id = input.field("id").option(Js::text)?;
    Ok((RULES.sessions.attempt_key)(id.as_deref()).into())
}

fn fence_allows(input: &Js) -> Ran {
    let (applied, required) = (
        input.field("applied").number()?,
        input.field("required").number()?,
    );
    Ok((RULES.fence.allows)(applied, required).into())
}

fn fence_refusal(input: &Js) -> Ran {
    let header = input.field("header").option(Js::text)?;
    let applied = input.field("applied").number()?;
    let replica = input.field("replica").bool()?;
    let (refuse, required) = match (RULES.fence.refusal)(
        &RULES,
        &FenceFacts {
            replica,
            applied,
            header: header.as_deref(),
        },
    ) {
        Fence::Absent => (false, None),
        Fence::Passed { required } => (false, Some(required)),
        Fence::Refused { required } => (true, Some(required)),
    };
    Ok(Js::object([
        ("refuse", refuse.into()),
        ("required", required.into()),
        ("applied", applied.into()),
    ]))
}

fn pinnable(input: &Js) -> Ran {
    let origin: Result<Option<String>, Stop> = input.field("origin").option(Js::text);
    Ok((RULES.copies.pinnable)(origin?.as_deref()).into())
}
