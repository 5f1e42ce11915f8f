//! Plans from any bytes, for fuzzers and property tests: every one passes the checks that a trace's plan does, and its
//! run is short.
//!
//! The platform's numbers are bounded here, tighter than [`Plan::check`] bounds them: faults for some seconds, and then
//! [`SETTLES`], in which a protocol that keeps its promises comes to rest. So a violation is a finding, whatever the
//! bytes were. What a plan aims its faults at is there ([`Targets`]) or nearly so: a name too many now and then.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Result, Unstructured};
use protocol::host::{Label, Millis, Text};

use super::{Act, Fault, Item, Plan};
use crate::kernel::{
    Aim, AutoRetry, CallFault, ChoiceKey, DigestAwait, Episode, FixedChoice, Knobs, Micros, Origin, Purpose,
    Ratio, ResetCause, STORAGE_ERRORS, Span, Way,
};
use strum::VariantArray as _;

/// How long such a plan's world has to come to rest, where its shape does not say.
pub const SETTLES: Micros = Micros::from_millis(120_000);

/// The longest time of faults.
const LASTS_MOST: Micros = Micros::from_millis(3_000);

/// The most items.
const ITEMS_MOST: u8 = 24;

/// The most choices that are fixed.
const FIXED_MOST: u8 = 4;

/// What faults and fixed choices can be aimed at in a world of some shape.
pub trait Targets {
    /// Objects, as `namespace/name`, and front Workers, as `front N`.
    fn parties(&self) -> Vec<Text>;

    /// The places in the protocol at which calls are made.
    fn labels(&self) -> Vec<Label>;

    /// The objects whose storage an operator takes back, or replaces by that of another one among them: those at which the
    /// world can tell what is true then.
    fn restored(&self) -> Vec<Text> {
        Vec::new()
    }

    /// How long its world has to come to rest.
    fn settles(&self) -> Micros {
        SETTLES
    }
}

/// An operation that may have to bear its item's number, where no two may be called the same.
pub trait Numbered: Sized {
    /// The operation of this item.
    #[must_use]
    fn numbered(self, _item: u32) -> Self {
        self
    }
}

impl<'a, Shape, Operation> Arbitrary<'a> for Plan<Shape, Operation>
where
    Shape: Arbitrary<'a> + Targets,
    Operation: Arbitrary<'a> + Numbered,
{
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let shape = Shape::arbitrary(u)?;
        let aims = Aims::of(&shape);
        let lasts = up_to(u, LASTS_MOST)?;
        let mut items = Vec::new();
        let mut id = 0;
        for _ in 0..u.int_in_range(0..=ITEMS_MOST)? {
            // With gaps, as in a plan that was shrunk.
            id += u.int_in_range(1..=3)?;
            let at = up_to(u, lasts)?;
            let act = match aims.act::<Operation>(u)? {
                Act::Operation(operation) => Act::Operation(operation.numbered(id)),
                fault => fault,
            };
            items.push(Item { id, at, act });
        }
        let fixed = (0..u.int_in_range(0..=FIXED_MOST)?).map(|_| aims.fixed(u, id));
        let mut fixed = fixed.collect::<Result<Vec<FixedChoice>>>()?;
        // A choice is fixed once.
        let mut keys = BTreeSet::new();
        fixed.retain(|choice| keys.insert(choice.key.clone()));
        Ok(Plan {
            scenario: Text::new_static("arbitrary"),
            seed: u.arbitrary()?,
            lasts,
            settles: shape.settles(),
            knobs: knobs(u)?,
            shape,
            items,
            fixed,
        })
    }
}

/// The names that a shape gives faults to aim at, and one more that is nobody's.
struct Aims {
    parties: Vec<Text>,
    restored: Vec<Text>,
    labels: Vec<Text>,
}

impl Aims {
    fn of(shape: &impl Targets) -> Self {
        let nobody = Text::new_static("nobody");
        let labels = shape.labels().into_iter().map(|label| Text::new_static(label.0));
        Aims {
            parties: shape.parties().into_iter().chain([nobody.clone()]).collect(),
            restored: shape.restored(),
            labels: labels.chain([nobody]).collect(),
        }
    }

    fn party(&self, u: &mut Unstructured<'_>) -> Result<Text> {
        u.choose(&self.parties).cloned()
    }

    /// An object for the most part: what befalls objects does nothing to others.
    fn object(&self, u: &mut Unstructured<'_>) -> Result<Text> {
        let objects: Vec<_> = self.parties.iter().filter(|party| party.contains('/')).collect();
        if objects.is_empty() || u.ratio(1, 8)? {
            return self.party(u);
        }
        u.choose(&objects).map(|object| (*object).clone())
    }

