//! Collects the pieces of content in a conversation and the strings in a body.

use interlingua::model::{
    Block, BlockContent, LedgerEntry, LedgerPath, LedgerSection, Media, MediaSource, ToolArgs,
    ToolChoice, ToolResult, Verbatim,
};
use interlingua::wire::JsonNode;
use interlingua::{Conversation, JsonDoc, JsonKind, JsonLimits, JsonString, RawJson};

/// A piece of content that must be in the output, or recorded as lost at its path.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) path: LedgerPath,
    pub(crate) kind: &'static str,
    pub(crate) contents: String,
}

/// Every text, reasoning, seal, call, result and medium.
pub(crate) fn pieces(conversation: &Conversation) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (index, block) in conversation.system.iter().enumerate() {
        visit_block(LedgerPath::system(index), block, &mut pieces);
    }
    for (turn, turn_data) in conversation.turns.iter().enumerate() {
        for (index, block) in turn_data.blocks.iter().enumerate() {
            visit_block(LedgerPath::block(turn, index), block, &mut pieces);
        }
    }
    for (index, tool) in conversation.tools.iter().enumerate() {
        // Dialects without a list of allowed tools leave out the others.
        if let Some(ToolChoice::Allowed { names, .. }) = &conversation.settings.tool_choice
            && !names.contains(&tool.name)
        {
            continue;
        }
        let new_piece = |kind, contents: &JsonString| Piece {
            path: LedgerPath::tool(index),
            kind,
            contents: contents.unescape().into_owned(),
        };
        pieces.push(new_piece("name of a tool", &tool.name));
        pieces.extend(tool.description.iter().map(|text| new_piece("description", text)));
    }
    pieces
}

fn visit_block(path: LedgerPath, block: &Block, out: &mut Vec<Piece>) {
    let mut add = |kind, contents: &str| {
        out.push(Piece { path, kind, contents: contents.to_owned() });
    };
    if let Some(seal) = &block.seal {
        add("seal", &seal.data.unescape());
    }
    match &block.content {
        BlockContent::Text { text, .. } => add("text", &text.unescape()),
        BlockContent::Refusal(text) => add("refusal", &text.unescape()),
        BlockContent::Reasoning(reasoning) => add("thinking", &reasoning.text.unescape()),
        BlockContent::Json(json) => add("data", json.as_str()),
        BlockContent::Foreign { json, .. } => add("foreign block", json.as_str()),
        BlockContent::ToolCall(call) => {
            add("call id", &call.id.unescape());
            add("tool name", &call.name.unescape());
            match &call.args {
                ToolArgs::Json(json) => add("arguments", json.as_str()),
                ToolArgs::Malformed(text) | ToolArgs::Freeform(text) => {
                    add("arguments", &text.unescape());
                }
            }
        }
        BlockContent::ToolResult(ToolResult { call_id: call, content, .. }) => {
            add("id of the answered call", &call.unescape());
            visit_blocks(path, content, out);
        }
        BlockContent::Media(media) => visit_media(path, media, out),
    }
}

fn visit_media(path: LedgerPath, media: &Media, out: &mut Vec<Piece>) {
    let contents = match &media.source {
        MediaSource::Base64 { data: text, .. }
        | MediaSource::Url { url: text, .. }
        | MediaSource::File { id: text, .. }
        | MediaSource::Text(text) => text.unescape().into_owned(),
        MediaSource::Blocks(blocks) => return visit_blocks(path, blocks, out),
    };
    out.push(Piece { path, kind: "medium", contents });
}

fn visit_blocks(path: LedgerPath, blocks: &[Verbatim<Block>], out: &mut Vec<Piece>) {
    for block in blocks {
        visit_block(path, block, out);
    }
}

/// Every string in a body, also inside strings of JSON text, and the whole body for content that is
/// passed on as JSON.
pub(crate) struct BodyStrings(Vec<String>);

impl BodyStrings {
    pub(crate) fn new(body: &str) -> Self {
        let mut strings = vec![body.to_owned()];
        if let Ok(doc) = JsonDoc::parse(body.into(), JsonLimits::default()) {
            collect(doc.root(), &mut strings);
        }
        Self(strings)
    }

    pub(crate) fn has(&self, piece: &Piece) -> bool {
        let contains = |contents: &str| self.0.iter().any(|string| string.contains(contents));
        // A plain text document in base64 may be encoded as text.
        let as_plain_text = || {
            piece.kind == "medium"
                && base64_text(&piece.contents).is_some_and(|text| contains(&text))
        };
        contains(&piece.contents) || as_plain_text()
    }
}

fn base64_text(data: &str) -> Option<String> {
    let (mut bits, mut bytes) = (0_u32, Vec::new());
    for (at, byte) in data.trim_end_matches('=').bytes().enumerate() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        if at % 4 != 0 {
            bytes.push((bits >> (6 - 2 * (at % 4))) as u8);
        }
    }
    String::from_utf8(bytes).ok()
}

fn collect(node: JsonNode<'_>, strings: &mut Vec<String>) {
    match node.kind() {
        JsonKind::Array => node.items().for_each(|item| collect(item, strings)),
        JsonKind::Object => {
            for field in node.fields() {
                strings.push(field.key().into_owned());
                collect(field.value, strings);
            }
        }
        JsonKind::String => {
            let contents = node.str_or_empty().into_owned();
            if contents.starts_with(['{', '['])
                && let Ok(nested) = RawJson::parse(contents.clone())
            {
                collect(nested.to_doc().root(), strings);
            }
            strings.push(contents);
        }
        JsonKind::Null | JsonKind::Bool | JsonKind::Number => {}
    }
}

/// Whether the entry records a loss at this path or at one that contains it.
pub(crate) fn covers_loss_at(entry: &LedgerEntry, path: LedgerPath) -> bool {
    let LedgerPath { section, index, block } = entry.path;
    let in_system = path.section == LedgerSection::System && section == LedgerSection::System;
    entry.is_loss
        && section == path.section
        && (in_system || index == path.index)
        && (block.is_none() || block == path.block)
}
