//! Frames whose data cannot be read as one value: what they hold all the same.
//!
//! Some servers lose the blank line between two events, write an event into the midst of one that they never
//! finish, or leave control characters in texts as they are. Nothing here is looked at before a frame turned out
//! to be unreadable.

use bytes::Bytes;
use interlingua_dialects::note;
use interlingua_model::{Event, Failure, Place};
use interlingua_wire::json::{Malformed, Why};
use interlingua_wire::{Doc, Frame, Framer, Framing, Limits, Text, frame};

use super::forward::missing_end;
use super::{Input, Stream};

/// What a frame is that could not be read.
enum Unread {
    /// These events; whether something beside them is lost.
    Apart(Vec<Frame>, bool),
    /// Something that clients may be able to read.
    Kept,
    /// Nothing that anybody can read: the beginning of it.
    Broken(String),
}

impl Stream {
    /// Whether the frame that was read after so many notes could not be read.
    pub(super) fn is_unread(&self, noted: usize) -> bool {
        self.ledger.entries.iter().skip(noted).any(|entry| entry.rule == note::BAD_FRAME)
    }

    /// Reads the events that are in a frame that could not be read; whether there are any.
    pub(super) fn read_apart(&mut self, raw: &Bytes, noted: usize, out: &mut Vec<u8>) -> bool {
        let Unread::Apart(frames, lost) = self.look(raw) else { return false };
        self.ledger.entries.truncate(noted);
        if lost {
            let what = "left out an event that another one was written into";
            self.ledger.loss(note::BAD_FRAME, Place::REPLY, what);
        }
        if !std::mem::replace(&mut self.passed.took_apart, true) {
            let what = "events that came as one, or not as JSON writes them, are read one by one";
            self.ledger.change(note::ODD_INPUT, Place::REPLY, what);
        }
        for frame in frames {
            if matches!(self.input, Input::Closed) {
                break;
            }
            self.frame(frame, out);
        }
        true
    }

    /// Remembers the words of a frame that could not be read, which may say why the reply breaks off; whether
    /// there is nothing in it that anybody can read.
    pub(super) fn remember(&mut self, raw: &Bytes) -> bool {
        let Unread::Broken(words) = self.look(raw) else { return false };
        // The beginning of an event says nothing.
        let is_whole = missing_end(raw).is_empty();
        if is_whole {
            self.words = Some(words);
        }
        is_whole
    }

    /// Says what the server said in its own words before its reply broke off.
    pub(super) fn say_words(&mut self) {
        let Some(words) = self.words.take() else { return };
        let cut = Failure::cut_short().message;
        for event in &mut self.events {
            if let Event::Fail(failure) = event
                && failure.message == cut
            {
                let message = format!("{}; its server said: {words}", cut.contents());
                failure.message = Text::new(&message);
            }
        }
    }

    fn look(&self, raw: &Bytes) -> Unread {
        if !self.passed.is_sse {
            return Unread::Kept;
        }
        let mut framer = Framer::new(Framing::Sse, usize::MAX);
        framer.push(raw);
        let Ok(Some(Frame { event, data: Some(data), .. })) = framer.finish() else {
            return Unread::Kept;
        };
        let Err(wrong) = parse(&data) else { return Unread::Kept };
        if may_be_read(&data, wrong) {
            return Unread::Kept;
        }
        if let Some(mended) = mended(&data) {
            return Unread::Apart(vec![written(event.as_deref(), &mended)], false);
        }
        let mut lines = Lines::default();
        for line in raw.split(|byte| matches!(byte, b'\n' | b'\r')) {
            lines.take(&String::from_utf8_lossy(line));
        }
        lines.settle();
        let is_same =
            |frames: &[Frame]| matches!(frames, [one] if one.data.as_ref() == Some(&data));
        if lines.found == 0 || is_same(&lines.frames) {
            return Unread::Broken(data.trim().chars().take(MOST_WORDS).collect());
        }
        Unread::Apart(lines.frames, lines.lost)
    }
}

