//! The worlds that there are, and how the rest of the tool reaches the one that a name stands for.

use super::demonstration::DemonstrationWorld;
use super::lanes::LanesWorld;
use super::{Variant, World};
use crate::check::Invariant;

/// What can be done with whichever world it is.
pub trait Visit {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<W: World>(self) -> Self::Output;
}

/// What a world tells of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// See [`World::NAME`].
    pub name: &'static str,
    /// See [`World::variants`].
    pub variants: Vec<Variant>,
    /// See [`World::invariants`].
    pub invariants: &'static [Invariant],
}

impl About {
    fn of<W: World>() -> Self {
        About {
            name: W::NAME,
            variants: W::variants(),
            invariants: W::invariants(),
        }
    }
}

macro_rules! worlds {
    ($first:ty $(, $more:ty)* $(,)?) => {
        /// The world that is meant where none is named.
        pub const DEFAULT: &str = <$first as World>::NAME;

        /// What each world tells of itself.
        #[must_use]
        pub fn all() -> Vec<About> {
            vec![About::of::<$first>() $(, About::of::<$more>())*]
        }

        /// Does something with the world of a name; `None` where there is none.
        pub fn with<V: Visit>(name: &str, visit: V) -> Option<V::Output> {
            match name {
                <$first as World>::NAME => Some(visit.visit::<$first>()),
                $(<$more as World>::NAME => Some(visit.visit::<$more>()),)*
                _ => None,
            }
        }
    };
}

// One row each, the one that is meant by default first.
worlds![LanesWorld, DemonstrationWorld];
