//! Site ids: which site a host name is (`lanes.md` 4).

use std::fmt::Write;

use crate::ecma::trim;

/// The protocol that a request came by, as far as its default port asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// `https:`, default port 443.
    #[default]
    Https,
    /// Anything else, default port 80.
    Other,
}

impl Scheme {
    /// The scheme that `URL.protocol` writes: `https:` exactly, or another.
    pub fn of(protocol: &str) -> Scheme {
        if protocol == "https:" {
            Scheme::Https
        } else {
            Scheme::Other
        }
    }

    const fn default_port(self) -> &'static str {
        match self {
            Scheme::Https => "443",
            Scheme::Other => "80",
        }
    }
}

/// Hosts that name the machine itself, and so no site.
const LOCAL_HOSTS: [&str; 5] = ["localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]"];

/// `siteFromHost`: the site id of a host name with or without a port; none when it is empty, local, or has nothing to
/// keep (`lanes.md` 4).
///
/// The port of the scheme is no part of the id, any other is. A bare `::1` is *not* local: its last colon is taken for
/// a port's (the vectors; the text of section 4 lists it among the local hosts). A colon without a port after it is
/// dropped: there the contract is silent.
pub fn site_from_host(host: &str, scheme: Scheme) -> Option<String> {
    let host = trim(host).to_lowercase();
    let (name, port) = split_port(&host);
    if LOCAL_HOSTS.contains(&name) {
        return None;
    }
    let identity = match port {
        Some(port) if !port.is_empty() && port != scheme.default_port() => host.as_str(),
        _ => name,
    };
    Some(encode_site_id(identity)).filter(|id| !id.is_empty())
}

/// The name and what follows its last colon; of a bracketed address, the colon after the bracket.
fn split_port(host: &str) -> (&str, Option<&str>) {
    let colon = if host.starts_with('[') {
        host.rfind("]:").map(|at| at + 1)
    } else {
        host.rfind(':')
    };
    colon.map_or((host, None), |at| (&host[..at], Some(&host[at + 1..])))
}

/// `encodeSiteId`: an identity as a site id (`lanes.md` 1 and 4).
///
/// `a-z 0-9 . -` are kept; every other character becomes `_` and two hex digits for each byte of its UTF-8, so `#` cannot
/// occur and two identities share an id only when they differ in what is then stripped: dots and dashes at either
/// end.
pub fn encode_site_id(identity: &str) -> String {
    let mut id = String::with_capacity(identity.len());
    for byte in identity.bytes() {
        if matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-') {
            id.push(char::from(byte));
        } else {
            // Writing to a String does not fail.
            let _ = write!(id, "_{byte:02x}");
        }
    }
    id.trim_matches(['.', '-']).to_owned()
}
