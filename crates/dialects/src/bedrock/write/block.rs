//! Writes the deltas of the open block.

use interlingua_model::{
    Block, BlockContent, Delta, Ledger, LedgerPath, Media, MediaKind, ReasoningForm, Seal,
    ToolArgs, ToolCall,
};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Framing, JsonString, RawJson, frame};

use crate::bedrock::citation;
use crate::bedrock::encode::block::is_own_seal;
use crate::bedrock::encode::media;
use crate::common::tool_args::ArgsForwarder;
use crate::note;

#[derive(Debug)]
pub(super) struct OpenBlock {
    index: u64,
    /// Ledger path of the block in the reply.
    path: LedgerPath,
    kind: BlockKind,
    has_output: bool,
    /// The block has a seal of another provider, which is dropped.
    has_foreign_seal: bool,
    /// Decides whether the arguments of a call are forwarded or buffered.
    args_forwarder: ArgsForwarder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Text,
    Thinking,
    ToolUse,
    /// A call with free text that is wrapped in an object.
    FreeformToolUse,
    /// Written completely when it was opened.
    Complete,
    /// Not supported, and noted.
    Dropped,
}

impl OpenBlock {
    pub(super) fn new(index: u64, path: LedgerPath, block: &Block) -> Self {
        let kind = match &block.content {
            BlockContent::Text { .. } | BlockContent::Refusal(_) | BlockContent::Json(_) => {
                BlockKind::Text
            }
            BlockContent::Reasoning(thinking) if thinking.form == ReasoningForm::Redacted => {
                BlockKind::Complete
            }
            BlockContent::Reasoning(_) => BlockKind::Thinking,
            BlockContent::ToolCall(call) if matches!(call.args, ToolArgs::Freeform(_)) => {
                BlockKind::FreeformToolUse
            }
            BlockContent::ToolCall(_) => BlockKind::ToolUse,
            BlockContent::Media(_) | BlockContent::ToolResult(_) | BlockContent::Foreign { .. } => {
                BlockKind::Complete
            }
        };
        Self::with_kind(index, path, kind)
    }

    /// A block that is not supported.
    pub(super) fn dropped(index: u64, path: LedgerPath) -> Self {
        Self::with_kind(index, path, BlockKind::Dropped)
    }

    fn with_kind(index: u64, path: LedgerPath, kind: BlockKind) -> Self {
        Self {
            index,
            path,
            kind,
            has_output: false,
            has_foreign_seal: false,
            args_forwarder: ArgsForwarder::default(),
        }
    }

    /// Writes the content that the block has when it is opened.
    pub(super) fn write_initial_content(
        &mut self,
        block: &Block,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        let path = self.path;
        match &block.content {
            BlockContent::Text { text, citations } => {
                self.write_text(text, out);
                for citation in citations {
                    self.write_citation(citation, out, ledger);
                }
            }
            BlockContent::Refusal(text) => {
                ledger.record_change(note::NO_SUCH_BLOCK, path, "a refusal is encoded as text");
                self.write_text(text, out);
            }
            BlockContent::Json(json) => {
                ledger.record_change(note::NO_SUCH_BLOCK, path, "JSON data is encoded as text");
                self.write_text(&JsonString::new(json.as_str()), out);
            }
            BlockContent::Reasoning(thinking) => {
                if thinking.form != ReasoningForm::Redacted {
                    self.write_text(&thinking.text, out);
                }
            }
            BlockContent::Media(media) => self.write_image(media, block, out, ledger),
            BlockContent::ToolCall(call) => self.write_tool_use(call, out),
            BlockContent::ToolResult(_) => {}
            BlockContent::Foreign { kind, json, .. } => self.write_foreign(kind, json, out),
        }
        if let Some(seal) = block.seal.as_deref() {
            let redacted = matches!(&block.content, BlockContent::Reasoning(it) if it.form == ReasoningForm::Redacted);
            self.write_seal(seal, redacted, out, ledger);
        }
    }

