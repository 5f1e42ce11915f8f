//! Named edits of the [rules](super::rules) that mend the protocol, each the smallest that a deployed Worker could ship.
//!
//! [`hardened`] is the documented protocol with all of them. What one of them sends besides the documented messages (an
//! attempt's number in a chunk and a cursor), an object without it does not read, and none waits for it: a mended lane is
//! meant to live with a documented primary, and the other way round.
//!
//! In a mixed pool a change works where its [side](Change::side) has it; those of both sides need both.
//!
//! Each has a trace under `traces/lanes` that needs it: without the change its invariant is violated there, with it
//! nothing is.

use super::admission::{Stage, StageName};
use super::forward::{Attempt, after_answer};
use super::inventory::{StateClass, is_replica_local_table};
use super::meta::{Key, Write, present};
use super::object::changes as object;
use super::partition::{PartitionFacts, Writer, id_partition};
use super::restore::{NoLanding, Place};
use super::rules::Rules;
use super::wire::Chunk;
use super::{header, inventory::StateKey};
use crate::host::Text;
use crate::number::Number;

/// Whose code a change has to be in to mend what it mends, where versions are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The primary's.
    Primary,
    /// The lane's.
    Lane,
    /// Both: what one end sends only the other one reads.
    Both,
}

/// One edit of the rules.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// What it is called everywhere.
    pub name: &'static str,
    /// What the hardened protocol without it is called.
    pub without: &'static str,
    /// The invariant that is violated without it.
    pub invariant: &'static str,
    /// Who has to have it.
    pub side: Side,
    /// What goes wrong without it, and how it mends that.
    pub reason: &'static str,
    /// Makes it.
    pub apply: fn(&mut Rules),
}

