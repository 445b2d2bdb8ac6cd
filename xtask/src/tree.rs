//! The files of the project as the tidy checks see them.

use std::fs;
use std::path::Path;

use crate::run;

/// A text file, with its path from the root written with `/`.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        self.has_ending("rs")
    }

    pub(crate) fn has_ending(&self, ending: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == ending)
    }

    pub(crate) fn under(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Code that ships: Rust under a `src` folder, without the files that only hold tests.
    pub(crate) fn is_room(&self) -> bool {
        let parts: Vec<&str> = self.path.split('/').collect();
        self.is_rust()
            && parts.contains(&"src")
            && !parts.iter().any(|part| matches!(*part, "tests" | "tests.rs"))
    }

    /// Each line with its number, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// Every text file of the project, in the order of their paths.
pub(crate) fn files(root: &Path) -> Result<Vec<File>, String> {
    let mut files: Vec<File> = match known_to_git() {
        Some(paths) => paths.iter().filter_map(|path| read(root, &root.join(path))).collect(),
        None => walk(root)?,
    };
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// What is committed or could be; `None` where there is no repository, as in a release archive.
fn known_to_git() -> Option<Vec<String>> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let paths = run::output(run::program("git").args(list)).ok()?;
    let paths: Vec<_> = paths.split_terminator('\0').map(String::from).collect();
    (!paths.is_empty()).then_some(paths)
}

fn walk(root: &Path) -> Result<Vec<File>, String> {
    let mut files = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in folder.read_dir().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() && !BUILT.iter().any(|built| entry.file_name() == *built) {
                open.push(entry.path());
            } else if kind.is_file() {
                files.extend(read(root, &entry.path()));
            }
        }
    }
    Ok(files)
}

/// `None` for what is not text.
fn read(root: &Path, path: &Path) -> Option<File> {
    let text = String::from_utf8(fs::read(path).ok()?).ok()?;
    let path = path.strip_prefix(root).ok()?;
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    Some(File { path: parts.join("/"), text })
}

/// What tools fill.
const BUILT: &[&str] = &["target", "crashes", "node_modules", "__pycache__", ".venv"];
