//! Which of a trace's variants fails.

use std::path::Path;

use anyhow::{Context, Result};
use sim::trace::Trace;

/// The variant whose failure is meant: the one that is named, else the one that the trace is of.
pub fn failing_variant<S, O>(named: Option<&str>, file: &Path, trace: &Trace<S, O>) -> Result<String> {
    if let Some(variant) = named {
        return Ok(variant.to_owned());
    }
    let variant = trace.failing().with_context(|| {
        format!(
            "{}: the trace expects no variant to be violated: name one with --variant",
            file.display()
        )
    })?;
    Ok(variant.to_string())
}