/// All changes, in the order in which they are made. Each exchanges entries of its own.
pub const CHANGES: [Change; 30] = [
    Change {
        name: "log-all-state",
        without: "without-log-all-state",
        invariant: "LR-3",
        side: Side::Primary,
        reason: "a write of a table that the inventory does not call authoritative (routes, statistics, all that a module \
                 brings) reaches no lane; every table that is not an object's own is logged",
        apply: |rules| rules.inventory.enters_log = enters_log,
    },
    Change {
        name: "log-what-committed",
        without: "without-log-what-committed",
        invariant: "LR-3",
        side: Side::Primary,
        reason: "statements of a transaction that failed stay in the buffer, and lanes run what the primary took back; a \
                 transaction is noted when it has committed",
        apply: |rules| rules.seal.noted = |facts| if facts.committed { facts.ran } else { 0 },
    },
    Change {
        name: "seal-in-one-turn",
        without: "without-seal-in-one-turn",
        invariant: "LR-4",
        side: Side::Primary,
        reason: "a reset while a seal awaits its digest leaves writes that no record carries, and two seals at once build \
                 on one parent; the digest is computed without a wait",
        apply: |rules| rules.flows.seal.begin = object::seal_in_one_turn,
    },
    Change {
        name: "hand-back-conflicts",
        without: "without-hand-back-conflicts",
        invariant: "LR-37",
        side: Side::Lane,
        reason: "a batch that was computed on an older state is sent again as it is, and overwrites what came between; it \
                 is handed to the primary, which renders anew",
        apply: |rules| rules.forwarding.after_answer = |_, answer| after_answer(Attempt::Second, answer),
    },
    Change {
        name: "drop-what-is-handed-back",
        without: "without-drop-what-is-handed-back",
        invariant: "LR-30",
        side: Side::Lane,
        reason: "a request that is handed over after its render has its batch sent all the same, and the primary does it \
                 again; what was collected is dropped",
        apply: |rules| rules.flows.flush.returned = object::drop_what_is_handed_back,
    },
    Change {
        name: "know-a-batch-again",
        without: "without-know-a-batch-again",
        invariant: "LR-30",
        side: Side::Both,
        reason: "a batch that arrives twice is committed once and answered with a conflict the second time, and the lane \
                 hands back as clean what has happened; the primary remembers the last batches of each lane, and answers \
                 them as it did",
        apply: |rules| {
            rules.flows.flush.name = object::name_batch;
            rules.flows.accept.commit = object::commit_once;
        },
    },
    Change {
        name: "mark-before-sending",
        without: "without-mark-before-sending",
        invariant: "LR-33",
        side: Side::Lane,
        reason: "a lane that hears no answer to a batch mints its ids again; they are marked before they leave",
        apply: |rules| rules.flows.flush.send = object::mark_before_sending,
    },
    Change {
        name: "partition-from-the-first",
        without: "without-partition-from-the-first",
        invariant: "LR-32",
        side: Side::Primary,
        reason: "an interpreter of the primary that booted before the first lane leaves ids to the database, which gives \
                 those of the lanes' classes; the primary mints its own class from the first, also on a site that never has a lane",
        apply: |rules| rules.partition.writer = partition_from_the_first,
    },
    Change {
        name: "check-each-page",
        without: "without-check-each-page",
        invariant: "LR-9",
        side: Side::Primary,
        reason: "a request commits between two chunks of one step, and the rest of the copy is of another generation; the \
                 generation is compared before each page is read",
        apply: |rules| rules.flows.provision.post = object::check_each_page,
    },
    Change {
        name: "begin-at-the-beginning",
        without: "without-begin-at-the-beginning",
        invariant: "LR-8",
        side: Side::Lane,
        reason: "a late chunk of an old copy begins a new one, and its last chunk is a whole copy by itself; only the first \
                 chunk of a copy begins one",
        apply: |rules| rules.copies.may_begin = begin_at_the_beginning,
    },
    Change {
        name: "count-attempts",
        without: "without-count-attempts",
        invariant: "LR-9",
        side: Side::Both,
        reason: "two attempts at a copy of one generation mix on the lane, when one is late; chunks carry the number of \
                 their attempt, and a lane takes those of one",
        apply: |rules| {
            rules.flows.provision.attempt = object::count_attempts;
            rules.copies.note_attempt = note_attempt;
            rules.copies.is_of_attempt = is_of_attempt;
        },
    },
    Change {
        name: "number-the-pages",
        without: "without-number-the-pages",
        invariant: "LR-9",
        side: Side::Both,
        reason: "a page of a copy that arrives twice empties its table once more, and what came behind it is gone; chunks \
                 carry their place, and a lane lands none that it has had",
        apply: |rules| {
            rules.flows.provision.page = |place| Some(page_text(place));
            rules.copies.has_landed = has_landed;
            rules.copies.note_page = note_page;
        },
    },
    Change {
        name: "withdraw-before-restoring",
        without: "without-withdraw-before-restoring",
        invariant: "LR-17",
        side: Side::Lane,
        reason: "a copy that begins on a lane that serves is shown while it lands; the lane is withdrawn first",
        apply: |rules| rules.copies.stages_of_begin = withdraw_before_restoring,
    },
    Change {
        name: "keep-the-name",
        without: "without-keep-the-name",
        invariant: "LR-9",
        side: Side::Both,
        reason: "an alarm can wake an object that is not told its name, and a lane without one takes itself for a primary \
                 and commits to its copy; an object keeps its name, and one that never could gives way to one that is told",
        apply: |rules| {
            rules.flows.recall = object::keep_the_name;
            rules.flows.nameless = object::ask_for_the_name;
        },
    },
    Change {
        name: "named-by-its-id",
        without: "without-named-by-its-id",
        invariant: "LR-32",
        side: Side::Lane,
        reason: "a lane whose storage another's was copied over has that one's name in it, and goes by it when an alarm wakes \
                 it without its own; an object whose id is not that name's looks for its own among those of the site, and \
                 without one puts its alarm off",
        apply: |rules| {
            rules.flows.confirm_name = object::named_by_its_id;
            rules.flows.nameless_alarm = object::put_the_alarm_off;
        },
    },
    Change {
        name: "pass-over-what-is-applied",
        without: "without-pass-over-what-is-applied",
        invariant: "LR-L6",
        side: Side::Lane,
        reason: "the answer to a round that began before a copy comes when the copy is whole, and a lane is withdrawn for a \
                 record of it that overflowed, although its copy holds that; what a lane has applied is a duplicate first",
        apply: |rules| rules.log.is_passed = |position, generation| generation.js_le(position.applied),
    },
    Change {
        name: "leave-a-copy-alone",
        without: "without-leave-a-copy-alone",
        invariant: "LR-L6",
        side: Side::Lane,
        reason: "the answer to a round that began before a copy comes while it lands, and a record that is refused withdraws \
                 the lane in the middle of it; a round ends that finds its lane being copied to",
        apply: |rules| rules.flows.catch_up.records = object::records_unless_copied_to,
    },
    Change {
        name: "ask-until-it-comes",
        without: "without-ask-until-it-comes",
        invariant: "LR-L1",
        side: Side::Lane,
        reason: "a lane asks once for another copy, and waits for ever when that is lost; it asks until a copy begins",
        apply: |rules| {
            rules.alarm.ask_for_copy = object::ask_until_it_comes;
            rules.flows.ask.post = object::ask_unless_a_chunk_came;
        },
    },
    Change {
        name: "watch-the-copy",
        without: "without-watch-the-copy",
        invariant: "LR-L2",
        side: Side::Lane,
        reason: "a copy that is abandoned leaves a lane that nothing wakes; a lane that is being restored has an alarm, and \
                 asks for another copy when no chunk has come for a minute",
        apply: |rules| {
            rules.flows.land = object::land_and_watch;
            rules.alarm.after_lane_phase = object::after_lane_phase;
        },
    },
    Change {
        name: "arm-however-it-ends",
        without: "without-arm-however-it-ends",
        invariant: "LR-L2",
        side: Side::Lane,
        reason: "an alarm whose run fails seven times is never run again; every run sets the next one, also one that fails",
        apply: |rules| rules.flows.alarm.settle = object::arm_however_it_ends,
    },
    Change {
        name: "wake-after-a-move",
        without: "without-wake-after-a-move",
        invariant: "LR-L2",
        side: Side::Lane,
        reason: "an operator withdraws a lane that has no alarm, and nothing wakes it to ask for a copy; a move from outside \
                 sets the alarm",
        apply: |rules| rules.flows.stage_moved = object::wake_after_a_move,
    },
    Change {
        name: "clock-from-the-position",
        without: "without-clock-from-the-position",
        invariant: "LR-14",
        side: Side::Lane,
        reason: "of two rounds that overlap the one that began first ends last, and sets the lane's commit sequence back to \
                 where it has come itself; the sequence is set to the position that is stored",
        apply: |rules| rules.flows.catch_up.clock = object::clock_from_the_position,
    },
    Change {
        name: "pull-until-level",
        without: "without-pull-until-level",
        invariant: "LR-24",
        side: Side::Lane,
        reason: "a lane takes 25 records each time, and falls behind for good when more are sealed between two pulls; a \
                 round pulls on while full batches come",
        apply: |rules| rules.flows.catch_up.digest = object::pull_until_level,
    },
    Change {
        name: "fast-while-serving",
        without: "without-fast-while-serving",
        invariant: "LR-25",
        side: Side::Lane,
        reason: "the fast lane and a shared page ask neither for the stage nor for the fence; lanes that do not serve, and \
                 requests that ask for a generation, take neither",
        apply: |rules| {
            rules.flows.serve.fast = object::fast_while_serving;
            rules.flows.visit.herds = |request| request.headers.get(header::REQUIRE_GENERATION).is_none();
        },
    },
    Change {
        name: "render-at-one-generation",
        without: "without-render-at-one-generation",
        invariant: "LR-22",
        side: Side::Lane,
        reason: "a lane catches up while a render waits, and the page shows two generations; a render that finds its lane \
                 moved is handed over",
        apply: |rules| rules.flows.serve.render = object::render_at_one_generation,
    },
    Change {
        name: "purge-all-caches",
        without: "without-purge-all-caches",
        invariant: "LR-14",
        side: Side::Lane,
        reason: "what the render cache keeps outlives the records that change it, and the copy that it was made of; a lane that \
                 has applied, or is copied to, empties every bin of the cache that is there",
        apply: |rules| {
            rules.flows.purged = object::all_caches;
            rules.flows.copies_purge = true;
        },
    },
    Change {
        name: "provision-outside-the-gate",
        without: "without-provision-outside-the-gate",
        invariant: "DEADLOCK",
        side: Side::Primary,
        reason: "an operator's step of a copy holds the primary's gate and waits for the lane's, whose render forwards and \
                 waits for the primary's; the step runs outside of the gate, as the alarm's does",
        apply: |rules| rules.flows.visit.provision_is_gated = false,
    },
    Change {
        name: "count-each-wait-once",
        without: "without-count-each-wait-once",
        invariant: "LR-41",
        side: Side::Primary,
        reason: "a window counts the waits of the last 64 requests, whenever they came, and one burst grows the pool by a lane \
                 in every window after it; each wait counts in one window",
        apply: |rules| rules.flows.growth.waited = object::waited_since,
    },
    Change {
        name: "clear-while-copying",
        without: "without-clear-while-copying",
        invariant: "LR-41",
        side: Side::Primary,
        reason: "a quiet window clears nothing while a copy is in progress, and the pool grows by windows that do not follow \
                 each other; it clears them always",
        apply: |rules| rules.growth.pace = object::always_clear,
    },
    Change {
        name: "count-without-gaps",
        without: "without-count-without-gaps",
        invariant: "LR-42",
        side: Side::Primary,
        reason: "the number of lanes is the highest one that was copied, and an operator who copies the fifth lane first has \
                 requests routed to four that are not there; a lane counts when all before it do",
        apply: |rules| rules.flows.provision.counted = object::count_without_gaps,
    },
];

