//! Changes to a file: every byte that no change names stays.

use std::ops::Range;

use bytes::Bytes;

use crate::Line;

#[derive(Debug, Default)]
pub(crate) struct Patch {
    splices: Vec<(Range<usize>, String)>,
}

impl Patch {
    /// Puts `text` in the place of these bytes.
    pub(crate) fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.push((range, text.into()));
    }

    /// Takes out a line with its end.
    pub(crate) fn remove_line(&mut self, line: &Line, file: &[u8]) {
        let Range { start, end } = line.range;
        // The last line has no end; then the end of the one before goes.
        if end < file.len() {
            self.replace(start..end + 1, "");
        } else {
            self.replace(start.saturating_sub(1)..end, "");
        }
    }

    /// Puts new lines behind a line.
    pub(crate) fn add_lines(&mut self, behind: &Line, lines: &[String]) {
        let text: String = lines.iter().flat_map(|line| ["\n", line]).collect();
        self.replace(behind.range.end..behind.range.end, text);
    }

    /// Puts new lines before a line.
    pub(crate) fn add_lines_before(&mut self, line: &Line, lines: &[String]) {
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        self.replace(line.range.start..line.range.start, text);
    }

    /// The file with all changes made. Of changes that overlap the first stays.
    pub(crate) fn apply(mut self, file: &[u8]) -> Bytes {
        self.splices.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = Vec::with_capacity(file.len() + 1024);
        let mut done = 0;
        for (range, text) in &self.splices {
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
