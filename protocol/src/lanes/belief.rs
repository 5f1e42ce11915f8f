//! What a front Worker believes about how many lanes a site has: the pointer it reads and the memory it keeps.
//!
//! Nothing here is authoritative. The primary's replies are, and everything else is a hint of some age: too low costs
//! capacity, too high costs a wasted hop (`lanes.md` 4).

use std::collections::BTreeMap;
use std::fmt;

use super::{MOST_LANES, count};
use crate::ecma::{is_digit, trim};
use crate::host::{Millis, Text};
use crate::number::Number;

/// How long a belief holds (`LANES_TRUST_MS`, `lanes.md` 3).
pub const TRUST: Millis = Millis(60_000);
/// When more sites than this are held, all are forgotten (`lanes.md` 3).
pub const MOST_SITES: usize = 64;

/// A number of lanes and the epoch in which the primary wrote it: the value at `lanes:<site>` in KV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanesPointer {
    /// How many lanes were provisioned.
    pub lanes: Number,
    /// Grows whenever `lanes` does.
    pub epoch: Number,
}

/// `formatLanesPointer`: `<lanes>@<epoch>`, each without its fraction and at least 0 (`lanes.md` 4).
///
/// NaN, infinities and numbers from 1e21 on are written as JavaScript prints them, and then not read back.
impl fmt::Display for LanesPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", count(self.lanes), count(self.epoch))
    }
}

/// `formatLanesPointer`, as a function: what [`LanesPointer`] displays as.
pub fn format_lanes_pointer(pointer: LanesPointer) -> String {
    pointer.to_string()
}

/// `parseLanesPointer`: digits, or digits `@` digits, with white space around; epoch 0 without the second; else none
/// (`lanes.md` 4). Very many digits are a rounded number, or `Infinity`.
pub fn parse_lanes_pointer(text: Option<&str>) -> Option<LanesPointer> {
    let text = trim(text?);
    let (lanes, epoch) = match text.split_once('@') {
        Some((lanes, epoch)) => (digits(lanes)?, digits(epoch)?),
        None => (digits(text)?, Number::ZERO),
    };
    Some(LanesPointer { lanes, epoch })
}

fn digits(text: &str) -> Option<Number> {
    (!text.is_empty() && text.chars().all(is_digit)).then(|| Number::parse(text))
}

/// The KV key of a site's pointer (`lanes.md` 4).
pub fn pointer_key(site: &str) -> String {
    format!("lanes:{site}")
}

/// What an isolate believes about one site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Belief {
    /// How many lanes: an integer from 1 to 256.
    pub lanes: Number,
    /// When it was learned, by the isolate's clock.
    pub at: Millis,
    /// The epoch it was learned with. Can be NaN: then any epoch may replace it.
    pub epoch: Number,
}

/// What an isolate believes about all sites it has heard of. Lost with the isolate.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Beliefs(BTreeMap<Text, Belief>);

impl Beliefs {
    /// What is held about a site, of whatever age.
    pub fn held(&self, site: &str) -> Option<&Belief> {
        self.0.get(site)
    }

    /// How many sites are held.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Holds a belief, in place of any other about the site.
    pub fn hold(&mut self, site: &str, belief: Belief) {
        self.0.insert(Text::new(site), belief);
    }

    /// Forgets all sites.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// What an isolate hears about a site, from a reply of its primary or a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hearsay<'a> {
    /// The site.
    pub site: &'a str,
    /// How many lanes it is said to have.
    pub lanes: Number,
    /// In which epoch; 0 when the source names none.
    pub epoch: Number,
    /// The isolate's time.
    pub now: Millis,
}

/// `rememberLanes`: takes in what was heard, or ignores it (`lanes.md` 4).
///
/// Ignored are fewer than one lane, numbers that are not finite, and an epoch older than that of a belief that still
/// holds. So a belief can never be taken back to "no lanes", it can only expire. An equal epoch replaces, also
/// downwards; so does NaN, which is not older than anything.
pub fn remember_lanes(beliefs: &mut Beliefs, heard: &Hearsay<'_>) {
    if !heard.lanes.is_finite() || heard.lanes.js_lt(Number::integer(1)) {
        return;
    }
    let holds = |held: &Belief| is_fresh(held, heard.now) && held.epoch.js_gt(heard.epoch);
    if beliefs.held(heard.site).is_some_and(holds) {
        return;
    }
    // Also when the site is one of those held: the deployed code does not look.
    if beliefs.len() > MOST_SITES {
        beliefs.clear();
    }
    let lanes = heard.lanes.floor().js_min(MOST_LANES);
    beliefs.hold(
        heard.site,
        Belief {
            lanes,
            at: heard.now,
            epoch: heard.epoch,
        },
    );
}

/// `believedLanes`: how many lanes a site has, as far as this isolate knows; 0 when it knows nothing that still holds
/// (`lanes.md` 4).
pub fn believed_lanes(beliefs: &Beliefs, site: &str, now: Millis) -> Number {
    beliefs
        .held(site)
        .filter(|held| is_fresh(held, now))
        .map_or(Number::ZERO, |held| held.lanes)
}

/// A clock that went backwards makes a belief younger, so it holds.
fn is_fresh(held: &Belief, now: Millis) -> bool {
    now.since(held.at) < TRUST
}
