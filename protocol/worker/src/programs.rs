//! The table of programs: what the module can be started as.

use protocol::host::{Namespace, Text};
use protocol::task::Program;
use serde::{Deserialize, Serialize};

use crate::incarnation::{self, Incarnation};

/// What an instance of the module is started as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The name of the program.
    pub program: Text,
    /// Which variant of it; empty for the one it has by default.
    #[serde(default)]
    pub variant: Text,
    /// Which part of it.
    pub part: Part,
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// An object in this namespace.
    Object(Namespace),
    /// The front Worker.
    Front,
}

/// Why an instance was not started. Lists what there is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownStart {
    /// The table has no such program.
    #[error("no program is called `{program}`: this module has {known:?}")]
    Program {
        /// The name that was asked for.
        program: Text,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The program has no such variant.
    #[error("the program `{program}` has no variant `{variant}`: it has {known:?}")]
    Variant {
        /// The program.
        program: Text,
        /// The name that was asked for.
        variant: Text,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The program has no such namespace.
    #[error("the program `{program}` has no objects in a namespace `{namespace}`")]
    Namespace {
        /// The program.
        program: Text,
        /// The namespace that was asked for.
        namespace: Namespace,
    },
}

type Loader = fn(&Start) -> Result<Box<dyn Incarnation>, UnknownStart>;

/// All programs by name. What is not deployed stands behind a feature.
const PROGRAMS: &[(&str, Loader)] = &[
    #[cfg(feature = "demonstration")]
    ("demonstration", demonstration),
];

#[cfg(feature = "demonstration")]
fn demonstration(start: &Start) -> Result<Box<dyn Incarnation>, UnknownStart> {
    let variant = if start.variant.is_empty() {
        "hardened"
    } else {
        &start.variant
    };
    let rules = demonstration::rules::variant(variant).ok_or_else(|| UnknownStart::Variant {
        program: start.program.clone(),
        variant: start.variant.clone(),
        known: demonstration::rules::variants().map(|(name, _)| name).collect(),
    })?;
    instance(demonstration::Demonstration { rules }, start)
}

/// The names of all programs.
#[must_use]
pub fn names() -> Vec<&'static str> {
    PROGRAMS.iter().map(|(name, _)| *name).collect()
}

/// Makes the incarnation that a start asks for.
///
/// # Errors
/// Where there is no such program, variant or namespace.
pub fn load(start: &Start) -> Result<Box<dyn Incarnation>, UnknownStart> {
    match PROGRAMS.iter().find(|(name, _)| *name == start.program) {
        Some((_, load)) => load(start),
        None => Err(UnknownStart::Program {
            program: start.program.clone(),
            known: names(),
        }),
    }
}

/// The part of this program that a start asks for.
///
/// # Errors
/// Where the program has no such namespace.
pub fn instance<P>(program: P, start: &Start) -> Result<Box<dyn Incarnation>, UnknownStart>
where
    P: Program + Send + 'static,
    P::Object: Send,
    P::Front: Send,
{
    match &start.part {
        Part::Front => Ok(incarnation::front(program)),
        Part::Object(namespace) => {
            incarnation::object(program, namespace).ok_or_else(|| UnknownStart::Namespace {
                program: start.program.clone(),
                namespace: namespace.clone(),
            })
        }
    }
}
