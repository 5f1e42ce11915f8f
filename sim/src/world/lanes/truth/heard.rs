//! What has been told to fronts and what objects have called, as far as later judgements ask for it.

use std::collections::BTreeMap;

use protocol::host::{Answer, Response, Text};
use protocol::lanes::front;
use protocol::lanes::header;
use protocol::lanes::meta::{Key, names};
use protocol::lanes::object::labels;
use protocol::lanes::wire::Head;

use super::minted::is_batch;
use super::runs::Made;
use super::wire::{Called, Heard};
use super::{Truth, Turn};
use crate::kernel::Micros;

/// Of so many asks of a lane it is known when they were made.
pub const ASKS: usize = 4;

/// Something that a front was told about how many lanes there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// When.
    pub at: Micros,
    /// How many.
    pub lanes: u32,
    /// Whether the primary has said so; else it is a pointer in a shared service.
    pub by_primary: bool,
}

/// How many lanes each isolate of a front was told that there are. One that begins anew believes nothing.
#[derive(Clone, Debug, Default)]
pub struct Announced(BTreeMap<(Text, u32), Vec<Told>>);

impl Announced {
    /// What an isolate of a front was told since an instant, the latest first.
    pub fn since(&self, front: &Text, isolate: u32, since: Micros) -> impl Iterator<Item = Told> {
        let told = self
            .0
            .get(&(front.clone(), isolate))
            .map_or(&[][..], Vec::as_slice);
        told.iter()
            .rev()
            .copied()
            .take_while(move |told| told.at >= since)
    }

    /// The most lanes that an isolate of a front was told of since an instant.
    #[must_use]
    pub fn most_since(&self, front: &Text, isolate: u32, since: Micros) -> u32 {
        self.since(front, isolate, since)
            .map(|told| told.lanes)
            .max()
            .unwrap_or(0)
    }

    /// An isolate of a front is told something.
    pub fn told(&mut self, front: &Text, isolate: u32, told: Told) {
        self.0.entry((front.clone(), isolate)).or_default().push(told);
    }
}

impl Truth {
    /// A front has heard something.
    pub fn front_heard(&mut self, front: &Text, heard: &[Heard]) {
        for heard in heard {
            if let Heard::Answered {
                incarnation,
                made,
                outcome: Ok(answer),
            } = heard
                && let Some(lanes) = self.lanes_told(made, answer)
            {
                let told = Told {
                    at: self.now,
                    lanes,
                    by_primary: made.asked.is_some(),
                };
                self.announced.told(front, *incarnation, told);
            }
        }
    }

    fn lanes_told(&self, made: &Made, answer: &Answer) -> Option<u32> {
        match (answer, &made.asked) {
            (Answer::Response(Response { headers, .. }), Some((to, _))) if to.0 == self.site => {
                headers.get(header::LANES)?.parse().ok()
            }
            (Answer::Entry(Some(pointer)), None) if is_pointer(made) => {
                pointer.split('@').next()?.parse().ok()
            }
            _ => None,
        }
    }

    /// A call was begun, and has been judged.
    pub fn called(&mut self, called: &Called) {
        let caller = self.lane_of(&called.who);
        match (called.label, caller) {
            (labels::FORWARD | labels::FORWARD_AGAIN, Some(lane)) => {
                self.minted.forwarded(lane, &called.request);
            }
            (labels::READ_HEAD, Some(lane)) if called.run.as_ref().is_some_and(|run| run.is_alarm()) => {
                self.pulled.insert(lane, self.now);
                self.pull_waited.remove(&lane);
            }
            (labels::ASK_READMIT, Some(lane)) => {
                let asks = self.asks.entry(lane).or_default();
                asks.push_back(self.now);
                if asks.len() > ASKS {
                    asks.pop_front();
                }
            }
            (labels::MIGRATE_LANE, Some(0)) => {
                if let Some(lane) = self.number_of(&called.to.0) {
                    self.copies.copies(lane, called);
                }
            }
            (labels::POST_CHUNK, Some(0)) => {
                self.copy_begun = true;
                if let Some(lane) = self.number_of(&called.to.0) {
                    self.copies.copies(lane, called);
                    self.copies.posted(lane, called, self.now);
                }
            }
            _ => {}
        }
    }

    /// A lane has had a turn: what it was told in it of the primary's position counts from now on. A round that waits for
    /// its records goes by the head that it was told first, whatever has become of the lane meanwhile.
    pub(super) fn note_advertised(&mut self, turn: &Turn) {
        self.heads.clear();
        let advertised = self.advertised.entry(turn.lane).or_default();
        for heard in &turn.heard {
            if let Heard::Answered { made, .. } = heard
                && matches!(made.label, labels::READ_HEAD | labels::READ_LOG)
                && let Some(begun) = self.pulled.get(&turn.lane)
            {
                self.pull_waited.insert(turn.lane, self.now.since(*begun));
            }
            if let Heard::Answered {
                made:
                    Made {
                        label: labels::READ_HEAD,
                        at,
                        ..
                    },
                outcome: Ok(Answer::Response(response)),
                ..
            } = heard
                && let Ok(head) = response.body.read::<Head>()
                && let Some(tells) = head.generation.to_number().to_u64_exact()
            {
                advertised.insert(tells);
                let before = self.told.range(..*at).next_back();
                self.heads.push((before.map_or(0, |(_, told)| *told), tells));
                if self.told.values().next_back().is_none_or(|most| *most < tells) {
                    self.told.insert(self.now, tells);
                }
            }
        }
    }

    /// Whether the rest of a copy to a lane is to come: a run of the primary copies to it, or the primary will wake with
    /// its copy in progress or queued.
    #[must_use]
    pub fn is_copied_to(&self, lane: u32) -> bool {
        let number = Text::from(lane.to_string());
        let primary = &self.primary;
        let goes_on =
            primary.meta(Key::COPY_CURSOR).is_some() && primary.meta(Key::COPY_LANE) == Some(&number);
        let queued = names(primary.meta(Key::REPAIRS).map(Text::as_str)).contains(&number);
        self.copies.is_posting(lane) || (primary.wakes && (goes_on || queued))
    }

    /// Takes in what the primary has answered to batches.
    pub(super) fn note_answers(&mut self, turn: &Turn) {
        for (run, response) in turn.answers() {
            if let Some(batch) = run.request().filter(|request| is_batch(request)) {
                self.minted.answered(batch, response);
            }
        }
    }
}

fn is_pointer(made: &Made) -> bool {
    matches!(made.label, front::labels::READ_EDGE | front::labels::READ_POINTER)
}
