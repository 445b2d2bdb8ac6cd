//! Checks that `test = false` stands exactly in the manifests of libraries without unit tests: without it the
//! library is compiled a second time to run none; with it existing unit tests would never run.

use super::diagnostic::Diagnostic;
use super::strip;
use crate::source_files::SourceFile;

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    let manifests = files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    manifests.filter_map(|manifest| check_manifest(manifest, files)).collect()
}

fn check_manifest(manifest: &SourceFile, files: &[SourceFile]) -> Option<Diagnostic> {
    let crate_ = manifest.path.strip_suffix("/Cargo.toml")?;
    let (root, src) = (format!("{crate_}/src/lib.rs"), format!("{crate_}/src"));
    let library = files.iter().find(|file| file.path == root)?;
    let mut sources = files.iter().filter(|file| file.is_rust() && file.is_under(&src));
    let tested = sources.any(|file| strip::strip_non_code(&file.text).contains("#[cfg(test)]"));
    match (disables_unit_tests(&manifest.text), tested) {
        (true, true) => {
            let message =
                "there are unit tests under `src`, which never run: remove `test = false`";
            Some(Diagnostic::new(manifest, 1, message))
        }
        (false, false) => {
            let message = "no unit tests: add `test = false` to `[lib]` of its manifest";
            Some(Diagnostic::new(library, 1, message))
        }
        _ => None,
    }
}

fn disables_unit_tests(manifest: &str) -> bool {
    let lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lib]").skip(1);
    lines.take_while(|line| !line.starts_with('[')).any(|line| line == "test = false")
}
