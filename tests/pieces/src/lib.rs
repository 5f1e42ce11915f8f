//! What the environment tells the suite, read here and nowhere else: where its pieces are, and what it is asked to do.
//!
//! A piece is what a machine with only Rust and a C compiler does not have. A test that lacks one is shown as ignored,
//! with what enables it. Where `DRYDOCK_REQUIRE=1` is set, as in CI, a missing piece that can be installed is a failure.

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
    /// The library that shows a process another clock: Debian's package `libfaketime`.
    Faketime,
    /// The command `drydock` of the release build.
    Release,
    /// The folder of statement streams that a real site produced.
    Captures,
}

impl Piece {
    /// The environment variable that says where it is.
    #[must_use]
    pub const fn variable(self) -> &'static str {
        match self {
            Piece::Wasm => "DRYDOCK_WASM",
            Piece::Workerd => "DRYDOCK_WORKERD",
            Piece::Faketime => "DRYDOCK_FAKETIME",
            Piece::Release => "DRYDOCK_RELEASE",
            Piece::Captures => "DRYDOCK_CAPTURES",
        }
    }

    /// What to set the variable to.
    const fn value(self) -> &'static str {
        match self {
            Piece::Wasm => "FILE.wasm",
            Piece::Workerd | Piece::Release => "FILE",
            Piece::Faketime => "libfaketime.so.1",
            Piece::Captures => "FOLDER",
        }
    }

    /// How to get it.
    const fn origin(self) -> &'static str {
        match self {
            Piece::Wasm | Piece::Workerd => "protocol/worker/README.md tells how to get it",
            Piece::Faketime => "Debian's package libfaketime has it, see `dpkg -L libfaketime`",
            Piece::Release => "`cargo build --release` leaves it in target/release/drydock",
            Piece::Captures => {
                "the streams belong to the site that produced them, and are not part of this repository"
            }
        }
    }

    /// Whether anybody can get it, so that `DRYDOCK_REQUIRE=1` may insist on it.
    const fn can_be_installed(self) -> bool {
        !matches!(self, Piece::Captures)
    }

    /// Where it is, if somebody has said so. Relative paths start at the root of the workspace.
    #[must_use]
    pub fn path(self) -> Option<PathBuf> {
        path(self.variable())
    }

    /// Where it is.
    ///
    /// # Errors
    /// Where nobody has said so.
    pub fn require(self) -> Result<PathBuf, Failed> {
        let missing = || format!("{} is not set ({})", self.variable(), self.origin());
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

fn path(name: &str) -> Option<PathBuf> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    Some(root.join(variable(name).filter(|path| !path.is_empty())?))
}

/// The folder of vectors to run in place of `tests/vectors/`, if `DRYDOCK_VECTORS` names one. A relative path starts at
/// the root of the workspace.
#[must_use]
pub fn other_vectors() -> Option<PathBuf> {
    path("DRYDOCK_VECTORS")
}

/// With `DRYDOCK_BLESS=1`, what the tests generate into the documentation is written anew instead of compared.
#[must_use]
pub fn blesses() -> bool {
    variable("DRYDOCK_BLESS").as_deref() == Some("1")
}

/// How many seeds of each scenario the suite sweeps, if `DRYDOCK_SEEDS` says so.
///
/// # Panics
/// When it says something that is no number.
#[must_use]
pub fn seeds() -> Option<u64> {
    let text = variable("DRYDOCK_SEEDS")?;
    Some(
        text.parse().unwrap_or_else(|_| {
            panic!("DRYDOCK_SEEDS is the number of seeds of each scenario, not `{text}`")
        }),
    )
}

/// A test that needs these pieces.
pub fn trial<F>(name: &str, needs: &[Piece], run: F) -> Trial
where
    F: FnOnce() -> Result<(), Failed> + Send + 'static,
{
    let missing: Vec<_> = needs.iter().filter(|piece| piece.path().is_none()).collect();
    let trial = Trial::test(name, run);
    let is_required = variable("DRYDOCK_REQUIRE").as_deref() == Some("1");
    if missing.is_empty() || is_required && missing.iter().any(|piece| piece.can_be_installed()) {
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
