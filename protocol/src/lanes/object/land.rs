//! A chunk lands on a lane, within one turn (`lanes.md` 14.1).

use super::identity::of;
use super::{Cx, Failure, SiteObject, Version, answer, labels, pages, position, sequence, state, store};
use crate::host::{Body, End, Millis, Response, SqlError};
use crate::lanes::admission::Move;
use crate::lanes::meta::Key;
use crate::lanes::restore::{LandingFacts, NoLanding, WholenessFacts, is_plain_identifier};
use crate::lanes::wire::{Chunk, RestoreAnswer};

/// Lands the chunk of a body; the copy in progress is forgotten first where that is asked.
pub type LandChunk = fn(&mut SiteObject, &Version, bool, &Body, &mut Cx<'_, '_>) -> Result<Response, Failure>;

/// How soon the alarm of a lane comes whose copy is whole.
const SOON: Millis = Millis(1);

/// As documented.
///
/// # Errors
/// What was thrown; what was written before it stays.
pub fn land_chunk(
    site: &mut SiteObject,
    version: &Version,
    restart: bool,
    body: &Body,
    cx: &mut Cx<'_, '_>,
) -> Result<Response, Failure> {
    let rules = &version.rules;
    let replica = of(version, cx).is_replica();
    if !replica {
        return refused(site, &NoLanding::NotAReplica.to_string(), 0, &[], cx);
    }
    let chunk = body.read::<Chunk>()?;
    let last = store::stored(cx, Key::RESTORE_PAGE.0)?;
    if (rules.copies.has_landed)(last.as_deref(), &chunk) {
        let stage = site.stage(cx)?;
        return Ok(answer::message(200, RestoreAnswer::landed(&stage, 0)));
    }
    if restart {
        store::write(cx, (rules.copies.restart)())?;
        if rules.flows.copies_purge {
            pages::purge(version, cx, "copy")?;
        }
    }
    let stage = site.stage(cx)?;
    let schema = sequence::schema(cx)?;
    let mut meta = |key: Key| store::stored(cx, key.0);
    let (begun_at, seen) = (meta(Key::RESTORE_GENERATION)?, meta(Key::RESTORE_SEEN)?);
    let attempt = meta(Key::RESTORE_ATTEMPT)?;
    let salt = meta(Key::HASH_SALT)?;
    let landing = (rules.copies.land)(
        rules,
        &LandingFacts {
            replica,
            stage: stage.clone(),
            restore_generation: begun_at.as_deref(),
            restore_seen: seen.as_deref(),
            restore_attempt: attempt.as_deref(),
            hash_salt: salt.as_deref(),
            commit_sequence: site.sequence(cx)?,
            local_schema: schema.as_deref(),
            table_exists: table_exists(&chunk, cx)?,
        },
        &chunk,
    );
    let landing = match landing {
        Ok(landing) => landing,
        Err(why) => return refused(site, &why.to_string(), 0, &[], cx),
    };
    store::write(cx, landing.begin)?;
    let mut at = stage.clone();
    for moved in landing.moved {
        position::note(&at, &Move::Moved(moved), cx);
        at = moved.into();
    }
    if landing.drops_interpreter && site.interpreter.take().is_some() {
        cx.note(labels::DROPPED, "another hash salt");
    }
    for statement in &landing.ddl {
        cx.sql(statement)?;
    }
    let statements = landing.rows.len();
    cx.transaction(&landing.rows, End::Commit)?;
    store::write(cx, landing.seen)?;
    cx.note(labels::LANDED, chunk.table.to_text());
    if landing.is_last {
        return finish(site, version, &chunk, statements, cx);
    }
    store::write(cx, (rules.copies.note_page)(&chunk))?;
    let stage = site.stage(cx)?;
    Ok(answer::message(200, RestoreAnswer::landed(&stage, statements)))
}

/// A chunk whose table has no plain name is refused, whatever there is.
fn table_exists(chunk: &Chunk, cx: &mut Cx<'_, '_>) -> Result<bool, SqlError> {
    match chunk.table.as_str() {
        Some(table) if is_plain_identifier(table) => store::exists(cx, table),
        _ => Ok(false),
    }
}

fn finish(
    site: &SiteObject,
    version: &Version,
    chunk: &Chunk,
    statements: usize,
    cx: &mut Cx<'_, '_>,
) -> Result<Response, Failure> {
    let stage = site.stage(cx)?;
    let gap = state::read(cx)?.gap(version);
    let expect = store::stored(cx, Key::RESTORE_EXPECT.0)?;
    let seen = store::stored(cx, Key::RESTORE_SEEN.0)?;
    let whole = (version.rules.copies.finish)(
        &version.rules,
        &WholenessFacts {
            generation: chunk.generation.or_nan(),
            stage: stage.clone(),
            gap: &gap,
            restore_expect: expect.as_deref(),
            restore_seen: seen.as_deref(),
        },
    );
    let whole = match whole {
        Ok(whole) => whole,
        Err(incomplete) => {
            return refused(site, &incomplete.to_string(), statements, &incomplete.missing, cx);
        }
    };
    store::commit(cx, whole.writes)?;
    if version.rules.flows.copies_purge {
        // The copy may bring rows of caches.
        pages::purge(version, cx, "copy")?;
    }
    position::note(&stage, &whole.to_verified, cx);
    cx.note(labels::WHOLE, chunk.generation.or_nan().to_string());
    if whole.to_verified.has_moved() {
        cx.set_alarm(Some(cx.now().after(SOON)));
    }
    let stage = site.stage(cx)?;
    Ok(answer::message(200, RestoreAnswer::landed(&stage, statements)))
}

fn refused(
    site: &SiteObject,
    why: &str,
    statements: usize,
    missing: &[crate::host::Text],
    cx: &mut Cx<'_, '_>,
) -> Result<Response, Failure> {
    cx.note(labels::NOT_LANDED, why);
    let stage = site.stage(cx)?;
    let refused = RestoreAnswer::refused(why, &stage, statements, missing);
    Ok(answer::message(409, refused))
}