    fn label(&self, u: &mut Unstructured<'_>) -> Result<Text> {
        u.choose(&self.labels).cloned()
    }

    fn act<'a, Operation: Arbitrary<'a>>(&self, u: &mut Unstructured<'a>) -> Result<Act<Operation>> {
        Ok(match u.int_in_range(0..=9_u8)? {
            0..=4 => Act::Operation(u.arbitrary()?),
            5..=6 => Act::Fault(Fault::Call {
                aim: Aim {
                    caller: self.party(u)?,
                    label: self.label(u)?,
                    nth: u.int_in_range(0..=3)?,
                },
                fault: call_fault(u)?,
            }),
            _ => Act::Fault(self.fault(u)?),
        })
    }

    /// A fault of a party, or between two.
    fn fault(&self, u: &mut Unstructured<'_>) -> Result<Fault> {
        let (object, lasts) = (self.object(u)?, up_to(u, LASTS_MOST)?);
        if !self.restored.is_empty() && u.ratio(1, 12)? {
            let object = u.choose(&self.restored)?.clone();
            return Ok(if u.arbitrary()? {
                Fault::Rewind { object, back: lasts }
            } else {
                let from = u.choose(&self.restored)?.clone();
                Fault::Clone { from, to: object }
            });
        }
        Ok(match u.int_in_range(0..=18_u8)? {
            15..=16 => Fault::Deploy {
                version: u.int_in_range(0..=2)?,
                percent: *u.choose(&[100, 50, 10, 0])?,
            },
            9..=11 | 17..=18 => Fault::Reset {
                object,
                cause: *u.choose(ResetCause::VARIANTS)?,
            },
            12 => Fault::KvOutage { lasts },
            13 => Fault::BrokerRestart,
            14 => Fault::Restart {
                front: self.party(u)?,
            },
            1 => Fault::Evict { object },
            2 => Fault::Displace {
                object,
                overlap: lasts,
            },
            3 => Fault::Partition {
                from: object,
                to: self.party(u)?,
                way: *u.choose(&[Way::Both, Way::There])?,
                lasts,
            },
            4 => Fault::Clog {
                from: object,
                to: self.party(u)?,
                lasts,
            },
            5 => Fault::CommitStall { object, lasts },
            6 => Fault::CommitFailure { object },
            7 => Fault::StorageError {
                object,
                error: *u.choose(&STORAGE_ERRORS)?,
                lasts,
            },
            8 => Fault::Statement {
                object,
                after: u.int_in_range(0..=20)?,
                error: *u.choose(&STORAGE_ERRORS)?,
            },
            _ => Fault::Cancel {
                item: u.int_in_range(0..=2 * u32::from(ITEMS_MOST))?,
            },
        })
    }

    /// A choice of what an item or an alarm leads to, or one that nobody makes.
    fn fixed(&self, u: &mut Unstructured<'_>, last_item: u32) -> Result<FixedChoice> {
        let origin = if u.ratio(2, 3)? {
            Origin::Item(u.int_in_range(0..=last_item)?)
        } else {
            Origin::Alarm(self.party(u)?)
        };
        let is_labelled = u.arbitrary()?;
        Ok(FixedChoice {
            key: ChoiceKey {
                purpose: *u.choose(Purpose::VARIANTS)?,
                origin,
                at: if u.arbitrary()? {
                    self.party(u)?
                } else {
                    Text::default()
                },
                label: if is_labelled {
                    self.label(u)?
                } else {
                    Text::default()
                },
                nth: u.int_in_range(0..=2)?,
            },
            alternative: if u.arbitrary()? {
                u.int_in_range(0..=3)?
            } else {
                u.arbitrary()?
            },
        })
    }
}

fn call_fault(u: &mut Unstructured<'_>) -> Result<CallFault> {
    let by = Millis(u.int_in_range(0..=3_000)?);
    let faults = [
        CallFault::LoseRequest,
        CallFault::LoseAnswer,
        CallFault::DelayRequest(by),
        CallFault::DelayAnswer(by),
        CallFault::Duplicate(by),
        CallFault::Cancel(by),
    ];
    u.choose(&faults).copied()
}

