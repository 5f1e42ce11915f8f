//! `drydock completions`: what a shell needs to complete the command line.

use std::io::{Result, Write};

use clap_complete::Shell;

/// Print the script that completes this command line in a shell
///
/// It knows the commands and their options; in bash and zsh also the scenarios and variants. README.md says where a shell
/// looks for it.
#[derive(clap::Args)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Does it, for the command line as a whole.
pub fn completions(arguments: &Arguments, mut whole: clap::Command, out: &mut dyn Write) -> Result<()> {
    // By way of memory: what cannot be written there would be a panic of the generator, and what cannot be printed
    // is an error.
    let mut script = Vec::new();
    let name = whole.get_name().to_owned();
    clap_complete::generate(arguments.shell, &mut whole, name, &mut script);
    out.write_all(&script)
}
