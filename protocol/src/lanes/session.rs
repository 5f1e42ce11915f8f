//! Sessions and attempts: what a request's cookie and id say (`lanes.md` 4 and 11).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::ecma::{JsString, trim};

/// `sessionCookieValue`: the value of the first cookie that is named like a Drupal session; none without one
/// (`lanes.md` 4).
///
/// A cookie without `=` counts, with an empty value: routing asks whether a session is there, not whether it is good.
pub fn session_cookie_value(cookies: Option<&str>) -> Option<&str> {
    cookies?.split(';').find_map(|cookie| {
        let (name, value) = cookie.split_once('=').unwrap_or((cookie, ""));
        is_session_name(trim(name)).then(|| trim(value))
    })
}

/// `/^S?SESS[0-9a-f]{32}$/`.
fn is_session_name(name: &str) -> bool {
    let name = name
        .strip_prefix('S')
        .filter(|rest| rest.starts_with("SESS"))
        .unwrap_or(name);
    name.strip_prefix("SESS")
        .is_some_and(|hex| hex.len() == 32 && hex.bytes().all(is_hex))
}

const fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// `drupalSessionRowId`: the key of a session's row in the table `sessions` (`lanes.md` 11).
///
/// SHA-256 of the cookie's value as UTF-8, in base64url without padding. The value is taken as it was sent, not
/// percent-decoded; half a surrogate pair is hashed as U+FFFD.
pub fn drupal_session_row_id(value: &JsString) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(value.to_string_lossy()))
}

/// `attemptKey`: the meta key of an unsafe request's attempt; none when its id is no UUID in lower case (`lanes.md` 4).
pub fn attempt_key(id: Option<&str>) -> Option<String> {
    id.filter(|id| is_uuid(id)).map(|id| format!("attempt:{id}"))
}

fn is_uuid(id: &str) -> bool {
    id.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && id.bytes().all(|byte| byte == b'-' || is_hex(byte))
}
