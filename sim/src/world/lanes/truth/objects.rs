//! The objects of the site: their numbers and names, and what is there of them when the run begins.

use protocol::host::Text;
use protocol::lanes::admission::Stage;
use protocol::lanes::meta::Key;
use protocol::lanes::name::replica_of;
use protocol::lanes::object::SITE;

use super::Truth;
use super::standing::Standing;

impl Truth {
    /// The number of the object of this name, as observers are told it: `site/NAME`.
    #[must_use]
    pub fn lane_of(&self, who: &str) -> Option<u32> {
        self.number_of(who.strip_prefix("site/")?)
    }

    /// The number of the object of this name: 0 for the primary.
    #[must_use]
    pub fn number_of(&self, name: &str) -> Option<u32> {
        if name == self.site {
            return Some(0);
        }
        let lane = replica_of(name).filter(|lane| lane.site == self.site.as_str())?;
        lane.lane.to_u32_exact()
    }

    /// The object of this number, as observers are told it.
    #[must_use]
    pub fn named(&self, number: u32) -> Text {
        let site = &self.site;
        Text::from(match number {
            0 => format!("{SITE}/{site}"),
            lane => format!("{SITE}/{site}#r{lane}"),
        })
    }

    /// An object is there when the run begins.
    pub(in crate::world::lanes) fn found(&mut self, number: u32, standing: Standing) {
        if number == 0 {
            self.primary = standing;
            return;
        }
        self.note_base(number, &standing);
        if standing.stage().is_some_and(|stage| stage != Stage::Created) {
            self.copied.insert(number);
        }
        if Truth::owes(&standing).is_some() {
            self.whole.insert(number);
        }
        self.lanes.insert(number, standing);
        self.note_held(number);
    }

    /// What was there when the run began is the first generation that is known.
    pub(in crate::world::lanes) fn begin(&mut self) {
        if let Some(generation) = self.primary.generation(Key::COMMIT_SEQUENCE) {
            self.history.insert(generation, self.primary.contents.clone());
        }
        self.copy_begun = !self.lanes.is_empty();
        self.note_edits();
    }
}
