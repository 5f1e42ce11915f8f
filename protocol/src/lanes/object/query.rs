//! The query of a request, as `URLSearchParams` reads it.

use crate::host::{Request, Text};

/// A request's path without its query, and the query.
pub(super) fn target(request: &Request) -> (&str, &str) {
    request.path.split_once('?').unwrap_or((&request.path, ""))
}

/// The first value under a key; the empty text where the key stands alone.
pub(super) fn get(query: &str, key: &str) -> Option<Text> {
    query.split('&').find_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name) == key).then(|| Text::from(decode(value)))
    })
}

/// Percent-decoding, where a plus is a blank and what is no escape stays as it is.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%').then(|| bytes.get(at + 1..at + 3)).flatten();
        let escaped = escaped.and_then(|digits| hex::decode(digits).ok());
        match escaped {
            Some(escaped) => {
                decoded.extend(escaped);
                at += 3;
            }
            None => {
                decoded.push(if byte == b'+' { b' ' } else { byte });
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// A text as the value of a query's key.
pub(in crate::lanes) fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.push_str(&hex::encode_upper([byte]));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_as_a_browser_reads_it() {
        let query = "action=stage&to=A%20B+c&action=no&lone&bad=%zz%4";
        assert_eq!(get(query, "action").as_deref(), Some("stage"));
        assert_eq!(get(query, "to").as_deref(), Some("A B c"));
        assert_eq!(get(query, "lone").as_deref(), Some(""));
        assert_eq!(get(query, "bad").as_deref(), Some("%zz%4"));
        assert_eq!(get(query, "none"), None);
        assert_eq!(decode(&encode("/a b?c=é")), "/a b?c=é");
    }
}
