//! The stages of a lane.

use std::fmt;

use crate::host::Text;
use crate::lanes::meta::{Key, Write, present};
use crate::lanes::rules::Rules;

/// A stage, in the order in which a lane passes them (`lanes.md` 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// It holds nothing that counts.
    Created,
    /// A copy is landing.
    Restoring,
    /// The copy is whole.
    Verified,
    /// It reads the primary's log.
    CatchingUp,
    /// It was admitted.
    Eligible,
    /// It answers visitors.
    Serving,
    /// What it holds is not to be trusted; it must be copied anew.
    Withdrawn,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; 7] = [
        Stage::Created,
        Stage::Restoring,
        Stage::Verified,
        Stage::CatchingUp,
        Stage::Eligible,
        Stage::Serving,
        Stage::Withdrawn,
    ];

    /// Its name on the wire and in storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Stage::Created => "CREATED",
            Stage::Restoring => "RESTORING",
            Stage::Verified => "VERIFIED",
            Stage::CatchingUp => "CATCHING_UP",
            Stage::Eligible => "ELIGIBLE",
            Stage::Serving => "SERVING",
            Stage::Withdrawn => "WITHDRAWN",
        }
    }

    /// The stage of that name, case by case.
    pub fn named(name: &str) -> Option<Self> {
        Stage::ALL.into_iter().find(|stage| stage.as_str() == name)
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text where a stage should stand: of `to=` in a query, or what is stored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StageName {
    /// A stage.
    Known(Stage),
    /// Another text. It moves nowhere and nothing moves to it.
    Unknown(Text),
}

impl StageName {
    /// What a text names.
    pub fn of(name: &str) -> Self {
        Stage::named(name).map_or_else(|| StageName::Unknown(Text::new(name)), StageName::Known)
    }

    /// The stage of a lane with this under [`Key::STAGE`]: CREATED where nothing is there (`lanes.md` 2).
    pub fn stored(text: Option<&str>) -> Self {
        present(text).map_or(StageName::Known(Stage::Created), StageName::of)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        match self {
            StageName::Known(stage) => stage.as_str(),
            StageName::Unknown(name) => name,
        }
    }

    /// The stage, if it is one.
    pub fn known(&self) -> Option<Stage> {
        match self {
            StageName::Known(stage) => Some(*stage),
            StageName::Unknown(_) => None,
        }
    }
}

impl From<Stage> for StageName {
    fn from(stage: Stage) -> Self {
        StageName::Known(stage)
    }
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Whether a lane may go from one stage to another: one step onward up to SERVING, from any of those to WITHDRAWN, and
/// from WITHDRAWN only back to CREATED (`lanes.md` 6).
pub fn can_transition(from: Stage, to: Stage) -> bool {
    match (from, to) {
        (Stage::Withdrawn, to) => to == Stage::Created,
        (_, Stage::Withdrawn) => true,
        (from, to) => to as usize == from as usize + 1,
    }
}

/// What a wish to move comes to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// The lane has another stage now.
    Moved(Stage),
    /// It had that stage already.
    AlreadyThere(StageName),
    /// There is no such move.
    Illegal {
        /// The stage that it keeps.
        from: StageName,
        /// The one that was asked for.
        to: StageName,
    },
}

/// Moves a lane to a stage, if that is a move (`lanes.md` 6, `setReplicaStage`).
pub fn set_stage(rules: &Rules, from: &StageName, to: &StageName) -> Move {
    match (from, to) {
        _ if from == to => Move::AlreadyThere(to.clone()),
        (StageName::Known(at), StageName::Known(next)) if (rules.admission.can_transition)(*at, *next) => {
            Move::Moved(*next)
        }
        _ => Move::Illegal {
            from: from.clone(),
            to: to.clone(),
        },
    }
}

impl Move {
    /// The stage afterwards.
    pub fn stage(&self) -> StageName {
        match self {
            Move::Moved(stage) => StageName::Known(*stage),
            Move::AlreadyThere(stage) | Move::Illegal { from: stage, .. } => stage.clone(),
        }
    }

    /// Whether that is another one than before.
    pub fn has_moved(&self) -> bool {
        matches!(self, Move::Moved(_))
    }

    /// The write that makes it so, if there is one to make.
    pub fn write(&self) -> Option<Write> {
        match self {
            Move::Moved(stage) => Some(Write::Meta(Key::STAGE, Text::new_static(stage.as_str()))),
            Move::AlreadyThere(_) | Move::Illegal { .. } => None,
        }
    }
}

/// Why the lane did not move; empty when it did.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Moved(_) => Ok(()),
            Move::AlreadyThere(_) => f.write_str("already there"),
            Move::Illegal { from, to } => write!(f, "{from} -> {to} is not a legal move"),
        }
    }
}
