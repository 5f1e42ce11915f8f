//! The command `drydock`.
#![forbid(unsafe_code)]

mod command;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use command::output::Output;
use mimalloc::MiMalloc;

/// A run allocates several times an event, and gives all of it back at its end: this one does both in fewer
/// instructions than the system's, and keeps the pages for the next run.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// A deterministic simulation testbed for protocols on Durable Objects.
///
/// Exit codes: 0 passed, 1 something that must hold is violated, 2 bad input, 3 void (nothing was shown), 4 not
/// deterministic, 101 the tool itself has panicked, 130 interrupted. `replay --expect` exits with 0 when the trace
/// shows what it is expected to show, `shrink` when it has written a trace that still fails, `explain` when it has
/// explained one.
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
    Sweep(command::sweep::Arguments),
    Replay(command::replay::Arguments),
    Shrink(command::shrink::Arguments),
    Explain(command::explain::Arguments),
    Keep(command::keep::Arguments),
    Defects(command::defects::Arguments),
    Gate(command::gate::Arguments),
    CheckLog(command::check_log::Arguments),
    Completions(command::completions::Arguments),
}

fn main() -> ExitCode {
    let mut out = Output(anstream::stdout());
    let arguments = Arguments::try_parse().unwrap_or_else(|error| command::replay::refuse(&error));
    let done = match arguments.command {
        Command::List(_) => command::list::list(&mut out).map(|()| 0).map_err(Into::into),
        Command::Run(arguments) => command::run::run(&arguments, &mut out),
        Command::Sweep(arguments) => command::sweep::sweep(&arguments, &mut out),
        Command::Replay(arguments) => command::replay::replay(&arguments, &mut out),
        Command::Shrink(arguments) => command::shrink::shrink(&arguments, &mut out),
        Command::Explain(arguments) => command::explain::explain(&arguments, &mut out),
        Command::Keep(arguments) => command::keep::keep(&arguments, &mut out),
        Command::Defects(arguments) => command::defects::defects(&arguments, &mut out),
        Command::Gate(arguments) => command::gate::gate(&arguments, &mut out),
        Command::CheckLog(arguments) => command::check_log::check_log(&arguments, &mut out),
        Command::Completions(arguments) => {
            command::completions::completions(&arguments, Arguments::command(), &mut out)
                .map(|()| 0)
                .map_err(Into::into)
        }
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
