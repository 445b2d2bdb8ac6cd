//! A library without unit tests says so: then it is not built a second time to run none of them. One that has
//! some must not say so: they would never run.

use super::code;
use super::{Fault, File};

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    let manifests = files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    manifests.filter_map(|manifest| fault(manifest, files)).collect()
}

fn fault(manifest: &File, files: &[File]) -> Option<Fault> {
    let crate_ = manifest.path.strip_suffix("/Cargo.toml")?;
    let (root, src) = (format!("{crate_}/src/lib.rs"), format!("{crate_}/src"));
    let library = files.iter().find(|file| file.path == root)?;
    let mut sources = files.iter().filter(|file| file.is_rust() && file.under(&src));
    let tested = sources.any(|file| code::only(&file.text).contains("#[cfg(test)]"));
    match (says_none(&manifest.text), tested) {
        (true, true) => {
            let what = "there are unit tests under `src`, which never run: remove `test = false`";
            Some(Fault::new(manifest, 1, what))
        }
        (false, false) => {
            let what = "no unit tests: add `test = false` to `[lib]` of its manifest";
            Some(Fault::new(library, 1, what))
        }
        _ => None,
    }
}

fn says_none(manifest: &str) -> bool {
    let lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lib]").skip(1);
    lines.take_while(|line| !line.starts_with('[')).any(|line| line == "test = false")
}
