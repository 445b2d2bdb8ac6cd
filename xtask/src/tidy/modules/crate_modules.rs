//! The modules of one crate, and the names that its files take from each other.
//!
//! A name that comes through a `pub use`, a glob or the imports of a parent counts from the file that
//! defines it; `mod` declarations and re-exports by themselves are no imports.

use std::collections::BTreeMap;

use super::graph::Edge;
use super::source::{self, Import, Module};
use crate::source_files::{SourceFile, by_crate};

/// The shipped files of each crate, by the crate's folder.
pub(super) fn crates(files: &[SourceFile]) -> BTreeMap<&str, Vec<&SourceFile>> {
    let mut crates = by_crate(files);
    for files in crates.values_mut() {
        files.retain(|file| file.is_library_code());
    }
    crates.retain(|_, files| !files.is_empty());
    crates
}

/// The modules of a crate by their paths, each with the index of its file.
pub(super) struct CrateModules {
    modules: BTreeMap<Vec<String>, (usize, Module)>,
}

/// What a path leads to.
enum Target {
    Module(Vec<String>),
    /// An item that this file defines.
    Item(usize),
}

impl CrateModules {
    pub(super) fn read(source_folder: &str, files: &[&SourceFile]) -> Self {
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

    pub(super) fn edges(&self) -> Vec<Edge> {
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
