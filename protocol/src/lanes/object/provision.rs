//! A step of a lane's copy, on the primary (`lanes.md` 13.4).

use super::identity::of;
use super::sequence::schema;
use super::{Cx, Next, Segment, SiteFrame, SiteObject, Value, Version, answer, labels, state, store, tables};
use crate::host::{Body, Request, Response, Rows, Shared, SqlError, Text};
use crate::json::Json;
use crate::lanes::belief::LanesPointer;
use crate::lanes::bind::jsonable;
use crate::lanes::meta::{Key, Write};
use crate::lanes::restore::{Page, Place, ProvisionFacts, StepEnd, page_statement};
use crate::lanes::wire::{Chunk, Cursor, Field, RestoreAnswer};
use crate::number::Number;
use crate::task::{On, Resume, Step};
use std::sync::Arc;

/// A step of a copy on its way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Provisioning {
    lane: Number,
    /// Where the copy stands, as it was stored or sent.
    cursor: Text,
    budget: Number,
    phase: Phase,
    pub(super) generation: Number,
    /// The attempt, where it is counted.
    attempt: Option<Text>,
    /// The tables that are copied, by name.
    tables: Vec<Text>,
    place: Place,
    copied: Number,
    /// The page that was posted last, and how many rows it has.
    posted: Option<(Page, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Sealing,
    Migrating,
    Posting,
}

/// Which attempt at a copy to a lane one is of that goes on from a cursor, or begins; none where they are not counted.
pub type AttemptOf = fn(Number, Option<&Cursor>, &mut Cx<'_, '_>) -> Result<Option<Text>, SqlError>;

/// How many lanes there are when the copy of this lane is done, where so many were known.
pub type Counted = fn(Number, LanesPointer, &mut Cx<'_, '_>) -> Result<Number, SqlError>;

/// The segments of a step of a copy.
#[derive(Clone, Copy, Debug)]
pub struct ProvisionSteps {
    /// First: refuse, or seal.
    pub begin: Segment<Provisioning>,
    /// When it is sealed: find the place, and give a fresh lane the schema.
    pub place: Segment<Provisioning>,
    /// Which attempt a copy is of that goes on from a cursor, or begins. Nobody counts them.
    pub attempt: AttemptOf,
    /// How a chunk says where in its attempt it stands. It does not.
    pub page: fn(Place) -> Option<Text>,
    /// Read a page and post it, or end the step.
    pub post: Segment<Provisioning>,
    /// With the lane's answer: go on behind the page.
    pub landed: Segment<Provisioning>,
    /// How many lanes there are when the copy of a lane is done, besides those that are counted: the lane's number.
    pub counted: Counted,
}

impl ProvisionSteps {
    /// As documented.
    pub const DOCUMENTED: ProvisionSteps = ProvisionSteps {
        begin,
        place,
        attempt: |_, _, _| Ok(None),
        page: |_| None,
        post,
        landed,
        counted: |lane, _, _| Ok(lane),
    };
}

/// How a step of a copy has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Provisioned {
    /// Whether nothing was refused.
    pub ok: bool,
    /// Whether the copy is done.
    pub done: bool,
    /// Whether the primary committed during the copy.
    pub torn: bool,
    /// Why it is not ok.
    pub reason: Text,
    /// Where the copy goes on.
    pub cursor: Option<Cursor>,
    /// How many rows were copied in this step.
    pub copied: Number,
}

impl Provisioned {
    /// The answer of `action=provision`. Its keys are ours.
    pub(super) fn response(&self) -> Response {
        let cursor = self.cursor.as_ref();
        let cursor = cursor.and_then(|cursor| Json::parse(&crate::host::Payload::encode(cursor)).ok());
        answer::keys(
            if self.ok { 200 } else { 409 },
            [
                ("ok", Json::Bool(self.ok)),
                ("done", Json::Bool(self.done)),
                ("torn", Json::Bool(self.torn)),
                ("reason", Json::Text(self.reason.clone())),
                ("cursor", cursor.unwrap_or(Json::Null)),
                ("rows", Json::Number(self.copied)),
            ],
        )
    }
}

impl Provisioning {
    /// As `action=provision` asks for it, or the primary's alarm.
    pub(super) fn posted(lane: Number, cursor: Text, budget: Number) -> Self {
        Provisioning {
            lane,
            cursor,
            budget,
            phase: Phase::Sealing,
            generation: Number::ZERO,
            attempt: None,
            tables: Vec::new(),
            place: Place::default(),
            copied: Number::ZERO,
            posted: None,
        }
    }

