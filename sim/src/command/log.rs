//! `--log`: what happens in a run, while it happens, through `tracing`.

use std::io::IsTerminal as _;

use clap::ValueEnum;
use sim::kernel::{Observed, Observer, What};
use tracing::{Level, debug, error_span, info, trace, warn};
use tracing_subscriber::fmt::format::FmtSpan;

/// How much of a run is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// Faults and resets.
    Warn,
    /// Also turns, calls, decisions and answers.
    Info,
    /// Also statements, commits and alarms.
    Debug,
    /// Everything.
    Trace,
}

impl LogLevel {
    /// Logs to standard error from now on. The time is the run's, and the object is the span.
    pub fn start(self) {
        let most = match self {
            LogLevel::Warn => Level::WARN,
            LogLevel::Info => Level::INFO,
            LogLevel::Debug => Level::DEBUG,
            LogLevel::Trace => Level::TRACE,
        };
        tracing_subscriber::fmt()
            .with_max_level(most)
            .with_writer(std::io::stderr)
            .with_span_events(FmtSpan::NONE)
            .with_ansi(std::io::stderr().is_terminal())
            .with_target(false)
            .without_time()
            .init();
    }
}

/// Tells `tracing` of everything that is observed.
#[derive(Clone, Copy, Debug)]
pub struct Log;

impl Observer for Log {
    fn observe(&mut self, seen: &Observed<'_>) {
        let Observed { at, who, what, .. } = seen;
        let span = error_span!("run", %at, %who);
        let _inside = span.enter();
        match what {
            What::Fault { .. } | What::Trouble { .. } | What::Reset { .. } => warn!("{what}"),
            What::Delivered { .. }
            | What::Called { .. }
            | What::Noted { .. }
            | What::Finished { .. }
            | What::Acted(_)
            | What::Left { .. }
            | What::Answered { .. } => info!("{what}"),
            What::Ran { .. }
            | What::Transacted { .. }
            | What::Committed { .. }
            | What::Confirmed { .. }
            | What::AlarmSet(_) => debug!("{what}"),
            What::Started { .. } | What::Began { .. } => trace!("{what}"),
        }
    }
}
