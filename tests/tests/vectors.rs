//! Every conformance vector through the public API of `protocol`, each a test of its own.
//!
//! `cargo test --test vectors` runs all; `cargo test --test vectors -- replicaOf` those of one file. With
//! `DRYDOCK_VECTORS=<folder>` it runs that folder instead, which may hold only some of the files; a relative
//! path starts at the root of the workspace.

use std::process::ExitCode;

use libtest_mimic::Arguments;
use tests::vectors::suite;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let suite = suite::load();
    let listing = arguments.list;
    let conclusion = libtest_mimic::run(&arguments, suite.trials);
    if !listing {
        println!("{}", suite.report);
    }
    conclusion.exit_code()
}
