//! The fence: a caller may ask for a generation, and a lane that has not reached it refuses (`lanes.md` 11 and 16).

use super::rules::Rules;
use crate::ecma::trim;
use crate::number::Number;

/// `fenceAllows`: both finite, and the lane has applied at least what is required (`lanes.md` 11).
pub fn fence_allows(applied: Number, required: Number) -> bool {
    applied.is_finite() && required.is_finite() && applied.js_ge(required)
}

/// What a fence is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FenceFacts<'a> {
    /// Whether the object is a replica. A primary has no fence.
    pub replica: bool,
    /// The object's commit sequence: *not* the generation that it has applied.
    pub applied: Number,
    /// The value of `x-cfw-require-generation`, if the request has it.
    pub header: Option<&'a str>,
}

/// What a fence says to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fence {
    /// Nobody asked: a primary, or a request without the field.
    Absent,
    /// The object stands where it was asked to, or further.
    Passed {
        /// The generation that was asked for.
        required: Number,
    },
    /// It does not, or what was asked is no generation. Answered with 503 and tier `STALE`.
    Refused {
        /// The generation that was asked for: NaN for a text that is no number, a blank one included.
        required: Number,
    },
}

/// `fenceRefusal`: whether a request may be answered from here (`lanes.md` 16).
pub fn fence_refusal(rules: &Rules, facts: &FenceFacts<'_>) -> Fence {
    let Some(header) = facts.header.filter(|_| facts.replica) else {
        return Fence::Absent;
    };
    // `Number('')` is 0, which every lane has reached. A caller that sends the field wants a fence.
    let required = if trim(header).is_empty() {
        Number::NAN
    } else {
        Number::parse(header)
    };
    if (rules.fence.allows)(facts.applied, required) {
        Fence::Passed { required }
    } else {
        Fence::Refused { required }
    }
}
