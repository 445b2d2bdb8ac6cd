//! Runs LLVM's BOLT, which reorders the functions and blocks of a linked program by a profile.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::apt;
use crate::outcome::Outcome;
use crate::process::{output, program, read, run_quietly, write};

pub(crate) struct Bolt {
    bolt: PathBuf,
    merge_fdata: PathBuf,
}

impl Bolt {
    /// The installed BOLT, or one that apt can install; `None` for other platforms.
    pub(crate) fn find() -> Option<Self> {
        if !cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))) {
            return None;
        }
        if let Some(bolt) = find_installed() {
            return Some(bolt);
        }
        let outcome = apt::install(&[&format!("bolt-{MIN_VERSION}")]);
        let bolt = outcome.ok().and_then(|()| find_installed());
        if bolt.is_none() {
            println!(
                "llvm-bolt is missing: the linked program is shipped without layout optimization"
            );
        }
        bolt
    }

    /// Writes an instrumented program; each of its processes writes a profile file at its exit.
    pub(crate) fn instrument(&self, linked: &Path, profiles: &Path, output_path: &Path) -> Outcome {
        let mut instrument = program(&self.bolt);
        instrument.arg(linked).arg("-instrument").arg(SKIP_FUNCS).arg("-o").arg(output_path);
        instrument.arg("--instrumentation-file-append-pid");
        run_quietly(
            instrument
                .arg(format!("--instrumentation-file={}", profiles.join(PROFILE_NAME).display())),
        )
    }

    /// Lays out a program by its profiles: first the functions of the start, so that an idle
    /// process needs few pages, then the rest; each part with callers next to callees.
    pub(crate) fn optimize(&self, linked: &Path, profiles: &Path, output_path: &Path) -> Outcome {
        let files = profile_files(profiles);
        let start = read(files.first().ok_or("The program wrote no profile.")?)?;
        let merged = profiles.join("all");
        run_quietly(program(&self.merge_fdata).arg("-o").arg(&merged).args(&files))?;
        let lay_out = |order: [String; 2], output_path: &Path| {
            let mut lay_out = program(&self.bolt);
            lay_out
                .arg(linked)
                .arg("-data")
                .arg(&merged)
                .arg(SKIP_FUNCS)
                .args(LAYOUT_FLAGS)
                .args(order);
            run_quietly(lay_out.arg("-o").arg(output_path))
        };
        let order = profiles.join("order");
        let write_order = format!("-generate-function-order={}", order.display());
        lay_out(["-reorder-functions=cdsort".to_owned(), write_order], &profiles.join("aside"))?;
        write(&order, &startup_first(&read(&order)?, &start))?;
        let use_order = format!("-function-order={}", order.display());
        lay_out(["-reorder-functions=user".to_owned(), use_order], output_path)
    }
}

/// The profiles of the processes, in the order of their exits.
fn profile_files(profiles: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(profiles).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort_by_key(|file| fs::metadata(file).and_then(|metadata| metadata.modified()).ok());
    files
}

/// Function names, with those of the start first. A line of a profile has the source and the target
/// of a branch: `1 NAME OFFSET 1 NAME OFFSET MISPREDICTIONS COUNT`.
fn startup_first(names: &str, start: &str) -> String {
    let branch_names = |line| str::split(line, ' ').skip(1).step_by(3).take(2);
    let start_names: HashSet<&str> = start.lines().flat_map(branch_names).collect();
    let (first, rest): (Vec<&str>, Vec<&str>) =
        names.lines().partition(|name| start_names.contains(name));
    [first, rest].concat().join("\n") + "\n"
}

fn find_installed() -> Option<Bolt> {
    let suffixes = (MIN_VERSION..=MAX_VERSION).rev().map(|version| format!("-{version}"));
    std::iter::once(String::new()).chain(suffixes).find_map(|suffix| {
        let bolt = find_in_path(&format!("llvm-bolt{suffix}"))?;
        let merge_fdata = find_in_path(&format!("merge-fdata{suffix}"))?;
        let version_text = output(program(&bolt).arg("--version")).ok()?;
        let (_, version) = version_text.split_once("LLVM version ")?;
        let version: u32 = version.split('.').next()?.parse().ok()?;
        (version >= MIN_VERSION).then_some(Bolt { bolt, merge_fdata })
    })
}

/// A program in `PATH`, without symbolic links, because BOLT finds its libraries relative to its
/// own path.
fn find_in_path(name: &str) -> Option<PathBuf> {
    let search_path = env::var_os("PATH")?;
    env::split_paths(&search_path).find_map(|folder| fs::canonicalize(folder.join(name)).ok())
}

const PROFILE_NAME: &str = "counts";
/// The cryptography has handwritten assembly without reliable function sizes, so BOLT must not
/// touch it.
const SKIP_FUNCS: &str =
    "-skip-funcs=aws_lc_.*,AWSLC.*,bn_.*,chacha20_.*,ecp_.*,_[^ZRm].*,L[a-z].*";
const LAYOUT_FLAGS: [&str; 6] = [
    "-lite",
    "-reorder-blocks=ext-tsp",
    "-split-functions",
    "-split-all-cold",
    "-split-eh",
    "-icf=1",
];
/// The first version with these flags.
const MIN_VERSION: u32 = 19;
const MAX_VERSION: u32 = 40;

#[cfg(test)]
mod tests {
    use super::startup_first;

    #[test]
    fn functions_of_the_start_come_first() {
        let start = "1 main 4f 1 open/1 0 0 4\n1 open/1 2 1 main 53 0 1\n";
        assert_eq!(startup_first("hot\nopen/1\nrare\nmain\n", start), "open/1\nmain\nhot\nrare\n");
    }
}
