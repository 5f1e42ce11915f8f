//! Pieces that a machine with only Rust and a C compiler does not have: the Worker's wasm module, and `workerd`.
//!
//! A test that lacks one is shown as ignored, with what enables it. Where `DRYDOCK_REQUIRE=1` is set, as in CI, it fails.

use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// Something that a test cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The Worker's wasm module, with the demonstration in it.
    Wasm,
    /// The program `workerd`.
    Workerd,
}

impl Piece {
    /// The environment variable that says where it is.
    #[must_use]
    pub const fn variable(self) -> &'static str {
        match self {
            Piece::Wasm => "DRYDOCK_WASM",
            Piece::Workerd => "DRYDOCK_WORKERD",
        }
    }

    /// What to set the variable to.
    const fn value(self) -> &'static str {
        match self {
            Piece::Wasm => "FILE.wasm",
            Piece::Workerd => "FILE",
        }
    }

    /// Where it is, if somebody has said so. Relative paths start at the root of the workspace.
    #[must_use]
    pub fn path(self) -> Option<PathBuf> {
        let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        Some(root.join(variable(self.variable()).filter(|path| !path.is_empty())?))
    }

    /// Where it is.
    ///
    /// # Errors
    /// Where nobody has said so.
    pub fn require(self) -> Result<PathBuf, Failed> {
        let missing = || {
            format!(
                "{} is not set (protocol/worker/README.md tells how to get it)",
                self.variable()
            )
        };
        self.path().ok_or_else(|| missing().into())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads DRYDOCK_*; no run sees it"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A test that needs these pieces.
pub fn trial<F>(name: &str, needs: &[Piece], run: F) -> Trial
where
    F: FnOnce() -> Result<(), Failed> + Send + 'static,
{
    let missing: Vec<_> = needs.iter().filter(|piece| piece.path().is_none()).collect();
    let trial = Trial::test(name, run);
    if missing.is_empty() || variable("DRYDOCK_REQUIRE").as_deref() == Some("1") {
        return trial;
    }
    let enable: Vec<_> = missing
        .iter()
        .map(|piece| format!("{}={}", piece.variable(), piece.value()))
        .collect();
    trial
        .with_kind(format!("run with {}", enable.join(" ")))
        .with_ignored_flag(true)
}

/// Runs these tests as the command line asks.
#[must_use]
pub fn run(trials: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
