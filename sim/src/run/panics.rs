//! A panic of the protocol's code is a finding, not the end of the tool.
#![expect(
    clippy::disallowed_types,
    reason = "a panic hook is the process's and learns of a panic on the panicking thread; a run never reads this"
)]

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::kernel::UnsupportedStatement;

/// What ended a call before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Caught {
    /// A panic.
    Panic {
        /// File and line.
        place: String,
        /// What it said.
        message: String,
    },
    /// The store cannot run a statement.
    Unsupported(UnsupportedStatement),
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: RefCell<Option<Caught>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Calls a function; a panic in it is told of, and not printed.
pub(super) fn caught<T>(call: impl FnOnce() -> T) -> Result<T, Caught> {
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !CATCHING.get() {
                usual(info);
                return;
            }
            let place = info
                .location()
                .map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
            let payload = info.payload();
            let text = payload.downcast_ref::<&str>().copied();
            let message = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
            let message = message.unwrap_or("a panic without a text").to_owned();
            CAUGHT.set(Some(Caught::Panic { place, message }));
        }));
    });
    // Runs do not nest, so the flag is down again whenever one ends.
    CATCHING.set(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    CATCHING.set(false);
    result.map_err(|payload| match payload.downcast::<UnsupportedStatement>() {
        Ok(unsupported) => Caught::Unsupported(*unsupported),
        Err(_) => CAUGHT.take().expect("the hook has seen the panic"),
    })
}
