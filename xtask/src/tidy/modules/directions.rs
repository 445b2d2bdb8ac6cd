//! Checks that a file imports only from its own top-level module and from those below it.

use std::collections::BTreeSet;

use super::crate_modules::{CrateModules, crates};
use super::graph::{Edge, find_cycles};
use super::layers::{LAYERS, Layers};
use crate::source_files::SourceFile;
use crate::tidy::diagnostic::Diagnostic;

pub(in crate::tidy) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    check_layers(files, LAYERS)
}

pub(in crate::tidy) fn check_layers(files: &[SourceFile], layers: &[Layers]) -> Vec<Diagnostic> {
    let crates = crates(files);
    let no_crate = layers
        .iter()
        .map(|row| row.folder)
        .filter(|folder| !crates.contains_key(folder))
        .map(|folder| about_table(format!("there is no crate '{folder}': remove its row")));
    let found = crates.iter().flat_map(|(folder, files)| {
        let source_folder = format!("{folder}/src/");
        let layout = CrateLayout::read(&source_folder, files);
        let row = layers.iter().find(|row| row.folder == *folder);
        match row {
            Some(row) => layout.check(row),
            None => vec![about_table(layout.propose_row(folder))],
        }
    });
    no_crate.chain(found).collect()
}

fn about_table(message: String) -> Diagnostic {
    Diagnostic { path: TABLE.to_owned(), line: 1, message }
}

/// The files of a crate with the top-level modules that they are in.
struct CrateLayout<'f> {
    files: &'f [&'f SourceFile],
    /// The root, then every other top-level module.
    modules: Vec<&'f str>,
    /// For each file, the index of its module.
    module_of: Vec<usize>,
    edges: Vec<Edge>,
}

impl<'f> CrateLayout<'f> {
    fn read(source_folder: &str, files: &'f [&'f SourceFile]) -> Self {
        let module = |file: &&'f SourceFile| {
            let path = file.path.strip_prefix(source_folder).unwrap_or(&file.path);
            let name = path.split_once('/').map_or(path, |(folder, _)| folder);
            match name.strip_suffix(".rs").unwrap_or(name) {
                "lib" | "main" => ROOT,
                name => name,
            }
        };
        let names: BTreeSet<&str> = files.iter().map(module).filter(|name| *name != ROOT).collect();
        let modules: Vec<&str> = [ROOT].into_iter().chain(names).collect();
        let module_of = files.iter().map(|file| {
            let name = module(file);
            modules.iter().position(|other| *other == name).unwrap_or_default()
        });
        let module_of = module_of.collect();
        let edges = CrateModules::read(source_folder, files).edges();
        Self { files, modules, module_of, edges }
    }

    fn check(&self, row: &Layers) -> Vec<Diagnostic> {
        let missing = self.modules[1..].iter().filter(|name| !row.modules.contains(name));
        let missing = missing.map(|name| format!("add '{name}' to the row of {}", row.folder));
        let unknown = row.modules.iter().filter(|name| !self.modules.contains(name));
        let unknown =
            unknown.map(|name| format!("{} has no module '{name}': remove it", row.folder));
        missing.chain(unknown).map(about_table).chain(self.upward_imports(row)).collect()
    }

    /// The first import of each file from each module that stands above its own.
    fn upward_imports(&self, row: &Layers) -> Vec<Diagnostic> {
        // The root stands above all modules.
        let height = |name: &str| row.modules.iter().position(|other| *other == name);
        let mut seen = BTreeSet::new();
        let mut diagnostics = Vec::new();
        for edge in &self.edges {
            let [from, to] = [edge.from, edge.to].map(|file| self.modules[self.module_of[file]]);
            let is_listed = |name: &str| name == ROOT || height(name).is_some();
            let is_upward = is_listed(from) && is_listed(to) && height(to) < height(from);
            if is_upward && seen.insert((edge.from, to)) {
                let message = format!(
                    "'{from}' imports {} from '{to}', which stands above it in {TABLE}",
                    edge.name
                );
                diagnostics.push(Diagnostic::new(self.files[edge.from], edge.line, message));
            }
        }
        diagnostics
    }

    /// An order in which all imports point downward, or why there is none.
    fn propose_row(&self, folder: &str) -> String {
        let module_edge = |edge: &Edge| {
            let [from, to] = [edge.from, edge.to].map(|file| self.module_of[file]);
            (from != to).then(|| Edge { from, to, ..edge.clone() })
        };
        // The root stands above all modules, also above those that it takes nothing from.
        let declaration =
            |to: usize| Edge { from: 0, to, line: 1, name: format!("mod {}", self.modules[to]) };
        let declarations = (1..self.modules.len()).map(declaration);
        let between: Vec<Edge> =
            self.edges.iter().filter_map(module_edge).chain(declarations).collect();
        let cycles = find_cycles(self.modules.len(), &between);
        if !cycles.is_empty() {
            let describe = |cycle: &Vec<Edge>| {
                let step = |edge: &Edge| {
                    let [from, to] = [edge.from, edge.to].map(|module| self.modules[module]);
                    format!("{from} → {to} ({})", edge.name)
                };
                cycle.iter().map(step).collect::<Vec<_>>().join(", ")
            };
            let cycles = cycles.iter().map(describe).collect::<Vec<_>>().join("; ");
            return format!("{folder} needs a row, but its modules import each other: {cycles}");
        }
        let mut rest: Vec<usize> = (0..self.modules.len()).collect();
        let mut order = Vec::new();
        while let Some(at) = rest.iter().position(|module| {
            !between.iter().any(|edge| edge.to == *module && rest.contains(&edge.from))
        }) {
            let module = rest.remove(at);
            order.push(self.modules[module]);
        }
        format!("add a row for {folder}, such as {:?}", &order[1..])
    }
}

/// The name under which `lib.rs` or `main.rs` is reported.
const ROOT: &str = "the crate's root";
const TABLE: &str = "xtask/src/tidy/modules/layers.rs";
