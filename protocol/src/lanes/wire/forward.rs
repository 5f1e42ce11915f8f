//! A forwarded batch and its answer as bodies. The types stand where their rules do, in [`forward`](crate::lanes::forward).

use super::{ForwardAnswer, ForwardBatch, field};
use crate::host::Payload;

impl Payload for ForwardBatch {
    fn encode(&self) -> String {
        field::encode(self)
    }
}

impl Payload for ForwardAnswer {
    fn encode(&self) -> String {
        field::encode(self)
    }
}
