//! Origins: whether a site's public address may be remembered from a copy (`lanes.md` 14.1).

mod host;

use host::{Host, host};

/// Names that no visitor can reach.
const UNREACHABLE: [&str; 2] = ["localhost", "do.local"];

/// `pinnable`: whether a lane takes this origin over as its `site_origin`: http or https, and a host that means something
/// elsewhere (`lanes.md` 14.1).
///
/// It is read as `new URL()` reads it, so `http://127.1` is `127.0.0.1`. A text without `://` is read as https: the
/// vectors take `example.com`, where the text of section 14.1 asks for http or https.
///
/// In one thing it is stricter and in one more lenient, for both need Unicode's tables, which are larger than all of this
/// crate: a host outside of ASCII is never pinned (full-width letters spell `localhost` too), and of `xn--...` it is not
/// checked what it stands for. The deployed code writes `URL.origin`, where such a host is in its ASCII form.
pub fn pinnable(origin: Option<&str>) -> bool {
    let Some(origin) = origin else {
        return false;
    };
    let host = if origin.contains("://") {
        host(origin)
    } else {
        host(&format!("https://{origin}"))
    };
    host.is_some_and(|host| match host {
        Host::Name(name) => !UNREACHABLE.contains(&name.as_str()),
        Host::V4(address) => !address.is_unspecified() && address != std::net::Ipv4Addr::LOCALHOST,
        Host::V6(address) => !address.is_loopback(),
    })
}
