//! The host of an http or https URL, as WHATWG's parser reads it, of hosts in ASCII.
//!
//! The crate `url` does this and more. It brings the tables of Unicode's international names into the Worker's module,
//! 210 kB, and its version without them panics on some names. A test holds this file to that crate.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// A name, in lower case.
    Name(String),
    /// An address, in whichever of its many spellings.
    V4(Ipv4Addr),
    /// An address in brackets.
    V6(Ipv6Addr),
}

/// The host of a URL; nothing when it is no URL of http or https, or its host is not ASCII.
pub(super) fn host(url: &str) -> Option<Host> {
    let trimmed = url.trim_matches(|c: char| c <= ' ');
    let url: String = trimmed
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    let (scheme, rest) = url.split_once(':')?;
    if !["http", "https"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return None;
    }
    // Any number of slashes of either kind, also none.
    let authority = rest
        .trim_start_matches(['/', '\\'])
        .split(['/', '\\', '?', '#'])
        .next()?;
    let host_and_port = authority.rsplit_once('@').map_or(authority, |(_, rest)| rest);
    read(without_port(host_and_port)?)
}

/// What stands before the port, if that is one.
fn without_port(text: &str) -> Option<&str> {
    let name = text.find(']').filter(|_| text.starts_with('[')).unwrap_or(0);
    let Some(colon) = text[name..].find(':').map(|at| name + at) else {
        return Some(text);
    };
    let port = &text[colon + 1..];
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    let is_port =
        port.is_empty() || digits && port.trim_start_matches('0').len() <= 5 && number(port, 10)? <= 65_535;
    is_port.then_some(&text[..colon])
}

fn read(text: &str) -> Option<Host> {
    if let Some(address) = text.strip_prefix('[') {
        return address.strip_suffix(']')?.parse().ok().map(Host::V6);
    }
    let name = decoded(text)?.to_ascii_lowercase();
    if name.is_empty() || name.bytes().any(is_forbidden) {
        return None;
    }
    let mut parts: Vec<&str> = name.split('.').collect();
    if parts.len() > 1 && parts.last() == Some(&"") {
        parts.pop();
    }
    if parts.last().is_some_and(|last| is_number(last)) {
        return address(&parts).map(Host::V4);
    }
    Some(Host::Name(name))
}

/// Percent signs decoded; nothing where that is not ASCII.
fn decoded(text: &str) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let code = (c == '%').then(|| rest.get(1..3).and_then(hex_byte)).flatten();
        let (c, length) = code.map_or((c, c.len_utf8()), |code| (char::from(code), 3));
        if !c.is_ascii() {
            return None;
        }
        name.push(c);
        rest = &rest[length..];
    }
    Some(name)
}

fn hex_byte(digits: &str) -> Option<u8> {
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    are_digits.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// Forbidden in a name by WHATWG, "forbidden domain code point".
fn is_forbidden(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f || b"#/:<>?@[\\]^|%".contains(&byte)
}

/// Whether a name whose last part is this is an address, right or wrong.
fn is_number(last: &str) -> bool {
    !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()) || part(last).is_some()
}

/// One part of an address: decimal, octal after `0`, hexadecimal after `0x`.
fn part(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some("") => Some(0),
        Some(digits) => number(digits, 16),
        None if text.len() > 1 && text.starts_with('0') => number(&text[1..], 8),
        None => number(text, 10),
    }
}

/// The most that a part can be told from: far above any part that fits.
const MOST: u64 = 1 << 40;

fn number(digits: &str, radix: u32) -> Option<u64> {
    let add =
        |sum: u64, digit: char| Some((sum * u64::from(radix) + u64::from(digit.to_digit(radix)?)).min(MOST));
    (!digits.is_empty() || radix == 8)
        .then(|| digits.chars().try_fold(0, add))
        .flatten()
}

/// The address of one to four parts, of which the last fills what the others leave.
fn address(parts: &[&str]) -> Option<Ipv4Addr> {
    let numbers: Vec<u64> = parts.iter().map(|text| part(text)).collect::<Option<_>>()?;
    let (last, others) = numbers.split_last()?;
    if others.len() > 3 || others.iter().any(|number| *number > 255) || *last >= 1 << (8 * (4 - others.len()))
    {
        return None;
    }
    let places = others.iter().zip([24, 16, 8]);
    let address = places.fold(*last, |sum, (number, place)| sum + (number << place));
    u32::try_from(address).ok().map(Ipv4Addr::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn by_the_crate(text: &str) -> Option<Host> {
        let url = url::Url::parse(text).ok()?;
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        Some(match url.host()? {
            url::Host::Domain(name) => Host::Name(name.to_owned()),
            url::Host::Ipv4(address) => Host::V4(address),
            url::Host::Ipv6(address) => Host::V6(address),
        })
    }

    /// Pieces of which URLs are made, and of which they go wrong.
    fn any_url() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => prop::sample::select(vec![
                "localhost", "do.local", "example", ".com", "127", "0x7f", "0", "017", "1", "256", "4294967295", "4294967296",
                ".", ".", ".", ":", ":80", ":65535", ":65536", ":00080", "[::1]", "[0:0::1]", "[", "]", "::ffff:1.2.3.4", "%",
                "%6c", "%2e", "%00", "%zz", "@", "user:p@", "/", "\\", "?", "#", " ", "\t", "\n", "A", "_", "-", "|", "0x", "^",
            ]).prop_map(str::to_owned),
            1 => "[ -~]{1,3}",
        ];
        let scheme = prop::sample::select(vec![
            "http://",
            "https://",
            "HTTPS:/",
            "http:",
            "http:\\\\",
            "ftp://",
            " https:///",
            "x:",
            "",
        ]);
        (scheme, prop::collection::vec(piece, 0..6))
            .prop_map(|(scheme, pieces)| scheme.to_owned() + &pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_host_is_read_as_the_crate_reads_it(url in any_url()) {
            prop_assume!(!url.to_ascii_lowercase().contains("xn--"));
            prop_assert_eq!(host(&url), by_the_crate(&url), "{:?}", url);
        }

        #[test]
        fn any_text_has_a_host_or_none(text in any::<String>()) {
            host(&text);
            host(&format!("https://{text}"));
        }
    }
}
