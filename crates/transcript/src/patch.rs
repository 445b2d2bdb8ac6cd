//! Changes to a file: every byte that no change names stays.

use std::collections::HashSet;
use std::ops::Range;

use bytes::Bytes;

use crate::{Line, Source};

#[derive(Debug, Default)]
pub(crate) struct Patch {
    splices: Vec<(Range<usize>, String)>,
    /// Where the lines begin that are taken out.
    gone: HashSet<usize>,
}

impl Patch {
    /// Puts `text` in the place of these bytes.
    pub(crate) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.push((range, text.into()));
    }

    /// Takes out a line with its end.
    pub(crate) fn remove_line(&mut self, line: &Line, file: &[u8]) {
        let Range { start, end } = line.range;
        self.gone.insert(start);
        if line.is_joined(file) {
            self.replace(start..end, "");
        } else if end < file.len() {
            self.replace(start..end + 1, "");
        } else {
            // The last line has no end; then the end of the one before goes.
            let before = file[..start].ends_with(b"\n");
            self.replace(start - usize::from(before)..end, "");
        }
    }

    /// Puts new lines behind a line.
    pub(crate) fn add_lines(&mut self, behind: &Line, lines: &[String], file: &[u8]) {
        // What is joined to the next gets an end, and stands before a new line.
        let text: String = if behind.is_joined(file) {
            lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
        } else {
            lines.iter().flat_map(|line| ["\n", line]).collect()
        };
        self.replace(behind.range.end..behind.range.end, text);
    }

    /// Puts new lines before a line.
    pub(crate) fn add_lines_before(&mut self, line: &Line, lines: &[String]) {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        self.replace(line.range.start..line.range.start, text);
    }

    /// The file with all changes made, in which every line is one record. Of changes that overlap the
    /// first stays.
    pub(crate) fn apply(self, source: &Source) -> Bytes {
        let file = source.bytes();
        let mut splices = Vec::new();
        for line in source.lines() {
            let Range { start, end } = line.range;
            let joined = line.is_joined(file);
            if line.doc.is_ok() {
                if joined && !self.gone.contains(&start) {
                    splices.push((end..end, "\n".to_owned()));
                }
                continue;
            }
            // Whatever comes next is to begin a line, also at the end of the file.
            splices.push((start..end + usize::from(!joined && end < file.len()), String::new()));
        }
        splices.extend(self.splices);
        splices.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = Vec::with_capacity(file.len() + 1024);
        let mut done = 0;
        for (range, text) in &splices {
            if range.start < done {
                if text.is_empty() {
                    done = done.max(range.end);
                }
                continue;
            }
            out.extend_from_slice(&file[done..range.start]);
            out.extend_from_slice(text.as_bytes());
            done = range.end;
        }
        out.extend_from_slice(&file[done..]);
        out.into()
    }
}
