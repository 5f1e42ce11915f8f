//! Origins: whether a site's public address may be remembered from a copy (`lanes.md` 14.1).

use url::Url;

/// Hosts that no visitor can reach, as `URL.hostname` writes them.
const UNREACHABLE: [&str; 5] = ["localhost", "127.0.0.1", "0.0.0.0", "[::1]", "do.local"];

/// `pinnable`: whether a lane takes this origin over as its `site_origin`: http or https, and a host that means something
/// elsewhere (`lanes.md` 14.1).
///
/// Not pinned either is a host outside of ASCII: this build carries no Unicode tables to tell it apart from one of those
/// (full-width letters spell `localhost` too). What the deployed code writes is `URL.origin`, whose host is ASCII:
/// `xn--...` where the visitor's is not.
///
/// It is read as WHATWG's URL, so `http://127.1` is `127.0.0.1`. A text without `://` is read as https: the vectors take
/// `example.com`, where the text of section 14.1 asks for http or https.
pub fn pinnable(origin: Option<&str>) -> bool {
    let Some(origin) = origin else {
        return false;
    };
    let parsed = if origin.contains("://") {
        Url::parse(origin)
    } else {
        Url::parse(&format!("https://{origin}"))
    };
    parsed.is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !UNREACHABLE.contains(&host))
    })
}
