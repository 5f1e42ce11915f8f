//! A line in the making: its clauses, and the sentence that they are put together to.

use protocol::host::Text;

use crate::world::Weight;

/// How many tables of one commit a line tells.
const TABLES_MOST: usize = 12;

/// What tells the end of an incarnation from other clauses.
pub(super) const RESET: &str = "reset";

/// The clauses of one line, as they come together.
#[derive(Default)]
pub(super) struct Draft {
    /// What comes before the sentence: `once the log comes,`.
    pub(super) opening: Option<String>,
    pub(super) clauses: Vec<String>,
    pub(super) kind: Vec<String>,
    pub(super) weight: Option<Weight>,
    pub(super) item: Option<u32>,
    pub(super) asks: Vec<Text>,
    pub(super) awaits: Option<String>,
    pub(super) begins_fault: bool,
    /// The tables that are committed, those that the violation names first.
    pub(super) commits: Option<Commits>,
    pub(super) answers: Option<String>,
    /// Whether routine is told too, and what is answered and committed: it may be what is wrong.
    pub(super) tells_all: bool,
    /// Whether the answer is told in any case.
    pub(super) tells_answer: bool,
}

/// Writes that were committed.
pub(super) struct Commits {
    /// To which tables.
    pub(super) tables: Box<[Text]>,
    /// How many of them, at the beginning, the violation names, and the rest of the line does not.
    pub(super) named: usize,
    /// Whether the violation names one of them.
    pub(super) are_wrong: bool,
}

impl Draft {
    pub(super) fn say(&mut self, weight: Weight, kind: impl Into<String>, clause: String) {
        self.weight = self.weight.max(Some(weight));
        self.kind.push(kind.into());
        if weight == Weight::Tells || self.tells_all {
            self.clauses.push(clause);
        }
    }

    /// A commit, which is told by itself where the violation names a table that was written to, and nothing else tells of it.
    pub(super) fn commit(&mut self, tables: &[Text], wrong: &str) {
        let is_told = |table: &Text| self.clauses.iter().any(|clause| names(clause, table));
        let (mut first, rest): (Vec<Text>, Vec<Text>) = tables
            .iter()
            .cloned()
            .partition(|table| names(wrong, table) && !is_told(table));
        let named = first.len();
        if named > 0 {
            self.weight = Some(Weight::Tells);
            self.kind.push(format!("commits {}", first.join(" ")));
        }
        first.extend(rest);
        self.commits = Some(Commits {
            tables: first.into(),
            named,
            are_wrong: tables.iter().any(|table| names(wrong, table)),
        });
    }

    /// The rest of the sentence that whoever acts begins.
    pub(super) fn sentence(&self) -> String {
        let mut clauses = once_each(&self.clauses);
        if let Some(Commits { tables, named, .. }) = &self.commits {
            let told = if self.tells_all {
                TABLES_MOST.max(*named)
            } else {
                *named
            };
            clauses.push(committed(tables, told));
        }
        // Of whoever is reset no answer leaves.
        let is_reset = self.kind.iter().any(|kind| kind == RESET);
        if self.tells_all || self.tells_answer && !is_reset {
            clauses.extend(self.answers.clone());
        }
        if self.tells_all && clauses.is_empty() {
            clauses.push("has a turn".to_owned());
        }
        let told = match clauses.split_last() {
            None => String::new(),
            Some((last, [])) => last.clone(),
            Some((last, before)) => format!("{}, and {last}", before.join(", ")),
        };
        match &self.opening {
            Some(opening) => format!("{opening}, {told}"),
            None => told,
        }
    }
}

/// Whether a text names a table, by itself and not as part of another name.
fn names(text: &str, table: &str) -> bool {
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    text.split(|character| !is_of_name(character))
        .any(|word| word == table)
}

/// That writes were committed; so many of the tables, where they may be what is wrong.
fn committed(tables: &[Text], told: usize) -> String {
    if told == 0 {
        return "commits".to_owned();
    }
    let more = tables.len().saturating_sub(told);
    let named = tables[..tables.len() - more].join(", ");
    match more {
        0 => format!("commits what it has written to {named}"),
        _ => format!(
            "commits what it has written to {named}, among {} tables",
            tables.len()
        ),
    }
}

/// What is done again and again in one step is said once, with how often.
fn once_each(clauses: &[String]) -> Vec<String> {
    let mut counted: Vec<(&String, usize)> = Vec::new();
    for clause in clauses {
        match counted.iter_mut().find(|(known, _)| *known == clause) {
            Some((_, times)) => *times += 1,
            None => counted.push((clause, 1)),
        }
    }
    let said = counted.into_iter().map(|(clause, times)| match times {
        1 => clause.clone(),
        times => format!("{clause} ({times} times)"),
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_where_they_may_be_what_is_wrong() {
        let tables = [Text::new_static("node"), Text::new_static("router")];
        assert_eq!(committed(&tables, 0), "commits");
        assert_eq!(
            committed(&tables, 1),
            "commits what it has written to node, among 2 tables"
        );
        assert_eq!(
            committed(&tables, TABLES_MOST),
            "commits what it has written to node, router"
        );
    }

    #[test]
    fn a_table_is_named_by_a_word_of_its_own() {
        let wrong = "in module_t9, the primary has (1, \"node_x\"), and the log has it not";
        assert!(names(wrong, "module_t9"));
        assert!(!names(wrong, "node"));
        assert!(!names(wrong, "module"));
    }

    #[test]
    fn a_table_that_the_line_names_already_is_not_named_again() {
        let tables = ["node", "queue"].map(Text::new_static);
        let mut draft = Draft::default();
        draft.commit(&tables, "in node, the lane has 1");
        assert_eq!(
            draft.sentence(),
            "commits what it has written to node, among 2 tables"
        );
        let mut draft = Draft::default();
        draft.say(Weight::Tells, "chunk", "takes in a chunk: node".to_owned());
        draft.commit(&tables, "in node, the lane has 1");
        assert_eq!(draft.sentence(), "takes in a chunk: node, and commits");
    }

    #[test]
    fn a_write_to_what_is_wrong_is_one_whether_or_not_the_line_names_the_table() {
        let mut draft = Draft::default();
        draft.say(Weight::Tells, "chunk", "takes in a chunk: node".to_owned());
        draft.commit(&[Text::new_static("node")], "in node, the lane has 1");
        assert!(
            draft.commits.is_some_and(|commits| commits.are_wrong),
            "the violation names node"
        );
    }

    #[test]
    fn what_is_done_again_in_a_step_is_said_once() {
        let clauses = ["reads", "writes", "reads"].map(str::to_owned);
        assert_eq!(once_each(&clauses), ["reads (2 times)", "writes"]);
    }
}
