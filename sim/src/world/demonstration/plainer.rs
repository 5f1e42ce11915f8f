//! What is plainer than a shape or an operation, by one step.

use super::{Operation, Shape};
use crate::plan::plainer;

pub(super) fn shapes(shape: &Shape) -> Vec<Shape> {
    let followers = plainer::numbers(shape.followers, 0).map(|followers| Shape {
        followers,
        ..shape.clone()
    });
    let fronts = plainer::numbers(shape.fronts, 1).map(|fronts| Shape {
        fronts,
        ..shape.clone()
    });
    followers.chain(fronts).collect()
}

/// Tokens stay what they are: two additions with one token are one addition that a client repeats.
pub(super) fn operations(operation: &Operation) -> Vec<Operation> {
    match operation.clone() {
        Operation::Add {
            front,
            follower,
            by,
            token,
        } => {
            let add = |front, follower| Operation::Add {
                front,
                follower,
                by,
                token: token.clone(),
            };
            let unnamed = follower.map(|_| add(front, None));
            let named = named(follower).map(|named| add(front, named));
            let fronts = plainer::numbers(front, 0).map(|front| add(front, follower));
            unnamed.into_iter().chain(named).chain(fronts).collect()
        }
        Operation::Read { front, follower } => {
            let read = |front, follower| Operation::Read { front, follower };
            let unnamed = follower.map(|_| read(front, None));
            let named = named(follower).map(|named| read(front, named));
            let fronts = plainer::numbers(front, 0).map(|front| read(front, follower));
            unnamed.into_iter().chain(named).chain(fronts).collect()
        }
        Operation::Follow { front, follower } => {
            let followers =
                plainer::numbers(follower, 1).map(|follower| Operation::Follow { front, follower });
            let fronts = plainer::numbers(front, 0).map(|front| Operation::Follow { front, follower });
            followers.chain(fronts).collect()
        }
        Operation::Nudge { follower } => plainer::numbers(follower, 1)
            .map(|follower| Operation::Nudge { follower })
            .collect(),
        Operation::ResetCounter { front } => plainer::numbers(front, 0)
            .map(|front| Operation::ResetCounter { front })
            .collect(),
    }
}

/// Followers in place of this one, where one is named.
fn named(follower: Option<u32>) -> impl Iterator<Item = Option<u32>> {
    follower
        .into_iter()
        .flat_map(|number| plainer::numbers(number, 1).map(Some))
}
