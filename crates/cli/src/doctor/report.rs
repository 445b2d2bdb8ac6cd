//! The findings, for people and for machines.

use std::io::Write as _;
use std::path::Path;

use interlingua::Json;
use interlingua_transcript::Transcript;

use super::diagnosis::Diagnosis;
use super::finding::Finding;
use crate::output;
use crate::problem::Problem;

pub(super) struct Report<'r> {
    pub(super) name: &'r str,
    pub(super) transcript: &'r Transcript,
    pub(super) diagnosis: &'r Diagnosis,
}

impl Report<'_> {
    /// One paragraph for each finding.
    pub(super) fn print(&self) -> Result<(), Problem> {
        let turns = self.transcript.units.last().map_or(0, |unit| unit.turn + 1);
        let (format, provider) = (self.transcript.format.title(), self.diagnosis.provider.id());
        tell(&format!("{}: {format} with {turns} turns, for {provider}", self.name));
        for note in &self.transcript.notes {
            tell(&format!("  {note}"));
        }
        if self.diagnosis.said_differently > 0 && provider != self.transcript.dialect.id() {
            let count = self.diagnosis.said_differently;
            tell(&format!("  {count} things are said differently for {provider}, or not at all"));
        }
        let text: String =
            self.diagnosis.findings.iter().map(|finding| self.paragraph(finding)).collect();
        output::print(text.as_bytes())
    }

    fn paragraph(&self, finding: &Finding) -> String {
        let mut lines = vec![format!("{}{}", place(finding), finding.sentence)];
        if let Some(violation) = &finding.violation {
            let (status, words, rule) = (violation.status, &violation.message, violation.rule);
            lines.push(format!("  The provider answers {status}: {words}"));
            lines.push(format!("  (rule {rule})"));
            if finding.repairs.is_empty() {
                let words = if self.diagnosis.is_beyond_repair(rule) {
                    "  No repair is known for this."
                } else {
                    "  Repair: comes with another repair."
                };
                lines.push(words.to_owned());
            }
        }
        for (entry, _) in &finding.repairs {
            let loss = if entry.loss { " Something is lost by this." } else { "" };
            lines.push(format!("  Repair: {}.{loss} (repair {})", entry.what, entry.rule));
        }
        lines.join("\n") + "\n\n"
    }

    pub(super) fn print_json(&self) -> Result<(), Problem> {
        let mut lines = Vec::new();
        lines.push(Json::object(|o| {
            o.word("kind", "file");
            o.word("file", self.name);
            o.word("format", self.transcript.format.name());
            o.word("dialect", self.transcript.dialect.id().0);
            o.word("for", self.diagnosis.provider.id().0);
        }));
        for note in &self.transcript.notes {
            lines.push(Json::object(|o| {
                o.word("kind", "note");
                count("line", note.line, o);
                o.word("what", &note.what);
            }));
        }
        self.diagnosis.findings.iter().for_each(|finding| finding_lines(finding, &mut lines));
        print_lines(&lines)
    }

    /// The last words: whether it is well, and where the repaired file is.
    pub(super) fn end(&self, json: bool, fixed: Option<&Path>) -> Result<(), Problem> {
        let healthy = self.diagnosis.is_healthy();
        if json {
            let verdict = Json::object(|o| {
                o.word("kind", "verdict");
                o.boolean("healthy", healthy);
                match fixed {
                    Some(path) => o.word("fixed", &path.display().to_string()),
                    None => o.null("fixed"),
                }
            });
            return print_lines(&[verdict]);
        }
        if let Some(path) = fixed {
            tell(&format!("{}: repaired; written to {}", self.name, path.display()));
        } else if healthy {
            tell(&format!("{}: healthy, nothing to repair", self.name));
        }
        Ok(())
    }
}

/// Line and path, as far as they are known.
fn place(finding: &Finding) -> String {
    let violated = finding.violation.as_ref().map(|violation| violation.path.clone());
    let path = violated.filter(|path| !path.is_empty()).or_else(|| {
        let (entry, _) = finding.repairs.first()?;
        Some(entry.place.to_string())
    });
    match (finding.spot.line, path) {
        (Some(line), Some(path)) => format!("line {line} ({path}): "),
        (Some(line), None) => format!("line {line}: "),
        (None, Some(path)) => format!("{path}: "),
        (None, None) => String::new(),
    }
}

fn finding_lines(finding: &Finding, lines: &mut Vec<Json>) {
    if let Some(violation) = &finding.violation {
        lines.push(Json::object(|o| {
            o.word("kind", "violation");
            o.word("rule", violation.rule);
            count("line", finding.spot.line, o);
            o.word("path", &violation.path);
            o.number("status", violation.status.into());
            o.word("words", &violation.message);
            o.word("about", &finding.sentence);
        }));
    }
    for (entry, line) in &finding.repairs {
        lines.push(Json::object(|o| {
            o.word("kind", "repair");
            count("line", *line, o);
            o.fields(&entry.to_json());
        }));
    }
}

fn count(key: &'static str, number: Option<usize>, o: &mut interlingua::wire::json::Object<'_>) {
    match number {
        Some(number) => o.number(key, number as u64),
        None => o.null(key),
    }
}

fn print_lines(lines: &[Json]) -> Result<(), Problem> {
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    output::print(text.as_bytes())
}

/// To stderr; there is nobody left to tell if that fails.
fn tell(words: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{words}");
}