fn knobs(u: &mut Unstructured<'_>) -> Result<Knobs> {
    // Each field by its name: a new one must be drawn here before this compiles.
    Ok(Knobs {
        latency: span(u, Micros(50_000))?,
        request_loss: episode(u)?,
        answer_loss: episode(u)?,
        late: episode(u)?,
        late_by: span(u, Micros(3_000_000))?,
        partition: episode(u)?,
        clog: lasting(u)?,
        duplicate: episode(u)?,
        duplicate_after: span(u, Micros(3_000_000))?,
        cancel: episode(u)?,
        cancel_after: span(u, Micros(100_000))?,
        notice: span(u, Micros(1_000_000))?,
        confirm: span(u, Micros(20_000))?,
        commit_failure: episode(u)?,
        commit_stall: lasting(u)?,
        storage_error: episode(u)?,
        service: span(u, Micros(50_000))?,
        digest: *u.choose(&[DigestAwait::Suspends, DigestAwait::GoesOn])?,
        alarm_lateness: span(u, Micros(1_000_000))?,
        alarm_late: episode(u)?,
        alarm_late_by: span(u, Micros(10_000_000))?,
        alarm_sync: span(u, Micros(100_000))?,
        alarm_sync_loss: episode(u)?,
        alarm_now_sticks: u.arbitrary()?,
        alarm_keeps_retry: u.arbitrary()?,
        alarm_count_lost: u.arbitrary()?,
        eviction: episode(u)?,
        idle: span(u, Micros(5_000_000))?,
        reset: episode(u)?,
        reset_after: span(u, Micros(100_000))?,
        displacement: episode(u)?,
        overlap: span(u, Micros(3_000_000))?,
        clock_skew: up_to(u, Micros(3_000_000))?,
        name_missing: u.arbitrary()?,
        shared_isolates: u.arbitrary()?,
        cpu_limit: Micros(u.int_in_range(1_000..=30_000_000)?),
        locations: u.int_in_range(1..=3)?,
        kv_copy: span(u, Micros(5_000_000))?,
        kv_write_interval: up_to(u, Micros(2_000_000))?,
        kv_failure: episode(u)?,
        edge_loss: episode(u)?,
        message_loss: episode(u)?,
        broker_restart: episode(u)?,
        broker_buffer: u.int_in_range(0..=8)?,
        front_restart: episode(u)?,
        deploy_reach: span(u, Micros(1_000_000))?,
        update_grace: up_to(u, Micros(3_000_000))?,
        update_delay: up_to(u, Micros(3_000_000))?,
        queue_most: u
            .arbitrary::<bool>()?
            .then(|| u.int_in_range(0..=8))
            .transpose()?,
        queue_bytes: u
            .arbitrary::<bool>()?
            .then(|| u.int_in_range(0..=8_000))
            .transpose()?,
        queue_age: u
            .arbitrary::<bool>()?
            .then(|| up_to(u, Micros(3_000_000)))
            .transpose()?,
        window_most: u
            .arbitrary::<bool>()?
            .then(|| u.int_in_range(0..=64))
            .transpose()?,
        auto_retry: *u.choose(&[AutoRetry::Off, AutoRetry::Fetch])?,
        claims_kept: u.arbitrary()?,
        // A clone that nothing wakes is its operator's fault, and no world's.
        alarm_not_cloned: false,
        evicts_at_work: u.arbitrary()?,
    })
}

/// One that strikes once, or one that lasts; off in half of all plans.
fn episode(u: &mut Unstructured<'_>) -> Result<Episode> {
    if u.arbitrary()? {
        lasting(u)
    } else {
        Ok(Episode::once(ratio(u)?))
    }
}

/// One that lasts; off in half of all plans.
fn lasting(u: &mut Unstructured<'_>) -> Result<Episode> {
    if u.arbitrary()? {
        return Ok(Episode::NEVER);
    }
    let begins = ratio(u)?;
    let ends = Ratio {
        hits: 1,
        of: u.int_in_range(1..=4)?,
    };
    let least = Micros(u.int_in_range(1_000..=1_000_000)?);
    Ok(Episode { begins, ends, least })
}

fn span(u: &mut Unstructured<'_>, longest: Micros) -> Result<Span> {
    let most = up_to(u, longest)?;
    let least = up_to(u, most)?;
    Ok(Span { least, most })
}

/// From never to always.
fn ratio(u: &mut Unstructured<'_>) -> Result<Ratio> {
    let of = u.int_in_range(1..=20)?;
    let hits = u.int_in_range(0..=of)?;
    Ok(Ratio { hits, of })
}

fn up_to(u: &mut Unstructured<'_>, most: Micros) -> Result<Micros> {
    Ok(Micros(u.int_in_range(0..=most.0)?))
}
