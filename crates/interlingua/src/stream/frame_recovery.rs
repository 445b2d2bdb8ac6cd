//! Recovers events from frames with data that is not one JSON value.
//!
//! Some servers omit the blank line between two events, start an event inside an unfinished one, or
//! leave control characters unescaped in strings. This code runs only after a frame could not be
//! parsed.

use bytes::Bytes;
use interlingua_dialects::note;
use interlingua_model::Ledger;
use interlingua_wire::json::{JsonError, JsonErrorKind};
use interlingua_wire::{Frame, FrameReader, Framing, JsonDoc, JsonLimits, frame};

/// Outcome of recovering a frame.
pub(super) enum Recovery {
    /// The recovered frames, and whether something next to them was lost.
    Frames(Vec<Frame>, bool),
    /// Clients may be able to parse it.
    LeaveAsIs,
    /// Nothing can be recovered; holds the beginning of the data.
    Unparsable(String),
}

/// Recovers frames from a server-sent event that could not be parsed.
pub(super) fn try_recover(raw: &Bytes) -> Recovery {
    let mut frame_reader = FrameReader::new(Framing::Sse, usize::MAX);
    frame_reader.push(raw);
    let Ok(Some(Frame { event, data: Some(data), .. })) = frame_reader.finish() else {
        return Recovery::LeaveAsIs;
    };
    let Err(error) = parse(&data) else { return Recovery::LeaveAsIs };
    if client_may_parse(&data, error) {
        return Recovery::LeaveAsIs;
    }
    if let Some(escaped) = escape_controls(&data) {
        return Recovery::Frames(vec![new_sse_frame(event.as_deref(), &escaped)], false);
    }
    let mut lines = LineRecovery::default();
    for line in raw.split(|byte| matches!(byte, b'\n' | b'\r')) {
        lines.push_line(&String::from_utf8_lossy(line));
    }
    lines.flush();
    if !missing_terminator(raw).is_empty() {
        lines.drop_quoted_end();
    }
    let is_same = |frames: &[Frame]| matches!(frames, [one] if one.data.as_ref() == Some(&data));
    if lines.values == 0 || is_same(&lines.frames) {
        return Recovery::Unparsable(data.trim().chars().take(MAX_REPORTED_CHARS).collect());
    }
    Recovery::Frames(lines.frames, lines.has_loss)
}

/// Returns the line feeds that a server-sent event lacks at its end.
pub(super) fn missing_terminator(raw: &[u8]) -> &'static [u8] {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let ends = raw.iter().rev().take_while(|byte| is_end(byte)).count();
    match ends {
        _ if raw.ends_with(b"\n\n") || raw.ends_with(b"\r\r") || ends >= 3 || ends == raw.len() => {
            b""
        }
        0 => b"\n\n",
        // One line feed would only complete the CRLF of the line.
        1 if raw.ends_with(b"\r") => b"\n\n",
        _ => b"\n",
    }
}

/// Whether an entry is for an unparsable frame.
pub(super) fn has_bad_frame(frame_ledger: &Ledger) -> bool {
    frame_ledger.entries.iter().any(|entry| entry.rule == note::BAD_FRAME)
}

/// Recovers events from the lines of a frame.
#[derive(Default)]
struct LineRecovery {
    frames: Vec<Frame>,
    values: usize,
    has_loss: bool,
    event_name: Option<String>,
    /// Data lines that are no JSON value by themselves.
    pending_lines: Vec<String>,
}

impl LineRecovery {
    fn push_line(&mut self, line: &str) {
        if let Some(name) = field_value(line, "event") {
            self.flush();
            self.event_name = Some(name.to_owned());
        }
        let Some(data) = field_value(line, "data") else { return };
        let mut values = Vec::new();
        match split_values(data, &mut values) {
            Some(lost) => {
                self.flush();
                self.has_loss |= lost;
                self.values += values.len();
                let name = self.event_name.as_deref();
                self.frames.extend(values.iter().map(|value| new_sse_frame(name, value)));
            }
            None => self.pending_lines.push(data.to_owned()),
        }
    }

    /// Drops an end marker inside an interrupted event: where the stream was cut, it is more likely
    /// the text of that event.
    fn drop_quoted_end(&mut self) {
        if self.has_loss
            && self.frames.pop_if(|frame| frame.data.as_deref() == Some("[DONE]")).is_some()
        {
            self.values -= 1;
        }
    }

