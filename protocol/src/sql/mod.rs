//! What a statement's text shows: whether it reads, which table it writes, what it inserts, how its parameters bind.
//!
//! The contract decides by the *shape* of the text, with a handful of patterns, not by parsing SQL: a statement that is
//! none of the shapes is treated as the worst that it could be. So these functions answer only what they can prove, and
//! `None` or `false` means "not this shape", never an error. They know no protocol. Source: `lanes.md` sections 5, 10
//! and 11.
//!
//! One function rewrites a statement that is then run, [`splice_first`]; it alone reads tokens as SQLite does.
//!
//! White space, words and word boundaries of the shapes are JavaScript's ([`crate::ecma`]); keywords are compared without regard to
//! the case of ASCII letters. No function here can panic or take more than linear time in the text.

mod bind;
mod cursor;
mod expiry;
mod insert;
mod params;
mod read;
mod splice;
mod target;
mod token;

pub use bind::{BindError, Bound, positional_bindings, to_positional};
pub use expiry::{EXPIRING, expiry_sweep};
pub use insert::{PlainInsert, Tuple};
pub use params::{Inherited, Params};
pub use read::{is_compound, is_proven_read};
pub use splice::{Spliced, splice_first};
pub use target::{is_definition, write_target};
