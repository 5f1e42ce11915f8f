//! Shapes and operations of replica lanes from any bytes: see [`crate::plan::arbitrary`].

use arbitrary::{Arbitrary, Result, Unstructured};
use protocol::host::{Label, Millis, Text};
use protocol::lanes::app::catalogue::{Ask, Visitor, session_of};
use protocol::lanes::front::labels as front;
use protocol::lanes::object::labels as object;
use protocol::lanes::operator::Operate;
use strum::VariantArray as _;

use super::{Forged, Operated, Operation, Shape, Variable};
use crate::kernel::Micros;
use crate::plan::arbitrary::{Numbered, Targets};

/// The most lanes, fronts, nodes and accounts; operations name one more of each, which is not there.
const LANES_MOST: u32 = 2;
const FRONTS_MOST: u32 = 2;
const NODES_MOST: u32 = 3;
const ACCOUNTS_MOST: u32 = 2;

/// How long lanes have to come to rest: an alarm that finds nothing to do sleeps for minutes.
const SETTLES: Micros = Micros::from_millis(600_000);

impl<'a> Arbitrary<'a> for Shape {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Shape {
            site: Text::new_static("shop"),
            nodes: u.int_in_range(1..=NODES_MOST)?,
            accounts: u.int_in_range(1..=ACCOUNTS_MOST)?,
            lanes: u.int_in_range(0..=LANES_MOST)?,
            fronts: u.int_in_range(1..=FRONTS_MOST)?,
            keyed: !u.ratio(1, 8)?,
            overrides: u.ratio(1, 4)?,
        })
    }
}

impl Targets for Shape {
    fn parties(&self) -> Vec<Text> {
        let site = &self.site;
        let primary = Text::from(format!("site/{site}"));
        let lanes = (1..=self.lanes).map(|lane| Text::from(format!("site/{site}#r{lane}")));
        let fronts = (0..self.fronts).map(|front| Text::from(format!("front {front}")));
        [primary].into_iter().chain(lanes).chain(fronts).collect()
    }

    fn labels(&self) -> Vec<Label> {
        vec![
            object::MIGRATE_LANE,
            object::POST_CHUNK,
            object::READ_HEAD,
            object::READ_LOG,
            object::ASK_READMIT,
            object::FORWARD,
            object::FORWARD_AGAIN,
            front::ASK_PRIMARY,
            front::ASK_LANE,
            front::ASK_AGAIN,
            front::FAIL_OVER,
        ]
    }

    fn restored(&self) -> Vec<Text> {
        let site = &self.site;
        let lanes = (1..=self.lanes).map(|lane| Text::from(format!("site/{site}#r{lane}")));
        lanes.collect()
    }

    fn settles(&self) -> Micros {
        SETTLES
    }
}

impl Numbered for Operation {
    /// Each attempt of a visitor has a name of its own.
    fn numbered(self, item: u32) -> Self {
        match self {
            Operation::Visit {
                front, ask, visitor, ..
            } => Operation::Visit {
                front,
                ask,
                visitor,
                token: Text::from(format!("t{item}")),
            },
            other => other,
        }
    }
}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let lane = u.int_in_range(1..=LANES_MOST + 1)?;
        Ok(match u.int_in_range(0..=12_u8)? {
            0..=7 => Operation::Visit {
                front: u.int_in_range(0..=FRONTS_MOST)?,
                ask: ask(u)?,
                visitor: visitor(u)?,
                token: Text::default(),
            },
            8 => Operation::LateChunk {
                lane,
                nth: u.int_in_range(0..=30)?,
                from_the_last: u.arbitrary()?,
            },
            12 => Operation::Set {
                variable: *u.choose(Variable::VARIANTS)?,
                value: if u.arbitrary()? {
                    Some(Text::from(u.int_in_range(0..=LANES_MOST + 1)?.to_string()))
                } else {
                    None
                },
            },
            9 => Operation::Forge {
                lane,
                forged: *u.choose(Forged::VARIANTS)?,
            },
            _ => operate(u, lane)?,
        })
    }
}

fn ask(u: &mut Unstructured<'_>) -> Result<Ask> {
    let nid = u.int_in_range(1..=NODES_MOST + 1)?;
    let uid = u.int_in_range(1..=ACCOUNTS_MOST + 1)?;
    Ok(match u.int_in_range(0..=14_u8)? {
        0 => Ask::Front { nodes: 5 },
        1 => Ask::Node {
            nid,
            history: u.arbitrary()?,
        },
        2 => Ask::Waiting {
            nid,
            pause: Millis(u.int_in_range(1..=2_000)?),
        },
        3 => Ask::Fenced {
            nid,
            generation: u.int_in_range(0..=40_u32)?.into(),
        },
        4 => Ask::Login { uid },
        5 => Ask::FailedLogin { uid },
        6 => Ask::Logout,
        7..=8 => Ask::Create,
        9..=10 => Ask::Edit { nid },
        11..=12 => Ask::Save {
            nid,
            tags: u.int_in_range(0..=3)?,
            indexes: false,
        },
        13 => Ask::Enqueue,
        _ => Ask::Mail { to: uid },
    })
}

fn visitor(u: &mut Unstructured<'_>) -> Result<Visitor> {
    let account = u.int_in_range(0..=ACCOUNTS_MOST + 1)?;
    let session = u.arbitrary::<bool>()?.then(|| session_of(account));
    let last = u.int_in_range(0..=31_u8)?;
    let address = u
        .arbitrary::<bool>()?
        .then(|| Text::from(format!("192.0.2.{last}")));
    Ok(Visitor { address, session })
}

fn operate(u: &mut Unstructured<'_>, lane: u32) -> Result<Operation> {
    let (on, operate) = match u.int_in_range(0..=5_u8)? {
        0 => (Operated::Primary, Operate::Readmit { lane: lane.into() }),
        1 => {
            let provision = Operate::Provision {
                lane: lane.into(),
                cursor: None,
                budget: None,
            };
            (Operated::Primary, provision)
        }
        2 => {
            let to = Text::new_static("WITHDRAWN");
            (Operated::Lane(lane), Operate::Stage { to })
        }
        3 => (Operated::Lane(lane), Operate::CatchUp { limit: None }),
        4 => (Operated::Primary, Operate::Snapshot { page: None }),
        _ => (Operated::Lane(lane), Operate::Head),
    };
    Ok(Operation::Operate { on, operate })
}
