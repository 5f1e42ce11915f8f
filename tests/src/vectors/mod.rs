//! The conformance vectors, run through the public API of `protocol`.
//!
//! `tests/vectors/` holds one JSON file per function or flow; its `README.md` says what they mean. [`suite::load`]
//! makes one test of each vector. To cover a file, add a [`Runner`] for it to the module of its area, and a new area
//! to [`runners`].

mod admission;
mod files;
mod flows;
mod forward;
mod front;
mod guard;
mod inventory;
mod js;
mod json;
mod load;
mod log;
mod number;
mod report;
mod restore;
mod sql;
mod store;
pub mod suite;
#[cfg(test)]
mod tests;
mod unholdable;
mod wire;

pub use js::Js;

/// What a runner made of an input: the answer, or why there is none.
pub type Ran = Result<Js, Stop>;

/// Why a runner has no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The call fails with this text, where the deployed one throws it.
    Threw(String),
    /// The typed API cannot hold this input, and why. Allowed only for the vectors in the list of such inputs.
    Unheld(String),
}

/// The typed API cannot hold an input.
pub fn unheld<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Unheld(why.into()))
}

/// The call failed, with the text that the deployed one throws.
pub fn threw<T>(error: impl ToString) -> Result<T, Stop> {
    Err(Stop::Threw(error.to_string()))
}

/// How the vectors of one file are run.
pub struct Runner {
    /// The file, without `.json`: the name of the function or flow.
    pub file: &'static str,
    /// How.
    pub run: Run,
}

/// Two kinds of runner.
pub enum Run {
    /// From the input to an answer, which must be the expected one.
    Answer(fn(&Js) -> Ran),
    /// For what is only known by relation or in part (`fingerprintState`, `admissionVerdict`): from the input and the
    /// expectation to nothing, or to what is wrong.
    Judge(fn(&Js, &Js) -> Result<Option<String>, Stop>),
}

impl Runner {
    /// A runner whose answers are compared with the expected ones.
    pub const fn answers(file: &'static str, run: fn(&Js) -> Ran) -> Runner {
        Runner {
            file,
            run: Run::Answer(run),
        }
    }

    /// A runner that compares by itself.
    pub const fn judges(file: &'static str, run: fn(&Js, &Js) -> Result<Option<String>, Stop>) -> Runner {
        Runner {
            file,
            run: Run::Judge(run),
        }
    }
}

/// The runners of all areas.
pub fn runners() -> Vec<Runner> {
    let areas: [fn() -> Vec<Runner>; 10] = [
        number::runners,
        front::runners,
        sql::runners,
        inventory::runners,
        guard::runners,
        forward::runners,
        log::runners,
        admission::runners,
        restore::runners,
        flows::runners,
    ];
    areas.iter().flat_map(|area| area()).collect()
}
