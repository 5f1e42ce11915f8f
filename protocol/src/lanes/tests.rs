//! What the vectors cannot say: properties over all inputs. Texts and numbers of single cases are theirs.

use proptest::prelude::*;

use crate::number::Number;

mod boundaries;
mod cases;
mod parsing;
mod partition;
mod routing;
mod table;

/// Any number: NaN and the infinities too.
fn any_number() -> impl Strategy<Value = Number> {
    prop::num::f64::ANY.prop_map(Number::from_f64)
}
