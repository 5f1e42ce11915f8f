//! Making a failure as small as it gets, for `shrink` and for whoever has found one.

use std::io::{IsTerminal as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use indicatif::ProgressDrawTarget;
use sim::check::{Identity, Violation};
use sim::report::figures::{Of, Took};
use sim::report::shrink::write_smallest;
use sim::search::shrink::{self, Ended, HandedOver, NotHandedOver, Settings, Smallest, hand_over, so_far};
use sim::trace;
use sim::world::{PlanOf, World};

use super::deployment;
use super::file::write;
use super::interrupt::Interrupt;
use super::output::quoted;
use super::progress::Progress;
use super::watch::Clock;

/// A failure that is to be made smaller.
pub struct Shrinking<'a, W: World> {
    /// The plan that fails.
    pub plan: &'a PlanOf<W>,
    /// Under which variant.
    pub variant: &'a str,
    /// What it violates.
    pub violation: &'a Violation,
    /// How plans are tried.
    pub settings: Settings,
    /// Where the smaller trace goes.
    pub file: &'a Path,
    /// What may end it.
    pub interrupt: Interrupt,
}

/// How it came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The trace is as small as it gets, or its runs are spent.
    Written,
    /// It was interrupted, and the smallest trace so far is written.
    Interrupted,
    /// Two runs of one plan differed: that is told.
    NotDeterministic,
}

impl<W: World> Shrinking<'_, W> {
    /// Does it, writes the trace, and tells of it. The smallest trace so far stands in the file all the while.
    pub fn run(self, out: &mut dyn Write) -> Result<Outcome> {
        let clock = Clock::start(None, self.interrupt.clone(), Progress::of_shrinking(target()));
        let (identity, from) = (Identity::of(self.violation), self.plan.items.len());
        // Whoever reads a pipe wants one trace. Where nobody can say what it is, that is told at the end, when it is written.
        let keeps = trace::replaces(self.file).unwrap_or(false);
        let keep = |plan: &PlanOf<W>| {
            if keeps {
                // What cannot be written now is told at the end, when the same file is written.
                let _ = write::<W>(&so_far::<W>(plan, &identity, self.variant, from), self.file);
            }
        };
        let smallest = shrink::shrink::<W, _>(
            self.plan,
            &identity,
            self.settings,
            || deployment::<W>(self.variant).expect("the variant was there before"),
            &clock,
            &keep,
        );
        let took = Took(clock.stop());
        // Without a single run, as when it is interrupted at once, the plan itself is the smallest.
        let smallest = smallest.unwrap_or_else(|| Smallest {
            plan: self.plan.clone(),
            certificates: Vec::new(),
            runs: 0,
            ended: Ended::Interrupted,
        });
        self.hand_over(&smallest, took, out)
    }

    /// Checks the smaller plan, writes it, and tells of it.
    fn hand_over(
        &self,
        smallest: &Smallest<W::Shape, W::Operation>,
        took: Took,
        out: &mut dyn Write,
    ) -> Result<Outcome> {
        let (store, from) = (self.settings.store, self.plan.items.len());
        let handed_over = match hand_over::<W>(smallest, self.variant, from, store) {
            Ok(handed_over) => handed_over,
            Err(NotHandedOver::NotDeterministic(verdict)) => {
                writeln!(out, "{verdict}")?;
                return Ok(Outcome::NotDeterministic);
            }
            Err(error) => return Err(error.into()),
        };
        let HandedOver {
            trace,
            violation,
            void_there,
        } = handed_over;
        writeln!(out, "  {}", violation.detail)?;
        write_smallest(from, &violation, smallest, out)?;
        writeln!(out, "  {} in {took}", Of(smallest.runs, "run"))?;
        let (here, there) = (store.name(), store.other().name());
        match void_there {
            None => writeln!(out, "  run twice on {here}, and on {there}: the same")?,
            Some(why) => writeln!(out, "  run twice on {here}, and not on {there}: {why}")?,
        }
        write::<W>(&trace, self.file)?;
        self.tell_next(smallest, out)?;
        Ok(match smallest.ended {
            Ended::Interrupted => Outcome::Interrupted,
            Ended::Minimal | Ended::Spent => Outcome::Written,
        })
    }

    fn tell_next(&self, smallest: &Smallest<W::Shape, W::Operation>, out: &mut dyn Write) -> Result<()> {
        writeln!(out, "  trace: {}", self.file.display())?;
        let (file, variant) = (quoted(self.file), self.variant);
        writeln!(out, "  next:  cargo run --release -- explain {file}")?;
        writeln!(
            out,
            "         cargo run --release -- replay {file} --variant {variant} --log"
        )?;
        if smallest.is_1_minimal() {
            writeln!(out, "         cargo run --release -- keep {file}")?;
        } else {
            let all = smallest.plan.items.len() + smallest.plan.fixed.len();
            let missing = Of((all - smallest.certificates.len()) as u64, "removal");
            writeln!(out, "         cargo run --release -- shrink {file} -o {file}")?;
            writeln!(
                out,
                "  missing: {missing} of {all} not tried yet, so that nobody knows whether it could be smaller; `keep` refuses it"
            )?;
        }
        Ok(())
    }
}

/// The file beside a trace's that its smaller one goes to.
pub fn beside(trace: &Path) -> PathBuf {
    let stem = trace.file_stem().unwrap_or_default().to_string_lossy();
    trace.with_file_name(format!("{stem}-shrunk.jsonl"))
}

/// Where a bar is drawn.
pub fn target() -> ProgressDrawTarget {
    if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    }
}
