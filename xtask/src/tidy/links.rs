//! Checks that links in documents have a target, and that the README names the two commands.

use std::path::{Component, Path, PathBuf};

use super::diagnostic::Diagnostic;
use crate::process::workspace_root;
use crate::source_files::SourceFile;

const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
/// The table of contents of the book.
const BOOK_SUMMARY: &str = "docs/SUMMARY.md";
const README_COMMANDS: &[&str] = &["cargo run --release", "cargo xtask test"];

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for name in DOCUMENTS {
        if !files.iter().any(|file| file.path == *name) {
            let message = "the document is missing: write it".into();
            diagnostics.push(Diagnostic { path: (*name).into(), line: 1, message });
        }
    }
    let summary = files.iter().find(|file| file.path == BOOK_SUMMARY);
    for file in files.iter().filter(|file| file.has_extension("md") && !file.is_under("corpus")) {
        let page = file.path.strip_prefix("docs/").filter(|_| file.path != BOOK_SUMMARY);
        let is_listed =
            |page| summary.is_some_and(|file| file.text.contains(&format!("]({page})")));
        if page.is_some_and(|page| !is_listed(page)) {
            let message = format!("the page is not in the book: list it in {BOOK_SUMMARY}");
            diagnostics.push(Diagnostic::new(file, 1, message));
        }
        for (line, target) in links(&file.text) {
            if !resolves(file, &target, files) {
                let message = format!("the link '{target}' has no target: fix or remove it");
                diagnostics.push(Diagnostic::new(file, line, message));
            }
        }
    }
    diagnostics
}

pub(super) fn commands(files: &[SourceFile]) -> Vec<Diagnostic> {
    let readme = files.iter().find(|file| file.path == "README.md");
    let lacking = |command: &&&str| !readme.is_some_and(|file| file.text.contains(**command));
    let diagnostic = |command: &&str| {
        let message = format!("name the command '{command}'");
        Diagnostic { path: "README.md".into(), line: 1, message }
    };
    README_COMMANDS.iter().filter(lacking).map(diagnostic).collect()
}

/// The targets of `[…](target)`, with their lines. Links in code are skipped.
pub(super) fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        // Between backquotes every second part is code.
        for prose in line.split('`').step_by(2) {
            let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            found.extend(targets.map(|target| (index + 1, target.to_owned())));
        }
    }
    found
}

fn resolves(file: &SourceFile, target: &str, files: &[SourceFile]) -> bool {
    if ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
        return true;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let full = if path.is_empty() { file.path.clone() } else { resolve_relative(&file.path, path) };
    if !workspace_root().join(&full).exists() {
        return false;
    }
    let headings = |file: &SourceFile| {
        let headings = file.text.lines().filter(|line| line.starts_with('#'));
        headings.map(|line| slug(line.trim_start_matches('#'))).collect::<Vec<_>>()
    };
    let document = files.iter().find(|file| file.path == full);
    anchor.is_empty()
        || document.is_some_and(|file| headings(file).iter().any(|slug| slug == anchor))
}

/// Resolves a path relative to another file.
fn resolve_relative(file: &str, target: &str) -> String {
    let joined = Path::new(file).parent().unwrap_or(Path::new("")).join(target);
    let mut clean = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::CurDir => {}
            other => clean.push(other),
        }
    }
    clean.to_string_lossy().into_owned()
}

/// The anchor of a heading.
pub(super) fn slug(heading: &str) -> String {
    let kept =
        heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}
