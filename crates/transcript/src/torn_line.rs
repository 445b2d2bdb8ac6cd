//! Splits a torn line into the records in it and unreadable rest.
//!
//! An agent that dies while it writes leaves an incomplete record, and the next record is appended
//! to the same line; two agents that write concurrently leave two records on one line.

use std::ops::Range;

use bytes::Bytes;
use interlingua::{JsonDoc, JsonError, JsonLimits};
use interlingua_wire::json::JsonErrorKind;
use memchr::memmem;

/// A range of a line with the white space after it: a whole record, or unreadable bytes.
pub(crate) struct LinePiece {
    pub(crate) range: Range<usize>,
    pub(crate) doc: Result<JsonDoc, JsonError>,
}

/// Splits a line that is not one JSON value. The pieces cover all of it.
pub(crate) fn split_torn_line(
    line: &Bytes,
    error: JsonError,
    limits: JsonLimits,
) -> Vec<LinePiece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < line.len() {
        if let Some((range, doc)) = object_at(line, start, limits) {
            start = range.end;
            pieces.push(LinePiece { range, doc: Ok(doc) });
            continue;
        }
        let next = next_object(line, start, limits);
        let range = start..next.unwrap_or(line.len());
        let error = if start == 0 { error } else { first_error(line, start, limits) };
        start = range.end;
        pieces.push(LinePiece { range, doc: Err(error) });
    }
    pieces
}

/// Reads the object that starts here, if it is complete.
fn object_at(line: &Bytes, start: usize, limits: JsonLimits) -> Option<(Range<usize>, JsonDoc)> {
    line[start..].starts_with(b"{").then_some(())?;
    let (end, doc) = parse_at(line, start, limits).0?;
    let trailing_space = line[end..].len() - line[end..].trim_ascii_start().len();
    Some((start..end + trailing_space, doc))
}

/// Finds the next complete object after unreadable bytes. An object inside an incomplete record
/// does not count: it is followed by more of that record.
fn next_object(line: &Bytes, search_start: usize, limits: JsonLimits) -> Option<usize> {
    let error_offset = search_start + first_error(line, search_start, limits).offset;
    let mut from = error_offset.saturating_sub(RECORD_START.len()).max(search_start + 1);
    loop {
        let start = from + memmem::find(line.get(from..)?, RECORD_START)?;
        let Some((range, _)) = object_at(line, start, limits) else {
            from = start + 1;
            continue;
        };
        let next_byte = line[range.end..].trim_ascii_start().first();
        if !next_byte.is_some_and(|byte| b",]}".contains(byte)) {
            return Some(start);
        }
        from = range.end;
    }
}

/// The first error in these bytes, with its offset.
fn first_error(line: &Bytes, start: usize, limits: JsonLimits) -> JsonError {
    let end_error = JsonError { offset: line.len() - start, kind: JsonErrorKind::UnexpectedEnd };
    parse_at(line, start, limits).1.unwrap_or(end_error)
}

/// Parses the value that starts here: the value with its end, if it is complete, and the first error.
/// Only as much of the line is read as that needs: a line may have as many starts of objects as bytes.
fn parse_at(
    line: &Bytes,
    start: usize,
    limits: JsonLimits,
) -> (Option<(usize, JsonDoc)>, Option<JsonError>) {
    let mut window = INITIAL_WINDOW_BYTES;
    loop {
        let window_end = line.len().min(start.saturating_add(window));
        let (mut end, mut first_error) = (window_end, None::<JsonError>);
        loop {
            match JsonDoc::from_bytes(line.slice(start..end), limits) {
                // Before an error, if there is one: something else follows the value.
                Ok(doc) => return (Some((end, doc)), first_error),
                Err(error) => {
                    let error_end = start + error.offset;
                    if first_error.is_none_or(|first| error.offset < first.offset) {
                        first_error = Some(error);
                    }
                    // The parser checks UTF-8 of its whole input first: an earlier error is found
                    // by parsing up to this one.
                    if error_end >= end {
                        break;
                    }
                    end = error_end;
                }
            }
        }
        // An error at the end of the window may be caused by its end.
        if window_end == line.len() || end + MAX_TOKEN_BYTES < window_end {
            return (None, first_error);
        }
        window *= 8;
    }
}

/// The start of every agent's records.
const RECORD_START: &[u8] = b"{\"";
/// First window for parsing an object: keeps the work linear with many objects on one line.
const INITIAL_WINDOW_BYTES: usize = 256;
/// A character, an escape or a literal that the end of a window cuts.
const MAX_TOKEN_BYTES: usize = 16;
