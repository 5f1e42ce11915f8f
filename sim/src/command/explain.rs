//! `drydock explain`: what led to a failure, in words.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ValueHint;
use sim::check::Verdict;
use sim::explain::{self, Explanation, FUTURES, Settings};
use sim::report::explain::write_explanation;
use sim::run::StoreKind;
use sim::trace::Trace;
use sim::world::World;

use super::failing::failing_variant;
use super::file::{WithTrace, with_trace};
use super::output::quoted;
use super::{deployment, jobs, run_plan_twice, statement, store_names, variant_names};

/// Explain a trace that fails: what led to it, in words
///
/// Tells what must hold and does not, the two values that disagree, and the story: what the violation depends on, in order,
/// and nothing else. Beside each line stands how many of some other futures come to the same failure from there on: the
/// world as it was then, and all that is left to chance drawn anew. Where that jumps, it was decided.
///
/// A trace is best shrunk first. What is told depends on the trace alone. Exits with 0; a trace that does not fail is bad
/// input.
#[derive(clap::Args)]
pub struct Arguments {
    /// The trace; `-` is the standard input
    #[arg(value_hint = ValueHint::FilePath)]
    trace: PathBuf,
    /// The variant of the protocol's rules [default: the first that the trace expects to be violated]
    #[arg(long, value_parser = variant_names(), hide_possible_values = true)]
    variant: Option<String>,
    /// Print the story as a graph in Graphviz's language, and nothing else
    #[arg(long, conflicts_with = "mermaid")]
    dot: bool,
    /// Print the story as a flowchart in Mermaid's language, and nothing else
    #[arg(long)]
    mermaid: bool,
    /// How many other futures are tried from each line on; with 0 none are
    #[arg(long, default_value_t = FUTURES, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    futures: u32,
    /// How many of them run at once [default: as many as there are processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Which store holds the objects' databases
    #[arg(long, value_parser = store_names(), default_value = StoreKind::Sqlite.name())]
    store: StoreKind,
}

/// Does it, and answers the exit code.
pub fn explain(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    with_trace(&arguments.trace, ExplainTrace { arguments, out })
}

/// Explains a trace whose world is not known yet.
struct ExplainTrace<'a> {
    arguments: &'a Arguments,
    out: &'a mut dyn Write,
}

impl WithTrace for ExplainTrace<'_> {
    fn visit<W: World>(self, trace: Trace<W::Shape, W::Operation>) -> Result<u8> {
        let ExplainTrace { arguments, out } = self;
        let variant = failing_variant(arguments.variant.as_deref(), &arguments.trace, &trace)?;
        let report = run_plan_twice::<W>(arguments.store, &trace.plan, &variant)?;
        match &report.verdict {
            Verdict::Violated(_) => {}
            Verdict::NotDeterministic(_) => {
                writeln!(out, "{}", report.verdict)?;
                return Ok(report.verdict.exit_code());
            }
            verdict => bail!(
                "{}: there is nothing to explain: under `{variant}` on {} the run says: {verdict}",
                arguments.trace.display(),
                arguments.store.name()
            ),
        }
        let is_drawing = arguments.dot || arguments.mermaid;
        let settings = Settings {
            store: arguments.store,
            jobs: jobs(arguments.jobs),
            futures: if is_drawing { 0 } else { arguments.futures },
        };
        let deployment = || deployment::<W>(&variant).expect("the variant was there before");
        let explanation = match explain::explain::<W, _>(&trace.plan, settings, deployment) {
            Ok(explanation) => explanation,
            Err(verdict) => bail!("a third run of the trace says something else: {verdict}"),
        };
        if arguments.dot {
            out.write_all(explain::dot(&explanation).as_bytes())?;
        } else if arguments.mermaid {
            out.write_all(explain::mermaid(&explanation).as_bytes())?;
        } else {
            write_all::<W>(arguments, &trace, &variant, &explanation, out)?;
        }
        Ok(0)
    }
}

fn write_all<W: World>(
    arguments: &Arguments,
    trace: &Trace<W::Shape, W::Operation>,
    variant: &str,
    explanation: &Explanation,
    out: &mut dyn Write,
) -> Result<()> {
    let (violation, plan) = (&explanation.violation, &trace.plan);
    writeln!(
        out,
        "{} violated   {}     {} · {variant} · seed {}",
        violation.invariant,
        statement::<W>(violation),
        plan.scenario,
        plan.seed
    )?;
    writeln!(out, "  {}", violation.detail)?;
    write_explanation(explanation, out)?;
    let file = quoted(&arguments.trace);
    if trace.shrunk.is_none() {
        writeln!(out, "  next:  cargo run --release -- shrink {file}")?;
        write!(out, "         ")?;
    } else {
        write!(out, "  next:  ")?;
    }
    writeln!(
        out,
        "cargo run --release -- replay {file} --variant {variant} --log"
    )?;
    Ok(())
}