    pub(super) fn step(
        &mut self,
        site: &mut SiteObject,
        version: &Version,
        resume: Resume<SiteObject>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        let steps = &version.rules.flows.provision;
        let segment = match (&resume, self.phase) {
            (Resume::Start, _) => steps.begin,
            (_, Phase::Sealing) => steps.place,
            (_, Phase::Migrating) => steps.post,
            (_, Phase::Posting) => steps.landed,
        };
        segment(self, site, version, resume, cx)
    }

    pub(super) fn refused(
        &self,
        why: impl ToString,
        torn: bool,
        cursor: Option<Cursor>,
        cx: &mut Cx<'_, '_>,
    ) -> Next {
        let reason = Text::from(why.to_string());
        cx.note(labels::PROVISION_ENDED, reason.clone());
        Ok(Step::Return(Value::Provisioned(Provisioned {
            ok: false,
            done: false,
            torn,
            reason,
            cursor,
            copied: self.copied,
        })))
    }

    fn went(&self, end: StepEnd, site: &mut SiteObject, version: &Version, cx: &mut Cx<'_, '_>) -> Next {
        let cursor = match end {
            StepEnd::Done => {
                cx.note(labels::PROVISIONED, self.lane.to_string());
                site.note_lane_serving(version, self.lane, cx)?;
                None
            }
            StepEnd::Paused(place) => {
                cx.note(
                    labels::PROVISION_PAUSED,
                    format!("{}+{}", place.index, place.offset),
                );
                Some(self.cursor(place))
            }
        };
        Ok(Step::Return(Value::Provisioned(Provisioned {
            ok: true,
            done: end == StepEnd::Done,
            torn: false,
            reason: Text::default(),
            cursor,
            copied: self.copied,
        })))
    }

    /// Where this copy goes on.
    fn cursor(&self, place: Place) -> Cursor {
        let mut cursor = place.cursor(self.generation);
        if let Some(attempt) = &self.attempt {
            cursor.attempt = attempt.clone().into();
        }
        cursor
    }

    /// What a step of this copy is decided by.
    fn may_begin(
        &self,
        version: &Version,
        gap: &[Text],
        generation: Number,
        cursor: Option<&Cursor>,
        cx: &Cx<'_, '_>,
    ) -> Result<Cursor, crate::lanes::restore::NoProvision> {
        (version.rules.copies.begin)(&ProvisionFacts {
            primary: !of(version, cx).is_lane(),
            namespace_bound: true,
            lane: self.lane,
            gap,
            generation,
            cursor,
        })
    }
}

fn begin(
    step: &mut Provisioning,
    _: &mut SiteObject,
    version: &Version,
    _: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    // The generation is known when the log is sealed: without a cursor nothing of it is asked yet.
    let gap = state::read(cx)?.gap(version);
    match step.may_begin(version, &gap, Number::ZERO, None, cx) {
        Err(why) => step.refused(why, false, None, cx),
        Ok(_) => Ok(Step::Enter(SiteFrame::Seal(Box::default()))),
    }
}

fn place(
    step: &mut Provisioning,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let cursor = Cursor::parse(&step.cursor)?;
    let generation = site.copyable(version, cx)?;
    let begun = match step.may_begin(version, &[], generation, cursor.as_ref(), cx) {
        Ok(begun) => begun,
        Err(why) => return step.refused(why, true, None, cx),
    };
    step.generation = generation;
    step.place = match Place::of(&begun) {
        Ok(place) => place,
        Err(why) => return step.refused(why, false, None, cx),
    };
    let names = tables::names(cx)?;
    step.tables = (version.rules.copies.copyable_tables)(&version.rules, &names);
    let goes_on = cursor.as_ref().filter(|_| !step.place.is_fresh());
    step.attempt = (version.rules.flows.provision.attempt)(step.lane, goes_on, cx)?;
    if !step.place.is_fresh() {
        return (version.rules.flows.provision.post)(step, site, version, resume, cx);
    }
    step.phase = Phase::Migrating;
    let stub = of(version, cx).lane(&version.rules, step.lane);
    let call = cx.call(
        labels::MIGRATE_LANE,
        &stub,
        Request::get("/__migrate?all=1&prefill=0"),
    );
    Ok(Step::Await(On::Call(call)))
}

