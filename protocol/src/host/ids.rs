//! Names, times and numbers of things.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An immutable text that is cheap to clone: inline when short, shared when long.
pub type Text = smol_str::SmolStr;

/// Milliseconds: an instant (since the Unix epoch, by some clock) or a length of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// No time at all; as an instant, the epoch.
    pub const ZERO: Millis = Millis(0);

    /// This instant, `length` later; the last representable one where that overflows.
    #[must_use]
    pub const fn after(self, length: Millis) -> Millis {
        Millis(self.0.saturating_add(length.0))
    }

    /// How long after `earlier` this is; zero where it is not after it.
    #[must_use]
    pub const fn since(self, earlier: Millis) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// The class of an object, as a Worker binds it: objects of two namespaces with one name are two objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Namespace(pub Text);

/// An object's name within its namespace; equal names reach the same object (`platform.md` section 1).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ObjectName(pub Text);

/// The id that the platform gives an object, which an instance always knows, also one that is not told its name: equal
/// ids are the same object. 64 hexadecimal digits on the platform; nothing is read out of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ObjectId(pub Text);

impl Namespace {
    /// A namespace whose name is known when the code is written.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Namespace(Text::new_static(name))
    }
}

impl ObjectName {
    /// A name made of any text.
    #[must_use]
    pub fn new(name: impl AsRef<str>) -> Self {
        ObjectName(Text::new(name))
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A way to reach an object. Making one sends nothing.
///
/// Calls on one stub arrive in the order they were made; between two stubs there is no order, also when both reach the
/// same object. When a call fails because its callee was reset or the connection was lost, all calls in flight on its
/// stub fail with it, whether they run or not, and later ones fail at once with the same error: go on with
/// [`Stub::fresh`] (`platform.md` sections 11.7, 12.1 and 12.2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Stub {
    /// Which namespace the object is in.
    pub namespace: Namespace,
    /// Which object.
    pub name: ObjectName,
    /// Which of the holder's stubs for that object: two with equal serials are the same stub.
    pub serial: u32,
}

impl Stub {
    /// The serial of stubs for one call.
    const ONCE: u32 = u32::MAX;

    /// The holder's first stub for an object.
    #[must_use]
    pub fn new(namespace: Namespace, name: ObjectName) -> Self {
        Stub {
            namespace,
            name,
            serial: 0,
        }
    }

    /// A stub for one call. Such calls have no order among each other and no part in each other's failure, and no
    /// platform keeps anything of them: right for what nobody awaits.
    #[must_use]
    pub fn once(namespace: Namespace, name: ObjectName) -> Self {
        Stub {
            namespace,
            name,
            serial: Self::ONCE,
        }
    }

    /// Whether it is a stub for one call.
    #[must_use]
    pub fn is_for_one_call(&self) -> bool {
        self.serial == Self::ONCE
    }

    /// Another stub for the same object, which has no part in this one's order or failure.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Stub {
            serial: if self.serial >= Self::ONCE - 1 {
                0
            } else {
                self.serial + 1
            },
            ..self.clone()
        }
    }
}

/// The name of a place in a protocol where something is begun or awaited: *pull the log*, *take the gate*.
///
/// One name serves as a mark, as an aim for faults, as part of the key of a choice, as an edge of the wait-for graph
/// and as a phrase of a story. So it is part of the protocol: short, lower case, words joined by hyphens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Label(pub &'static str);

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A task of one incarnation: the lowest number that no task held when it started, so that states which do not differ
/// in what they will do do not differ in their numbers either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(pub u32);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "task {}", self.0)
    }
}

/// Something that a task has begun and whose answer is still to come.
///
/// A task's number is not given to another task before all its answers have come, so an id names one operation of one
/// incarnation for as long as that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CallId {
    /// The task that began it.
    pub task: TaskId,
    /// The lowest number that nothing else has which the task has begun and which is still under way, so that a task
    /// which does the same again is in the same state again.
    pub nth: u32,
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call {}.{}", self.task.0, self.nth)
    }
}
