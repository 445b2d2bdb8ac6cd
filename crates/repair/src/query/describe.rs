//! Describes blocks of one dialect as text for targets of other dialects.
//!
//! The text depends on the block alone and is the same in every turn, so that prompt caches stay
//! valid.

use std::borrow::Cow;

use interlingua_model::{Block, BlockContent, DialectId, MediaSource, ToolResult};
use interlingua_providers::profile::block_description::{
    self, BlockDescription, SKIPPED_FIELDS, UNLABELLED_FIELDS,
};
use interlingua_wire::{Field, JsonKind, JsonNode, JsonString, RawJson};

use crate::query::unknown_block;

/// Description of a foreign block.
pub(crate) struct Description {
    pub(crate) text: JsonString,
    /// The text has everything that the block has.
    pub(crate) is_complete: bool,
    /// An image that the block has.
    pub(crate) image: Option<MediaSource>,
}

/// The description of a block of another dialect; `None` for other blocks and for blocks without
/// readable content.
pub(crate) fn describe_foreign(block: &Block, dialect: DialectId) -> Option<Description> {
    let same_dialect =
        matches!(&block.content, BlockContent::Foreign { dialect: of, .. } if *of == dialect);
    if same_dialect { None } else { describe(block) }
}

/// As [`describe_foreign`], for a block of any dialect.
pub(crate) fn describe(block: &Block) -> Option<Description> {
    let BlockContent::Foreign { dialect: block_dialect, kind, json } = &block.content else {
        return None;
    };
    if unknown_block::is_reasoning_kind(kind) {
        return None;
    }
    let doc = json.to_doc();
    let (node, kind) = (doc.root(), kind.unescape());
    if let Some(row) = block_description::find(block_dialect.0, &kind) {
        let image =
            row.image_field.and_then(|(outer, key)| image_source(node.get(outer)?.get(key)?));
        // An image that is sent needs no description.
        let row =
            if image.is_some() { &BlockDescription { text_fields: &[], ..*row } } else { row };
        let text = JsonString::new(&render(row, &kind, node));
        return (!text.is_blank()).then_some(Description { text, is_complete: false, image });
    }
    if let Some(text) =
        node.get("text").and_then(JsonNode::json_string).filter(|text| !text.is_blank())
    {
        return Some(Description { text, is_complete: is_text_only(node), image: None });
    }
    let mut lines = Vec::new();
    node.get("content").into_iter().for_each(|content| collect_texts(content, &mut lines));
    if lines.is_empty() {
        lines.extend(media_noun(&kind).map(|noun| format!("[{noun} omitted: it cannot be read]")));
    }
    let text = (!lines.is_empty()).then(|| JsonString::new(&lines.join("\n\n")))?;
    Some(Description { text, is_complete: false, image: None })
}

/// As [`describe_foreign`], for a block within a result.
pub(crate) fn describe_foreign_output(block: &Block, dialect: DialectId) -> Option<Description> {
    let same_dialect =
        matches!(&block.content, BlockContent::Foreign { dialect: of, .. } if *of == dialect);
    if same_dialect { None } else { describe_output(block) }
}

/// As [`describe`], for a block within a result: what has no other text is data that the tool
/// returned, and its text is its JSON.
pub(crate) fn describe_output(block: &Block) -> Option<Description> {
    let BlockContent::Foreign { dialect, kind, json } = &block.content else { return None };
    if unknown_block::is_reasoning_kind(kind) {
        return None;
    }
    let description = if is_tool_data(*dialect, kind, json) { None } else { describe(block) };
    description.or_else(|| {
        let text = JsonString::new(json.as_str());
        Some(Description { text, is_complete: true, image: None })
    })
}

/// The JSON text of a block within a result that is data which the tool returned, for a place
/// outside the result.
pub(crate) fn data_text(block: &Block) -> Option<JsonString> {
    let BlockContent::Foreign { dialect, kind, json } = &block.content else { return None };
    let is_reasoning = unknown_block::is_reasoning_kind(kind);
    (!is_reasoning && is_tool_data(*dialect, kind, json)).then(|| JsonString::new(json.as_str()))
}

