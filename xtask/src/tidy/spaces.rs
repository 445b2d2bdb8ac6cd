//! No tabs and nothing at the end of a line.

use super::{Fault, File};

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    // In a case every byte counts.
    for file in files.iter().filter(|file| !file.under("corpus")) {
        for (number, line) in file.lines() {
            if line.contains('\t') {
                faults.push(Fault::new(file, number, "a tab: use spaces, or '\\t' in a literal"));
            }
            if line.ends_with(char::is_whitespace) {
                faults.push(Fault::new(file, number, "space at the end of the line: remove it"));
            }
        }
        if file.text.contains('\r') {
            faults.push(Fault::new(file, 1, "carriage returns: end lines with a newline alone"));
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            let last = file.lines().count();
            faults.push(Fault::new(file, last, "no newline at the end of the file: add one"));
        }
    }
    faults
}
