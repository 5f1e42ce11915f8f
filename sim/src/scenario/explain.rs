//! What is said of a file that does not say what it should: what was probably meant.

use serde_path_to_error::Path;

/// Says that there is no such thing, what comes nearest to it, and what there is.
pub fn unknown<'a>(what: &str, found: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    let near = nearest(found, &known).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    format!(
        "there is no {what} `{found}`\n  {near}there is: {}",
        known.join(", ")
    )
}

/// What was probably meant, as a question; empty where nothing comes near.
pub fn did_you_mean(found: &str, known: &[&str]) -> String {
    nearest(found, known).map_or_else(String::new, |near| format!("did you mean `{near}`? "))
}

/// The name that was probably meant: the one with the fewest edits, where those are few for its length.
fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let edits = |name: &str| strsim::damerau_levenshtein(found, name);
    let nearest = known.iter().min_by_key(|name| edits(name))?;
    (edits(nearest) * 3 <= nearest.chars().count().max(3)).then_some(nearest)
}

/// What a reader says of a file, with the path of the field, and of what it does not know what was probably meant.
pub(super) fn explain(path: &Path, message: &str) -> String {
    let path = path.to_string();
    if let Some((found, known)) = quoted(message, "unknown field ") {
        let table = path.strip_suffix(found).unwrap_or(&path).trim_end_matches('.');
        let place = if table.is_empty() {
            String::new()
        } else {
            format!(" in [{table}]")
        };
        let near = did_you_mean(found, &known);
        let known = known.join(", ");
        return format!("unknown field `{found}`{place}\n  {near}known fields: {known}");
    }
    if let Some((found, known)) = quoted(message, "unknown variant ") {
        let near = did_you_mean(found, &known);
        let known = known.join(", ");
        return format!("at {path}: unknown value `{found}`\n  {near}known values: {known}");
    }
    if path == "." {
        message.to_owned()
    } else {
        format!("at {path}: {message}")
    }
}

/// What was found and what is known, of what serde says where it knows something else:
/// ``unknown field `a`, expected one of `b`, `c` ``. An error of serde's has no other way to tell them.
fn quoted<'a>(message: &'a str, beginning: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let mut quoted = message.strip_prefix(beginning)?.split('`').skip(1).step_by(2);
    Some((quoted.next()?, quoted.collect()))
}
