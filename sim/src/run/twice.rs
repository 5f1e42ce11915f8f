//! The same plan twice: a run that differs from itself shows nothing.

use protocol::host::Text;
use protocol::task::Program;

use super::{History, Report, run};
use crate::check::Verdict;
use crate::kernel::storage::Store;
use crate::world::{PlanOf, World};

/// Runs a plan twice. Where the two runs differ, that is the verdict, and it names the first event at which they part.
pub fn run_twice<W: World, P: Program, S: Store>(plan: &PlanOf<W>, program: &P, pool: &S::Pool) -> Report {
    let once = || run::<W, P, S>(plan, program.clone(), pool, ());
    let (first, second) = (once(), once());
    if first == second {
        return first;
    }
    // Only now is a history worth its cost.
    let told = || {
        let mut history = History::default();
        run::<W, P, S>(plan, program.clone(), pool, &mut history);
        history.0
    };
    let (one, other) = (told(), told());
    let at = one
        .iter()
        .zip(&other)
        .take_while(|(one, other)| one == other)
        .count();
    let tell = |lines: &[super::Line]| {
        lines.get(at).map_or_else(
            || "nothing more".to_owned(),
            |line| format!("{} {} {}", line.at, line.who, line.what),
        )
    };
    let detail = if one == other {
        "two runs of one plan gave two hashes, and two more gave one history".to_owned()
    } else {
        format!(
            "two runs of one plan part at line {} of their histories: `{}` and `{}`",
            at + 1,
            tell(&one),
            tell(&other)
        )
    };
    Report {
        verdict: Verdict::NotDeterministic(Text::from(detail)),
        ..first
    }
}
