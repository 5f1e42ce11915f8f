//! What pages show, as the oracle reads it.

use protocol::host::Statement;
use protocol::lanes::app::page::{Evidence, Page, digest_rows};

use super::standing::Generation;
use super::{Truth, contents};

impl Truth {
    /// Whether a page reads the same at a generation; none where that generation's state is not known, or the oracle
    /// cannot run a read. What a lane's render wrote, its own reads do not see.
    pub fn shows(&mut self, page: &Page, generation: Generation) -> Option<bool> {
        let state = self.history.get(&generation)?.clone();
        let mut trial = self.evaluator.at(&state);
        for evidence in &page.evidence {
            let Evidence::Read {
                statement,
                behind,
                digest,
            } = evidence
            else {
                continue;
            };
            if !reads_truth(statement) {
                continue;
            }
            let rows = trial.read_behind(behind, statement).ok()?;
            if digest_rows(&rows) != *digest {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// Whether a read is of the site's state alone.
fn reads_truth(statement: &Statement) -> bool {
    let after_from = statement.sql.split(" FROM ").nth(1);
    let table = after_from.and_then(|rest| rest.split([' ', ';']).next());
    table.is_none_or(|table| contents::is_truth(table.trim_matches('"')))
}
