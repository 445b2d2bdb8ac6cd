//! Lists the text files of the repository for the tidy checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::process;

/// A text file, with its path relative to the root and with `/`.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn is_rust(&self) -> bool {
        self.has_extension("rs")
    }

    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|it| it == extension)
    }

    pub(crate) fn is_under(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Code that ships: Rust under a `src` folder, without the files that only hold tests.
    pub(crate) fn is_library_code(&self) -> bool {
        let parts: Vec<&str> = self.path.split('/').collect();
        self.is_rust()
            && parts.contains(&"src")
            && !parts.iter().any(|part| matches!(*part, "tests" | "tests.rs"))
    }

    /// The folder of the crate that a Rust file belongs to.
    fn crate_folder(&self) -> Option<&str> {
        let targets = ["/src/", "/tests/", "/benches/", "/examples/"];
        let at = targets.iter().filter_map(|target| self.path.find(target)).min()?;
        Some(&self.path[..at])
    }

    /// Each line with its number, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// The Rust files of each crate, by the crate's folder.
pub(crate) fn by_crate(files: &[SourceFile]) -> BTreeMap<&str, Vec<&SourceFile>> {
    let mut crates: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        if let Some(folder) = file.crate_folder() {
            crates.entry(folder).or_default().push(file);
        }
    }
    crates
}

/// All text files of the repository, sorted by path.
pub(crate) fn files(root: &Path) -> Result<Vec<SourceFile>, String> {
    let mut files: Vec<SourceFile> = match git_files() {
        Some(paths) => paths.iter().filter_map(|path| read(root, &root.join(path))).collect(),
        None => walk(root)?,
    };
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The tracked and untracked files of git; `None` without a git repository, as in a release
/// archive.
fn git_files() -> Option<Vec<String>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let paths = process::output(process::program("git").args(list)).ok()?;
    let paths: Vec<_> = paths.split_terminator('\0').map(String::from).collect();
    (!paths.is_empty()).then_some(paths)
}

fn walk(root: &Path) -> Result<Vec<SourceFile>, String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in folder.read_dir().map_err(describe)? {
            let entry = entry.map_err(describe)?;
            let kind = entry.file_type().map_err(describe)?;
            if kind.is_dir() && !IGNORED_DIRS.iter().any(|name| entry.file_name() == *name) {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.extend(read(root, &entry.path()));
            }
        }
    }
    Ok(files)
}

/// Reads a file; `None` if it is not UTF-8.
fn read(root: &Path, path: &Path) -> Option<SourceFile> {
    let text = String::from_utf8(fs::read(path).ok()?).ok()?;
    let path = path.strip_prefix(root).ok()?;
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    Some(SourceFile { path: parts.join("/"), text })
}

/// Folders that tools fill.
const IGNORED_DIRS: &[&str] = &["target", "crashes", "node_modules", "__pycache__", ".venv"];
