//! Bounds the public items of the library: each is a promise to its users, and none appears by accident.

use super::diagnostic::Diagnostic;
use super::strip;
use crate::source_files::SourceFile;

/// The library's front page exports at most this many names.
const MAX_ITEMS: usize = 80;

const FRONT_PAGE: &str = "crates/interlingua/src/lib.rs";

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let Some(file) = files.iter().find(|file| file.path == FRONT_PAGE) else { return Vec::new() };
    let items = exported_items(&file.text);
    let mut diagnostics: Vec<_> = items
        .iter()
        .filter(|item| item.is_wholesale)
        .map(|item| {
            let message = format!("export single items, not all of `{}`", item.name);
            Diagnostic::new(file, item.line, message)
        })
        .collect();
    if items.len() > MAX_ITEMS {
        let message = format!(
            "{} public items, at most {MAX_ITEMS}: callers inside the workspace can use `interlingua-model` and the like",
            items.len()
        );
        diagnostics.push(Diagnostic::new(file, items[MAX_ITEMS].line, message));
    }
    diagnostics
}

/// A name that the crate root exports.
#[derive(Debug)]
pub(super) struct ExportedItem {
    pub(super) name: String,
    pub(super) line: usize,
    /// A glob, a module or another crate: an unknown number of names.
    pub(super) is_wholesale: bool,
}

/// The items with `pub` at the root of a file that is formatted by rustfmt.
pub(super) fn exported_items(text: &str) -> Vec<ExportedItem> {
    let code = strip::strip_non_code(text);
    let mut items = Vec::new();
    let mut at = 0;
    for (index, line) in code.lines().enumerate() {
        let start = at;
        at += line.len() + 1;
        let Some(rest) = line.strip_prefix("pub ") else { continue };
        let number = index + 1;
        match rest.strip_prefix("use ") {
            Some(_) => {
                let tree = code[start..].trim_start_matches("pub use ");
                let tree = tree.split(';').next().unwrap_or_default();
                items.extend(used_names(tree).into_iter().map(|name| {
                    let is_wholesale = name == "*" || !tree.contains("::");
                    let name = if is_wholesale { tree.trim().to_owned() } else { name };
                    ExportedItem { name, line: number, is_wholesale }
                }));
            }
            None => items.push(ExportedItem {
                name: declared_name(rest),
                line: number,
                is_wholesale: rest.starts_with("mod "),
            }),
        }
    }
    items
}

/// The names in a `use` tree: the last segment of each path, or what follows `as`.
fn used_names(tree: &str) -> Vec<String> {
    let names = tree.split([',', '{', '}']).map(str::trim);
    names
        .filter(|name| !name.is_empty() && !name.ends_with("::"))
        .map(|name| name.rsplit([' ', ':']).next().unwrap_or(name).to_owned())
        .collect()
}

/// The name in a declaration such as `const fn name(…)` or `struct Name<T>`.
fn declared_name(declaration: &str) -> String {
    const KEYWORDS: &[&str] =
        &["async", "const", "enum", "fn", "mod", "static", "struct", "trait", "type", "union"];
    let mut words =
        declaration.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.find(|word| !KEYWORDS.contains(word)).unwrap_or_default().to_owned()
}
