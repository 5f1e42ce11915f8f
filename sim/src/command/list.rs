//! `drydock list`: what there is to run.

use std::io::{Result, Write};

use sim::check::GENERAL;
use sim::scenario::{self, ScenarioError, Source};
use sim::world::known::{self, About, Visit};
use sim::world::{World, load};

/// List the scenarios, the variants of the rules, and what must hold, by world
#[derive(clap::Args)]
pub struct Arguments {}

/// Does it.
pub fn list(out: &mut dyn Write) -> Result<()> {
    let sources: Vec<_> = scenario::built_in().collect();
    for about in known::all() {
        list_world(&about, &sources, out)?;
    }
    writeln!(out, "what must hold in any world")?;
    GENERAL
        .iter()
        .try_for_each(|invariant| write_row(invariant.id, invariant.statement, out))
}

fn list_world(about: &About, sources: &[Source], out: &mut dyn Write) -> Result<()> {
    let name = about.name;
    writeln!(out, "scenarios of {name}")?;
    for source in sources {
        if source.world().is_ok_and(|world| world == name) {
            let purpose = known::with(name, Purpose(source)).expect("the world is there");
            let told = purpose.unwrap_or_else(|error| error.to_string());
            write_row(source.name(), &told, out)?;
        }
    }
    writeln!(out, "variants of {name}")?;
    for variant in &about.variants {
        write_row(variant.name, variant.about, out)?;
    }
    writeln!(out, "what must hold in {name}")?;
    about
        .invariants
        .iter()
        .try_for_each(|invariant| write_row(invariant.id, invariant.statement, out))
}

fn write_row(name: &str, told: &str, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "  {name:<35} {told}")
}

/// What a scenario is for.
struct Purpose<'a>(&'a Source);

impl Visit for Purpose<'_> {
    type Output = std::result::Result<String, ScenarioError>;

    fn visit<W: World>(self) -> Self::Output {
        load::<W>(self.0).map(|scenario| scenario.purpose.to_string())
    }
}