pub(super) fn post(
    step: &mut Provisioning,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    if let Resume::Answer { .. } = &resume {
        // What the lane says of its schema shows in its answer to the first chunk.
        resume.response()?;
    }
    let rules = &version.rules;
    let tables = step.tables.len();
    if let Some(end) = (rules.copies.step_end)(step.place, tables, step.copied, step.budget) {
        return step.went(end, site, version, cx);
    }
    let Some(table) = step.tables.get(step.place.index).cloned() else {
        return step.went(StepEnd::Done, site, version, cx);
    };
    let found = cx.sql(&page_statement(&table, step.place))?;
    let rows = found.rows.len() as u64;
    let page = (rules.copies.next_page)(step.place, tables, rows);
    let mut chunk = chunk(step, &table, page, &found, cx)?;
    chunk.page = (rules.flows.provision.page)(step.place).map_or(Field::Missing, Field::Is);
    step.posted = Some((page, rows));
    step.phase = Phase::Posting;
    let path = if page.fresh {
        "/__replica?action=restore&restart=1"
    } else {
        "/__replica?action=restore"
    };
    let stub = of(version, cx).lane(rules, step.lane);
    let request = Request::post(path, Body::typed(Arc::new(chunk)));
    let call = cx.call(labels::POST_CHUNK, &stub, request);
    Ok(Step::Await(On::Call(call)))
}

fn landed(
    step: &mut Provisioning,
    site: &mut SiteObject,
    version: &Version,
    resume: Resume<SiteObject>,
    cx: &mut Cx<'_, '_>,
) -> Next {
    let answer = resume.response()?.body.read::<RestoreAnswer>()?;
    let Some((page, rows)) = step.posted.take() else {
        unreachable!("an answer follows the chunk that was posted");
    };
    if !answer.ok.is_true() {
        let here = step.cursor(step.place);
        return step.refused(answer.reason.to_text(), false, Some(here), cx);
    }
    step.copied = step.copied + Number::from(rows);
    step.place = page.next;
    (version.rules.flows.provision.post)(step, site, version, Resume::Start, cx)
}

/// The chunk that carries a page.
fn chunk(
    step: &Provisioning,
    table: &Text,
    page: Page,
    found: &Rows,
    cx: &mut Cx<'_, '_>,
) -> Result<Chunk, SqlError> {
    let mut chunk = chunk_of(step.generation, schema(cx)?, table, found);
    if page.first {
        chunk.first = true.into();
        chunk.ddl = listed(&tables::ddl(cx, table)?);
    }
    if page.fresh {
        chunk.expect = listed(&step.tables);
        chunk.origin = store::meta(cx, Key::SITE_ORIGIN.0)?.map_or(Field::Missing, Field::Is);
        chunk.hash_salt = store::meta(cx, Key::HASH_SALT.0)?.map_or(Field::Missing, Field::Is);
    }
    if let Some(attempt) = &step.attempt {
        chunk.attempt = attempt.clone().into();
    }
    if page.done {
        chunk.done = true.into();
    }
    Ok(chunk)
}

/// A chunk of some rows. Without rows nobody knows the columns, and there must be one.
pub(super) fn chunk_of(generation: Number, schema: Option<Text>, table: &Text, found: &Rows) -> Chunk {
    let columns = if found.rows.is_empty() {
        vec![Json::text("x")]
    } else {
        found.columns.iter().cloned().map(Json::Text).collect()
    };
    let rows = found.rows.iter();
    let rows = rows.map(|row| Json::Array(row.iter().map(jsonable).collect()));
    Chunk {
        generation: generation.into(),
        schema_version: Field::or_null(schema),
        table: table.clone().into(),
        columns: columns.into(),
        rows: rows.collect::<Vec<Json>>().into(),
        ..Chunk::default()
    }
}

/// A list of texts, as a message has it.
pub(super) fn listed(texts: &[Text]) -> Field<Vec<Json>> {
    Field::Is(texts.iter().cloned().map(Json::Text).collect())
}

impl SiteObject {
    /// `noteLaneServing`: nothing ever lowers the number.
    fn note_lane_serving(
        &mut self,
        version: &Version,
        lane: Number,
        cx: &mut Cx<'_, '_>,
    ) -> Result<(), SqlError> {
        let known = self.known_lanes(cx)?;
        let counted = (version.rules.flows.provision.counted)(lane, known, cx)?;
        if let Some(pointer) = (version.rules.growth.note_serving)(counted, known) {
            store::write(
                cx,
                [
                    Write::number(Key::LANES, pointer.lanes),
                    Write::number(Key::LANES_EPOCH, pointer.epoch),
                ],
            )?;
            self.lanes = Some(pointer);
            let text = (version.rules.beliefs.format_pointer)(pointer);
            let key = format!("lanes:{}", of(version, cx).site);
            cx.put(labels::PUT_LANES, Shared::Kv, &key, &text, None);
        }
        Ok(())
    }
}