fn is_tool_data(dialect: DialectId, kind: &JsonString, json: &RawJson) -> bool {
    let doc = json.to_doc();
    let is_known = block_description::find(dialect.0, &kind.unescape()).is_some();
    !(is_known || is_text_only(doc.root()) || has_file_bytes(doc.root()))
}

/// Whether a block is a media part of its dialect that cannot be read, such as
/// `{"type":"image_url","image_url":{"url":[]}}`: nothing that a tool returned beside it is lost.
pub(crate) fn is_broken_media(block: &Block) -> bool {
    let BlockContent::Foreign { kind, json, .. } = &block.content else { return false };
    let kind = kind.unescape();
    let is_own_field = |field: Field<'_>| field.key_is("type") || *field.key() == *kind;
    media_noun(&kind).is_some() && json.to_doc().root().fields().all(is_own_field)
}

/// Whether a value, or one within it, has the bytes of a file.
fn has_file_bytes(node: JsonNode<'_>) -> bool {
    match node.kind() {
        JsonKind::String => node.raw().starts_with("\"data:") && node.raw().contains(";base64,"),
        JsonKind::Array => node.items().any(has_file_bytes),
        JsonKind::Object => {
            mime_type(node).is_some() && is_data(node)
                || node.fields().any(|field| has_file_bytes(field.value))
        }
        JsonKind::Null | JsonKind::Number | JsonKind::Bool => false,
    }
}

/// The image that a URL or data URL refers to.
fn image_source(address: JsonNode<'_>) -> Option<MediaSource> {
    let address = address.json_string().filter(|address| !address.is_blank())?;
    let Some(data_url) = address.strip_prefix("data:") else {
        return Some(MediaSource::Url { mime: None, url: address });
    };
    let (mime, data) = data_url.split_once(",")?;
    let mime = mime.unescape().strip_suffix(";base64").map(JsonString::new)?;
    Some(MediaSource::Base64 { mime: Some(mime), data })
}

fn is_text_only(node: JsonNode<'_>) -> bool {
    node.get("text").is_some_and(JsonNode::is_string)
        && node.fields().all(|field| TEXT_BLOCK_FIELDS.iter().any(|key| field.key_is(key)))
}

/// The noun for media that cannot be sent.
fn media_noun(kind: &str) -> Option<&'static str> {
    MEDIA_NOUNS.iter().find(|(word, _)| kind.contains(word)).map(|(_, noun)| *noun)
}

fn render(row: &BlockDescription, kind: &str, node: JsonNode<'_>) -> String {
    let wrapped =
        (!row.wrapper.is_empty()).then(|| node.find_last(|field| is_named(field, row.wrapper)));
    let node = wrapped.flatten().unwrap_or(node);
    let mut lines = Vec::new();
    if row.with_heading {
        lines.extend(heading(node));
    }
    row.text_fields
        .iter()
        .filter_map(|key| node.get(key))
        .for_each(|value| write_value(value, &mut lines));
    if !row.labelled {
        return lines.join("\n\n");
    }
    let read_string = |key: &&str| {
        node.get(key).map(JsonNode::str_or_empty).filter(|read_string| !read_string.is_empty())
    };
    let names: Vec<_> = row.label_fields.iter().filter_map(read_string).collect();
    let name = if names.is_empty() { kind.to_owned() } else { names.join(".") };
    let mut head = format!("[{name}]");
    for value in
        row.raw_fields.iter().filter_map(|key| node.get(key)).filter(|json| !json.is_null())
    {
        head.push(' ');
        head.push_str(&raw_or_text(value));
    }
    // A single line goes behind the heading.
    match lines.as_slice() {
        [] => head,
        [line] if !line.contains('\n') => format!("{head} {line}"),
        _ => format!("{head}\n{}", lines.join("\n")),
    }
}

