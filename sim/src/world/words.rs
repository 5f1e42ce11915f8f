//! Words: how a world tells what happens in it, for people.

/// What is said of a place in a protocol at which something is begun, awaited or decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// What whoever is there does: the rest of a sentence that begins with its name. `{to}` is whom it calls, `{detail}`
    /// what a decision says.
    pub does: &'static str,
    /// What it waits for there; empty where it waits for nothing.
    pub awaits: &'static str,
    /// How much it matters to somebody who wants to know what went wrong.
    pub weight: Weight,
}

/// How much something matters in a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It is told only beside something that matters more.
    Routine,
    /// It is told.
    Tells,
}

impl Phrase {
    /// A decision, or something begun that nobody waits for.
    #[must_use]
    pub const fn does(does: &'static str) -> Self {
        Phrase {
            does,
            awaits: "",
            weight: Weight::Tells,
        }
    }

    /// Something that is begun, and what is waited for.
    #[must_use]
    pub const fn asks(does: &'static str, awaits: &'static str) -> Self {
        Phrase {
            does,
            awaits,
            weight: Weight::Tells,
        }
    }

    /// The same, as a matter of routine.
    #[must_use]
    pub const fn routine(self) -> Self {
        Phrase {
            weight: Weight::Routine,
            ..self
        }
    }

    /// What whoever is there does, to or about these.
    #[must_use]
    pub fn told(&self, to: &str, detail: &str) -> String {
        let told = self.does.replace("{to}", to).replace("{detail}", detail);
        // A decision without a detail leaves no gap.
        told.trim_end_matches([' ', ':', ',']).to_owned()
    }
}
