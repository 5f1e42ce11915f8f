//! The runner, seen through a toy whose flows are lists of acts.

mod ends;
mod order;
mod toy;
mod values;