/// The events in the lines of a frame.
#[derive(Default)]
struct Lines {
    frames: Vec<Frame>,
    found: usize,
    lost: bool,
    name: Option<String>,
    /// Lines of data that are no values by themselves.
    waiting: Vec<String>,
}

impl Lines {
    fn take(&mut self, line: &str) {
        if let Some(name) = value(line, "event") {
            self.settle();
            self.name = Some(name.to_owned());
        }
        let Some(data) = value(line, "data") else { return };
        let mut values = Vec::new();
        match values_of(data, &mut values) {
            Some(lost) => {
                self.settle();
                self.lost |= lost;
                self.found += values.len();
                let name = self.name.as_deref();
                self.frames.extend(values.iter().map(|value| written(name, value)));
            }
            None => self.waiting.push(data.to_owned()),
        }
    }

    /// Lines that are no values by themselves may be one together.
    fn settle(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let data = std::mem::take(&mut self.waiting).join("\n");
        let value = if parse(&data).is_ok() { Some(data.clone()) } else { mended(&data) };
        self.found += usize::from(value.is_some());
        self.frames.push(written(self.name.as_deref(), &value.unwrap_or(data)));
    }
}

/// Finds the values in one line of data; whether something beside them is lost. `None` if there is none.
fn values_of(line: &str, values: &mut Vec<String>) -> Option<bool> {
    let mut rest = line.trim();
    let mut lost = false;
    let mut tries = MOST_TRIES;
    while !rest.is_empty() {
        if rest == "[DONE]" {
            values.push(rest.to_owned());
            break;
        }
        let is_object = rest.starts_with('{') && !rest.starts_with("{}");
        if let Some(first) = first_value(rest).filter(|_| is_object) {
            values.push(first.trim_end().to_owned());
            rest = rest[first.len()..].trim_start();
        } else if let Some(mended) = mended(rest).filter(|_| is_object) {
            values.push(mended);
            break;
        } else {
            // The next event may begin within this one.
            tries -= 1;
            let next = rest.find("data:").filter(|_| tries > 0);
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

/// The value that a text begins with, whatever follows it.
fn first_value(text: &str) -> Option<&str> {
    let Err(wrong) = parse(text) else { return Some(text) };
    text.get(..wrong.at).filter(|first| parse(first).is_ok())
}

/// The text with the control characters escaped that stand bare in its strings, if that makes it JSON.
fn mended(text: &str) -> Option<String> {
    let (mut out, mut inside, mut escaped) = (String::with_capacity(text.len() + 8), false, false);
    for letter in text.chars() {
        match letter {
            '"' if !escaped => inside = !inside,
            '\n' if inside => {
                out.push_str("\\n");
                continue;
            }
            '\0'..='\x1f' if inside => {
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

/// Whether what is wrong with a text may be right for clients: they have other limits, and those in Python
/// read numbers that JSON does not have.
fn may_be_read(text: &str, wrong: Malformed) -> bool {
    match wrong.why {
        Why::TooDeep { .. } | Why::TooLarge { .. } => true,
        Why::Expected(_) => {
            let rest = text.get(wrong.at..).unwrap_or_default();
            ["NaN", "Infinity", "-Infinity"].iter().any(|word| rest.starts_with(word))
        }
        Why::NotUtf8 | Why::Ended => false,
    }
}

fn parse(text: &str) -> Result<Doc, Malformed> {
    Doc::parse(text.into(), Limits::default())
}

/// The value of a line, if it is of this field.
fn value<'l>(line: &'l str, field: &str) -> Option<&'l str> {
    let value = line.strip_prefix(field)?.strip_prefix(':')?;
    Some(value.strip_prefix(' ').unwrap_or(value))
}

fn written(event: Option<&str>, data: &str) -> Frame {
    let mut raw = Vec::new();
    frame::write(Framing::Sse, event, data, &mut raw);
    Frame { raw: raw.into(), event: event.map(Into::into), data: Some(data.into()) }
}

/// How often an event is looked for within another.
const MOST_TRIES: usize = 16;

/// How much is told of what cannot be read.
const MOST_WORDS: usize = 300;
