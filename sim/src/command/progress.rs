//! How far a long command is, for whoever waits for it.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use sim::kernel::{Observed, Observer, StepId};

/// After how many events the bar may be drawn anew within one run; it is drawn some times a second at most.
const EVENTS_A_DRAW: u64 = 4_096;

/// A bar that counts seeds and, listening to their runs, events. No run sees it.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    events: Arc<AtomicU64>,
    /// The step of the run that was last heard of.
    step: StepId,
}

impl Progress {
    /// Nothing is done of so many seeds, or of as many as there is time for. Where the target is no terminal, nothing is
    /// ever drawn.
    pub fn new(seeds: Option<u64>, target: ProgressDrawTarget) -> Self {
        let template = if seeds.is_some() {
            "{wide_bar} {human_pos} of {human_len} seeds  {runs_a_second} seeds/s  {events_a_second} events/s  \
             {eta} left"
        } else {
            "{human_pos} seeds in {elapsed}  {runs_a_second} seeds/s  {events_a_second} events/s"
        };
        Progress::with_template(template, seeds, target)
    }

    /// A search for a smaller plan has begun.
    pub fn of_shrinking(target: ProgressDrawTarget) -> Self {
        let template =
            "{msg}  {human_pos} runs in {elapsed}  {runs_a_second} runs/s  {events_a_second} events/s";
        Progress::with_template(template, None, target)
    }

    fn with_template(template: &str, length: Option<u64>, target: ProgressDrawTarget) -> Self {
        let events = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&events);
        let style = ProgressStyle::with_template(template)
            .expect("the template is well formed")
            .with_key("runs_a_second", |state: &ProgressState, to: &mut dyn Write| {
                write_rate(state.pos(), state, to);
            })
            .with_key(
                "events_a_second",
                move |state: &ProgressState, to: &mut dyn Write| {
                    write_rate(counted.load(Ordering::Relaxed), state, to);
                },
            );
        Progress {
            bar: ProgressBar::with_draw_target(length, target).with_style(style),
            events,
            step: StepId(0),
        }
    }

    /// Another seed is done.
    pub fn seed_done(&mut self) {
        self.step = StepId(0);
        self.bar.inc(1);
    }

    /// Another seed is done, whose run nobody has listened to.
    pub fn run_done(&self, events: u64) {
        self.events.fetch_add(events, Ordering::Relaxed);
        self.bar.inc(1);
    }

    /// A plan of so many items is the smallest so far.
    pub fn items_left(&self, items: usize) {
        self.bar.set_message(format!("{items} items left"));
    }

    /// Leaves the terminal as it was.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn observe(&mut self, seen: &Observed<'_>) {
        // Steps without an observation are counted with the next one.
        let passed = seen.step.0 - self.step.0;
        if passed == 0 {
            return;
        }
        self.step = seen.step;
        let before = self.events.fetch_add(passed, Ordering::Relaxed);
        if before / EVENTS_A_DRAW != (before + passed) / EVENTS_A_DRAW {
            self.bar.tick();
        }
    }
}

/// So many since the bar was made, a second.
fn write_rate(count: u64, state: &ProgressState, to: &mut dyn Write) {
    let millis = state.elapsed().as_millis().max(1);
    let rate = u128::from(count) * 1_000 / millis;
    // What cannot be drawn is not worth a failure.
    let _ = write!(to, "{rate}");
}

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;
    use protocol::host::Text;
    use sim::kernel::{FaultKind, Micros, What};

    use super::*;

    fn at_step(step: u64) -> Observed<'static> {
        static WHO: Text = Text::new_static("front 0");
        Observed {
            step: StepId(step),
            at: Micros::ZERO,
            who: &WHO,
            what: What::Fault {
                kind: FaultKind::Reset,
            },
        }
    }

    #[test]
    fn a_terminal_shows_seeds_rates_and_the_time_left() {
        let terminal = InMemoryTerm::new(5, 160);
        let mut progress = Progress::new(
            Some(2_000),
            ProgressDrawTarget::term_like(Box::new(terminal.clone())),
        );
        progress.observe(&at_step(10 * EVENTS_A_DRAW));
        progress.seed_done();
        progress.bar.force_draw();
        let shown = terminal.contents();
        for part in ["1 of 2,000 seeds", " seeds/s", " events/s", " left"] {
            assert!(
                shown.contains(part),
                "the bar shows {part:?}, see `Progress::new`: {shown:?}"
            );
        }
        progress.clear();
        assert_eq!(terminal.contents(), "", "a bar that is done is wiped off");
    }

    #[test]
    fn a_search_shows_what_is_left_and_what_it_took() {
        let terminal = InMemoryTerm::new(5, 160);
        let progress = Progress::of_shrinking(ProgressDrawTarget::term_like(Box::new(terminal.clone())));
        progress.items_left(12);
        progress.run_done(3_000);
        progress.bar.force_draw();
        let shown = terminal.contents();
        for part in ["12 items left", " 1 runs in ", " runs/s", " events/s"] {
            assert!(shown.contains(part), "the bar shows {part:?}: {shown:?}");
        }
    }

    #[test]
    fn events_are_counted_once_over_all_runs() {
        let mut progress = Progress::new(Some(2), ProgressDrawTarget::hidden());
        for step in [1, 1, 4] {
            progress.observe(&at_step(step));
        }
        progress.seed_done();
        progress.observe(&at_step(3));
        assert_eq!(
            progress.events.load(Ordering::Relaxed),
            4 + 3,
            "each step counts once, and the steps of each run begin anew"
        );
    }
}
