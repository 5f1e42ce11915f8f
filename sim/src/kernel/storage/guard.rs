//! What stands above a store, whichever it is: the platform's limits, and errors that its storage has without any
//! fault of the statement.

use protocol::host::{SqlError, SqlErrorKind, Statement};

use super::StoreError;
use super::limits::Limits;

/// An error that a statement is to meet, whatever it says. Whether it breaks the object or only throws is its kind's
/// to say ([`SqlErrorKind::breaks_object`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fault {
    /// How many statements still run before it.
    pub after: u64,
    /// What it is.
    pub kind: SqlErrorKind,
}

/// Stands above one store.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    limits: Limits,
    fault: Option<Fault>,
}

impl Guard {
    /// A guard of these limits, with no fault to come.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Guard { limits, fault: None }
    }

    /// The limits.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Arms a fault, in the place of the one that is armed. Each statement of a text of several counts.
    pub fn arm(&mut self, fault: Fault) {
        self.fault = Some(fault);
    }

    /// Disarms the fault that has not struck. The fault, with how many statements would still have run before it.
    pub fn disarm(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    pub(super) fn check(&self, statement: &Statement) -> Result<(), StoreError> {
        self.limits.check(statement).map_err(StoreError::Sql)
    }

    /// A statement is about to run: the error that it meets instead, if one is due.
    pub(super) fn strike(&mut self) -> Option<StoreError> {
        let fault = self.fault.as_mut()?;
        match fault.after.checked_sub(1) {
            Some(after) => {
                fault.after = after;
                None
            }
            None => {
                let kind = fault.kind;
                self.fault = None;
                Some(StoreError::of(SqlError::of(kind)))
            }
        }
    }
}
