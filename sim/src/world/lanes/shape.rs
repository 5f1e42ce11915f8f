//! What there is of a site when a run begins, and what its people do.

use protocol::host::{Request, Text};
use protocol::lanes::app::catalogue::{Ask, Visitor};
use protocol::lanes::operator::Operate;
use protocol::lanes::site::{Scheme, site_from_host};
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

use crate::plan::{LONGEST, PlanError};

/// What there is when a run begins: a site that was installed, with lanes that serve, and isolates that know nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The site: the name of its primary, and its host.
    pub site: Text,
    /// How many nodes it has.
    pub nodes: u32,
    /// How many accounts, each with a session.
    pub accounts: u32,
    /// How many lanes serve.
    pub lanes: u32,
    /// How many isolates of the front Worker there are.
    pub fronts: u32,
    /// Whether the site has its private key. Without one no lane can be copied.
    pub keyed: bool,
    /// Whether objects and fronts look overrides of variables up in KV.
    #[serde(default, skip_serializing_if = "is_off")]
    pub overrides: bool,
}

/// What clients and operators do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operation {
    /// Somebody visits the site.
    Visit {
        /// To which front the request comes.
        front: u32,
        /// For what.
        ask: Ask,
        /// Who.
        #[serde(default, skip_serializing_if = "is_nobody")]
        visitor: Visitor,
        /// What the client calls the attempt.
        token: Text,
    },
    /// A chunk that the primary has posted to a lane arrives there once more.
    LateChunk {
        /// The lane.
        lane: u32,
        /// Which of the chunks that were posted to it so far, counted around.
        nth: u32,
        /// Whether they are counted from the one that was posted last.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        from_the_last: bool,
    },
    /// A lane receives something that it must refuse.
    Forge {
        /// The lane.
        lane: u32,
        /// What.
        forged: Forged,
    },
    /// A lane is taken away with all that it stores, and the operator asks for a copy to the new one.
    Recreate {
        /// The lane.
        lane: u32,
    },
    /// An operator overrides a variable in KV, or takes the override back.
    Set {
        /// Which.
        variable: Variable,
        /// To what.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<Text>,
    },
    /// An operator acts.
    Operate {
        /// On whom.
        on: Operated,
        /// What.
        operate: Operate,
    },
}

/// Something that a lane must refuse: what another version, another history or a broken sender would send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Forged {
    /// A chunk of another schema.
    ChunkOfAnotherSchema,
    /// A chunk of a table that is each object's own.
    ChunkOfAnOwnTable,
    /// A chunk whose rows have another width.
    ChunkOfAnotherWidth,
    /// A chunk without a generation.
    ChunkWithoutGeneration,
    /// A chunk of another generation than the copy in progress.
    ChunkOfAnotherGeneration,
    /// A record of another schema.
    RecordOfAnotherSchema,
    /// A record that builds on a generation that the lane has not reached.
    RecordAhead,
    /// A record that builds on a generation that the lane has passed, and leads beyond where it stands.
    RecordBranchingOff,
    /// A record that leads to where the lane stands.
    RecordOnceMore,
    /// A record that overflowed.
    RecordOverflowed,
    /// A record without a fingerprint.
    RecordWithoutFingerprint,
}

/// A variable that KV can override (`lanes.md` 3).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    VariantArray,
    IntoStaticStr,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum Variable {
    /// How many lanes fronts take to be there at least.
    ReplicaCount,
    /// Whether the primary adds lanes by itself.
    ReplicaAutoscale,
    /// How many lanes it may add.
    ReplicaMaxLanes,
    /// Whether lanes may be asked to write.
    WriteForward,
}

impl Variable {
    /// The key of its override in KV (`lanes.md` 22.6).
    #[must_use]
    pub fn key(self) -> String {
        format!("env:{}", <&'static str>::from(self))
    }
}

/// Whom an operator acts on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operated {
    /// The primary, through this front.
    Front(u32),
    /// The primary itself.
    Primary,
    /// A lane itself.
    Lane(u32),
}