    /// Joins the pending lines into one value.
    fn flush(&mut self) {
        if self.pending_lines.is_empty() {
            return;
        }
        let data = std::mem::take(&mut self.pending_lines).join("\n");
        let value = if parse(&data).is_ok() { Some(data.clone()) } else { escape_controls(&data) };
        self.values += usize::from(value.is_some());
        self.frames.push(new_sse_frame(self.event_name.as_deref(), &value.unwrap_or(data)));
    }
}

/// Splits a data line into JSON values; returns whether something next to them was lost, or `None`
/// if there is no value.
fn split_values(line: &str, values: &mut Vec<String>) -> Option<bool> {
    let mut rest = line.trim();
    let mut lost = false;
    let mut attempts = MAX_RESYNCS;
    while !rest.is_empty() {
        if rest == "[DONE]" {
            values.push(rest.to_owned());
            break;
        }
        let is_object = rest.starts_with('{') && !rest.starts_with("{}");
        if let Some(first) = first_value(rest).filter(|_| is_object) {
            values.push(first.trim_end().to_owned());
            rest = rest[first.len()..].trim_start();
        } else if let Some(escaped) = escape_controls(rest).filter(|_| is_object) {
            values.push(escaped);
            break;
        } else {
            // Another event may begin inside this one.
            attempts -= 1;
            let next = rest.find("data:").filter(|_| attempts > 0);
            let Some(next) = next else {
                lost = true;
                break;
            };
            lost |= next > 0;
            rest = rest[next + "data:".len()..].trim_start();
        }
    }
    (!values.is_empty()).then_some(lost)
}

/// Returns the JSON value at the start of a text.
fn first_value(text: &str) -> Option<&str> {
    let Err(error) = parse(text) else { return Some(text) };
    text.get(..error.offset).filter(|first| parse(first).is_ok())
}

/// Escapes bare control characters in strings; `None` if the result is not JSON.
fn escape_controls(text: &str) -> Option<String> {
    let (mut out, mut in_string, mut escaped) =
        (String::with_capacity(text.len() + 8), false, false);
    for letter in text.chars() {
        match letter {
            '"' if !escaped => in_string = !in_string,
            '\n' if in_string => {
                out.push_str("\\n");
                continue;
            }
            '\0'..='\x1f' if in_string => {
                out.extend(format!("\\u{:04x}", u32::from(letter)).chars());
                continue;
            }
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
        out.push(letter);
    }
    (out.len() > text.len() && parse(&out).is_ok()).then_some(out)
}

/// Whether clients may be able to parse what failed here: they have other limits, and Python's
/// parser accepts `NaN` and `Infinity`.
fn client_may_parse(text: &str, error: JsonError) -> bool {
    match error.kind {
        JsonErrorKind::TooDeep { .. }
        | JsonErrorKind::TooLarge { .. }
        | JsonErrorKind::TooManyValues { .. } => true,
        JsonErrorKind::Expected(_) => {
            let rest = text.get(error.offset..).unwrap_or_default();
            ["NaN", "Infinity", "-Infinity"].iter().any(|literal| rest.starts_with(literal))
        }
        JsonErrorKind::InvalidUtf8 | JsonErrorKind::UnexpectedEnd => false,
    }
}

fn parse(text: &str) -> Result<JsonDoc, JsonError> {
    JsonDoc::parse(text.into(), JsonLimits::default())
}

/// Returns the value of a line, if it has this field name.
fn field_value<'l>(line: &'l str, field: &str) -> Option<&'l str> {
    let value = line.strip_prefix(field)?.strip_prefix(':')?;
    Some(value.strip_prefix(' ').unwrap_or(value))
}

fn new_sse_frame(event: Option<&str>, data: &str) -> Frame {
    let mut raw = Vec::new();
    frame::write(Framing::Sse, event, data, &mut raw);
    Frame { raw: raw.into(), event: event.map(Into::into), data: Some(data.into()) }
}

/// Maximum attempts to find an event inside another one.
const MAX_RESYNCS: usize = 16;

/// Maximum characters of unparsable data in an error message.
const MAX_REPORTED_CHARS: usize = 300;
