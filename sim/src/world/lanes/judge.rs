//! When what is judged: whoever has had a turn stands before all checks that have to do with it.

use protocol::host::Text;
use protocol::task::Program;

use super::LanesWorld;
use super::invariants::{CHECKS, Judgement, Stand};
use super::truth::standing::Standing;
use super::truth::wire::Heard;
use super::truth::{Truth, Turn};
use super::words;
use crate::check::Violation;
use crate::kernel::storage::Store;
use crate::kernel::{Kernel, PartyId};

impl LanesWorld {
    fn standing(&mut self, number: u32) -> &mut Standing {
        if number == 0 {
            return &mut self.truth.primary;
        }
        self.truth.lanes.entry(number).or_default()
    }

    /// An object of the site has had a turn, or something has happened to it.
    pub(super) fn turned<P: Program, S: Store>(
        &mut self,
        number: u32,
        party: PartyId,
        mut heard: Vec<Heard>,
        kernel: &mut Kernel<P, S>,
    ) -> Result<(), Violation> {
        let mut before = self.standing(number).clone();
        let changed = self.standing(number).refresh(kernel, party);
        if let Some(at) = heard.iter().rposition(|heard| matches!(heard, Heard::Recreated)) {
            // What its predecessor did in this turn was lost with it, and nobody was told.
            heard.drain(..=at);
            before = Standing {
                incarnation: self.standing(number).incarnation,
                ..Standing::default()
            };
            self.truth.recreated(number);
        }
        if let Some(at) = heard.iter().rposition(|heard| matches!(heard, Heard::Rewound)) {
            // No code has brought it where it stands now: that is where it begins.
            heard.drain(..=at);
            before = self.standing(number).clone();
            self.truth.rewound(number);
        }
        let standing = self.standing(number);
        let turn = Turn {
            lane: number,
            before,
            after: standing.clone(),
            changed,
            heard,
        };
        self.truth.turned(&turn);
        let object = |truth: &Truth| Some(truth.named(number));
        self.judge(object, |check, truth| match check {
            Stand::Primary(check) if number == 0 => Some(check(truth, &turn)),
            Stand::Lane(check) if number > 0 => Some(check(truth, &turn)),
            _ => None,
        })
    }

    /// A front has had a turn.
    pub(super) fn front_turned(&mut self, front: &Text, heard: &[Heard]) -> Result<(), Violation> {
        self.truth.front_heard(front, heard);
        for heard in heard {
            if let Heard::Finished {
                run: Some(run),
                outcome,
                ..
            } = heard
            {
                let whom = |_: &Truth| Some(front.clone());
                self.judge(whom, |check, truth| match check {
                    Stand::Front(check) => Some(check(truth, run, outcome)),
                    _ => None,
                })?;
            }
        }
        Ok(())
    }

    /// Judges by all checks that stand there, and counts what had a subject. `whom` it concerns where something is broken
    /// and the check does not say.
    pub(super) fn judge(
        &mut self,
        whom: impl Fn(&Truth) -> Option<Text>,
        mut judged: impl FnMut(&Stand, &mut Truth) -> Option<Judgement>,
    ) -> Result<(), Violation> {
        for (at, check) in CHECKS.iter().enumerate() {
            if self.ignored.contains(check.invariant.id) {
                continue;
            }
            for stand in check.stands {
                match judged(stand, &mut self.truth) {
                    None | Some(Judgement::NoSubject) => {}
                    Some(Judgement::Holds) => self.subjects[at] += 1,
                    Some(Judgement::Broken(breach)) => match &mut self.violated {
                        Some(violated) => drop(violated.insert(check.invariant.id)),
                        None => {
                            let concerns = whom(&self.truth).into_iter().collect();
                            return Err(Violation::of(&check.invariant, concerns, breach, words::role));
                        }
                    },
                }
            }
        }
        Ok(())
    }
}
