//! A trace with what its runs show now, in which whatever else its file says stays as it stands.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Entry, FORMAT, Trace, write_line};

/// The fields of a header that are written anew.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Renewed<'a> {
    #[serde(borrow)]
    drydock_trace: &'a RawValue,
    #[serde(borrow)]
    expect: &'a RawValue,
}

/// The text of a trace with the expectations, certificates and history of this one in place of its own: the order of its
/// fields, and what it leaves to defaults, stays. It has been read as a trace before.
///
/// # Errors
/// Where it has no expectations, or is no trace.
pub fn renewed<S, O: Serialize>(text: &str, trace: &Trace<S, O>) -> serde_json::Result<Vec<u8>> {
    let header = text.lines().next().unwrap_or_default();
    let Renewed {
        drydock_trace,
        expect,
    } = serde_json::from_str(header)?;
    let mut fields = [
        (drydock_trace, FORMAT.to_string()),
        (expect, serde_json::to_string(&trace.expect)?),
    ]
    .map(|(stands, anew)| {
        // It is a piece of the header's own text.
        let from = stands.get().as_ptr() as usize - header.as_ptr() as usize;
        (from..from + stands.get().len(), anew)
    });
    // From behind, so that the first one still stands where it did.
    fields.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut header = header.to_owned();
    for (range, anew) in fields {
        header.replace_range(range, &anew);
    }
    let mut out = header.into_bytes();
    out.push(b'\n');
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let entry: BTreeMap<String, &RawValue> = serde_json::from_str(line)?;
        if !entry.contains_key("certificate") && !entry.contains_key("history") {
            out.extend_from_slice(line.as_bytes());
            out.push(b'\n');
        }
    }
    let write = |out: &mut Vec<u8>, entry: Entry<O>| write_line(out, &entry);
    for certificate in &trace.certificates {
        write(&mut out, Entry::Certificate(certificate.clone())).map_err(serde_json::Error::io)?;
    }
    for line in &trace.history {
        write(&mut out, Entry::History(line.clone())).map_err(serde_json::Error::io)?;
    }
    Ok(out)
}