fn raw_or_text(value: JsonNode<'_>) -> String {
    value.json_string().map_or_else(|| value.raw().to_owned(), |text| text.unescape().into_owned())
}

/// The texts of a list of parts, or the text that replaces the list.
fn collect_texts(content: JsonNode<'_>, lines: &mut Vec<String>) {
    let inner = content
        .items()
        .filter(|part| !is_reasoning_part(*part))
        .filter_map(|part| part.get("text"));
    for text in [content].into_iter().chain(inner).filter_map(JsonNode::json_string) {
        if !text.is_blank() {
            lines.push(text.unescape().into_owned());
        }
    }
}

/// Writes the readable content of a value, one line each.
fn write_value(node: JsonNode<'_>, lines: &mut Vec<String>) {
    match node.kind() {
        JsonKind::Null => {}
        JsonKind::Bool | JsonKind::Number => lines.push(node.raw().to_owned()),
        JsonKind::String => lines.extend(readable_text(node)),
        JsonKind::Array => node.items().for_each(|item| write_value(item, lines)),
        JsonKind::Object if is_reasoning_part(node) => {}
        JsonKind::Object if is_named_part(node, ENCRYPTED_PART) => {
            let payload = node.get(ENCRYPTED_PART).and_then(readable_text);
            lines.extend(
                payload.map(
                    |text| {
                        if is_sealed(&text) { ENCRYPTED_OMITTED.to_owned() } else { text }
                    },
                ),
            );
        }
        JsonKind::Object if is_data(node) => lines.push(DATA_OMITTED.to_owned()),
        JsonKind::Object => {
            let heading = heading(node);
            let has_heading = heading.is_some();
            lines.extend(heading);
            let in_heading = |field: &Field<'_>| {
                has_heading
                    && field.value.is_string()
                    && HEADING_FIELDS.iter().any(|key| field.key_is(key))
            };
            for field in node.fields().filter(|field| !is_skipped(*field) && !in_heading(field)) {
                write_field(field, lines);
            }
        }
    }
}

fn write_field(field: Field<'_>, lines: &mut Vec<String>) {
    let scalar = !field.value.is_object() && !field.value.is_array();
    if !scalar || UNLABELLED_FIELDS.iter().any(|key| field.key_is(key)) {
        return write_value(field.value, lines);
    }
    let mut values = Vec::new();
    write_value(field.value, &mut values);
    lines.extend(values.into_iter().map(|values| format!("{}: {values}", field.key())));
}

/// Title and address of a value.
fn heading(node: JsonNode<'_>) -> Option<String> {
    let read_string =
        |key: &str| node.get(key).filter(|value| value.is_string()).map(JsonNode::str_or_empty);
    let title = read_string("title").filter(|title| !title.is_empty());
    let source =
        read_string("url").or_else(|| read_string("source")).filter(|source| !source.is_empty());
    match (title, source) {
        (Some(title), Some(source)) => Some(format!("{title} ({source})")),
        (title, source) => title.or(source).map(Cow::into_owned),
    }
}

fn readable_text(text: JsonNode<'_>) -> Option<String> {
    let content = text.str_or_empty();
    if content.starts_with("data:") {
        return Some(DATA_OMITTED.to_owned());
    }
    (!content.trim().is_empty()).then(|| content.into_owned())
}

/// Whether the value has the bytes of a file.
fn is_data(node: JsonNode<'_>) -> bool {
    node.get("data").is_some_and(JsonNode::is_string)
        && mime_type(node).is_none_or(|mime| !mime.starts_with("text/"))
}

