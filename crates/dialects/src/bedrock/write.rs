//! Writes a stream: usage and metrics follow the stop, and text begins without a start event.

use interlingua_model::{
    Args, Block, Body, Delta, Event, Form, Ledger, Media, MediaKind, Place, Seal, Stop, ToolCall,
    Usage,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Framing, Json, Text, frame};

use super::encode::{Way, is_ours, note_extras, refusal_of};
use super::{ID, cite, error, media, reply};
use crate::arguments::Streamed;
use crate::{StreamWriter, note};

#[derive(Debug, Default)]
pub(super) struct Writer {
    next: u64,
    open: Option<Writing>,
    usage: Usage,
    /// What this dialect said beyond usage, to be said again.
    metadata: Option<Json>,
    message_stop: Option<Json>,
    noted_foreign: bool,
}

/// The block being written.
#[derive(Debug)]
struct Writing {
    index: u64,
    /// Where it stands in the reply that is written.
    place: Place,
    kind: Kind,
    /// Something was written for it.
    said: bool,
    /// It has a seal that stays behind.
    sealed: bool,
    /// What came of the arguments of a call.
    args: Streamed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Call,
    /// A call whose free text travels inside an object.
    Wrapped,
    /// Written whole when it was opened.
    Whole,
    /// It has no place, and was noted.
    LeftOut,
}

impl Writer {
    fn open(&mut self, index: u32, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let place = Place::reply(index as usize);
        note_extras(&block.extras, place, ledger);
        let left_out = refusal_of(block, Way::Reply).or_else(|| unstreamable(block));
        if let Some((rule, what)) = left_out {
            ledger.loss(rule, place, what);
            self.open = Some(Writing {
                index: self.next,
                place,
                kind: Kind::LeftOut,
                said: true,
                sealed: false,
                args: Streamed::default(),
            });
            return;
        }
        let kind = match &block.body {
            Body::Text { .. } | Body::Refusal(_) | Body::Data(_) => Kind::Text,
            Body::Thinking(thinking) if thinking.form == Form::Redacted => Kind::Whole,
            Body::Thinking(_) => Kind::Thinking,
            Body::ToolCall(call) if matches!(call.args, Args::Freeform(_)) => Kind::Wrapped,
            Body::ToolCall(_) => Kind::Call,
            Body::Media(_) | Body::ToolResult(_) | Body::Foreign { .. } => Kind::Whole,
        };
        let args = Streamed::default();
        let mut writing =
            Writing { index: self.next, place, kind, said: false, sealed: false, args };
        writing.begin(block, out, ledger);
        self.open = Some(writing);
    }

    fn stop(&self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        reply::note_stop(stop, ledger);
        let said = self.message_stop.as_ref().map(Json::doc);
        write(out, "messageStop", |o| {
            o.text("stopReason", &reply::stop_word(stop));
            for field in said.iter().flat_map(|doc| doc.root().fields()) {
                if !field.is("stopReason") && !field.is("p") {
                    o.key_text(&field.key()).json(&field.value.json());
                }
            }
        });
        let said = self.metadata.as_ref().map(Json::doc);
        write(out, "metadata", |o| {
            reply::write_usage(&self.usage, o.key("usage"));
            let root = said.as_ref().map(interlingua_wire::Doc::root);
            if root.and_then(|root| root.get("metrics")).is_none() {
                o.json("metrics", &reply::no_metrics());
            }
            for field in said.iter().flat_map(|doc| doc.root().fields()) {
                if !field.is("usage") && !field.is("p") {
                    o.key_text(&field.key()).json(&field.value.json());
                }
            }
        });
    }

    fn foreign(&mut self, kind: &Text, json: &Json, out: &mut Vec<u8>) {
        match &*kind.contents() {
            "metadata" => self.metadata = Some(json.clone()),
            "messageStop" => self.message_stop = Some(json.clone()),
            kind => frame::write(Framing::AwsEvents, Some(kind), json.as_str(), out),
        }
    }
}

