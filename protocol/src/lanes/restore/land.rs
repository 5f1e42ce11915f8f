//! How a chunk lands on a lane: one turn without a wait (`lanes.md` 14.1).

use super::ChunkRefusal;
use crate::host::{Statement, Text};
use crate::json::Json;
use crate::lanes::admission::{Move, Stage, StageName};
use crate::lanes::bind;
use crate::lanes::log::Inflight;
use crate::lanes::meta::{Key, Write, names, present};
use crate::lanes::rules::Rules;
use crate::lanes::wire::Chunk;
use crate::number::Number;

/// What the landing of a chunk is decided by, as it stands before.
#[derive(Clone, Debug)]
pub struct LandingFacts<'a> {
    /// Whether this object is a replica.
    pub replica: bool,
    /// Its stage.
    pub stage: StageName,
    /// [`Key::RESTORE_GENERATION`].
    pub restore_generation: Option<&'a str>,
    /// [`Key::RESTORE_SEEN`].
    pub restore_seen: Option<&'a str>,
    /// [`Key::RESTORE_ATTEMPT`].
    pub restore_attempt: Option<&'a str>,
    /// [`Key::HASH_SALT`].
    pub hash_salt: Option<&'a str>,
    /// Its commit sequence, the pending advances included.
    pub commit_sequence: Number,
    /// Its schema text, if it knows one.
    pub local_schema: Option<&'a str>,
    /// Whether the chunk's table exists here.
    pub table_exists: bool,
}

/// Why a chunk does not land. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NoLanding {
    /// This object is no replica. The wording is ours.
    #[error("only a replica is restored")]
    NotAReplica,
    /// It would begin a copy, and is not a copy's first. The wording is ours.
    #[error("no copy is in progress, and this chunk does not begin one")]
    NotTheFirst,
    /// Another attempt at a copy is in progress. The wording is ours.
    #[error("the copy in progress is of another attempt")]
    OtherAttempt,
    /// The chunk is refused.
    #[error(transparent)]
    Refused(#[from] ChunkRefusal),
}

/// What a chunk does when it lands, in this order, within one turn. What fails is thrown; what was done before stays.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Landing {
    /// Of a copy's first chunk: the marker and what the copy is known by. One by one, not in a transaction.
    pub begin: Vec<Write>,
    /// The stages that it leads through, where it moves.
    pub moved: Vec<Stage>,
    /// Whether the interpreter must go, for it holds another hash salt.
    pub drops_interpreter: bool,
    /// Statements that make the table. One by one.
    pub ddl: Vec<Statement>,
    /// The rows, in one transaction.
    pub rows: Vec<Statement>,
    /// Remembers the table as seen.
    pub seen: Vec<Write>,
    /// Whether the copy ends with it: [`finish_copy`] decides how.
    pub is_last: bool,
}

/// Forgets the copy in progress; the marker and the stage stay (`restart=1`).
pub fn restart_copy() -> Vec<Write> {
    [Key::RESTORE_GENERATION, Key::RESTORE_EXPECT, Key::RESTORE_SEEN]
        .map(Write::clear)
        .into()
}

/// What a chunk does.
///
/// Any chunk begins a copy where none is in progress, also one that is not the copy's first: so a delayed last chunk
/// is a whole copy by itself, and moves the position back. The vectors hold the deployed code to it.
///
/// # Errors
/// The chunk may not land.
pub fn land_chunk(rules: &Rules, facts: &LandingFacts<'_>, chunk: &Chunk) -> Result<Landing, NoLanding> {
    if !facts.replica {
        return Err(NoLanding::NotAReplica);
    }
    let begun_at = present(facts.restore_generation).map(Number::parse);
    if let Some(refusal) = (rules.copies.chunk_refusal)(rules, chunk, facts.local_schema, begun_at) {
        return Err(refusal.into());
    }
    let begins = begun_at.is_none();
    if begins {
        (rules.copies.may_begin)(chunk)?;
    } else if !(rules.copies.is_of_attempt)(facts.restore_attempt, chunk) {
        return Err(NoLanding::OtherAttempt);
    }
    let table = chunk.table.to_text();
    let salt = chunk.hash_salt.as_str().filter(|salt| begins && !salt.is_empty());
    let stages = (rules.copies.stages_of_begin)(rules, &facts.stage);
    Ok(Landing {
        begin: if begins {
            begin_copy(rules, facts, chunk, salt, &stages)
        } else {
            Vec::new()
        },
        moved: if begins { stages } else { Vec::new() },
        drops_interpreter: salt.is_some_and(|salt| facts.hash_salt != Some(salt)),
        ddl: ddl(facts, chunk),
        rows: (rules.copies.restore_statements)(chunk)
            .iter()
            .map(bind::statement)
            .collect(),
        seen: seen(if begins { None } else { facts.restore_seen }, &table),
        is_last: chunk.done.is_true(),
    })
}

