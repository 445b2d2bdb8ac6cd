//! Checks that the file of a module with a folder is `mod.rs` in that folder.

use std::collections::BTreeSet;

use crate::source_files::{SourceFile, by_crate};
use crate::tidy::diagnostic::Diagnostic;

pub(in crate::tidy) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    by_crate(files).values().flat_map(|files| check_crate(files)).collect()
}

fn check_crate(files: &[&SourceFile]) -> Vec<Diagnostic> {
    let folders: BTreeSet<&str> = files.iter().flat_map(|file| folders(&file.path)).collect();
    let diagnostic = |file: &&SourceFile| {
        let module = file.path.strip_suffix(".rs").filter(|module| folders.contains(module))?;
        Some(Diagnostic::new(file, 1, format!("move this file to {module}/mod.rs")))
    };
    files.iter().filter_map(diagnostic).collect()
}

/// All folders that a path leads through.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}