/// The documented protocol with all changes.
#[must_use]
pub fn hardened() -> Rules {
    with(|_| true)
}

/// The documented protocol with all changes but one.
#[must_use]
pub fn hardened_without(one: &Change) -> Rules {
    with(|change| change.name != one.name)
}

fn with(wanted: impl Fn(&Change) -> bool) -> Rules {
    let mut rules = Rules::DOCUMENTED;
    for change in CHANGES.iter().filter(|change| wanted(change)) {
        (change.apply)(&mut rules);
    }
    rules
}

pub(super) fn enters_log(rules: &Rules, table: &str) -> bool {
    !matches!(
        (rules.inventory.classify)(&StateKey::table(table)),
        StateClass::LocalEphemeral | StateClass::PrimaryOnlySideEffect
    ) && !is_replica_local_table(table)
}

pub(super) fn partition_from_the_first(facts: &PartitionFacts) -> Writer {
    id_partition(&PartitionFacts {
        provisioned: facts.provisioned.js_max(Number::integer(1)),
        ..*facts
    })
}

pub(super) fn begin_at_the_beginning(chunk: &Chunk) -> Result<(), NoLanding> {
    let promises = chunk.expect.get().is_some_and(|tables| !tables.is_empty());
    if chunk.first.is_true() && promises {
        Ok(())
    } else {
        Err(NoLanding::NotTheFirst)
    }
}

