//! `drydock list`: what there is to run.

use std::io::{Result, Write};

use sim::check::GENERAL;
use sim::scenario;
use sim::world::World;
use sim::world::demonstration::DemonstrationWorld;

/// List the scenarios, the variants of the rules, and what must hold
#[derive(clap::Args)]
pub struct Arguments {}

/// Does it.
pub fn list(out: &mut dyn Write) -> Result<()> {
    writeln!(out, "scenarios")?;
    for name in scenario::names() {
        let purpose = match scenario::load::<<DemonstrationWorld as World>::Scenario>(name) {
            Some(Ok(scenario)) => scenario.purpose.to_string(),
            Some(Err(error)) => error.to_string(),
            None => String::new(),
        };
        writeln!(out, "  {name:<22}{purpose}")?;
    }
    list_world::<DemonstrationWorld>(out)?;
    writeln!(out, "what must hold in any world")?;
    GENERAL
        .iter()
        .try_for_each(|invariant| writeln!(out, "  {:<22}{}", invariant.id, invariant.statement))
}

fn list_world<W: World>(out: &mut dyn Write) -> Result<()> {
    writeln!(out, "variants of {}", W::NAME)?;
    for variant in W::variants() {
        writeln!(out, "  {:<22}{}", variant.name, variant.about)?;
    }
    writeln!(out, "what must hold in {}", W::NAME)?;
    W::invariants()
        .iter()
        .try_for_each(|invariant| writeln!(out, "  {:<22}{}", invariant.id, invariant.statement))
}
