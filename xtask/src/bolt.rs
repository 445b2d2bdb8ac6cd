//! LLVM's BOLT, which lays out a linked program anew: what runs together lies together, and what never ran lies
//! apart from it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::run::{output, program, quietly, read, write};
use crate::{Outcome, debian};

pub(crate) struct Bolt {
    bolt: PathBuf,
    merge: PathBuf,
}

impl Bolt {
    /// One that is installed, or that can be; none where there is none for this machine.
    pub(crate) fn find() -> Option<Self> {
        if !cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))) {
            return None;
        }
        if let Some(found) = installed() {
            return Some(found);
        }
        let added = debian::install(&[&format!("bolt-{OLDEST}")]);
        let found = added.ok().and_then(|()| installed());
        if found.is_none() {
            println!("llvm-bolt is missing: what the linker makes is shipped as it is");
        }
        found
    }

    /// Writes a program that counts which way it goes, into a file for each of its processes that ends.
    pub(crate) fn watch(&self, linked: &Path, counts: &Path, into: &Path) -> Outcome {
        let mut watch = program(&self.bolt);
        watch.arg(linked).arg("-instrument").arg(BUT).arg("-o").arg(into);
        watch.arg("--instrumentation-file-append-pid");
        quietly(watch.arg(format!("--instrumentation-file={}", counts.join(COUNTS).display())))
    }

    /// Lays out a program for the ways that were counted: first what runs at every start, so that one who waits
    /// needs little memory, and then the rest; each so that those who call each other are near.
    pub(crate) fn lay_out(&self, linked: &Path, counts: &Path, into: &Path) -> Outcome {
        let files = written(counts);
        let start = read(files.first().ok_or("The program counted nothing.")?)?;
        let merged = counts.join("all");
        quietly(program(&self.merge).arg("-o").arg(&merged).args(&files))?;
        let lay_out = |order: [String; 2], into: &Path| {
            let mut lay_out = program(&self.bolt);
            lay_out.arg(linked).arg("-data").arg(&merged).arg(BUT).args(LAYOUT).args(order);
            quietly(lay_out.arg("-o").arg(into))
        };
        let order = counts.join("order");
        let written = format!("-generate-function-order={}", order.display());
        lay_out(["-reorder-functions=cdsort".to_owned(), written], &counts.join("aside"))?;
        write(&order, &ordered(&read(&order)?, &start))?;
        let given = format!("-function-order={}", order.display());
        lay_out(["-reorder-functions=user".to_owned(), given], into)
    }
}

/// What the processes wrote, in the order in which they ended.
fn written(counts: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(counts).into_iter().flatten();
    let mut files: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort_by_key(|file| fs::metadata(file).and_then(|about| about.modified()).ok());
    files
}

/// Names of functions, with those first that ran at the start. A line of counts has two names, where somebody
/// came from and where to: `1 NAME PLACE 1 NAME PLACE ERRORS COUNT`.
fn ordered(names: &str, start: &str) -> String {
    let ends = |line| str::split(line, ' ').skip(1).step_by(3).take(2);
    let ran: HashSet<&str> = start.lines().flat_map(ends).collect();
    let (first, rest): (Vec<&str>, Vec<&str>) = names.lines().partition(|name| ran.contains(name));
    [first, rest].concat().join("\n") + "\n"
}

fn installed() -> Option<Bolt> {
    let numbered = (OLDEST..=NEWEST).rev().map(|version| format!("-{version}"));
    std::iter::once(String::new()).chain(numbered).find_map(|ending| {
        let bolt = found(&format!("llvm-bolt{ending}"))?;
        let merge = found(&format!("merge-fdata{ending}"))?;
        let about = output(program(&bolt).arg("--version")).ok()?;
        let (_, version) = about.split_once("LLVM version ")?;
        let version: u32 = version.split('.').next()?.parse().ok()?;
        (version >= OLDEST).then_some(Bolt { bolt, merge })
    })
}

/// A program in the search path. What it needs lies beside it, not beside a link to it.
fn found(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).find_map(|folder| fs::canonicalize(folder.join(name)).ok())
}

const COUNTS: &str = "counts";
/// What encrypts is written by hand in part, and stays as it is: there, it is not always said where a function ends.
const BUT: &str = "-skip-funcs=aws_lc_.*,AWSLC.*,bn_.*,chacha20_.*,ecp_.*,_[^ZRm].*,L[a-z].*";
const LAYOUT: [&str; 6] = [
    "-lite",
    "-reorder-blocks=ext-tsp",
    "-split-functions",
    "-split-all-cold",
    "-split-eh",
    "-icf=1",
];
/// The first that knows these words.
const OLDEST: u32 = 19;
const NEWEST: u32 = 40;

#[cfg(test)]
mod tests {
    use super::ordered;

    #[test]
    fn what_runs_at_the_start_comes_first() {
        let start = "1 main 4f 1 open/1 0 0 4\n1 open/1 2 1 main 53 0 1\n";
        assert_eq!(ordered("hot\nopen/1\nrare\nmain\n", start), "open/1\nmain\nhot\nrare\n");
    }
}
