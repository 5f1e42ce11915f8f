//! What the vectors cannot say: properties over all inputs. Texts and numbers of single cases are theirs.

mod cases;
mod parsing;
mod partition;
mod routing;