/// A chunk or a lane that knows no attempts is of any: the other side's version may not count them.
fn is_of_attempt(in_progress: Option<&str>, chunk: &Chunk) -> bool {
    match (present(in_progress), chunk.attempt.as_str()) {
        (Some(in_progress), Some(attempt)) => in_progress == attempt,
        _ => true,
    }
}

fn note_attempt(chunk: &Chunk) -> Vec<Write> {
    vec![Write::Meta(
        Key::RESTORE_ATTEMPT,
        chunk.attempt.as_str().map_or_else(Text::default, Text::new),
    )]
}

fn page_text(place: Place) -> Text {
    Text::from(format!("{}+{}", place.index, place.offset))
}

/// The place that a chunk names, or that is remembered.
fn page_of(text: &str) -> Option<(u64, u64)> {
    let (index, offset) = text.split_once('+')?;
    Some((index.parse().ok()?, offset.parse().ok()?))
}

/// Whether the last page that has landed is of the chunk's attempt, and not before it. A copy's last page lands however
/// often it comes: what it ends is not asked twice.
fn has_landed(last: Option<&str>, chunk: &Chunk) -> bool {
    let known = present(last).and_then(|last| last.split_once(' '));
    let (Some((attempt, page)), false) = (known, chunk.done.is_true()) else {
        return false;
    };
    let named = chunk.page.as_str().and_then(page_of);
    chunk.attempt.as_str() == Some(attempt) && named.is_some() && named <= page_of(page)
}

fn note_page(chunk: &Chunk) -> Vec<Write> {
    let (Some(attempt), Some(page)) = (chunk.attempt.as_str(), chunk.page.as_str()) else {
        return Vec::new();
    };
    vec![Write::Meta(
        Key::RESTORE_PAGE,
        Text::from(format!("{attempt} {page}")),
    )]
}

fn withdraw_before_restoring(_: &Rules, stage: &StageName) -> Vec<Stage> {
    match stage.known() {
        Some(Stage::Restoring) | None => Vec::new(),
        Some(Stage::Created) => vec![Stage::Restoring],
        Some(Stage::Withdrawn) => vec![Stage::Created, Stage::Restoring],
        Some(_) => vec![Stage::Withdrawn, Stage::Created, Stage::Restoring],
    }
}
