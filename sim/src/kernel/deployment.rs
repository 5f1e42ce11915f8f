//! Which versions of the code there are, and which each party starts with.

use std::sync::Arc;

use protocol::host::ObjectName;

/// Which of some versions a party starts with: an object by its name, an isolate of the front Worker by none.
pub type Placement = fn(Option<&ObjectName>) -> usize;

/// The versions of a protocol's code that are deployed side by side, and which of them each object and each isolate
/// starts with (`platform.md` 8).
#[derive(Clone, Debug)]
pub struct Deployment<P> {
    /// Shared: a world that is copied in mid-run runs the same code.
    versions: Arc<[P]>,
    placement: Placement,
}

impl<P> Deployment<P> {
    /// One version for all.
    #[must_use]
    pub fn of(version: P) -> Self {
        Deployment {
            versions: Arc::new([version]),
            placement: |_| 0,
        }
    }

    /// Several versions. A placement names one by its place among them.
    ///
    /// # Panics
    /// Where there is no version.
    #[must_use]
    pub fn mixed(versions: Vec<P>, placement: Placement) -> Self {
        assert!(!versions.is_empty(), "something is deployed");
        Deployment {
            versions: versions.into(),
            placement,
        }
    }

    /// The same placement, with something made of each version: a recorder around it, for example.
    #[must_use]
    pub fn map<Q>(&self, make: impl FnMut(&P) -> Q) -> Deployment<Q> {
        Deployment {
            versions: self.versions.iter().map(make).collect(),
            placement: self.placement,
        }
    }

    /// How many versions there are.
    pub(super) fn versions(&self) -> usize {
        self.versions.len()
    }

    /// The version that most know: the first.
    pub(super) fn first(&self) -> &P {
        &self.versions[0]
    }

    pub(super) fn version(&self, place: usize) -> &P {
        &self.versions[place]
    }

    /// What a party starts with, by its place.
    pub(super) fn starts_with(&self, name: Option<&ObjectName>) -> usize {
        let place = (self.placement)(name);
        assert!(
            place < self.versions.len(),
            "a placement names a version that is deployed"
        );
        place
    }
}
