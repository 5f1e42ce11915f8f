//! A story as a drawing: its happens-before graph for Graphviz and for Mermaid.

use std::fmt::Write as _;

use super::Explanation;

/// The graph in Graphviz's language: an arrow from what came before to what depends on it.
#[must_use]
pub fn dot(explanation: &Explanation) -> String {
    let mut out = String::from("digraph story {\n  node [shape=box, fontname=\"sans-serif\"];\n");
    for (at, line) in explanation.story.lines().enumerate() {
        let told = format!(
            "{} {}\n{}",
            line.at.since(explanation.begins),
            line.who,
            line.text
        );
        let _ = writeln!(out, "  s{at} [label={}];", dot_text(&told));
    }
    let violation = format!(
        "{} violated\n{}",
        explanation.violation.invariant, explanation.violation.detail
    );
    let _ = writeln!(out, "  v [label={}, style=bold];", dot_text(&violation));
    for (from, to) in arrows(explanation) {
        let _ = writeln!(out, "  {} -> {};", node(from), node(to));
    }
    out.push_str("}\n");
    out
}

/// The graph as a flowchart in Mermaid's language.
#[must_use]
pub fn mermaid(explanation: &Explanation) -> String {
    let mut out = String::from("flowchart TD\n");
    for (at, line) in explanation.story.lines().enumerate() {
        let told = format!(
            "{} {}: {}",
            line.at.since(explanation.begins),
            line.who,
            line.text
        );
        let _ = writeln!(out, "  s{at}[{}]", mermaid_text(&told));
    }
    let violation = format!(
        "{} violated: {}",
        explanation.violation.invariant, explanation.violation.detail
    );
    let _ = writeln!(out, "  v([{}])", mermaid_text(&violation));
    for (from, to) in arrows(explanation) {
        let _ = writeln!(out, "  {} --> {}", node(from), node(to));
    }
    out
}

/// The arrows between lines, and from those that nothing else follows from to the violation, which has no place.
fn arrows(explanation: &Explanation) -> impl Iterator<Item = (Option<usize>, Option<usize>)> {
    let between = explanation
        .arrows
        .iter()
        .map(|(from, to)| (Some(*from), Some(*to)));
    let lines = 0..explanation.story.lines().count();
    let last = lines.filter(|at| !explanation.arrows.iter().any(|(from, _)| from == at));
    between.chain(last.map(|at| (Some(at), None)))
}

fn node(at: Option<usize>) -> String {
    at.map_or_else(|| "v".to_owned(), |at| format!("s{at}"))
}

/// A text in quotes. Of Graphviz's escapes only the line's end is meant.
fn dot_text(text: &str) -> String {
    let plain = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    format!("\"{plain}\"")
}

/// A text in quotes, without what would end them or begin a tag.
fn mermaid_text(text: &str) -> String {
    // Mermaid has codes of its own that begin with a number sign: this one is that.
    let plain = text
        .replace('#', "#35;")
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\n', " ");
    format!("\"{plain}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_label() {
        let text = "site/shop#r1; \"a\\b\" <b>&\nnext";
        assert_eq!(dot_text(text), r##""site/shop#r1; \"a\\b\" <b>&\nnext""##);
        assert_eq!(
            mermaid_text(text),
            r##""site/shop#35;r1; &quot;a\b&quot; &lt;b&gt;&amp; next""##
        );
    }
}
