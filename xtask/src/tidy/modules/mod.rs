//! Checks that no imports between the files of one crate form a cycle. A name that comes through a
//! `pub use`, a glob or the imports of a parent counts from the file that defines it; `mod` declarations
//! and re-exports by themselves are no imports.

mod graph;
mod source;

use std::collections::BTreeMap;

use self::graph::{Edge, find_cycles};
use self::source::{Import, Module};
use super::diagnostic::Diagnostic;
use crate::source_files::SourceFile;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let mut crates: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_library_code()) {
        if let Some((folder, _)) = file.path.split_once("/src/") {
            crates.entry(folder).or_default().push(file);
        }
    }
    crates.iter().flat_map(|(folder, files)| check_listed(folder, files)).collect()
}

/// A crate of the list is checked only for having to leave it.
fn check_listed(folder: &str, files: &[&SourceFile]) -> Vec<Diagnostic> {
    let cycles = check_crate(folder, files);
    match (WITH_CYCLES.contains(&folder), files.first()) {
        (false, _) => cycles,
        (true, Some(first)) if cycles.is_empty() => {
            let message = format!("{folder} has no cycle: remove it from WITH_CYCLES");
            vec![Diagnostic::new(first, 1, message)]
        }
        (true, _) => Vec::new(),
    }
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

/// The modules of a crate by their paths, each with the index of its file.
struct CrateModules {
    modules: BTreeMap<Vec<String>, (usize, Module)>,
}

/// What a path leads to.
enum Target {
    Module(Vec<String>),
    /// An item that this file defines.
    Item(usize),
}

impl CrateModules {
    fn read(source_folder: &str, files: &[&SourceFile]) -> Self {
        let has_library = files.iter().any(|file| file.path.ends_with("/src/lib.rs"));
        let read = |(index, file): (usize, &&SourceFile)| {
            let path = file.path.strip_prefix(source_folder).unwrap_or_default();
            // A program beside a library is another crate.
            let path = if path == "main.rs" && has_library {
                vec!["main".to_owned()]
            } else {
                module_path(path)
            };
            let modules = source::modules(&path, &file.text);
            modules.into_iter().map(move |module| (module.path.clone(), (index, module)))
        };
        Self { modules: files.iter().enumerate().flat_map(read).collect() }
    }

    fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (file, module) in self.modules.values() {
            let imports = module.imports.iter().filter(|import| !import.is_public);
            let imports = imports.filter(|import| import.name != "*");
            let imports = imports.map(|import| (&import.path, import.line));
            let uses = module.uses.iter().map(|(path, line)| (path, *line));
            for (path, line) in imports.chain(uses) {
                if let Some(Target::Item(to)) = self.resolve(&module.path, path, MAX_HOPS)
                    && to != *file
                {
                    let name = path.last().cloned().unwrap_or_default();
                    edges.push(Edge { from: *file, to, line, name });
                }
            }
        }
        edges
    }

    /// Follows a path from a module, through re-exports.
    fn resolve(&self, from: &[String], path: &[String], hops: usize) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let hops = hops.checked_sub(1)?;
        let start = match first.as_str() {
            "crate" => Target::Module(Vec::new()),
            "self" => Target::Module(from.to_vec()),
            "super" => Target::Module(from.split_last()?.1.to_vec()),
            name => self.lookup(from, name, hops)?,
        };
        rest.iter().try_fold(start, |target, name| match target {
            Target::Module(module) if name == "super" => {
                Some(Target::Module(module.split_last()?.1.to_vec()))
            }
            Target::Module(module) => self.lookup(&module, name, hops),
            // An associated function, a variant, …
            item @ Target::Item(_) => Some(item),
        })
    }

    /// A name as a module sees it: its own, one that it imports, or one of a glob.
    fn lookup(&self, module: &[String], name: &str, hops: usize) -> Option<Target> {
        let child: Vec<String> = module.iter().cloned().chain([name.to_owned()]).collect();
        if self.modules.contains_key(&child) {
            return Some(Target::Module(child));
        }
        let (file, content) = self.modules.get(module)?;
        if content.definitions.contains(name) {
            return Some(Target::Item(*file));
        }
        let follow = |import: &Import| self.resolve(module, &import.path, hops);
        if let Some(import) = content.imports.iter().find(|import| import.name == name) {
            return follow(import);
        }
        let globs = content.imports.iter().filter(|import| import.name == "*");
        globs.filter_map(follow).find_map(|target| match target {
            Target::Module(target) if target != module => {
                self.lookup(&target, name, hops.checked_sub(1)?)
            }
            _ => None,
        })
    }
}

/// `a/b.rs` and `a/b/mod.rs` are `a::b`; `lib.rs` and `main.rs` are the root.
fn module_path(file: &str) -> Vec<String> {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    match path {
        "lib" | "main" => Vec::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

/// Re-exports of re-exports; a glob of a parent and one of its child can lead back to each other.
const MAX_HOPS: usize = 8;
/// Crates in which imports still form cycles.
const WITH_CYCLES: &[&str] = &[
    "crates/dialects",
    "crates/gateway",
    "crates/interlingua",
    "crates/repair",
    "crates/store",
    "crates/strict",
    "crates/upstream",
    "crates/wire",
];
