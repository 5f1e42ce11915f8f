//! The table of requests in the documentation of `protocol::lanes`.

use std::path::PathBuf;

use super::difference::EXPLANATIONS;
use super::reading::Reading;

/// One request, read and compared.
pub struct Row {
    /// Its name.
    pub capture: String,
    /// What the contract makes of it.
    pub reading: Reading,
    /// Which of the [`EXPLANATIONS`] the index needs for it.
    pub explanations: Vec<char>,
}

/// How a request ends on a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Answered,
    Forwarded,
    HandedBack,
}

impl Row {
    fn end(&self) -> End {
        let reading = &self.reading;
        if !reading.refused_by_guard.is_empty() || !reading.refused_by_primary.is_empty() {
            End::HandedBack
        } else if reading.forwarded > 0 {
            End::Forwarded
        } else {
            End::Answered
        }
    }

    fn line(&self) -> String {
        let reading = &self.reading;
        let list = |items: Vec<&str>| items.join(", ");
        let end = match self.end() {
            End::Answered => "lane",
            End::Forwarded => "forwarded",
            End::HandedBack => "primary",
        };
        let why: Vec<String> = reading
            .refused_by_guard
            .values()
            .map(|times| format!("{times} by the guard"))
            .chain(
                reading
                    .refused_by_primary
                    .iter()
                    .map(|origin| format!("`{origin}`")),
            )
            .collect();
        let explanations: Vec<String> = self.explanations.iter().map(char::to_string).collect();
        format!(
            "| {} | {} | {} | {} | {} | {} | {end} | {} | {} |\n",
            self.capture,
            reading.statements,
            reading.reads,
            reading.local,
            reading.forwarded,
            list(reading.minted.iter().map(String::as_str).collect()),
            why.join(", "),
            explanations.join(" "),
        )
    }
}

/// Where the table is.
pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../protocol/src/lanes/captures.md")
}

/// The table as it must stand.
pub fn render(rows: &[&Row]) -> String {
    let count = |end| rows.iter().filter(|row| row.end() == end).count();
    let mut text = format!(
        "What becomes of {} real requests of a real site when a lane runs them: the statements that they sent to SQLite,\n\
         put through the scanners, the guard, minting, splitting and planning, statement by statement.\n\n\
         Written by `DRYDOCK_CAPTURES=<folder of streams> DRYDOCK_BLESS=1 cargo test -p tests --test captures`, which\n\
         without `DRYDOCK_BLESS` checks that this is what it would write. Do not edit.\n\n\
         The lane answers {} of them alone, {} with a batch that the primary commits, and hands {} to the primary.\n\n\
         *read* and *local* are statements that the lane runs, *forwarded* those in the batch that the primary is sent,\n\
         log rows included. *minted* are the tables whose ids the lane gives. The last column but one says why a request\n\
         is handed over: *by the guard* are definitions, which are sent by themselves and cannot be rolled back\n\
         (`a write on the exec bridge cannot be rolled back, so it cannot be forwarded`); a name is what the primary\n\
         answers to: `<name> originates a value a lane may not mint`. The last column names where an independent reading\n\
         of the same contract, which comes with the streams, reads it otherwise:\n\n",
        rows.len(),
        count(End::Answered),
        count(End::Forwarded),
        count(End::HandedBack),
    );
    for explanation in EXPLANATIONS {
        text += &format!("- **{}**: {}\n", explanation.letter, explanation.text);
    }
    text += "\nWith these taken into account the two readings agree about every request, in the numbers, the minted tables and\n\
             the reasons.\n\n\
             | request | statements | read | local | forwarded | minted | ends | why | index |\n\
             |---|---|---|---|---|---|---|---|---|\n";
    for row in rows {
        text += &row.line();
    }
    text
}
