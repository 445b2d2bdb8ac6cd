//! Frames that clients of the dialect would misread: said anew, where all others leave as they came.
//!
//! Packages go by the name of an event, count blocks from 0, take a piece only for a block that has begun
//! and is of its kind, read the arguments of a call from its pieces, and read counts without asking.

use bytes::Bytes;
use interlingua_model::{Exchange, Failure};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::Object;
use interlingua_wire::{Framing, Json, Node, Text};

use super::blocks::Step;
use super::fill::{fill_counts, fill_message, has, is_whole, others};
use crate::anthropic::error;
use crate::anthropic::frame::frame;

/// What clients have of the frames so far.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// Whether frames leave as they come.
    pub(super) on: bool,
    begun: bool,
    /// The index of the next block.
    next: u64,
    /// The blocks that have not ended.
    open: Vec<Shown>,
    anew: Option<Vec<u8>>,
}

/// A block that clients have begun to read.
#[derive(Debug)]
struct Shown {
    /// The index that it came with, and the one that clients know it by.
    wire: u64,
    index: u64,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Text,
    Thinking,
    /// With arguments that came at once, which clients read as a piece.
    Call(Option<Json>),
    /// Takes any piece.
    Other,
}

/// A frame as it came.
pub(super) struct Came<'f> {
    pub(super) event: Option<&'f str>,
    pub(super) raw: &'f Bytes,
}

/// What is known when a frame of the message comes.
pub(super) struct SoFar<'r> {
    pub(super) counts: Option<&'r Json>,
    pub(super) has_reason: bool,
    pub(super) exchange: &'r Exchange,
}

/// How a frame leaves.
enum Said {
    AsItCame,
    /// With this index.
    At(u64),
    /// A call that begins with this index, and without arguments.
    Bare(u64),
    /// With what it lacks.
    Filled,
    LeftOut,
}

impl Passed {
    /// A step of a block was read.
    pub(super) fn block(&mut self, step: &Step<'_>, came: &Came<'_>, exchange: &Exchange) {
        if !self.on {
            return;
        }
        let mut before = Vec::new();
        self.begin(exchange, &mut before);
        let said = match step.kind {
            "content_block_delta" => self.delta(step, &mut before),
            "content_block_start" => self.start(step, &mut before),
            _ => self.stop(step, &mut before),
        };
        self.say(&said, before, step.kind, step.root, came, |o| match &said {
            Said::At(index) => o.number("index", *index),
            Said::Bare(index) => {
                o.number("index", *index);
                o.object("content_block", |o| {
                    others(step.block, &["input"], o);
                    o.object("input", |_| {});
                });
            }
            Said::AsItCame | Said::Filled | Said::LeftOut => {}
        });
    }

    /// Another frame of the message was read.
    pub(super) fn message(
        &mut self,
        kind: &str,
        root: Node<'_>,
        came: &Came<'_>,
        so_far: &SoFar<'_>,
    ) {
        if !self.on {
            return;
        }
        let mut before = Vec::new();
        if let "message_delta" | "message_stop" = kind {
            self.begin(so_far.exchange, &mut before);
            for shown in std::mem::take(&mut self.open) {
                shown.end(&mut before);
            }
        }
        let said = match kind {
            "message_start" if std::mem::replace(&mut self.begun, true) => Said::LeftOut,
            "message_start" if !is_whole(root.get("message")) => Said::Filled,
            "message_delta" if !has(root.get("usage"), &["output_tokens"]) => Said::Filled,
            // Somebody else says both the reason and the mark.
            "message_stop" if !so_far.has_reason => Said::LeftOut,
            _ => Said::AsItCame,
        };
        self.say(&said, before, kind, root, came, |o| match kind {
            "message_start" => fill_message(root.get("message"), so_far.exchange, o),
            _ => fill_counts(root.get("usage"), so_far.counts, o),
        });
    }

    /// A frame holds an error, whatever it says of itself.
    pub(super) fn fail(&mut self, kind: &str, failure: &Failure) {
        if self.on && kind != "error" {
            let mut out = Vec::new();
            write_json(Framing::Sse, Some("error"), &mut out, |data| {
                error::write_event(failure, data);
            });
            self.anew = Some(out);
        }
    }

    /// A frame is no event that clients could read.
    pub(super) fn leave_out(&mut self) {
        self.anew = self.on.then(Vec::new);
    }

    /// What is said in place of the frame that was read.
    pub(super) fn take(&mut self) -> Option<Vec<u8>> {
        self.anew.take()
    }

