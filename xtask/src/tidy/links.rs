//! The documents: links lead somewhere, and the README names the two commands.

use std::path::{Component, Path, PathBuf};

use super::{Fault, File};
use crate::run::root;

const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
const COMMANDS: &[&str] = &["cargo run --release", "cargo xtask test"];

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for name in DOCUMENTS {
        if !files.iter().any(|file| file.path == *name) {
            let what = "the document is missing: write it".into();
            faults.push(Fault { path: (*name).into(), line: 1, what });
        }
    }
    for file in files.iter().filter(|file| file.has_ending("md") && !file.under("corpus")) {
        for (line, target) in links(&file.text) {
            if !resolves(file, &target, files) {
                let what = format!("the link '{target}' leads nowhere: mend or remove it");
                faults.push(Fault::new(file, line, what));
            }
        }
    }
    faults
}

pub(super) fn commands(files: &[File]) -> Vec<Fault> {
    let readme = files.iter().find(|file| file.path == "README.md");
    let lacking = |command: &&&str| !readme.is_some_and(|file| file.text.contains(**command));
    let fault = |command: &&str| {
        let what = format!("name the command '{command}'");
        Fault { path: "README.md".into(), line: 1, what }
    };
    COMMANDS.iter().filter(lacking).map(fault).collect()
}

/// The targets of `[…](target)`, with their lines. Code is not looked at.
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
        // Every second part between backquotes is code.
        for prose in line.split('`').step_by(2) {
            let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            found.extend(targets.map(|target| (index + 1, target.to_owned())));
        }
    }
    found
}

fn resolves(file: &File, target: &str, files: &[File]) -> bool {
    if ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
        return true;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let full = if path.is_empty() { file.path.clone() } else { beside(&file.path, path) };
    if !root().join(&full).exists() {
        return false;
    }
    let headings = |file: &File| {
        let headings = file.text.lines().filter(|line| line.starts_with('#'));
        headings.map(|line| slug(line.trim_start_matches('#'))).collect::<Vec<_>>()
    };
    let document = files.iter().find(|file| file.path == full);
    anchor.is_empty()
        || document.is_some_and(|file| headings(file).iter().any(|slug| slug == anchor))
}

/// The path of a file named relative to another one.
fn beside(file: &str, target: &str) -> String {
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

/// The anchor that a heading gets.
pub(super) fn slug(heading: &str) -> String {
    let kept =
        heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}
