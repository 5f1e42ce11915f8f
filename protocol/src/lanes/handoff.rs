//! Handing a request back to the front Worker, which may then ask the primary (`replicaHandoff`, `lanes.md` 16).

/// What the guard knows when a request is handed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardState {
    /// There is none: the interpreter was never booted in this incarnation.
    Absent,
    /// `didMutate()` is false: no SQL call runs at this moment.
    Idle,
    /// `didMutate()` is true: one does.
    Mutating,
}

/// Whether the request can have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Started {
    /// It was refused before anything of it ran.
    Never,
    /// It may have.
    Perhaps,
}

/// How a request is handed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Handoff {
    /// Nothing happened: the primary may be asked. Status 421 with the capability, retry-safe `1`, tier `REFUSED`.
    Clean,
    /// Something may have happened. Status 500, retry-safe `0`, no capability.
    Dirty,
}

impl Handoff {
    /// The response's status.
    pub fn status(self) -> u16 {
        match self {
            Handoff::Clean => 421,
            Handoff::Dirty => 500,
        }
    }

    /// The value of `x-cfw-retry-safe`.
    pub fn retry_safe(self) -> &'static str {
        match self {
            Handoff::Clean => "1",
            Handoff::Dirty => "0",
        }
    }

    /// Whether the response carries `x-cfw-requires-primary`.
    pub fn names_capability(self) -> bool {
        self == Handoff::Clean
    }
}

/// `replicaHandoff`: clean when nothing ran, or a guard watched and nothing runs (`lanes.md` 16).
///
/// Without a guard it is not clean, though nothing can have run then: a lane that was just woken answers 500.
pub fn replica_handoff(guard: GuardState, started: Started) -> Handoff {
    match (started, guard) {
        (Started::Never, _) | (Started::Perhaps, GuardState::Idle) => Handoff::Clean,
        (Started::Perhaps, GuardState::Absent | GuardState::Mutating) => Handoff::Dirty,
    }
}
