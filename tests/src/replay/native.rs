//! The native code, behind the adapter that the module has.

use std::panic::{AssertUnwindSafe, catch_unwind};

use protocol_worker::abi::{self, Delivered, Function};
use protocol_worker::{Crossing, Incarnation, Start};

use super::{Replay, Script};

pub struct Running {
    incarnation: Box<dyn Incarnation>,
    script: Script,
}

impl Running {
    pub fn start(start: &Start, script: Script) -> Self {
        let incarnation = protocol_worker::load(start).unwrap_or_else(|error| panic!("{error}"));
        Running { incarnation, script }
    }
}

/// Natively, a crossing that was not recorded can only end in a panic: it has no answer.
struct Panicking<'a>(&'a mut Script);

impl Crossing for Panicking<'_> {
    fn cross(&mut self, function: Function, args: &str) -> String {
        let answer = self.0.cross(function.name(), args);
        answer.unwrap_or_else(|| panic!("the replay ends here: {}", function.name()))
    }
}

impl Replay for Running {
    fn script(&mut self) -> &mut Script {
        &mut self.script
    }

    fn deliver(&mut self, event: &str) -> Result<String, String> {
        let Running { incarnation, script } = self;
        let event = abi::read_event(event).map_err(|error| error.to_string())?;
        // After a panic the incarnation is not used again.
        let turn = AssertUnwindSafe(|| incarnation.deliver(event, &mut Panicking(script)));
        let began = catch_unwind(turn).map_err(|_| "the code has panicked".to_owned())?;
        Ok(abi::encode(&Delivered { began }))
    }
}