    /// A stream that does not begin with its beginning gets one.
    fn begin(&mut self, exchange: &Exchange, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.begun, true) {
            frame(out, "message_start", |o| fill_message(None, exchange, o));
        }
    }

    fn start(&mut self, step: &Step<'_>, before: &mut Vec<u8>) -> Said {
        let Some(block) = step.block else { return Said::LeftOut };
        let index = self.next;
        let wire = step.index.unwrap_or(index);
        for at in (0..self.open.len()).rev() {
            if self.open[at].wire == wire {
                self.open.remove(at).end(before);
            }
        }
        let form = Form::of(block);
        let bare = matches!(form, Form::Call(Some(_)));
        self.show(wire, form);
        match step.index {
            _ if bare => Said::Bare(index),
            Some(said) if said == index => Said::AsItCame,
            _ => Said::At(index),
        }
    }

    fn show(&mut self, wire: u64, form: Form) -> u64 {
        let index = self.next;
        self.next += 1;
        self.open.push(Shown { wire, index, form });
        index
    }

    fn delta(&mut self, step: &Step<'_>, before: &mut Vec<u8>) -> Said {
        let Some(delta) = step.delta else { return Said::LeftOut };
        let last = self.open.last().map(|shown| shown.wire);
        let wire = step.index.or(last).unwrap_or(self.next);
        let fits = |shown: &&mut Shown| shown.wire == wire && shown.form.takes(&step.word);
        if let Some(shown) = self.open.iter_mut().rev().find(fits) {
            if let Form::Call(owed @ Some(_)) = &mut shown.form
                && says(delta, "partial_json")
            {
                *owed = None;
            }
            let is_same = step.index == Some(shown.index);
            return if is_same { Said::AsItCame } else { Said::At(shown.index) };
        }
        let begun = self.open.iter().any(|shown| shown.wire == wire);
        let (form, start) = match &*step.word {
            "text_delta" if says(delta, "text") => (Form::Text, TEXT),
            "thinking_delta" if says(delta, "thinking") => (Form::Thinking, THINKING),
            "signature_delta" if !begun => (Form::Thinking, THINKING),
            _ => return Said::LeftOut,
        };
        for at in (0..self.open.len()).rev() {
            let shown = &self.open[at];
            if shown.wire == wire && matches!(shown.form, Form::Text | Form::Thinking) {
                self.open.remove(at).end(before);
            }
        }
        let index = self.show(wire, form);
        frame(before, "content_block_start", |o| {
            o.number("index", index);
            o.object("content_block", |o| {
                for (key, word) in start {
                    o.known(key, word);
                }
            });
        });
        Said::At(index)
    }

    fn stop(&mut self, step: &Step<'_>, before: &mut Vec<u8>) -> Said {
        let last = self.open.last().map(|shown| shown.wire);
        let wire = step.index.or(last);
        let mut ended = self.open.extract_if(.., |shown| Some(shown.wire) == wire);
        let Some(first) = ended.next() else { return Said::LeftOut };
        let mut last = first;
        for next in ended {
            last.end(before);
            last = next;
        }
        last.pay(before);
        if step.index == Some(last.index) { Said::AsItCame } else { Said::At(last.index) }
    }

    /// Says a frame anew, if it cannot leave as it came.
    fn say(
        &mut self,
        said: &Said,
        before: Vec<u8>,
        kind: &str,
        root: Node<'_>,
        came: &Came<'_>,
        fill: impl FnOnce(&mut Object<'_>),
    ) {
        let named = came.event == Some(kind) || !NAMES.contains(&kind);
        let own: &[&str] = match said {
            Said::AsItCame if named && before.is_empty() => return,
            Said::AsItCame | Said::LeftOut => &[],
            Said::At(_) => &["index"],
            Said::Bare(_) => &["index", "content_block"],
            Said::Filled if kind == "message_start" => &["message"],
            Said::Filled => &["usage"],
        };
        let mut out = before;
        match said {
            Said::LeftOut => {}
            Said::AsItCame if named => {
                out.extend_from_slice(came.raw.strip_prefix(BYTE_ORDER).unwrap_or(came.raw));
            }
            Said::AsItCame => {
                write_json(Framing::Sse, Some(kind), &mut out, |data| data.json(&root.json()));
            }
            Said::At(_) | Said::Bare(_) | Said::Filled => {
                write_json(Framing::Sse, Some(kind), &mut out, |data| {
                    data.object(|o| {
                        others(Some(root), own, o);
                        fill(o);
                    });
                });
            }
        }
        self.anew = Some(out);
    }
}

impl Form {
    fn of(block: Node<'_>) -> Self {
        let [kind, input] = block.pick(["type", "input"]);
        match &*kind.map(Node::word).unwrap_or_default() {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "tool_use" => {
                let filled = |input: &Node<'_>| input.is_object() && !input.is_empty();
                Self::Call(input.filter(filled).map(Node::json))
            }
            _ => Self::Other,
        }
    }

    fn takes(&self, piece: &str) -> bool {
        match self {
            Self::Text => {
                !matches!(piece, "thinking_delta" | "signature_delta" | "input_json_delta")
            }
            Self::Thinking => {
                !matches!(piece, "text_delta" | "citations_delta" | "input_json_delta")
            }
            Self::Call(_) => !matches!(
                piece,
                "text_delta" | "citations_delta" | "thinking_delta" | "signature_delta"
            ),
            Self::Other => true,
        }
    }
}

impl Shown {
    /// Says the arguments that are owed.
    fn pay(&self, out: &mut Vec<u8>) {
        let Form::Call(Some(input)) = &self.form else { return };
        frame(out, "content_block_delta", |o| {
            o.number("index", self.index);
            o.object("delta", |o| {
                o.known("type", "input_json_delta");
                o.text("partial_json", &Text::new(input.as_str()));
            });
        });
    }

    fn end(&self, out: &mut Vec<u8>) {
        self.pay(out);
        frame(out, "content_block_stop", |o| o.number("index", self.index));
    }
}

/// Whether a piece says anything.
fn says(delta: Node<'_>, key: &str) -> bool {
    delta.get(key).is_some_and(|text| text.is_string() && text.raw() != "\"\"")
}

/// The events by whose names packages go.
const NAMES: &[&str] = &[
    "content_block_delta",
    "content_block_start",
    "content_block_stop",
    "message_start",
    "message_delta",
    "message_stop",
    "ping",
    "error",
];

const TEXT: &[(&str, &str)] = &[("type", "text"), ("text", "")];
const THINKING: &[(&str, &str)] = &[("type", "thinking"), ("thinking", ""), ("signature", "")];
const BYTE_ORDER: &[u8] = b"\xef\xbb\xbf";
