//! Lists the pieces of content in a conversation, and the strings in a body that may hold them.

use std::borrow::Cow;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use interlingua::{Conversation, JsonDoc, JsonKind, JsonLimits, JsonString};
use interlingua_model::{
    Block, BlockContent, LedgerEntry, LedgerPath, LedgerSection, Media, MediaSource, ToolArgs,
    ToolChoice, Verbatim,
};
use interlingua_wire::JsonNode;

/// A piece of content that must be sent, or have a ledger entry of its loss.
#[derive(Clone, Debug)]
pub(super) struct Piece<'c> {
    pub(super) path: LedgerPath,
    pub(super) kind: &'static str,
    pub(super) contents: Cow<'c, str>,
}

/// Every text, reasoning, seal, call, result, medium and tool.
pub(super) fn pieces(conversation: &Conversation) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for (index, block) in conversation.system.iter().enumerate() {
        visit_block(LedgerPath::system(index), block, &mut pieces);
    }
    for (turn_index, turn) in conversation.turns.iter().enumerate() {
        for (index, block) in turn.blocks.iter().enumerate() {
            visit_block(LedgerPath::block(turn_index, index), block, &mut pieces);
        }
    }
    for (index, tool) in conversation.tools.iter().enumerate() {
        // A dialect without allowed tools drops the tools that are not allowed.
        if let Some(ToolChoice::Allowed { names, .. }) = &conversation.settings.tool_choice
            && !names.contains(&tool.name)
        {
            continue;
        }
        let path = LedgerPath::tool(index);
        add(path, DECLARED_TOOL, &tool.name, &mut pieces);
        if let Some(description) = &tool.description {
            add(path, "description of a tool", description, &mut pieces);
        }
    }
    pieces
}

fn visit_block<'c>(path: LedgerPath, block: &'c Block, out: &mut Vec<Piece<'c>>) {
    if let Some(seal) = &block.seal {
        add(path, SEAL, &seal.data, out);
    }
    match &block.content {
        BlockContent::Text { text, .. } => add(path, "text", text, out),
        BlockContent::Refusal(text) => add(path, "refusal", text, out),
        BlockContent::Reasoning(reasoning) => add(path, "thinking", &reasoning.text, out),
        BlockContent::Json(json) => add_raw(path, "data", json.as_str(), out),
        BlockContent::Foreign { json, .. } => add_raw(path, "foreign block", json.as_str(), out),
        BlockContent::ToolCall(call) => {
            add(path, CALL_ID, &call.id, out);
            add(path, CALLED_TOOL, &call.name, out);
            match &call.args {
                ToolArgs::Json(json) => add_raw(path, "arguments", json.as_str(), out),
                ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => {
                    add(path, "arguments", text, out);
                }
            }
        }
        BlockContent::ToolResult(result) => {
            add(path, ANSWERED_CALL_ID, &result.call_id, out);
            visit_blocks(path, &result.content, out);
        }
        BlockContent::Media(media) => visit_media(path, media, out),
    }
}

fn visit_media<'c>(path: LedgerPath, media: &'c Media, out: &mut Vec<Piece<'c>>) {
    match &media.source {
        MediaSource::Base64 { data: text, .. }
        | MediaSource::Url { url: text, .. }
        | MediaSource::File { id: text, .. }
        | MediaSource::Text(text) => add(path, MEDIUM, text, out),
        MediaSource::Blocks(blocks) => visit_blocks(path, blocks, out),
    }
}

fn visit_blocks<'c>(path: LedgerPath, blocks: &'c [Verbatim<Block>], out: &mut Vec<Piece<'c>>) {
    for block in blocks {
        visit_block(path, block, out);
    }
}

fn add<'c>(
    path: LedgerPath,
    kind: &'static str,
    contents: &'c JsonString,
    out: &mut Vec<Piece<'c>>,
) {
    out.push(Piece { path, kind, contents: contents.unescape() });
}

fn add_raw<'c>(path: LedgerPath, kind: &'static str, contents: &'c str, out: &mut Vec<Piece<'c>>) {
    out.push(Piece { path, kind, contents: contents.into() });
}

impl Piece<'_> {
    /// Whether the piece is content, and not a name, an id or a seal, which repair may change.
    pub(super) fn is_content(&self) -> bool {
        ![SEAL, CALL_ID, CALLED_TOOL, ANSWERED_CALL_ID, DECLARED_TOOL].contains(&self.kind)
    }
}

/// Whether this entry reports a loss at the path or at an enclosing one.
pub(super) fn covers_loss_at(entry: &LedgerEntry, path: LedgerPath) -> bool {
    let LedgerPath { section, index, block } = entry.path;
    let both_system = path.section == LedgerSection::System && section == LedgerSection::System;
    entry.is_loss
        && section == path.section
        && (both_system || index == path.index)
        && (block.is_none() || block == path.block)
}

/// Texts with every string in them, also inside strings of JSON text.
#[derive(Debug, Default)]
pub(super) struct ContainedStrings(Vec<String>);

impl ContainedStrings {
    /// Adds a text, and all strings in it if it is a JSON object or array.
    pub(super) fn add(&mut self, text: &str) {
        if text.starts_with(['{', '['])
            && let Ok(doc) = JsonDoc::parse(text.into(), JsonLimits::default())
        {
            self.add_strings(doc.root());
        }
        self.0.push(text.to_owned());
    }

    fn add_strings(&mut self, node: JsonNode<'_>) {
        match node.kind() {
            JsonKind::Array => node.items().for_each(|item| self.add_strings(item)),
            JsonKind::Object => {
                for field in node.fields() {
                    self.0.push(field.key().into_owned());
                    self.add_strings(field.value);
                }
            }
            JsonKind::String => self.add(&node.str_or_empty()),
            JsonKind::Null | JsonKind::Bool | JsonKind::Number => {}
        }
    }

    pub(super) fn contains(&self, contents: &str) -> bool {
        self.0.iter().any(|text| text.contains(contents))
    }

    pub(super) fn has_piece(&self, piece: &Piece<'_>) -> bool {
        // A plain text document in base64 may be sent as text.
        let as_plain_text = || {
            let data = BASE64.decode(&*piece.contents).ok();
            data.and_then(|data| String::from_utf8(data).ok())
                .is_some_and(|text| self.contains(&text))
        };
        self.contains(&piece.contents) || piece.kind == MEDIUM && as_plain_text()
    }
}

const SEAL: &str = "seal";
const CALL_ID: &str = "call id";
const CALLED_TOOL: &str = "tool name";
const ANSWERED_CALL_ID: &str = "id of the answered call";
const DECLARED_TOOL: &str = "name of a tool";
const MEDIUM: &str = "medium";

/// Base64 as lenient providers read it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
