//! The names of objects: a lane's name says whose lane it is, and an object's role follows from its name (`lanes.md` 1).

use crate::number::Number;

/// Stands between a site id and a lane's number. A site id cannot hold its first character.
const MARK: &str = "#r";

/// A lane's name, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneName<'a> {
    /// The name of the primary.
    pub site: &'a str,
    /// The lane's number: an integer, at least 1. Without an upper bound: `example.com#r257` is read as well.
    pub lane: Number,
}

/// `replicaName`: the name of lane `lane` of a site. Joins, and checks nothing (`lanes.md` 4).
pub fn replica_name(site: &str, lane: Number) -> String {
    format!("{site}{MARK}{lane}")
}

/// `replicaOf`: whose lane a name says it is, and which; none for a primary's name (`lanes.md` 4).
///
/// What follows the last `#r` is read by `Number()`, so one lane has many names (`#r16`, `#r0x10`, `#r 16`), which are
/// different objects.
pub fn replica_of(name: &str) -> Option<LaneName<'_>> {
    let at = name.rfind(MARK).filter(|&at| at > 0)?;
    let lane = lane_number(&name[at + MARK.len()..])?;
    Some(LaneName {
        site: &name[..at],
        lane,
    })
}

/// The lane that a text names, read by `Number()`: of an object's name, and of `readmit&lane=`, where anything else is
/// answered with 400 (`lanes.md` 4 and 17).
pub fn lane_number(text: &str) -> Option<Number> {
    Some(Number::parse(text)).filter(|lane| is_lane(*lane))
}

/// Whether a number is a lane's: whole, from 1 on, without an upper bound. Equal ones have equal bits.
pub fn is_lane(lane: Number) -> bool {
    lane.is_integer() && lane.js_ge(Number::integer(1))
}