fn is_off(overrides: &bool) -> bool {
    !overrides
}

fn is_nobody(visitor: &Visitor) -> bool {
    *visitor == Visitor::default()
}

impl Shape {
    /// Whether it is of a size that ends.
    ///
    /// # Errors
    /// The first field that is out of bounds, and the bound.
    pub fn check(&self) -> Result<(), PlanError> {
        for (field, found, most) in [
            ("shape.nodes", self.nodes, 10_000),
            ("shape.accounts", self.accounts, 10_000),
            ("shape.lanes", self.lanes, 256),
            ("shape.fronts", self.fronts, 1_000),
        ] {
            PlanError::if_above(field, found.into(), most)?;
        }
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let identity = site_from_host(&self.site, Scheme::Https);
        if !self.site.chars().all(plain) || identity.as_deref() != Some(self.site.as_str()) {
            return Err(PlanError::Name {
                field: "shape.site",
                found: self.site.clone(),
                expected: "lower-case letters, digits and hyphens between them, since it is a host as well (`lanes.md` 4)",
            });
        }
        Ok(())
    }
}

impl Operation {
    /// Whether it is of a size that ends.
    ///
    /// # Errors
    /// The first field that is out of bounds, and the bound.
    pub fn check(&self) -> Result<(), PlanError> {
        let Operation::Visit { ask, .. } = self else {
            return Ok(());
        };
        let sizes: &[(&'static str, u32, u64)] = match ask {
            Ask::Install { nodes, accounts } => &[
                ("item.act.operation.visit.ask.install.nodes", *nodes, 10_000),
                ("item.act.operation.visit.ask.install.accounts", *accounts, 10_000),
            ],
            Ask::Subscribe { pause, .. } => {
                return PlanError::if_above(
                    "item.act.operation.visit.ask.subscribe.pause",
                    pause.0,
                    LONGEST.0 / 1_000,
                );
            }
            Ask::Waiting { pause, .. } => {
                return PlanError::if_above(
                    "item.act.operation.visit.ask.waiting.pause",
                    pause.0,
                    LONGEST.0 / 1_000,
                );
            }
            Ask::Save { tags, .. } => &[("item.act.operation.visit.ask.save.tags", *tags, 1_000)],
            Ask::InstallModule { objects, routes } => &[
                (
                    "item.act.operation.visit.ask.install-module.objects",
                    *objects,
                    10_000,
                ),
                (
                    "item.act.operation.visit.ask.install-module.routes",
                    *routes,
                    10_000,
                ),
            ],
            _ => &[],
        };
        sizes
            .iter()
            .try_for_each(|(field, found, most)| PlanError::if_above(field, (*found).into(), *most))
    }

    /// The request of an operator; none where a front would not take it on.
    #[must_use]
    pub fn operators_request(on: &Operated, operate: &Operate, site: &str) -> Option<Request> {
        match on {
            Operated::Front(_) => operate.through_front(site),
            Operated::Primary | Operated::Lane(_) => Some(operate.direct()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(ask: Ask) -> Operation {
        Operation::Visit {
            front: 0,
            ask,
            visitor: Visitor::default(),
            token: Text::new_static("t"),
        }
    }

    #[test]
    fn an_operation_that_does_not_end_is_refused_by_its_field() {
        let told = |ask| visit(ask).check().map_err(|error| error.to_string());
        let module = |objects, routes| Ask::InstallModule { objects, routes };
        assert_eq!(told(module(600, 10)), Ok(()));
        assert_eq!(
            told(module(u32::MAX, 10)),
            Err(
                "at item.act.operation.visit.ask.install-module.objects: 4294967295 is above 10000"
                    .to_owned()
            )
        );
    }

    #[test]
    fn a_site_has_at_most_256_lanes() {
        let shape = |lanes| Shape {
            site: Text::new_static("shop"),
            nodes: 1,
            accounts: 1,
            lanes,
            fronts: 1,
            keyed: true,
            overrides: false,
        };
        assert_eq!(shape(256).check(), Ok(()));
        assert!(shape(257).check().is_err());
    }
}
