//! How long a file may be, and how it begins.

use super::{Fault, File};

const LINES: usize = 400;

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    let fault = |file: &File| {
        let lines = file.lines().count();
        (lines > LINES).then(|| {
            let what = format!("{lines} lines; split the file so that each has {LINES} at most");
            Fault::new(file, lines, what)
        })
    };
    files.iter().filter(|file| file.is_room()).filter_map(fault).collect()
}

pub(super) fn first_line(files: &[File]) -> Vec<Fault> {
    let says_what_it_is = |file: &&File| {
        let first = file.text.lines().next().unwrap_or_default();
        first.strip_prefix("//! ").is_some_and(|words| !words.trim().is_empty())
    };
    let in_src = |file: &&File| file.is_rust() && file.path.split('/').any(|part| part == "src");
    let what = "begin the file with a line '//! …' that says what it is";
    let faulty = files.iter().filter(in_src).filter(|file| !says_what_it_is(file));
    faulty.map(|file| Fault::new(file, 1, what)).collect()
}
