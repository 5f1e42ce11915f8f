//! What the source documents say of replica lanes, each sentence as a test. A test names the variants that it holds for;
//! what the documented protocol does not do as its document says is a test of its own, with the change that mends it.

mod growth;
mod scaling;
mod serving;
mod writes;

use protocol::lanes::changes::hardened;
use protocol::lanes::object::Version;
use protocol::lanes::rules::Rules;
use tests::lanes::pool::of;

/// The variants, by name.
fn variants() -> [(&'static str, Version); 2] {
    [
        ("documented", of(Rules::DOCUMENTED)),
        ("hardened", of(hardened())),
    ]
}

/// The hardened protocol without one of its changes.
fn without(change: &str) -> Version {
    let change = protocol::lanes::changes::CHANGES
        .iter()
        .find(|candidate| candidate.name == change)
        .expect("the change is there");
    of(protocol::lanes::changes::hardened_without(change))
}