impl Writing {
    /// Writes what a block holds when it is opened.
    fn begin(&mut self, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let place = self.place;
        match &block.body {
            Body::Text { text, citations } => {
                self.text(text, out);
                for citation in citations {
                    self.citation(citation, out, ledger);
                }
            }
            Body::Refusal(text) => {
                ledger.change(note::NO_SUCH_BLOCK, place, "a refusal is said as text");
                self.text(text, out);
            }
            Body::Data(json) => {
                ledger.change(note::NO_SUCH_BLOCK, place, "data is said as text");
                self.text(&Text::new(json.as_str()), out);
            }
            Body::Thinking(thinking) => {
                if thinking.form != Form::Redacted {
                    self.text(&thinking.text, out);
                }
            }
            Body::Media(media) => self.image(media, block, out, ledger),
            Body::ToolCall(call) => self.call(call, out),
            Body::ToolResult(_) => {}
            Body::Foreign { kind, json, .. } => self.foreign(kind, json, out),
        }
        if let Some(seal) = block.seal.as_deref() {
            let redacted = matches!(&block.body, Body::Thinking(it) if it.form == Form::Redacted);
            self.seal(seal, redacted, out, ledger);
        }
    }

    fn delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match (delta, self.kind) {
            (_, Kind::LeftOut) => {}
            (Delta::Text(text), _) => self.text(text, out),
            (Delta::Args(text), Kind::Wrapped) => self.input(&Text::new(text.raw()), out),
            (Delta::Args(text), Kind::Call) => self.args(text, out),
            (Delta::Args(text), _) => self.input(text, out),
            (Delta::Seal(seal), _) => self.seal(seal, false, out, ledger),
            (Delta::Citation(citation), _) => self.citation(citation, out, ledger),
        }
    }

    /// Ends the block; `false` if nothing of it is in the stream.
    fn close(mut self, out: &mut Vec<u8>, ledger: &mut Ledger) -> bool {
        match self.kind {
            Kind::LeftOut => return false,
            // All it held was a seal for another provider.
            Kind::Text | Kind::Thinking if !self.said && self.sealed => return false,
            // A block without words is still a block, and has no other event to be seen by.
            Kind::Text | Kind::Thinking if !self.said => self.say(out, |o, kind| {
                if kind == Kind::Thinking {
                    o.object("reasoningContent", |o| o.known("text", ""));
                } else {
                    o.known("text", "");
                }
            }),
            Kind::Wrapped => self.input(&Text::new("\"}"), out),
            Kind::Call => {
                if let Some((rest, wrapped)) = self.args.rest() {
                    let place = self.place;
                    if let Some(what) = wrapped {
                        ledger.change(note::ARGS_WRAPPED, place, what);
                    }
                    self.input(&Text::new(rest.as_str()), out);
                }
            }
            Kind::Text | Kind::Thinking | Kind::Whole => {}
        }
        write(out, "contentBlockStop", |o| o.number("contentBlockIndex", self.index));
        true
    }

    fn text(&mut self, text: &Text, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.say(out, |o, kind| {
            if kind == Kind::Thinking {
                o.object("reasoningContent", |o| o.text("text", text));
            } else {
                o.text("text", text);
            }
        });
    }

    /// More of the arguments of a call, unless they have to wait.
    fn args(&mut self, text: &Text, out: &mut Vec<u8>) {
        if self.args.takes(text) {
            self.input(text, out);
        }
    }

    fn input(&mut self, text: &Text, out: &mut Vec<u8>) {
        if !text.is_empty() {
            self.say(out, |o, _| o.object("toolUse", |o| o.text("input", text)));
        }
    }

    fn seal(&mut self, seal: &Seal, redacted: bool, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let is_thinking = redacted || self.kind == Kind::Thinking;
        if !is_thinking || !is_ours(seal) {
            let what = "a seal stays behind: only its issuer can read it";
            ledger.loss(note::FOREIGN_SEAL, self.place, what);
            self.sealed = true;
            return;
        }
        let key = if redacted { "redactedContent" } else { "signature" };
        self.say(out, |o, _| o.object("reasoningContent", |o| o.text(key, &seal.data)));
    }

    fn citation(
        &mut self,
        citation: &interlingua_model::Citation,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        cite::note_reduced(std::slice::from_ref(citation), self.place, ledger);
        self.say(out, |o, _| match cite::written(citation) {
            Some(json) => o.json("citation", json),
            None => o.object("citation", |o| cite::encode_one(citation, o)),
        });
    }

    fn call(&mut self, call: &ToolCall, out: &mut Vec<u8>) {
        self.start(out, |o| {
            o.object("toolUse", |o| {
                o.text("toolUseId", &call.id);
                o.text("name", &call.name);
            });
        });
        match &call.args {
            Args::Json(json) => self.args(&Text::new(json.as_str()), out),
            Args::Malformed(text) => self.args(text, out),
            Args::Freeform(text) => {
                self.input(&Text::new(&format!("{{\"input\":\"{}", text.raw())), out);
            }
        }
    }

    fn image(&mut self, media: &Media, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let place = self.place;
        let format = media::format(media, &block.extras).unwrap_or_default();
        self.start(out, |o| o.object("image", |o| o.word("format", &format)));
        self.say(out, |o, _| {
            o.object("image", |o| {
                o.object("source", |o| media::source(media, &block.extras, place, ledger, o));
            });
        });
    }

    /// A call of the provider's own tools, or its result, as they came.
    fn foreign(&mut self, kind: &Text, json: &Json, out: &mut Vec<u8>) {
        let doc = json.doc();
        let Some(inner) = doc.root().get(&kind.contents()) else { return };
        let (key, content) =
            if *kind == "toolUse" { ("toolUse", "input") } else { ("toolResult", "content") };
        self.start(out, |o| {
            o.object(key, |o| {
                for field in inner.fields().filter(|field| !field.is(content)) {
                    o.key_text(&field.key()).json(&field.value.json());
                }
            });
        });
        let Some(content) = inner.get(content) else { return };
        if key == "toolUse" {
            self.input(&content.text().unwrap_or_else(|| Text::new(content.raw())), out);
        } else {
            self.say(out, |o, _| o.json("toolResult", &content.json()));
        }
    }

    fn start(&self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
        write(out, "contentBlockStart", |o| {
            o.number("contentBlockIndex", self.index);
            o.object("start", fill);
        });
    }

    fn say(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>, Kind)) {
        self.said = true;
        let kind = self.kind;
        write(out, "contentBlockDelta", |o| {
            o.number("contentBlockIndex", self.index);
            o.object("delta", |o| fill(o, kind));
        });
    }
}

