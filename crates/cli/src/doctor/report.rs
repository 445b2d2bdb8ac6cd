//! Prints the findings as text or JSON.

use std::path::Path;

use interlingua::RawJson;
use interlingua_transcript::Transcript;

use super::diagnosis::Diagnosis;
use super::issue::Issue;
use crate::error::CommandError;
use crate::output;
use crate::terminal_text::escape_line;

pub(super) struct Report<'r> {
    pub(super) name: &'r str,
    pub(super) transcript: &'r Transcript,
    pub(super) diagnosis: &'r Diagnosis,
}

impl Report<'_> {
    /// Prints one paragraph per finding.
    pub(super) fn print(&self) -> Result<(), CommandError> {
        let turns = self.transcript.parts.last().map_or(0, |unit| unit.turn + 1);
        let (format, provider) =
            (self.transcript.format.title(), self.diagnosis.target_dialect.id());
        print_line(&format!("{}: {format} with {turns} turns, for {provider}", self.name));
        for note in &self.transcript.notes {
            print_line(&format!("  {note}"));
        }
        if self.diagnosis.translation_changes > 0 && provider != self.transcript.dialect.id() {
            let count = self.diagnosis.translation_changes;
            let parts = if count == 1 { "part is" } else { "parts are" };
            print_line(&format!("  {count} {parts} written differently for {provider}"));
        }
        let text: String =
            self.diagnosis.issues.iter().map(|issue| self.paragraph(issue)).collect();
        output::print_text(&text)
    }

    fn paragraph(&self, issue: &Issue) -> String {
        let mut lines = vec![format!("{}{}", location_prefix(issue), issue.message)];
        if let Some(violation) = &issue.violation {
            let (status, text, rule) = (violation.status, &violation.message, violation.rule);
            lines.push(format!("  The provider answers {status}: {text}"));
            lines.push(format!("  (rule {rule})"));
            if issue.repairs.is_empty() {
                let text = if self.diagnosis.is_unrepaired(rule) {
                    "  No repair is known for this."
                } else {
                    "  Repair: covered by another repair."
                };
                lines.push(text.to_owned());
            }
        }
        for (entry, _) in &issue.repairs {
            let loss = if entry.is_loss { " This loses content." } else { "" };
            lines.push(format!("  Repair: {}.{loss} (repair {})", entry.description, entry.rule));
        }
        let lines: Vec<_> = lines.iter().map(|line| escape_line(line)).collect();
        lines.join("\n") + "\n\n"
    }

    pub(super) fn print_json(&self) -> Result<(), CommandError> {
        let mut lines = Vec::new();
        lines.push(RawJson::object(|o| {
            o.str("kind", "file");
            o.str("file", self.name);
            o.str("format", self.transcript.format.name());
            o.str("dialect", self.transcript.dialect.id().0);
            o.str("for", self.diagnosis.target_dialect.id().0);
        }));
        for note in &self.transcript.notes {
            lines.push(RawJson::object(|o| {
                o.str("kind", "note");
                write_optional("line", note.line, o);
                o.str("what", &note.message);
            }));
        }
        self.diagnosis.issues.iter().for_each(|issue| issue_json(issue, &mut lines));
        print_lines(&lines)
    }

    /// Prints whether the conversation is healthy, and where the repaired file is.
    pub(super) fn print_verdict(
        &self,
        json: bool,
        fixed: Option<&Path>,
    ) -> Result<(), CommandError> {
        let healthy = self.diagnosis.is_healthy();
        if json {
            let verdict = RawJson::object(|o| {
                o.str("kind", "verdict");
                o.boolean("healthy", healthy);
                match fixed {
                    Some(path) => o.str("fixed", &path.display().to_string()),
                    None => o.null("fixed"),
                }
            });
            return print_lines(&[verdict]);
        }
        if let Some(path) = fixed {
            print_line(&format!("{}: repaired; written to {}", self.name, path.display()));
        } else if healthy {
            print_line(&format!("{}: healthy, nothing to repair", self.name));
        }
        Ok(())
    }
}

/// Line and path, if they are known.
fn location_prefix(issue: &Issue) -> String {
    let violated = issue.violation.as_ref().map(|violation| violation.path.clone());
    let path = violated.filter(|path| !path.is_empty()).or_else(|| {
        let (entry, _) = issue.repairs.first()?;
        Some(entry.path.to_string())
    });
    match (issue.location.line, path) {
        (Some(line), Some(path)) => format!("line {line} ({path}): "),
        (Some(line), None) => format!("line {line}: "),
        (None, Some(path)) => format!("{path}: "),
        (None, None) => String::new(),
    }
}

fn issue_json(issue: &Issue, lines: &mut Vec<RawJson>) {
    if let Some(violation) = &issue.violation {
        lines.push(RawJson::object(|o| {
            o.str("kind", "violation");
            o.str("rule", violation.rule);
            write_optional("line", issue.location.line, o);
            o.str("path", &violation.path);
            o.number("status", violation.status.into());
            o.str("words", &violation.message);
            o.str("about", &issue.message);
        }));
    }
    for (entry, line) in &issue.repairs {
        lines.push(RawJson::object(|o| {
            o.str("kind", "repair");
            write_optional("line", *line, o);
            o.extend(&entry.to_json());
        }));
    }
}

fn write_optional(
    key: &'static str,
    number: Option<usize>,
    o: &mut interlingua_wire::json::ObjectWriter<'_>,
) {
    match number {
        Some(number) => o.number(key, number as u64),
        None => o.null(key),
    }
}

fn print_lines(lines: &[RawJson]) -> Result<(), CommandError> {
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    output::print(text.as_bytes())
}

/// Prints a line to stderr.
fn print_line(text: &str) {
    output::print_stderr(&format!("{}\n", escape_line(text)));
}
