//! Waits that do not end: told as a circle of who waits for whom, or as the end of a chain.

use protocol::host::{Label, TaskId, Text};
use protocol::task::Program;

use super::Simulation;
use crate::check::{Breach, CIRCLE, DEADLOCK, IN_VAIN, STUCK, Violation};
use crate::kernel::storage::Store;
use crate::kernel::{Observer, Wait, WaitLink};
use crate::world::World;

/// After how many steps circles are looked for, besides at rest: one that has come about stays until a fault breaks it.
pub(super) const EVERY: u64 = 256;

impl<W: World, P: Program, S: Store, O: Observer> Simulation<'_, W, P, S, O> {
    /// Whether tasks wait for one another.
    pub(super) fn no_circle(&self) -> Result<(), Violation> {
        let circle = self.kernel.deadlock();
        circle.map_or(Ok(()), |circle| Err(deadlock::<W>(&circle)))
    }

    /// Whether any task waits for what nothing brings, when the world has come to rest.
    pub(super) fn nothing_in_vain(&self) -> Result<(), Violation> {
        let Some(wait) = self.kernel.waits_in_vain() else {
            return Ok(());
        };
        let detail = format!("a task waits in vain; {}", told::<W>(&wait));
        let breach = Breach::new(IN_VAIN, detail);
        Err(Violation::of(&STUCK, vec![wait.who], breach, W::role))
    }
}

fn deadlock<W: World>(circle: &[Wait]) -> Violation {
    let mut concerns: Vec<Text> = circle.iter().map(|wait| wait.who.clone()).collect();
    concerns.sort();
    concerns.dedup();
    let links: Vec<String> = circle.iter().map(told::<W>).collect();
    let tasks = match links.len() {
        1 => "a task waits for itself".to_owned(),
        tasks => format!("{tasks} tasks wait for one another"),
    };
    let detail = format!("{tasks}; {}", links.join("; "));
    Violation::of(&DEADLOCK, concerns, Breach::new(CIRCLE, detail), W::role)
}

/// Who waits for whom, and for what.
fn told<W: World>(wait: &Wait) -> String {
    let (who, task) = (W::party_in_words(&wait.who), wait.task);
    let other = wait.on.as_ref().map(|(on, task)| of::<W>(wait, on, *task));
    let waits = match wait.link {
        WaitLink::Gate(gate) => match other {
            Some(other) => format!("for the gate `{}`, which {other} holds", gate.0),
            None => format!("for the gate `{}`, whose holder is gone", gate.0),
        },
        WaitLink::Join => match other {
            Some(other) => format!("for the end of {other}"),
            None => "for the end of a task that is gone".to_owned(),
        },
        WaitLink::Call(label) => match other {
            Some(other) => format!(
                "for {other} to answer it at `{}`{}",
                label.0,
                said::<W>(label, wait)
            ),
            None => format!("at `{}` for an answer that nobody gives", label.0),
        },
        WaitLink::Section(label) => match other {
            Some(other) => format!("at `{}` for {other} to leave its critical section", label.0),
            None => format!("at `{}` for the end of a critical section", label.0),
        },
        WaitLink::First => "for the first of several answers".to_owned(),
    };
    format!("{who} ({task}) waits {waits}")
}

fn of<W: World>(wait: &Wait, on: &Text, task: TaskId) -> String {
    if *on == wait.who {
        format!("its own {task}")
    } else {
        format!("{} ({task})", W::party_in_words(on))
    }
}

/// What the world says of the place.
fn said<W: World>(label: Label, wait: &Wait) -> String {
    let to = wait
        .on
        .as_ref()
        .map_or_else(String::new, |(on, _)| W::party_in_words(on));
    match W::phrase(label) {
        Some(phrase) => format!(" (it {})", phrase.told(&to, "")),
        None => String::new(),
    }
}