fn begin_copy(
    rules: &Rules,
    facts: &LandingFacts<'_>,
    chunk: &Chunk,
    salt: Option<&str>,
    stages: &[Stage],
) -> Vec<Write> {
    let generation = chunk.generation.or_nan();
    let mut writes = vec![
        Write::number(Key::RESTORE_GENERATION, generation),
        Write::Meta(
            Key::RESTORE_EXPECT,
            joined(chunk.expect.get().map_or(&[], Vec::as_slice)),
        ),
    ];
    let origin = chunk.origin.get();
    let origin = origin.filter(|origin| (rules.copies.pinnable)(Some(origin)));
    writes.extend(origin.map(|origin| Write::Meta(Key::SITE_ORIGIN, origin.clone())));
    writes.extend(salt.map(|salt| Write::Meta(Key::HASH_SALT, Text::new(salt))));
    writes.push(Write::clear(Key::RESTORE_SEEN));
    writes.extend((rules.log.mark)(Inflight {
        from: facts.commit_sequence,
        to: generation,
    }));
    writes.extend(
        stages
            .iter()
            .map(|stage| Write::Meta(Key::STAGE, Text::new_static(stage.as_str()))),
    );
    writes.push(Write::clear(Key::READMIT_ASKS));
    writes.extend((rules.copies.note_attempt)(chunk));
    writes
}

fn joined(names: &[Json]) -> Text {
    Json::Array(names.to_vec()).to_text()
}

/// Whether a chunk may begin a copy: any may, also one that is not a copy's first (`lanes.md` 14.1).
///
/// # Errors
/// None as documented.
pub fn may_begin(_: &Chunk) -> Result<(), NoLanding> {
    Ok(())
}

/// Whether a chunk is of the attempt that is in progress: nobody asks (`lanes.md` 9).
pub fn is_of_attempt(_: Option<&str>, _: &Chunk) -> bool {
    true
}

/// What the beginning of a copy keeps of its attempt: nothing.
pub fn note_attempt(_: &Chunk) -> Vec<Write> {
    Vec::new()
}

/// Whether a page has landed before, as far as the last one tells that did: nobody asks (`lanes.md` 14.1).
pub fn has_landed(_: Option<&str>, _: &Chunk) -> bool {
    false
}

/// What is kept of a page that has landed: nothing.
pub fn note_page(_: &Chunk) -> Vec<Write> {
    Vec::new()
}

/// The stages that the beginning of a copy leads a lane through: CREATED to RESTORING, and no other stage moves
/// (`lanes.md` 14.1).
pub fn stages_of_begin(rules: &Rules, stage: &StageName) -> Vec<Stage> {
    match (rules.admission.set_stage)(rules, stage, &Stage::Restoring.into()) {
        Move::Moved(stage) => vec![stage],
        _ => Vec::new(),
    }
}

fn ddl(facts: &LandingFacts<'_>, chunk: &Chunk) -> Vec<Statement> {
    let makes = chunk.first.is_true() && !facts.table_exists;
    let statements = chunk.ddl.get().filter(|_| makes).map_or(&[][..], Vec::as_slice);
    let statement = |sql: &Json| Statement {
        sql: sql.to_text(),
        params: Vec::new(),
    };
    statements.iter().map(statement).collect()
}

fn seen(before: Option<&str>, table: &Text) -> Vec<Write> {
    let mut seen = names(before);
    if seen.contains(table) {
        return Vec::new();
    }
    seen.push(table.clone());
    vec![Write::Meta(Key::RESTORE_SEEN, Text::from(seen.join(",")))]
}

/// What the end of a copy is decided by, as it stands when its last chunk has landed.
#[derive(Clone, Debug)]
pub struct WholenessFacts<'a> {
    /// The generation of the copy: the last chunk's.
    pub generation: Number,
    /// The stage.
    pub stage: StageName,
    /// What is mandatory and not there ([`missing_mandatory`](crate::lanes::admission::missing_mandatory)), as the wire
    /// names it.
    pub gap: &'a [Text],
    /// [`Key::RESTORE_EXPECT`].
    pub restore_expect: Option<&'a str>,
    /// [`Key::RESTORE_SEEN`].
    pub restore_seen: Option<&'a str>,
}

/// A copy that lacks something. Its marker stays.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("restore incomplete: {}", .missing.join(", "))]
pub struct Incomplete {
    /// What: mandatory entries, then promised tables that did not come, as `table:<name>`.
    pub missing: Vec<Text>,
}

/// A copy that is whole.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Whole {
    /// Moves the position and the commit sequence and forgets the copy.
    pub writes: Vec<Write>,
    /// What became of the move to VERIFIED: only a lane that is RESTORING makes it, and nobody looks whether it did.
    /// Where it did, the alarm is set to now + 1 ms.
    pub to_verified: Move,
}

/// Whether a copy whose last chunk has landed is whole (`lanes.md` 14.1).
///
/// # Errors
/// It lacks something.
pub fn finish_copy(rules: &Rules, facts: &WholenessFacts<'_>) -> Result<Whole, Incomplete> {
    let seen = names(facts.restore_seen);
    let absent = names(facts.restore_expect)
        .into_iter()
        .filter(|table| !seen.contains(table));
    let tables = absent.map(|table| Text::from(format!("table:{table}")));
    let missing: Vec<Text> = facts.gap.iter().cloned().chain(tables).collect();
    if !missing.is_empty() {
        return Err(Incomplete { missing });
    }
    let to_verified = (rules.admission.set_stage)(rules, &facts.stage, &Stage::Verified.into());
    let mut writes = (rules.log.land)(facts.generation);
    writes.push(Write::number(Key::COMMIT_SEQUENCE, facts.generation));
    writes.extend((rules.copies.restart)());
    writes.extend(to_verified.write());
    Ok(Whole { writes, to_verified })
}
