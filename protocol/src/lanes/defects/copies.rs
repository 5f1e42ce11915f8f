//! Copies: how they are read, posted and landed, and which lane may serve.

use super::Defect;
use crate::host::Text;
use crate::lanes::admission::{self, AdmissionFacts, AdmissionVerdict, Move, Stage};
use crate::lanes::inventory;
use crate::lanes::meta::Write;
use crate::lanes::object::defects as object;
use crate::lanes::restore::{self, ChunkRefusal, Page, Place, WholenessFacts};
use crate::lanes::wire::Field;
use crate::number::Number;

/// The verdict, as if what is edited were as it should be.
macro_rules! verdict_without {
    (|$facts:ident| $edit:expr) => {
        |rules| {
            rules.admission.verdict = |rules, facts: &AdmissionFacts<'_>| {
                let $facts = facts;
                admission::admission_verdict(rules, &$edit)
            };
        }
    };
}

/// A chunk may land that only this keeps away.
macro_rules! lands_despite {
    ($($refusal:pat_param)|+) => {
        |rules| {
            rules.copies.chunk_refusal = |rules, chunk, schema, begun_at| {
                match restore::chunk_refusal(rules, chunk, schema, begun_at) {
                    Some($($refusal)|+) => None,
                    refusal => refusal,
                }
            };
        }
    };
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "label-with-the-live-sequence",
        &["H3"],
        &["LR-1", "LR-18", "LR-9", "LR-16"],
        "a copy is called by the live commit sequence, which no record need ever lead to",
        |rules| rules.seal.copyable_generation = |_, sequence| sequence,
    ),
    Defect::new(
        "copy-without-sealing",
        &["H3"],
        &["LR-16", "LR-9", "LR-18"],
        "a step of a copy does not seal first: the copy holds what the record behind its generation brings again",
        |rules| rules.flows.provision.begin = object::copy_without_sealing,
    )
    .unseen(
        "nothing is left unsealed where a turn ends, for a seal takes none and a render seals before it waits: a \
         step of a copy that runs within the turn of a write would",
    ),
    Defect::new(
        "leave-the-salt",
        &["H11"],
        &["LR-27"],
        "a lane does not take the site's hash salt from the first chunk",
        |rules| {
            rules.copies.land = |rules, facts, chunk| {
                let mut chunk = chunk.clone();
                chunk.hash_salt = Field::Missing;
                restore::land_chunk(rules, facts, &chunk)
            };
        },
    ),
    Defect::new(
        "forget-nothing-at-a-restart",
        &["H13"],
        &["LR-L1", "LR-L3"],
        "a copy that was interrupted is not forgotten: every later chunk counts as torn",
        |rules| rules.copies.restart = Vec::new,
    ),
    Defect::new(
        "no-statements-in-chunks",
        &["H15"],
        &["LR-L1", "LR-16", "LR-9"],
        "a table that the schema does not make is not made by its first chunk either",
        |rules| {
            rules.copies.land = |rules, facts, chunk| {
                let mut chunk = chunk.clone();
                chunk.ddl = Field::Missing;
                restore::land_chunk(rules, facts, &chunk)
            };
        },
    ),
    Defect::new(
        "leave-a-table-out",
        &[],
        &["LR-16", "LR-9", "LR-27"],
        "sessions are not copied",
        |rules| {
            rules.inventory.is_copied =
                |rules, table| table != "sessions" && inventory::is_copied_by_restore(rules, table);
        },
    ),
    Defect::new(
        "skip-a-row-between-pages",
        &["S19"],
        &["LR-16", "LR-9"],
        "the second page of a table begins one row too late",
        |rules| {
            rules.copies.next_page = |place, tables, rows| {
                let page = restore::next_page(place, tables, rows);
                let skipped = u64::from(page.next.offset > 0);
                Page {
                    next: Place {
                        offset: page.next.offset + skipped,
                        ..page.next
                    },
                    ..page
                }
            };
        },
    ),
    Defect::new(
        "skip-a-table",
        &["S19"],
        &["LR-16", "LR-L1", "LR-9"],
        "the cursor moves on by two tables where there are enough",
        |rules| {
            rules.copies.next_page = |place, tables, rows| {
                let page = restore::next_page(place, tables, rows);
                let skips = page.next.offset == 0 && page.next.index == 5;
                Page {
                    next: Place {
                        index: page.next.index + usize::from(skips),
                        ..page.next
                    },
                    ..page
                }
            };
        },
    ),
    Defect::new(
        "done-before-the-last-table",
        &[],
        &["LR-16", "LR-L1"],
        "the last but one table ends a copy",
        |rules| {
            rules.copies.next_page =
                |place, tables, rows| restore::next_page(place, tables.saturating_sub(1), rows);
        },
    ),
    Defect::new(
        "every-page-is-the-first",
        &[],
        &["LR-16", "LR-9"],
        "each page of a table empties it",
        |rules| {
            rules.copies.next_page = |place, tables, rows| Page {
                first: true,
                ..restore::next_page(place, tables, rows)
            };
        },
    ),
    Defect::new(
        "land-on-what-is-there",
        &[],
        &["LR-16", "LR-9"],
        "the first page of a table does not empty it",
        |rules| {
            rules.copies.restore_statements = |chunk| {
                let mut rows = restore::restore_statements(chunk);
                rows.retain(|statement| !statement.sql.starts_with("DELETE"));
                rows
            };
        },
    ),
    Defect::new(
        "keep-the-row-that-is-there",
        &[],
        &["LR-16", "LR-9"],
        "a row of a copy does not replace the one with its key, and no page empties its table",
        |rules| {
            rules.copies.restore_statements = |chunk| {
                let mut rows = restore::restore_statements(chunk);
                rows.retain(|statement| !statement.sql.starts_with("DELETE"));
                for row in &mut rows {
                    row.sql = Text::from(row.sql.replace("OR REPLACE", "OR IGNORE"));
                }
                rows
            };
        },
    ),
    Defect::new(
        "land-a-torn-chunk",
        &["S15"],
        &["LR-15", "LR-9"],
        "a chunk lands in a copy of another generation",
        lands_despite!(ChunkRefusal::Torn { .. }),
    ),
    Defect::new(
        "land-any-schema",
        &[],
        &["LR-12"],
        "a chunk lands whose schema is not the lane's",
        lands_despite!(ChunkRefusal::Schema { .. }),
    ),
    Defect::new(
        "land-any-width",
        &[],
        &["LR-16", "LR-9", "LR-15", "LR-L1"],
        "a chunk lands whose rows are not as wide as its columns say",
        lands_despite!(ChunkRefusal::BadRow { .. }),
    )
    .unseen("such a row cannot be bound, and its chunk fails as a whole"),
    Defect::new(
        "land-without-a-generation",
        &[],
        &["LR-15", "LR-8"],
        "a chunk lands that is of no generation",
        lands_despite!(ChunkRefusal::BadGeneration | ChunkRefusal::Torn { .. }),
    ),
    Defect::new(
        "land-own-tables",
        &[],
        &["LR-12", "LR-14", "LR-15", "LR-8", "LR-27"],
        "a chunk lands of a table that each object has for itself",
        lands_despite!(ChunkRefusal::NotCopyable { .. }),
    ),
    Defect::new(
        "whole-without-its-tables",
        &[],
        &["LR-16"],
        "a copy counts as whole although promised tables did not come",
        |rules| {
            rules.copies.finish = |rules, facts| {
                let facts = WholenessFacts {
                    restore_expect: None,
                    ..facts.clone()
                };
                restore::finish_copy(rules, &facts)
            };
        },
    )
    .unseen(
        "pages are numbered and come in order, and the last one is of the same attempt: none is missing then",
    ),
    Defect::new(
        "whole-without-the-key",
        &[],
        &["LR-16", "LR-20"],
        "a copy counts as whole although mandatory state is missing",
        |rules| {
            rules.copies.finish = |rules, facts| {
                let facts = WholenessFacts {
                    gap: &[],
                    ..facts.clone()
                };
                restore::finish_copy(rules, &facts)
            };
        },
    )
    .unseen("the primary begins no copy while its own is missing"),
    Defect::new(
        "no-marker",
        &[],
        &["LR-10", "LR-16"],
        "nothing marks a copy that has begun",
        |rules| rules.log.mark = |_| Vec::new(),
    )
    .unseen("the stage says so too: a lane that is being copied to is RESTORING"),
    Defect::new(
        "marker-stays",
        &[],
        &["LR-L1", "LR-L3", "LR-42"],
        "what lands moves the position and leaves the marker",
        |rules| {
            rules.log.land = |generation| vec![Write::number(crate::lanes::meta::Key::APPLIED, generation)];
        },
    ),
    Defect::new(
        "any-move-is-legal",
        &[],
        &["LR-19"],
        "a lane can go from any stage to any other",
        |rules| rules.admission.can_transition = |_, _| true,
    ),
    Defect::new(
        "withdrawn-and-back",
        &[],
        &["LR-19", "LR-23", "LR-L2"],
        "a withdrawn lane can be verified without a copy",
        |rules| {
            rules.admission.can_transition = |from, to| {
                (from, to) == (Stage::Withdrawn, Stage::CatchingUp) || admission::can_transition(from, to)
            };
            rules.catch_up.begin = |_, _| Ok(());
        },
    ),
    Defect::new(
        "admit-without-a-verdict",
        &[],
        &["LR-20"],
        "every lane that has caught up is admitted",
        |rules| rules.admission.verdict = |_, _| AdmissionVerdict::Admitted,
    ),
    Defect::new(
        "admit-who-is-behind",
        &[],
        &["LR-20"],
        "the generations of lane and primary are not compared",
        verdict_without!(|facts| AdmissionFacts {
            advertised: facts.applied,
            ..facts.clone()
        }),
    ),
    Defect::new(
        "admit-who-is-ahead",
        &["C03", "C05", "C15"],
        &["LR-20"],
        "a lane is admitted that is ahead of what the primary told",
        verdict_without!(|facts| AdmissionFacts {
            advertised: if facts.applied.js_gt(facts.advertised) {
                facts.applied
            } else {
                facts.advertised
            },
            ..facts.clone()
        }),
    ),
    Defect::new(
        "admit-any-fingerprint",
        &["C05"],
        &["LR-20"],
        "the fingerprints of lane and primary are not compared",
        verdict_without!(|facts| AdmissionFacts {
            primary_fingerprint: facts.fingerprint,
            ..facts.clone()
        }),
    )
    .unseen(
        "a lane that differs at the generation where the primary stands violates LR-9 before it asks: a fault that \
         damages rows where they are stored would",
    ),
    Defect::new(
        "admit-any-schema",
        &[],
        &["LR-12", "LR-20"],
        "the schemas of lane and primary are not compared",
        verdict_without!(|facts| AdmissionFacts {
            primary_schema: facts.schema,
            ..facts.clone()
        }),
    )
    .unseen(
        "all versions of a run have one schema text, and no copy lands on a lane that has another: a deploy of code \
         with a schema of its own would",
    ),
    Defect::new(
        "serve-from-verified",
        &[],
        &["LR-19"],
        "an admitted lane goes to SERVING without the stages between",
        |rules| {
            rules.catch_up.after_verdict = |_, _, verdict| {
                if verdict.is_admitted() {
                    vec![Stage::Serving]
                } else {
                    Vec::new()
                }
            };
        },
    ),
    Defect::new(
        "never-serve",
        &[],
        &["LR-L1", "LR-L4"],
        "an admitted lane stays ELIGIBLE",
        |rules| {
            rules.admission.set_stage = |rules, from, to| {
                if *to == Stage::Serving.into() {
                    return Move::AlreadyThere(from.clone());
                }
                admission::set_stage(rules, from, to)
            };
        },
    ),
    Defect::new(
        "pull-while-restoring",
        &[],
        &["LR-8", "LR-9", "LR-15", "LR-19", "LR-23", "LR-L2"],
        "a round runs in every stage",
        |rules| rules.catch_up.begin = |_, _| Ok(()),
    ),
    Defect::new(
        "go-on-with-a-torn-copy",
        &["S15"],
        &["LR-15", "LR-L1"],
        "a step goes on with a copy of a generation that the primary has left",
        |rules| {
            rules.copies.begin = |facts| {
                let mut facts = facts.clone();
                if let Some(cursor) = facts.cursor {
                    facts.generation = cursor.generation.to_number();
                }
                restore::begin_provision(&facts)
            };
        },
    )
    .unseen(
        "each page is compared with the generation of its step, and the lane refuses a chunk of another one",
    ),
    Defect::new(
        "copy-in-steps-of-one",
        &[],
        &["LR-L1"],
        "a step of a copy ends before it has read anything",
        |rules| rules.copies.step_end = |place, _, _, _| Some(restore::StepEnd::Paused(place)),
    ),
    Defect::new(
        "copy-from-a-lane",
        &[],
        &["LR-27", "LR-16"],
        "a lane provisions another lane",
        |rules| {
            rules.copies.begin = |facts| {
                let mut facts = facts.clone();
                facts.primary = true;
                restore::begin_provision(&facts)
            };
        },
    )
    .unseen("nobody asks a lane for it: a plan with `provision` on a lane would"),
    Defect::new(
        "ask-at-once",
        &[],
        &["LR-L6", "RUNAWAY"],
        "a lane that waits for a copy asks again without a pause",
        |rules| rules.copies.backoff_ms = |_| Number::ZERO,
    ),
];