/// Why a block that a whole reply can hold has no place in a stream.
fn unstreamable(block: &Block) -> Option<(&'static str, String)> {
    let what = match &block.body {
        Body::Media(media) if media.kind != MediaKind::Image => {
            "left out media that no stream can bring"
        }
        Body::Foreign { kind, .. } if kind != "toolUse" && kind != "toolResult" => {
            "left out a block that no stream can bring"
        }
        _ => return None,
    };
    Some((note::NO_SUCH_BLOCK, what.into()))
}

fn write(out: &mut Vec<u8>, event: &str, fill: impl FnOnce(&mut Object<'_>)) {
    frame::write_json(Framing::AwsEvents, Some(event), out, |data| data.object(fill));
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            Event::Start { .. } => write(out, "messageStart", |o| o.known("role", "assistant")),
            Event::Open { index, block } => self.open(*index, block, out, ledger),
            Event::Delta { delta, .. } => {
                if let Some(open) = &mut self.open {
                    open.delta(delta, out, ledger);
                }
            }
            Event::Close { .. } => {
                if let Some(open) = self.open.take() {
                    self.next += u64::from(open.close(out, ledger));
                }
            }
            Event::Usage(usage) => self.usage.update(usage),
            Event::Stop(stop) => self.stop(stop, out, ledger),
            Event::Fail(failure) => {
                let (name, body) = error::encode_exception(failure);
                frame::write(Framing::AwsEvents, Some(name), body.as_str(), out);
            }
            // The framing has no way to say that nothing happened.
            Event::Ping => {}
            Event::Foreign { dialect, kind, json } if *dialect == ID => {
                self.foreign(kind, json, out);
            }
            Event::Foreign { dialect, kind, .. } => {
                if !std::mem::replace(&mut self.noted_foreign, true) {
                    let what = format!("left out `{kind}` events of {dialect}");
                    ledger.loss(note::NO_SUCH_BLOCK, Place::REPLY, what);
                }
            }
        }
    }
}
