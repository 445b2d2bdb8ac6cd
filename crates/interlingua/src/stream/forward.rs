//! Frames that leave as they came, and what is added where clients would miss something.

use bytes::Bytes;
use interlingua_dialects::{Lack, note};
use interlingua_model::{Event, Ledger, Place, unfold};
use interlingua_wire::{Frame, Framer, Framing};

use super::Stream;

/// Whether frames leave as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forward {
    /// Another dialect.
    No,
    /// The same dialect, if the client wants its stream in the framing it comes in.
    If {
        array: bool,
    },
    Yes,
}

/// What the client has got of frames that leave as they came.
#[derive(Debug, Default)]
pub(super) struct Passed {
    pub(super) is_sse: bool,
    stage: Stage,
    /// What ends the last frame, if it came without its end.
    unended: &'static [u8],
    /// A frame was written anew, and that is noted.
    mended: bool,
    /// A frame was read in parts, and that is noted.
    pub(super) took_apart: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    #[default]
    Before,
    Begun,
    /// Something came after the end.
    Late,
    /// What the end lacked was added.
    Ended,
}

impl Forward {
    /// Now that the framing is known.
    pub(super) fn over(self, framing: Framing) -> Self {
        match self {
            Self::If { array } if array == (framing == Framing::JsonArray) => Self::Yes,
            Self::If { .. } | Self::No => Self::No,
            Self::Yes => Self::Yes,
        }
    }
}

impl Passed {
    fn reach(&mut self, stage: Stage) {
        self.stage = self.stage.max(stage);
    }
}

impl Stream {
    /// Tells a client that waits that somebody is there, between two events, with an event that its
    /// dialect has for that.
    pub fn ping(&mut self, out: &mut Vec<u8>) {
        match (&self.ping, self.forward) {
            (Some(frame), _) => out.extend_from_slice(frame),
            // What a writer says of itself would not fit what the provider says later.
            (None, Forward::Yes | Forward::If { array: false }) => {
                out.extend_from_slice(self.filler);
            }
            (None, Forward::If { array: true }) => {}
            (None, Forward::No) => self.writer.write(&Event::Ping, out, &mut self.ledger),
        }
    }

    /// Gives a frame to the client as it came, and reads it.
    pub(super) fn pass_on(&mut self, frame: Frame, out: &mut Vec<u8>) {
        let raw = self.without_mark(&frame.raw);
        let is_idle = frame.event.is_some() && frame.event.as_deref() == self.idle;
        let is_late = self.is_late(&frame);
        if !is_late {
            self.writer.follow(&frame);
        }
        let noted = self.ledger.entries.len();
        self.reader.read(frame, &mut self.events, &mut self.ledger);
        if is_late {
            return self.take_events(None);
        }
        let ends = matches!(self.events.last(), Some(Event::Stop(_) | Event::Fail(_)));
        if ends && !self.ended && self.reader.lacks() == Lack::Reason {
            // The client waits for a reason before the mark that has come: both are written.
            if let Some(owed) = self.reader.anew() {
                self.end_frame(out);
                out.extend_from_slice(&owed);
            }
            self.say_end(out);
            self.forward = Forward::No;
            return;
        }
        let anew = self.reader.anew();
        let is_unread = self.is_unread(noted);
        if is_unread && self.read_apart(&raw, noted, out) {
            return;
        }
        // What nobody can read is left out: the client gets what stands around it.
        let is_broken = is_unread && self.remember(&raw);
        let anew = anew.or_else(|| is_broken.then(Default::default));
        let raw = anew.map_or(raw, |anew| self.instead(anew));
        let unended = if self.passed.is_sse { missing_end(&raw) } else { b"" };
        // What was cut off within a frame cannot be read by the client either.
        if unended.is_empty() || !is_unread {
            out.extend_from_slice(&self.repeated.say(&raw));
            self.passed.unended = unended;
        }
        if is_idle {
            self.ping = Some(raw);
        }
        self.take_events(None);
    }

    /// What leaves in place of a frame that the client would misread.
    fn instead(&mut self, anew: Vec<u8>) -> Bytes {
        if !std::mem::replace(&mut self.passed.mended, true) {
            let what = "what clients would misread is written anew";
            self.ledger.change(note::ODD_INPUT, Place::REPLY, what);
        }
        let anew = Bytes::from(anew);
        if self.passed.is_sse {
            let mut framer = Framer::new(Framing::Sse, usize::MAX);
            framer.push(&anew);
            while let Ok(Some(frame)) = framer.finish() {
                self.writer.follow(&frame);
            }
        }
        anew
    }

