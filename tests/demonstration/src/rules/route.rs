//! A front's decision about where a request goes.

use std::collections::BTreeSet;

/// What a client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// See the value.
    Read,
    /// Add to it.
    Write,
    /// Something that only the counter itself does.
    Operate,
}

/// What a front knows when it routes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RouteFacts<'a> {
    /// What the client wants.
    pub purpose: Purpose,
    /// The follower that the client names, if it names one.
    pub asked: Option<u32>,
    /// The followers that this front believes in. It may be wrong.
    pub believed: &'a BTreeSet<u32>,
}

/// Where a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// To the counter.
    Counter,
    /// To the counter's follower of this number.
    Follower(u32),
}

/// A read or write goes to the follower that the client names; a read without one to the first follower that the front
/// believes in; all else to the counter.
#[must_use]
pub fn route(facts: &RouteFacts<'_>) -> Target {
    let follower = match facts.purpose {
        Purpose::Read => facts.asked.or_else(|| facts.believed.first().copied()),
        Purpose::Write => facts.asked,
        Purpose::Operate => None,
    };
    follower.map_or(Target::Counter, Target::Follower)
}
