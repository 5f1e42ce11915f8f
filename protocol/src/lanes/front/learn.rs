//! A cold isolate looks for a site's pointer: in the edge cache, then in KV (`lanes.md` 16).

use super::listen::write_edge;
use super::resolve::entry;
use super::{Cx, Front, Value, labels};
use crate::host::{Shared, Text};
use crate::lanes::belief::{Hearsay, LanesPointer, MOST_SITES, pointer_key};
use crate::lanes::object::Version;
use crate::number::Number;
use crate::task::{On, Resume, Step};

/// Looking for a pointer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Learning {
    site: Text,
    stage: Stage,
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// Nothing yet.
    Starting,
    /// The read of the edge cache.
    Edge,
    /// The read of KV.
    Kv,
}

impl Learning {
    pub(super) fn new(site: &Text) -> Self {
        Learning {
            site: site.clone(),
            stage: Stage::Starting,
        }
    }

    pub(super) fn step(
        &mut self,
        front: &mut Front,
        version: &Version,
        resume: Resume<Front>,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        let found = match resume {
            Resume::Answer { outcome, .. } => {
                let text = entry(outcome);
                (version.rules.beliefs.parse_pointer)(text.as_deref())
            }
            _ => None,
        };
        let key = pointer_key(&self.site);
        match (self.stage, found) {
            (Stage::Starting, _) => {
                self.stage = Stage::Edge;
                Step::Await(On::Call(cx.get(labels::READ_EDGE, Shared::EdgeCache, &key)))
            }
            (Stage::Edge, None) => {
                self.stage = Stage::Kv;
                Step::Await(On::Call(cx.get(labels::READ_POINTER, Shared::Kv, &key)))
            }
            (Stage::Edge, Some(pointer)) => {
                front.points_at(&self.site, pointer, cx);
                self.finish(front, version, pointer, cx)
            }
            // That KV holds nothing is worth knowing, too: the next cold isolate need not ask it.
            (Stage::Kv, found) => {
                let pointer = found.unwrap_or(LanesPointer {
                    lanes: Number::ZERO,
                    epoch: Number::ZERO,
                });
                write_edge(front, version, &self.site, pointer, cx);
                self.finish(front, version, pointer, cx)
            }
        }
    }

    fn finish(
        &self,
        front: &mut Front,
        version: &Version,
        pointer: LanesPointer,
        cx: &mut Cx<'_, '_>,
    ) -> Step<Front> {
        let heard = Hearsay {
            site: &self.site,
            lanes: pointer.lanes,
            epoch: pointer.epoch,
            now: cx.now(),
        };
        cx.note(labels::HEARD, (version.rules.beliefs.format_pointer)(pointer));
        (version.rules.beliefs.remember)(&mut front.beliefs, &heard);
        if front.consulted.len() > MOST_SITES {
            front.consulted.clear();
        }
        front.consulted.insert(self.site.clone());
        Step::Return(Value::Nothing)
    }
}
