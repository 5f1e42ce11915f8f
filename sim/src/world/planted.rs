//! Defects that are planted in a protocol, to see whether they are found.

/// Where a defect comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// It was there once, or is in the documented protocol, or was reported of a platform or a system of the same kind.
    Catalogue,
    /// A change of the protocol is taken back.
    Ablation,
    /// A comparison that is off by one, a check that is left out, an order that is reversed.
    Mutant,
}

impl Origin {
    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Catalogue => "catalogue",
            Origin::Ablation => "ablation",
            Origin::Mutant => "mutant",
        }
    }
}

/// A variant that must be told from the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// Which: a name of [`variants`](super::World::variants).
    pub variant: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// The entries of the catalogue that it is made from.
    pub sources: Vec<&'static str>,
    /// The invariants of which one must catch it.
    pub invariants: Vec<&'static str>,
    /// What is wrong with it.
    pub about: &'static str,
    /// Why no run shows it today, and what would be needed; none of what must be found.
    pub unseen: Option<&'static str>,
}
