//! What a sweep has come to, told.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use sim::check::{Identity, Verdict, Violation};
use sim::report::figures::{Of, Took};
use sim::report::sweep::{Row, table, write_measures, write_unreached, write_void_runs};
use sim::scenario::Source;
use sim::search::known::{Date, entry};
use sim::search::{Finding, Judged, Judgement, Known, Settings, Swept, seeds_to_judge, shrink};
use sim::world::{PlanOf, World};

use super::interrupt::{self, Interrupt};
use super::output::quoted;
use super::shrinking::{Shrinking, beside};
use super::{failure, statement};

/// A sweep that is over.
pub struct Summary<'a, Own> {
    /// How long it took.
    pub took: Duration,
    /// Whether somebody has ended it.
    pub interrupted: bool,
    /// What it has come to.
    pub judged: Judged,
    /// What was swept, and how.
    pub settings: &'a Settings<'a, Own>,
    /// The files of its scenarios.
    pub sources: &'a [Source],
    /// What it has shown.
    pub swept: &'a Swept,
    /// The variant that was swept.
    pub variant: &'a str,
    /// The failures that were known until a day that is over.
    pub expired: &'a [Known],
    /// What day it is.
    pub today: Date,
    /// Where the traces are of what was found, by scenario and seed.
    pub traces: &'a BTreeMap<(usize, u64), PathBuf>,
    /// How many runs it may take to make what was found smaller; none where it is not to be.
    pub shrink: Option<u64>,
    /// What may end that.
    pub interrupt: Interrupt,
}

