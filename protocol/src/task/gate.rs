//! Gates: first-in, first-out locks among the tasks of one object.

use std::collections::{BTreeMap, VecDeque};

use crate::host::{Label, TaskId};

/// The gates that somebody holds; a gate that nobody holds leaves no state behind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Gates(BTreeMap<Label, Gate>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Gate {
    holder: TaskId,
    queue: VecDeque<TaskId>,
}

impl Gates {
    /// Takes the gate for a task, or queues the task behind those that came before. Whether it was taken.
    pub fn take(&mut self, gate: Label, task: TaskId) -> bool {
        match self.0.get_mut(&gate) {
            Some(held) => {
                held.queue.push_back(task);
                false
            }
            None => {
                self.0.insert(
                    gate,
                    Gate {
                        holder: task,
                        queue: VecDeque::new(),
                    },
                );
                true
            }
        }
    }

    /// Gives the gate up. The first in the queue holds it from now on, and is the answer.
    ///
    /// # Panics
    /// When the task does not hold it: a bug in the flow, as two tasks would then be inside at once.
    pub fn release(&mut self, gate: Label, task: TaskId) -> Option<TaskId> {
        let held = self.0.get_mut(&gate);
        let Some(held) = held.filter(|held| held.holder == task) else {
            panic!("{task} released the gate {gate:?}, which it did not hold");
        };
        if let Some(next) = held.queue.pop_front() {
            held.holder = next;
            return Some(next);
        }
        self.0.remove(&gate);
        None
    }

    /// Takes a task that will never run again out of all queues.
    pub fn leave(&mut self, task: TaskId) {
        for gate in self.0.values_mut() {
            gate.queue.retain(|waiting| *waiting != task);
        }
    }

    /// Whether the task is inside any gate.
    pub fn any_held_by(&self, task: TaskId) -> bool {
        self.0.values().any(|held| held.holder == task)
    }

    /// Whether the task is inside the gate.
    pub fn is_held_by(&self, gate: Label, task: TaskId) -> bool {
        self.holder(gate) == Some(task)
    }

    /// Who is inside the gate.
    pub fn holder(&self, gate: Label) -> Option<TaskId> {
        self.0.get(&gate).map(|held| held.holder)
    }
}