    pub(super) fn write_delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match (delta, self.kind) {
            (_, BlockKind::Dropped) => {}
            (Delta::Text(text), _) => self.write_text(text, out),
            (Delta::Args(text), BlockKind::FreeformToolUse) => {
                self.write_tool_input(&JsonString::new(text.raw()), out);
            }
            (Delta::Args(text), BlockKind::ToolUse) => self.write_args(text, out),
            (Delta::Args(text), _) => self.write_tool_input(text, out),
            (Delta::Seal(seal), _) => self.write_seal(seal, false, out, ledger),
            (Delta::Citation(citation), _) => self.write_citation(citation, out, ledger),
        }
    }

    /// Closes the block; `false` if nothing of it was written.
    pub(super) fn write_close(mut self, out: &mut Vec<u8>, ledger: &mut Ledger) -> bool {
        match self.kind {
            BlockKind::Dropped => return false,
            // The block only carried a seal of another provider.
            BlockKind::Text | BlockKind::Thinking if !self.has_output && self.has_foreign_seal => {
                return false;
            }
            // An empty block is still a block: without a start event, only a delta makes it
            // visible.
            BlockKind::Text | BlockKind::Thinking if !self.has_output => {
                self.write_delta_event(out, |o, kind| {
                    if kind == BlockKind::Thinking {
                        o.object("reasoningContent", |o| o.static_str("text", ""));
                    } else {
                        o.static_str("text", "");
                    }
                });
            }
            BlockKind::FreeformToolUse => self.write_tool_input(&JsonString::new("\"}"), out),
            BlockKind::ToolUse => {
                if let Some((rest, wrap_note)) = self.args_forwarder.finish() {
                    let path = self.path;
                    if let Some(message) = wrap_note {
                        ledger.record_change(note::ARGS_WRAPPED, path, message);
                    }
                    self.write_tool_input(&JsonString::new(rest.as_str()), out);
                }
            }
            BlockKind::Text | BlockKind::Thinking | BlockKind::Complete => {}
        }
        write_event(out, "contentBlockStop", |o| o.number("contentBlockIndex", self.index));
        true
    }

    fn write_text(&mut self, text: &JsonString, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.write_delta_event(out, |o, kind| {
            if kind == BlockKind::Thinking {
                o.object("reasoningContent", |o| o.json_string("text", text));
            } else {
                o.json_string("text", text);
            }
        });
    }

    /// Writes more arguments of a call, unless they must be buffered.
    fn write_args(&mut self, text: &JsonString, out: &mut Vec<u8>) {
        if self.args_forwarder.push(text) {
            self.write_tool_input(text, out);
        }
    }

    fn write_tool_input(&mut self, text: &JsonString, out: &mut Vec<u8>) {
        if !text.is_empty() {
            self.write_delta_event(out, |o, _| {
                o.object("toolUse", |o| o.json_string("input", text));
            });
        }
    }

    fn write_seal(&mut self, seal: &Seal, redacted: bool, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let is_thinking = redacted || self.kind == BlockKind::Thinking;
        if !is_thinking || !is_own_seal(seal) {
            let message = "left out a seal: only its issuer can verify it";
            ledger.record_loss(note::FOREIGN_SEAL, self.path, message);
            self.has_foreign_seal = true;
            return;
        }
        let key = if redacted { "redactedContent" } else { "signature" };
        self.write_delta_event(out, |o, _| {
            o.object("reasoningContent", |o| o.json_string(key, &seal.data));
        });
    }

    fn write_citation(
        &mut self,
        citation: &interlingua_model::Citation,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        citation::note_reduced_citations(std::slice::from_ref(citation), self.path, ledger);
        self.write_delta_event(out, |o, _| match citation::original_json(citation) {
            Some(json) => o.json("citation", json),
            None => o.object("citation", |o| citation::encode_citation(citation, o)),
        });
    }

    fn write_tool_use(&mut self, call: &ToolCall, out: &mut Vec<u8>) {
        self.write_start_event(out, |o| {
            o.object("toolUse", |o| {
                o.json_string("toolUseId", &call.id);
                o.json_string("name", &call.name);
            });
        });
        match &call.args {
            ToolArgs::Json(json) => self.write_args(&JsonString::new(json.as_str()), out),
            ToolArgs::Malformed(text) => self.write_args(text, out),
            ToolArgs::Freeform(text) => {
                self.write_tool_input(
                    &JsonString::new(&format!("{{\"input\":\"{}", text.raw())),
                    out,
                );
            }
        }
    }

    fn write_image(
        &mut self,
        media: &Media,
        block: &Block,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        let path = self.path;
        let format = media::resolve_format(media, &block.extras).unwrap_or_default();
        self.write_start_event(out, |o| o.object("image", |o| o.str("format", &format)));
        self.write_delta_event(out, |o, _| {
            o.object("image", |o| {
                o.object("source", |o| media::encode_source(media, &block.extras, path, ledger, o));
            });
        });
    }

    /// Writes a call of the provider's own tools, or its result, unchanged.
    fn write_foreign(&mut self, kind: &JsonString, json: &RawJson, out: &mut Vec<u8>) {
        let doc = json.to_doc();
        let Some(inner) = doc.root().get(&kind.unescape()) else { return };
        let (key, content) =
            if *kind == "toolUse" { ("toolUse", "input") } else { ("toolResult", "content") };
        self.write_start_event(out, |o| {
            o.object(key, |o| {
                for field in inner.fields().filter(|field| !field.key_is(content)) {
                    o.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            });
        });
        let Some(content) = inner.get(content) else { return };
        if key == "toolUse" {
            self.write_tool_input(
                &content.json_string().unwrap_or_else(|| JsonString::new(content.raw())),
                out,
            );
        } else {
            self.write_delta_event(out, |o, _| o.json("toolResult", &content.json()));
        }
    }

    fn write_start_event(&self, out: &mut Vec<u8>, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        write_event(out, "contentBlockStart", |o| {
            o.number("contentBlockIndex", self.index);
            o.object("start", fill);
        });
    }

    fn write_delta_event(
        &mut self,
        out: &mut Vec<u8>,
        fill: impl FnOnce(&mut ObjectWriter<'_>, BlockKind),
    ) {
        self.has_output = true;
        let kind = self.kind;
        write_event(out, "contentBlockDelta", |o| {
            o.number("contentBlockIndex", self.index);
            o.object("delta", |o| fill(o, kind));
        });
    }
}

/// Why a block that a complete reply can contain cannot be streamed.
pub(super) fn unstreamable_reason(block: &Block) -> Option<(&'static str, String)> {
    let message = match &block.content {
        BlockContent::Media(media) if media.kind != MediaKind::Image => {
            "left out media that cannot be streamed"
        }
        BlockContent::Foreign { kind, .. } if kind != "toolUse" && kind != "toolResult" => {
            "left out a block that cannot be streamed"
        }
        _ => return None,
    };
    Some((note::NO_SUCH_BLOCK, message.into()))
}

pub(super) fn write_event(
    out: &mut Vec<u8>,
    event: &str,
    fill: impl FnOnce(&mut ObjectWriter<'_>),
) {
    frame::write_json(Framing::AwsEventStream, Some(event), out, |data| data.object(fill));
}
