//! Which of a trace's variants fails.

use std::path::Path;

use anyhow::{Context, Result};
use sim::trace::{Expected, Trace};

/// The variant whose failure is meant: the one that is named; else the one that the trace was shrunk under, or the first
/// that it expects to be violated.
pub fn failing_variant<S, O>(named: Option<&str>, file: &Path, trace: &Trace<S, O>) -> Result<String> {
    if let Some(variant) = named {
        return Ok(variant.to_owned());
    }
    if let Some(shrunk) = &trace.shrunk {
        return Ok(shrunk.variant.to_string());
    }
    let mut expected = trace.expect.iter();
    let violated = expected.find(|(_, expected)| matches!(expected.outcome, Expected::Violated(_)));
    let (variant, _) = violated.with_context(|| {
        format!(
            "{}: the trace expects no variant to be violated: name one with --variant",
            file.display()
        )
    })?;
    Ok(variant.to_string())
}