    /// The bytes of a frame without the mark of their order that a stream may begin with: many clients
    /// take it for a part of the first field's name.
    fn without_mark(&mut self, raw: &Bytes) -> Bytes {
        let is_first = self.passed.stage == Stage::Before;
        self.passed.reach(Stage::Begun);
        if is_first {
            self.reader.passes_on();
        }
        if !(is_first && self.passed.is_sse && raw.starts_with(BYTE_ORDER)) {
            return raw.clone();
        }
        let what = "the byte order mark before the stream is left out";
        self.ledger.change(note::ODD_INPUT, Place::REPLY, what);
        raw.slice(BYTE_ORDER.len()..)
    }

    /// Whether a frame is no part of the reply any more. An end mark of another dialect, which some servers
    /// add, belongs to the reply that has just ended.
    fn is_late(&mut self, frame: &Frame) -> bool {
        let Some(data) = frame.data.as_ref().filter(|_| self.reader.is_over()) else {
            return false;
        };
        if data.trim() != "[DONE]" {
            self.passed.reach(Stage::Late);
        }
        self.passed.stage >= Stage::Late
    }

    /// The frames that came are all: adds what they lack.
    pub(super) fn end_forwarded(&mut self, out: &mut Vec<u8>) {
        if !self.ended && self.events.iter().any(|event| matches!(event, Event::Fail(_))) {
            return self.say_end(out);
        }
        self.take_events(None);
        if self.passed.stage == Stage::Ended {
            return;
        }
        self.passed.reach(Stage::Ended);
        let what = match self.reader.lacks() {
            Lack::Nothing => return,
            // Nothing follows the end of an array.
            Lack::Reason if !self.passed.is_sse => return,
            // It is noted where it was found.
            Lack::Reason => return self.say_end(out),
            Lack::Mark(mark) => {
                self.end_frame(out);
                out.extend_from_slice(mark);
                "the mark that ends the stream is added"
            }
            Lack::Failed => {
                self.say_end(out);
                "the event that ends a failed reply is added"
            }
        };
        self.ledger.change(note::STREAM_ORDER, Place::REPLY, what);
    }

    /// Writes the end that was read, where the provider's own words for it are not enough. What was read before it
    /// the client has, or will not get.
    fn say_end(&mut self, out: &mut Vec<u8>) {
        self.take_events(None);
        let end = match self.fold.failure() {
            Some(failure) => Event::Fail(Box::new(failure.clone())),
            None => Event::Stop(self.fold.so_far().stop.clone()),
        };
        self.catch_up(out);
        self.writer.write(&end, out, &mut self.ledger);
        self.passed.reach(Stage::Ended);
    }

    /// The client has the frames so far as they came; the writer is told what was in them, so that what it
    /// adds fits there.
    fn catch_up(&mut self, out: &mut Vec<u8>) {
        self.end_frame(out);
        let mut seen = unfold(self.fold.so_far());
        seen.pop();
        let (mut aside, mut unnoted) = (Vec::new(), Ledger::default());
        // A beginning that waits for what comes after it is one that the client has.
        for event in seen.iter().chain(&[Event::Ping]) {
            self.writer.write(event, &mut aside, &mut unnoted);
        }
    }

    /// What is added begins a frame of its own.
    fn end_frame(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(std::mem::take(&mut self.passed.unended));
    }
}

/// What a server-sent event lacks of the blank line that ends it.
pub(super) fn missing_end(raw: &[u8]) -> &'static [u8] {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let ends = raw.iter().rev().take_while(|byte| is_end(byte)).count();
    match ends {
        _ if raw.ends_with(b"\n\n") || raw.ends_with(b"\r\r") || ends >= 3 || ends == raw.len() => {
            b""
        }
        0 => b"\n\n",
        // One line feed would only complete the end of the line.
        1 if raw.ends_with(b"\r") => b"\n\n",
        _ => b"\n",
    }
}

const BYTE_ORDER: &[u8] = b"\xef\xbb\xbf";
