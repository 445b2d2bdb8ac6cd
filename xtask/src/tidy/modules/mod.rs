//! Checks how the files of one crate import each other: no cycles here, directions in `directions.rs`.

mod crate_modules;
pub(super) mod directions;
pub(super) mod file_layout;
mod graph;
pub(super) mod layers;
mod source;

use self::crate_modules::{CrateModules, crates};
use self::graph::{Edge, find_cycles};
use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    crates(files).iter().flat_map(|(folder, files)| check_crate(folder, files)).collect()
}

fn check_crate(folder: &str, files: &[&SourceFile]) -> Vec<Diagnostic> {
    let source_folder = format!("{folder}/src/");
    let in_crate = |path: &str| path.strip_prefix(&source_folder).unwrap_or(path).to_owned();
    let crate_ = CrateModules::read(&source_folder, files);
    let cycles = find_cycles(files.len(), &crate_.edges());
    let describe = |cycle: &[Edge]| {
        let step = |edge: &Edge| format!("{} (`{}`)", in_crate(&files[edge.to].path), edge.name);
        let steps = cycle.iter().map(step).collect::<Vec<_>>().join(" → ");
        let first = cycle.first()?;
        let start = in_crate(&files[first.from].path);
        let message = format!("imports form a cycle: {start} → {steps}");
        Some(Diagnostic::new(files[first.from], first.line, message))
    };
    cycles.iter().filter_map(|cycle| describe(cycle)).collect()
}
