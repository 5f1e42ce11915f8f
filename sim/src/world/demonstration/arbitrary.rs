//! Shapes and operations of the demonstration from any bytes: see [`crate::plan::arbitrary`].

use arbitrary::{Arbitrary, Result, Unstructured};
use demonstration::{labels, names};
use protocol::host::{Label, ObjectName, Text};

use super::{Operation, Shape};
use crate::plan::arbitrary::{Numbered, Targets};

/// The most followers and fronts; operations name one more, which is not there.
const FOLLOWERS_MOST: u32 = 3;
const FRONTS_MOST: u32 = 2;

/// How many tokens clients have: few, so that additions are repeated.
const TOKENS: u32 = 8;

impl<'a> Arbitrary<'a> for Shape {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Shape {
            counter: Text::new_static(u.choose(&["main", "a second one", "zähler"])?),
            followers: u.int_in_range(0..=FOLLOWERS_MOST)?,
            fronts: u.int_in_range(1..=FRONTS_MOST)?,
        })
    }
}

impl Targets for Shape {
    fn parties(&self) -> Vec<Text> {
        let name = ObjectName(self.counter.clone());
        let counter = Text::from(format!("{}/{name}", names::COUNTER));
        let followers = (1..=self.followers).map(|number| {
            let follower = names::follower(&name, number);
            Text::from(format!("{}/{follower}", names::FOLLOWER))
        });
        let fronts = (0..self.fronts).map(|number| Text::from(format!("front {number}")));
        [counter].into_iter().chain(followers).chain(fronts).collect()
    }

    fn labels(&self) -> Vec<Label> {
        vec![
            labels::NUDGE,
            labels::FIRST_NUDGE,
            labels::PULL,
            labels::FORWARD,
            labels::REACH,
            labels::RETRY,
        ]
    }
}

impl Numbered for Operation {}

impl<'a> Arbitrary<'a> for Operation {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let front = u.int_in_range(0..=FRONTS_MOST)?;
        let follower = u.int_in_range(1..=FOLLOWERS_MOST + 1)?;
        let named = u.arbitrary::<bool>()?.then_some(follower);
        Ok(match u.int_in_range(0..=9_u8)? {
            0..=3 => {
                // A client that repeats an addition repeats its amount: another one under the same token is a client's
                // error, and nothing is promised for it.
                let number = u.int_in_range(1..=TOKENS)?;
                Operation::Add {
                    front,
                    follower: named,
                    by: number,
                    token: Text::from(format!("t{number}")),
                }
            }
            4..=5 => Operation::Read {
                front,
                follower: named,
            },
            6..=7 => Operation::Follow { front, follower },
            8 => Operation::Nudge { follower },
            _ => Operation::ResetCounter { front },
        })
    }
}