impl<Own> Summary<'_, Own> {
    /// Tells all of it, and answers the exit code.
    pub fn write<W: World<Scenario = Own>>(&self, out: &mut dyn Write) -> Result<u8> {
        let Summary { settings, swept, .. } = self;
        writeln!(out, "{}", table(&self.rows()))?;
        write_measures(&swept.tallies, out)?;
        write_void_runs(&swept.tallies, settings.store, out)?;
        for finding in &swept.findings {
            self.write_finding::<W>(finding, out)?;
        }
        self.write_known(out)?;
        for (at, unreached) in self.judged.unreached.iter().enumerate() {
            if let Some(unreached) = unreached
                && !unreached.is_empty()
            {
                let (scenario, source) = (&settings.scenarios[at], &self.sources[at]);
                write_unreached::<W>(scenario, source, &swept.tallies[at], unreached, out)?;
            }
        }
        writeln!(out, "{}", self.last_line())?;
        Ok(if self.interrupted {
            interrupt::EXIT_CODE
        } else {
            self.judged.judgement.exit_code()
        })
    }

    fn rows(&self) -> Vec<Row<'_>> {
        let scenarios = self.settings.scenarios.iter().zip(&self.swept.tallies);
        scenarios
            .zip(&self.judged.unreached)
            .map(|((scenario, tally), unreached)| Row {
                name: &scenario.name,
                tally,
                unreached: unreached.as_deref(),
            })
            .collect()
    }

    fn write_finding<W: World<Scenario = Own>>(&self, finding: &Finding, out: &mut dyn Write) -> Result<()> {
        let scenario = &self.settings.scenarios[finding.scenario];
        let place = format!("scenario {}, seed {}", scenario.name, finding.seed);
        if let Verdict::Violated(violation) = &finding.verdict {
            let statement = statement::<W>(violation);
            let known = finding.known.map(|at| &self.settings.known[at]);
            let how = if known.is_some() { "known" } else { "violated" };
            writeln!(out, "{} {how}   {statement}     {place}", violation.invariant)?;
            writeln!(out, "  {}", violation.detail)?;
            if finding.count > 1 {
                writeln!(
                    out,
                    "  {} have shown it, this one first",
                    Of(finding.count, "seed")
                )?;
            }
            if let Some(known) = known {
                writeln!(
                    out,
                    "  {} ({}), until {}",
                    known.reason, known.owner, known.expires
                )?;
                return Ok(());
            }
            let identity = Identity::of(violation);
            for known in self.expired.iter().filter(|known| known.covers(&identity)) {
                writeln!(
                    out,
                    "  was known until {}: {} ({})",
                    known.expires, known.reason, known.owner
                )?;
            }
            self.write_trace::<W>(finding, violation, out)?;
            return self.write_entry(finding, &identity, out);
        }
        let (variant, store) = (self.variant, self.settings.store.name());
        writeln!(out, "{}\n  {place}", finding.verdict)?;
        writeln!(
            out,
            "  next:  cargo run --release -- run {} --seed {} --variant {variant} --store {store}",
            quoted(Path::new(self.sources[finding.scenario].named().as_str())),
            finding.seed
        )?;
        Ok(())
    }

    /// Tells the entry of a file of known failures that would let this be.
    fn write_entry(&self, finding: &Finding, identity: &Identity, out: &mut dyn Write) -> Result<()> {
        let scenario = &self.settings.scenarios[finding.scenario].name;
        let reason = format!("found by seed {} of {scenario}", finding.seed);
        writeln!(out, "  to let it be for now, in the file of --known:")?;
        for line in entry(identity, &reason, self.today).lines() {
            writeln!(out, "    {line}")?;
        }
        Ok(())
    }

    /// Tells of the known failures that were not there, and of those that are past their day.
    fn write_known(&self, out: &mut dyn Write) -> Result<()> {
        let findings = &self.swept.findings;
        for (at, known) in self.settings.known.iter().enumerate() {
            if !findings.iter().any(|finding| finding.known == Some(at)) {
                writeln!(
                    out,
                    "known, and not shown by any seed: {}, until {}: {} ({})",
                    known.pattern(),
                    known.expires,
                    known.reason,
                    known.owner
                )?;
            }
        }
        for known in self.expired {
            writeln!(
                out,
                "expired: {} was known until {}: {} ({}): take it out of the file where it is mended, or give it another day",
                known.pattern(),
                known.expires,
                known.reason,
                known.owner
            )?;
        }
        Ok(())
    }

    fn write_trace<W: World<Scenario = Own>>(
        &self,
        finding: &Finding,
        violation: &Violation,
        out: &mut dyn Write,
    ) -> Result<()> {
        // Why there is none has been told.
        let Some(file) = self.traces.get(&(finding.scenario, finding.seed)) else {
            return Ok(());
        };
        let told = match self.shrink.filter(|_| !self.interrupt.asked()) {
            None => failure::tell_next(self.variant, &finding.verdict, file, out),
            Some(runs) => {
                let plan = W::generate(&self.settings.scenarios[finding.scenario], finding.seed);
                self.shrink::<W>(&plan, violation, runs, file, out)
            }
        };
        if let Err(error) = told {
            // What the sweep has shown is told by the exit code all the same.
            anstream::eprintln!("error: {error:#}");
        }
        Ok(())
    }

    /// Says where the trace is, and writes a smaller one.
    fn shrink<W: World<Scenario = Own>>(
        &self,
        plan: &PlanOf<W>,
        violation: &Violation,
        runs: u64,
        file: &Path,
        out: &mut dyn Write,
    ) -> Result<()> {
        writeln!(out, "  as found: {}", file.display())?;
        out.flush()?;
        let shrinking = Shrinking::<W> {
            plan,
            variant: self.variant,
            violation,
            settings: shrink::Settings {
                store: self.settings.store,
                jobs: self.settings.jobs,
                runs,
            },
            file: &beside(file),
            interrupt: self.interrupt.clone(),
        };
        shrinking.run(out)?;
        Ok(())
    }

    fn last_line(&self) -> String {
        let ran = format!("{} in {}", Of(self.swept.seeds(), "seed"), Took(self.took));
        let all = self.swept.findings.len() as u64;
        let known = self
            .swept
            .findings
            .iter()
            .filter(|finding| finding.known.is_some())
            .count() as u64;
        let found = match (all, known) {
            (0, _) => "nothing violated".to_owned(),
            (all, 0) => Of(all, "finding").to_string(),
            (all, known) if all == known => format!("nothing violated but what is known ({known})"),
            (all, known) => format!("{}, {known} of them known", Of(all, "finding")),
        };
        if self.interrupted {
            return format!("interrupted: {ran}, {found}.");
        }
        match self.judged.judgement {
            Judgement::NotDeterministic => format!("not deterministic: {ran}, {found}."),
            Judgement::Violated => format!("violated: {ran}, {found}."),
            Judgement::Expired(expired) => {
                format!(
                    "expired: {ran}, {found}; {} past their day.",
                    Of(expired as u64, "known failure")
                )
            }
            Judgement::NoRun => "void: there was no time for a single seed.".to_owned(),
            Judgement::VoidScenarios(void) => {
                let all = self.settings.scenarios.len();
                format!("void: {ran}, {found}; {void} of {all} scenarios have shown nothing.")
            }
            Judgement::VoidRuns(void) => {
                format!("void: {ran}, {found}; {} showed nothing.", Of(void, "run"))
            }
            Judgement::Green => format!("green: {ran}, {found}, {}.", self.marks()),
        }
    }

    /// What a green says about the marks that had to be passed.
    fn marks(&self) -> String {
        let unreached = &self.judged.unreached;
        let few = unreached.iter().filter(|unreached| unreached.is_none()).count();
        if few == 0 {
            return "every mark passed".to_owned();
        }
        let takes = Of(seeds_to_judge(self.settings.scenarios), "seed");
        let all = unreached.len();
        format!("and {few} of {all} scenarios too short to judge their marks (that takes {takes})")
    }
}