fn mime_type(node: JsonNode<'_>) -> Option<Cow<'_, str>> {
    let types = ["media_type", "mime_type", "mimeType"].into_iter();
    types.filter_map(|key| node.get(key)).map(JsonNode::str_or_empty).next()
}

fn is_reasoning_part(node: JsonNode<'_>) -> bool {
    node.get("type")
        .and_then(JsonNode::json_string)
        .is_some_and(|kind| unknown_block::is_reasoning_kind(&kind))
}

fn is_named_part(node: JsonNode<'_>, kind: &str) -> bool {
    node.get("type").is_some_and(|value| value.str_or_empty() == kind)
}

/// Whether the text was encrypted by its provider: a Fernet token, whose version and time begin so until the
/// year 2106. Codex marks all messages between agents as encrypted, and those of
/// other providers' models are plain text.
fn is_sealed(text: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=".contains(&byte);
    text.starts_with("gAAAAA") && text.bytes().all(is_base64)
}

fn is_skipped(field: Field<'_>) -> bool {
    let name = field.key();
    SKIPPED_FIELDS.contains(&&*name) || name.ends_with("_id")
}

/// Whether a field has this name, in `camelCase` or `snake_case`.
fn is_named(field: Field<'_>, name: &str) -> bool {
    field.key().replace('_', "").eq_ignore_ascii_case(name)
}

/// The marked text of a result, and the number of characters that were cut off.
pub(crate) fn result_text(result: &ToolResult) -> (JsonString, usize) {
    let mut text_out = String::from(if result.is_error { FAILED_PREFIX } else { PREFIX });
    let mut size = 0;
    let mut omitted = 0;
    for text in result.content.iter().filter_map(|block| block_text(block)) {
        let contents = text.unescape();
        let count = contents.chars().count();
        let remaining = MAX_CHARS - size;
        if count > 0 && remaining > 0 {
            text_out.push(if size == 0 { ' ' } else { '\n' });
            text_out.extend(contents.chars().take(remaining));
        }
        size += count.min(remaining);
        omitted += count.saturating_sub(remaining);
    }
    if omitted > 0 {
        text_out.push('…');
    }
    (JsonString::new(&text_out), omitted)
}

/// The content of a block as text.
pub(crate) fn block_text(block: &Block) -> Option<JsonString> {
    match &block.content {
        BlockContent::Text { text, .. } | BlockContent::Refusal(text) => Some(text.clone()),
        BlockContent::Json(json) => {
            Some(json.json_string().unwrap_or_else(|| JsonString::new(json.as_str())))
        }
        BlockContent::Media(media) => match &media.source {
            MediaSource::Text(text) => Some(text.clone()),
            MediaSource::Base64 { .. }
            | MediaSource::Url { .. }
            | MediaSource::File { .. }
            | MediaSource::Blocks(_) => None,
        },
        BlockContent::ToolResult(result) => Some(result_text(result).0),
        BlockContent::ToolCall(call) => Some(JsonString::concat([
            &call.name,
            &JsonString::from_static(" "),
            &call.args.to_json_string(),
        ])),
        BlockContent::Reasoning(_) | BlockContent::Foreign { .. } => None,
    }
}

pub(crate) fn replace_with_text(block: &mut Block, description: Description) {
    // The seal covers the block, not its description.
    block.seal = None;
    block.content = BlockContent::Text { text: description.text, citations: Vec::new() };
}

const DATA_OMITTED: &str = "[data omitted]";
/// The kind of a part, and of its field with the text.
const ENCRYPTED_PART: &str = "encrypted_content";
const ENCRYPTED_OMITTED: &str = "[encrypted by OpenAI: it cannot be read]";
/// Fields of a block that has only text.
const TEXT_BLOCK_FIELDS: &[&str] = &["type", "text", "cache_control"];
const HEADING_FIELDS: &[&str] = &["title", "url", "source"];
/// Substrings of the kinds of media blocks, with the noun for each.
const MEDIA_NOUNS: &[(&str, &str)] = &[
    ("image", "image"),
    ("document", "document"),
    ("file", "document"),
    ("audio", "audio"),
    ("video", "video"),
];
const PREFIX: &str = "[earlier tool output]";
const FAILED_PREFIX: &str = "[earlier tool output, failed]";
/// Maximum length of the text of a result without a call.
const MAX_CHARS: usize = 20_000;
