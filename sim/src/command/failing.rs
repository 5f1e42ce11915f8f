//! Which of a trace's variants fails.

use std::path::Path;

use anyhow::{Context, Result, bail};
use sim::trace::Trace;

/// The variant whose failure is looked for by whoever bisects. What a trace is of is not always that: a kept one is of a variant
/// that fails in every version, and bisects another one.
pub fn bisected_variant<S, O>(named: Option<&str>, file: &Path, trace: &Trace<S, O>) -> Result<String> {
    if named.is_none() && trace.expect.len() > 1 {
        let variants: Vec<_> = trace.expect.keys().map(|variant| variant.as_str()).collect();
        bail!(
            "{}: the trace is of several variants ({}): name the one that is bisected with --variant",
            file.display(),
            variants.join(", ")
        );
    }
    failing_variant(named, file, trace)
}

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
