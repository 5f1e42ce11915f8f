//! What a run that fails has come by: the choices that it made, the calls, the faults that took effect.

use std::collections::BTreeMap;

use protocol::host::Text;

use crate::kernel::{ChoiceKey, FaultKind, Micros, Observed, Observer, What};

/// It.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    /// When the plan's time has begun.
    pub(super) begins: Micros,
    /// Each choice, with the alternative that it took.
    pub(super) choices: Vec<(ChoiceKey, u64)>,
    pub(super) heard: Heard,
}

/// What was heard while it ran.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard {
    /// How many calls each party has made at each label.
    pub(super) calls: BTreeMap<(Text, &'static str), u32>,
    /// The faults that struck or began to stand.
    pub(super) struck: Vec<Struck>,
}

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Struck {
    pub(super) at: Micros,
    pub(super) who: Text,
    /// The other party, where it stands between two.
    pub(super) to: Option<Text>,
    pub(super) kind: FaultKind,
}

impl Observer for Heard {
    fn observe(&mut self, seen: &Observed<'_>) {
        let struck = |kind, to| Struck {
            at: seen.at,
            who: seen.who.clone(),
            to,
            kind,
        };
        match seen.what {
            What::Called { label, .. } => {
                *self.calls.entry((seen.who.clone(), label.0)).or_default() += 1;
            }
            What::Fault { kind } => self.struck.push(struck(kind, None)),
            What::Trouble { kind, to, .. } => {
                self.struck
                    .push(struck(kind, Some(to.clone()).filter(|to| !to.is_empty())));
            }
            _ => {}
        }
    }
}
