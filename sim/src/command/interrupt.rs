//! Ctrl-C: a long command stops between two runs, and says how far it came.

use std::io::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;
use signal_hook::flag;

/// The exit code of a command that was interrupted: 128 and the number of the signal, as shells have it.
pub const EXIT_CODE: u8 = 130;

/// Whether somebody has asked the command to stop.
#[derive(Clone, Debug)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on. The first request is for the command to notice; a second one ends the process at once, as
    /// the run that is under way may be a long one.
    pub fn listen() -> Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        // In this order: the second request finds the flag set, the first one does not.
        flag::register_conditional_shutdown(SIGINT, i32::from(EXIT_CODE), Arc::clone(&asked))?;
        flag::register(SIGINT, Arc::clone(&asked))?;
        Ok(Interrupt(asked))
    }

    /// Whether the command is to stop.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
