//! Applies replacements to a file's bytes and keeps all other bytes.

use std::collections::HashSet;
use std::ops::Range;

use bytes::Bytes;

use crate::{Line, TranscriptFile};

#[derive(Debug, Default)]
pub(crate) struct FilePatch {
    splices: Vec<(Range<usize>, String)>,
    /// Start offsets of removed lines.
    removed_lines: HashSet<usize>,
}

impl FilePatch {
    /// Replaces a range with `text`.
    pub(crate) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.push((range, text.into()));
    }

    /// Removes a line with its line break.
    pub(crate) fn remove_line(&mut self, line: &Line, file: &[u8]) {
        let Range { start, end } = line.range;
        self.removed_lines.insert(start);
        if line.shares_line(file) {
            self.replace(start..end, "");
        } else if end < file.len() {
            self.replace(start..end + 1, "");
        } else {
            // The last line has no line break: remove the previous line's instead.
            let has_previous = file[..start].ends_with(b"\n");
            self.replace(start - usize::from(has_previous)..end, "");
        }
    }

    /// Adds new lines after a line.
    pub(crate) fn add_lines(&mut self, line_before: &Line, lines: &[String], file: &[u8]) {
        // A record that shares its line with the next one gets a line break from `apply`.
        let text: String = if line_before.shares_line(file) {
            lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
        } else {
            lines.iter().flat_map(|line| ["\n", line]).collect()
        };
        self.replace(line_before.range.end..line_before.range.end, text);
    }

    /// Adds new lines before a line.
    pub(crate) fn add_lines_before(&mut self, line: &Line, lines: &[String]) {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        self.replace(line.range.start..line.range.start, text);
    }

    /// Returns the changed file, with one record per line. Of overlapping changes the first wins.
    pub(crate) fn apply(self, source: &TranscriptFile) -> Bytes {
        let file = source.bytes();
        let mut splices = Vec::new();
        for line in source.lines() {
            let Range { start, end } = line.range;
            let shares_line = line.shares_line(file);
            if line.doc.is_ok() {
                if shares_line && !self.removed_lines.contains(&start) {
                    splices.push((end..end, "\n".to_owned()));
                }
                continue;
            }
            // The next record must start a line, also one appended to the file.
            splices
                .push((start..end + usize::from(!shares_line && end < file.len()), String::new()));
        }
        splices.extend(self.splices);
        splices.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = Vec::with_capacity(file.len() + 1024);
        let mut position = 0;
        for (range, text) in &splices {
            if range.start < position {
                if text.is_empty() {
                    position = position.max(range.end);
                }
                continue;
            }
            out.extend_from_slice(&file[position..range.start]);
            out.extend_from_slice(text.as_bytes());
            position = range.end;
        }
        out.extend_from_slice(&file[position..]);
        out.into()
    }
}
