//! What a conversation holds, piece by piece, and what strings a body holds.

use interlingua::model::{
    Args, Block, Body, Choice, Entry, Media, Place, Section, Source, ToolResult, Verbatim,
};
use interlingua::wire::Node;
use interlingua::{Conversation, Doc, Json, Kind, Limits, Text};

/// Something that must reach the other side, or be noted as lost at its place.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) place: Place,
    pub(crate) what: &'static str,
    pub(crate) contents: String,
}

/// Every text, thought, seal, call, result and medium.
pub(crate) fn pieces(conversation: &Conversation) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (index, block) in conversation.system.iter().enumerate() {
        of_block(Place::system(index), block, &mut pieces);
    }
    for (turn, one) in conversation.turns.iter().enumerate() {
        for (index, block) in one.blocks.iter().enumerate() {
            of_block(Place::block(turn, index), block, &mut pieces);
        }
    }
    for (index, tool) in conversation.tools.iter().enumerate() {
        // Where a dialect cannot say which tools are allowed, it leaves out those that are not.
        if let Some(Choice::Allowed { names, .. }) = &conversation.settings.choice
            && !names.contains(&tool.name)
        {
            continue;
        }
        let piece = |what, contents: &Text| Piece {
            place: Place::tool(index),
            what,
            contents: contents.contents().into_owned(),
        };
        pieces.push(piece("name of a tool", &tool.name));
        pieces.extend(tool.description.iter().map(|text| piece("description", text)));
    }
    pieces
}

fn of_block(place: Place, block: &Block, out: &mut Vec<Piece>) {
    let mut piece = |what, contents: &str| {
        out.push(Piece { place, what, contents: contents.to_owned() });
    };
    if let Some(seal) = &block.seal {
        piece("seal", &seal.data.contents());
    }
    match &block.body {
        Body::Text { text, .. } => piece("text", &text.contents()),
        Body::Refusal(text) => piece("refusal", &text.contents()),
        Body::Thinking(thinking) => piece("thinking", &thinking.text.contents()),
        Body::Data(json) => piece("data", json.as_str()),
        Body::Foreign { json, .. } => piece("foreign block", json.as_str()),
        Body::ToolCall(call) => {
            piece("call id", &call.id.contents());
            piece("tool name", &call.name.contents());
            match &call.args {
                Args::Json(json) => piece("arguments", json.as_str()),
                Args::Malformed(text) | Args::Freeform(text) => {
                    piece("arguments", &text.contents());
                }
            }
        }
        Body::ToolResult(ToolResult { call, content, .. }) => {
            piece("id of the answered call", &call.contents());
            all(place, content, out);
        }
        Body::Media(media) => of_media(place, media, out),
    }
}

fn of_media(place: Place, media: &Media, out: &mut Vec<Piece>) {
    let contents = match &media.source {
        Source::Base64 { data: text, .. }
        | Source::Url { url: text, .. }
        | Source::File { id: text, .. }
        | Source::Text(text) => text.contents().into_owned(),
        Source::Blocks(blocks) => return all(place, blocks, out),
    };
    out.push(Piece { place, what: "medium", contents });
}

fn all(place: Place, blocks: &[Verbatim<Block>], out: &mut Vec<Piece>) {
    for block in blocks {
        of_block(place, block, out);
    }
}

/// Every string in a body, and in the JSON that stands in its strings; and the text of every value,
/// for what crosses as JSON.
pub(crate) struct Written(Vec<String>);

impl Written {
    pub(crate) fn of(body: &str) -> Self {
        let mut strings = vec![body.to_owned()];
        if let Ok(doc) = Doc::parse(body.into(), Limits::default()) {
            collect(doc.root(), &mut strings);
        }
        Self(strings)
    }

    pub(crate) fn has(&self, piece: &Piece) -> bool {
        let has = |contents: &str| self.0.iter().any(|string| string.contains(contents));
        // A document of plain text may leave as that text.
        let plain =
            || piece.what == "medium" && base64_text(&piece.contents).is_some_and(|it| has(&it));
        has(&piece.contents) || plain()
    }
}

fn base64_text(data: &str) -> Option<String> {
    let (mut bits, mut bytes) = (0_u32, Vec::new());
    for (at, letter) in data.trim_end_matches('=').bytes().enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
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

fn collect(node: Node<'_>, strings: &mut Vec<String>) {
    match node.kind() {
        Kind::Array => node.items().for_each(|item| collect(item, strings)),
        Kind::Object => {
            for field in node.fields() {
                strings.push(field.name().into_owned());
                collect(field.value, strings);
            }
        }
        Kind::String => {
            let contents = node.word().into_owned();
            if contents.starts_with(['{', '['])
                && let Ok(inside) = Json::parse(contents.clone())
            {
                collect(inside.doc().root(), strings);
            }
            strings.push(contents);
        }
        Kind::Null | Kind::Bool | Kind::Number => {}
    }
}

/// Whether this entry tells of a loss at the place, or of something that holds the place.
pub(crate) fn tells_of(entry: &Entry, place: Place) -> bool {
    let Place { section, index, block } = entry.place;
    let instructions = place.section == Section::System && section == Section::System;
    entry.loss
        && section == place.section
        && (instructions || index == place.index)
        && (block.is_none() || block == place.block)
}
