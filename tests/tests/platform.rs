//! The simulator is like the platform: see `tests::platform`.

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use tests::pieces::{Piece, blesses, trial};
use tests::platform::case::{Arm, Case};
use tests::platform::cases;
use tests::platform::runtime::Runtime;
use tests::platform::{simulated, table};

/// How many cases run at once. They hardly do anything but wait, for timers of the real runtime.
const AT_ONCE: usize = 24;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    // Cases share a runtime, which ends with this function.
    let runtime = Arc::new(Runtime::default());
    let mut trials = vec![
        trial("platform::the_table_is_current", &[], the_table_is_current),
        trial("platform::every_rule_has_a_row", &[], every_rule_has_a_row),
        trial("platform::every_cell_is_filled", &[], every_cell_is_filled),
    ];
    for case in cases::all().into_iter().flat_map(|(_, cases)| cases) {
        trials.extend(arms(case, &runtime));
    }
    // The longest first, as nothing else takes as long.
    trials.sort_by_key(|trial| !trial.name().ends_with("::workerd"));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The arms of a case that are run.
fn arms(case: Case, runtime: &Arc<Runtime>) -> Vec<Trial> {
    let mut trials = Vec::new();
    if !matches!(case.kernel, Arm::Absent(_)) {
        let case = case.clone();
        let name = format!("platform::{}::kernel", case.name);
        trials.push(trial(&name, &[], move || on_kernel(&case)));
    }
    if !matches!(case.runtime, Arm::Absent(_)) {
        let runtime = Arc::clone(runtime);
        let name = format!("platform::{}::workerd", case.name);
        let is_slow = case.slow;
        let trial = trial(&name, &[Piece::Workerd], move || on_runtime(&case, &runtime));
        trials.push(if is_slow {
            let kind = if trial.has_ignored_flag() {
                trial.kind().to_owned()
            } else {
                "slow".to_owned()
            };
            trial.with_kind(kind).with_ignored_flag(true)
        } else {
            trial
        });
    }
    trials
}

fn on_kernel(case: &Case) -> Result<(), Failed> {
    simulated::run(case, &case.expected(case.kernel))
        .map_err(|(world, seen)| parted(case, case.kernel, &format!("kernel ({world})"), &seen))
}

fn on_runtime(case: &Case, runtime: &Runtime) -> Result<(), Failed> {
    let seen = runtime.run(case)?;
    if seen == case.expected(case.runtime) {
        return Ok(());
    }
    Err(parted(case, case.runtime, "runtime", &seen))
}

fn parted(case: &Case, arm: Arm, name: &str, seen: &[String]) -> Failed {
    let advice = match arm {
        Arm::Differs(why, _) if seen == case.sees => {
            format!("It is no longer different ({why}): have the case say that this arm runs.")
        }
        _ => "If the other arm sees what is expected, the simulator is not like the platform: mend it, or give it a \
              knob."
            .to_owned(),
    };
    format!(
        "{} ({}): the {name} has seen something else.\n  expected {:?}\n  seen     {seen:?}\n{advice}",
        case.says,
        case.rules,
        case.expected(arm)
    )
    .into()
}

fn the_table_is_current() -> Result<(), Failed> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(table::PATH);
    let generated = table::table();
    if blesses() {
        return Ok(std::fs::write(path, generated)?);
    }
    if std::fs::read_to_string(path)? != generated {
        return Err("the table of the rules is stale: run this test with DRYDOCK_BLESS=1".into());
    }
    Ok(())
}

fn every_rule_has_a_row() -> Result<(), Failed> {
    let missing = table::without_row();
    if missing.is_empty() {
        return Ok(());
    }
    Err(
        format!("no case is about {missing:?}: write one, or say with `Case::untested` why there is none")
            .into(),
    )
}

fn every_cell_is_filled() -> Result<(), Failed> {
    for line in table::table().lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        if cells.len() != 4 || cells.iter().any(|cell| cell.is_empty()) {
            return Err(format!("a cell is empty: {line}").into());
        }
    }
    Ok(())
}
