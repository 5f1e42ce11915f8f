//! What a front learns from replies, and where it leaves it for others.

use super::{Cx, Front, labels};
use crate::host::{Headers, Millis, Shared, Text};
use crate::lanes::belief::{Hearsay, LanesPointer, MOST_SITES, pointer_key};
use crate::lanes::object::Version;
use crate::lanes::wire::Advertisement;
use crate::number::Number;

/// How long an edge pointer lasts that says how many lanes there are (`lanes.md` 3).
pub const POINTER_KNOWN: Millis = Millis(900_000);
/// How long one lasts that says that there are none (`lanes.md` 3).
pub const POINTER_ABSENT: Millis = Millis(300_000);

/// A reply of a site's primary, as far as a front learns from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Heard<'a> {
    /// The site.
    pub site: &'a Text,
    /// The reply's header fields.
    pub headers: &'a Headers,
}

/// Takes in what the primary's reply says about lanes, and leaves it in the edge cache where that says something else,
/// or is about to be dropped (`lanes.md` 16).
pub fn listen(front: &mut Front, version: &Version, heard: &Heard<'_>, cx: &mut Cx<'_, '_>) {
    let Advertisement { lanes, epoch } = Advertisement::read(heard.headers);
    let pointer = LanesPointer { lanes, epoch };
    let now = cx.now();
    let before = (version.rules.beliefs.believed)(&front.beliefs, heard.site, now);
    let said = Hearsay {
        site: heard.site,
        lanes: pointer.lanes,
        epoch: pointer.epoch,
        now,
    };
    (version.rules.beliefs.remember)(&mut front.beliefs, &said);
    let after = (version.rules.beliefs.believed)(&front.beliefs, heard.site, now);
    if before != after {
        cx.note(labels::HEARD, (version.rules.beliefs.format_pointer)(pointer));
    }
    let is_there = front
        .pointers
        .get(heard.site)
        .is_some_and(|(there, since)| *there == pointer && now.since(*since) < lasts(pointer));
    if !is_there {
        write_edge(front, version, heard.site, pointer, cx);
    }
}

/// Leaves a pointer in the edge cache.
pub(super) fn write_edge(
    front: &mut Front,
    version: &Version,
    site: &Text,
    pointer: LanesPointer,
    cx: &mut Cx<'_, '_>,
) {
    let text = (version.rules.beliefs.format_pointer)(pointer);
    let key = pointer_key(site);
    cx.put(
        labels::WRITE_EDGE,
        Shared::EdgeCache,
        &key,
        &text,
        Some(lasts(pointer)),
    );
    front.points_at(site, pointer, cx);
}

fn lasts(pointer: LanesPointer) -> Millis {
    if pointer.lanes.js_ge(Number::integer(1)) {
        POINTER_KNOWN
    } else {
        POINTER_ABSENT
    }
}

impl Front {
    /// The edge pointer of a site says this now.
    pub(super) fn points_at(&mut self, site: &Text, pointer: LanesPointer, cx: &Cx<'_, '_>) {
        if self.pointers.len() > MOST_SITES {
            self.pointers.clear();
        }
        self.pointers.insert(site.clone(), (pointer, cx.now()));
    }
}
