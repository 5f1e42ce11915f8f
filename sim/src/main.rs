//! The command `drydock`.
#![forbid(unsafe_code)]

mod command;

use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};

/// A deterministic simulation testbed for protocols on Durable Objects.
///
/// Exit codes: 0 passed, 1 something that must hold is violated, 2 bad input, 3 void (nothing was shown), 4 not
/// deterministic, 101 the tool itself has panicked, 130 interrupted. `replay --expect` exits with 0 when the trace
/// shows what it is expected to show.
#[derive(Parser)]
#[command(name = "drydock", version, max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    List(command::list::Arguments),
    Run(command::run::Arguments),
    Replay(command::replay::Arguments),
}

fn main() -> ExitCode {
    let mut out = String::new();
    let done = match Arguments::parse().command {
        Command::List(_) => command::list::list(&mut out).map(|()| 0).map_err(Into::into),
        Command::Run(arguments) => command::run::run(&arguments, &mut out),
        Command::Replay(arguments) => command::replay::replay(&arguments, &mut out),
    };
    // A reader that has seen enough closes its end: that is no failure, and changes no exit code.
    let printed = anstream::stdout().write_all(out.as_bytes());
    let printed = printed.or_else(|error| {
        if error.kind() == ErrorKind::BrokenPipe {
            Ok(())
        } else {
            Err(error)
        }
    });
    match done.and_then(|code| printed.context("cannot print").map(|()| code)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
