//! The files of the project as the tidy checks see them.

use std::fs;
use std::path::{Path, PathBuf};

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
    let mut files = Vec::new();
    collect(root, root, &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in folder.read_dir().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        let name = entry.file_name();
        if GENERATED.iter().any(|generated| name == *generated) {
            continue;
        }
        if kind.is_dir() {
            collect(root, &entry.path(), files)?;
        } else if kind.is_file() {
            files.extend(read(root, &entry.path()));
        }
    }
    Ok(())
}

/// `None` for what is not text.
fn read(root: &Path, path: &Path) -> Option<File> {
    let text = String::from_utf8(fs::read(path).ok()?).ok()?;
    let path: PathBuf = path.strip_prefix(root).ok()?.into();
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    Some(File { path: parts.join("/"), text })
}

/// What tools fill.
const GENERATED: &[&str] = &[
    ".git",
    "target",
    "node_modules",
    ".venv",
    "__pycache__",
    ".pytest_cache",
    "crashes",
    "artifacts",
];
