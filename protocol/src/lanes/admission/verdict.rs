//! Whether a lane may serve.

use std::fmt;

use super::{Missing, Stage, StageName, StateEntry};
use crate::host::Text;
use crate::lanes::rules::Rules;
use crate::number::Number;

/// What the verdict is made of.
#[derive(Clone, Debug)]
pub struct AdmissionFacts<'a> {
    /// The lane's stage.
    pub stage: StageName,
    /// The entries of `key_value` that it holds.
    pub present_state: &'a [StateEntry],
    /// The collections of which it holds something.
    pub present_collections: &'a [Text],
    /// The generation that it has applied.
    pub applied: Number,
    /// The generation that the primary told of.
    pub advertised: Number,
    /// The fingerprint of its state, where it is known.
    pub fingerprint: Option<&'a str>,
    /// The primary's, where it is known.
    pub primary_fingerprint: Option<&'a str>,
    /// Its schema text, where it is known.
    pub schema: Option<&'a str>,
    /// The primary's, where it is known.
    pub primary_schema: Option<&'a str>,
}

/// Whose value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The lane's own.
    Lane,
    /// The primary's.
    Primary,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Lane => "the lane's",
            Side::Primary => "the primary's",
        })
    }
}

/// Why a lane is not admitted. The wording is ours, except that `ahead` and `fingerprint` stand in it and that a
/// missing entry is named (`lanes.md` 6).
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum AdmissionRefusal {
    /// It was withdrawn.
    #[error("a withdrawn lane is never admitted")]
    Withdrawn,
    /// Something mandatory is not there.
    #[error("mandatory state is missing: {0}")]
    Missing(Missing),
    /// A schema is not known.
    #[error("{0} schema is unknown")]
    SchemaUnknown(Side),
    /// The schemas differ.
    #[error("the schemas differ: lane {lane}, primary {primary}")]
    Schema {
        /// The lane's.
        lane: Text,
        /// The primary's.
        primary: Text,
    },
    /// A generation is not finite.
    #[error("{0} generation is not a number")]
    NotANumber(Side),
    /// The lane is behind.
    #[error("the lane is behind: applied {applied}, primary at {advertised}")]
    Behind {
        /// The lane's generation.
        applied: Number,
        /// The primary's.
        advertised: Number,
    },
    /// The lane is ahead.
    #[error("the lane is ahead: applied {applied}, primary at {advertised}")]
    Ahead {
        /// The lane's generation.
        applied: Number,
        /// The primary's.
        advertised: Number,
    },
    /// A fingerprint is not known.
    #[error("{0} fingerprint is unknown")]
    FingerprintUnknown(Side),
    /// The fingerprints differ.
    #[error("the fingerprint differs from the primary's")]
    Fingerprint,
}

/// The verdict. It moves no stage by itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AdmissionVerdict {
    /// The lane may take the stage ELIGIBLE.
    Admitted,
    /// It keeps its stage, for these reasons: at least one.
    Refused {
        /// The stage that it keeps.
        stage: StageName,
        /// Why.
        refusals: Vec<AdmissionRefusal>,
    },
}

impl AdmissionVerdict {
    /// Whether the lane is admitted.
    pub fn is_admitted(&self) -> bool {
        matches!(self, AdmissionVerdict::Admitted)
    }

    /// The stage that the lane may take, or has.
    pub fn stage(&self) -> StageName {
        match self {
            AdmissionVerdict::Admitted => Stage::Eligible.into(),
            AdmissionVerdict::Refused { stage, .. } => stage.clone(),
        }
    }

    /// Why not; nothing when admitted.
    pub fn refusals(&self) -> &[AdmissionRefusal] {
        match self {
            AdmissionVerdict::Admitted => &[],
            AdmissionVerdict::Refused { refusals, .. } => refusals,
        }
    }
}

/// Whether a lane may serve: it lacks nothing mandatory and has the schema, the generation and the fingerprint of the
/// primary (`lanes.md` 6). What is unknown equals nothing, not even another unknown.
///
/// The fingerprint covers two tables (`lanes.md` 7): a lane whose other tables differ is admitted.
pub fn admission_verdict(rules: &Rules, facts: &AdmissionFacts<'_>) -> AdmissionVerdict {
    let mut refusals = Vec::new();
    if facts.stage == Stage::Withdrawn.into() {
        refusals.push(AdmissionRefusal::Withdrawn);
    }
    let missing = (rules.admission.missing_mandatory)(facts.present_state, facts.present_collections);
    refusals.extend(missing.into_iter().map(AdmissionRefusal::Missing));
    refusals.extend(schema(facts.schema, facts.primary_schema));
    refusals.extend(generation(facts.applied, facts.advertised));
    refusals.extend(fingerprint(facts.fingerprint, facts.primary_fingerprint));
    if refusals.is_empty() {
        AdmissionVerdict::Admitted
    } else {
        AdmissionVerdict::Refused {
            stage: facts.stage.clone(),
            refusals,
        }
    }
}

fn schema(lane: Option<&str>, primary: Option<&str>) -> Option<AdmissionRefusal> {
    match (lane, primary) {
        (None, _) => Some(AdmissionRefusal::SchemaUnknown(Side::Lane)),
        (_, None) => Some(AdmissionRefusal::SchemaUnknown(Side::Primary)),
        (Some(lane), Some(primary)) => (lane != primary).then(|| AdmissionRefusal::Schema {
            lane: Text::new(lane),
            primary: Text::new(primary),
        }),
    }
}

fn generation(applied: Number, advertised: Number) -> Option<AdmissionRefusal> {
    if !applied.is_finite() {
        Some(AdmissionRefusal::NotANumber(Side::Lane))
    } else if !advertised.is_finite() {
        Some(AdmissionRefusal::NotANumber(Side::Primary))
    } else if applied.js_lt(advertised) {
        Some(AdmissionRefusal::Behind { applied, advertised })
    } else if applied.js_gt(advertised) {
        Some(AdmissionRefusal::Ahead { applied, advertised })
    } else {
        None
    }
}

/// No digest is empty, so an empty text is as unknown as none.
fn fingerprint(lane: Option<&str>, primary: Option<&str>) -> Option<AdmissionRefusal> {
    let known = |text: Option<&'_ str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
    match (known(lane), known(primary)) {
        (None, _) => Some(AdmissionRefusal::FingerprintUnknown(Side::Lane)),
        (_, None) => Some(AdmissionRefusal::FingerprintUnknown(Side::Primary)),
        (lane, primary) => (lane != primary).then_some(AdmissionRefusal::Fingerprint),
    }
}
