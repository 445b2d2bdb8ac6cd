//! What must not stay in a file: unfinished marks and paths of one machine.

use super::{Fault, File};

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    // What a case says is what a client once sent.
    for file in files.iter().filter(|file| !file.under("corpus") && !file.has_ending("lock")) {
        for (number, line) in file.lines() {
            if let Some(mark) = MARKS.iter().find(|mark| line.contains(**mark)) {
                let what = format!("'{mark}': finish it, or leave it out and say so in an issue");
                faults.push(Fault::new(file, number, what));
            }
            if let Some(path) = PLACES.iter().find(|place| holds_path(line, place)) {
                let what = format!("a path of one machine ('{path}…'): make it relative");
                faults.push(Fault::new(file, number, what));
            }
        }
    }
    faults
}

/// The place begins a path; the end of a web address is none.
pub(super) fn holds_path(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '}' | '…'))
    })
}

// Spelled in two parts, so that this file passes its own check.
const MARKS: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
    concat!("unimple", "mented!("),
    concat!("to", "do!("),
];

const PLACES: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];
