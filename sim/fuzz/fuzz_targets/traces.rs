//! Any bytes as a trace: nothing panics, what is refused names its line, and what was read is read again as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sim::trace::{Opened, TraceError, open, read};
use sim::world::known::{self, Visit};
use sim::world::World;

/// Reads a trace whose world is not known yet.
struct Read<'a>(Opened<&'a [u8]>);

impl Visit for Read<'_> {
    type Output = Result<(), TraceError>;

    fn visit<W: World>(self) -> Result<(), TraceError> {
        let trace = self.0.with_history().read::<W>()?;
        let mut written = Vec::new();
        trace.write(W::NAME, &mut written).expect("memory takes it");
        let again = open(&written[..]).expect("what was written is opened").with_history();
        assert_eq!(again.read::<W>().expect("and read"), trace);
        assert_eq!(read::<W>(&written[..]).expect("without its history too").plan, trace.plan);
        Ok(())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let read = open(bytes).and_then(|opened| {
        let world = opened.world().clone();
        known::with(&world, Read(opened)).expect("a trace of another world is not opened")
    });
    if let Err(error) = read {
        assert!(error.line > 0 && error.to_string().starts_with(&format!("line {}: ", error.line)));
    }
});
