//! `+ - * / %` with JavaScript's meaning: IEEE 754 doubles, `%` with the sign of its left side, and no
//! errors.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use super::Number;

macro_rules! operator {
    ($Trait:ident, $method:ident, $sign:tt) => {
        impl $Trait for Number {
            type Output = Self;

            fn $method(self, other: Self) -> Self {
                // Processors disagree about the sign of the NaN they make, so each result is taken in anew.
                Self::from_f64(self.0 $sign other.0)
            }
        }
    };
}

operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);
operator!(Rem, rem, %);

impl Neg for Number {
    type Output = Self;

    fn neg(self) -> Self {
        Self::from_f64(-self.0)
    }
}
