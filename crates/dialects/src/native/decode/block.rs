//! Decodes blocks.

use interlingua_model::{
    Block, BlockContent, CacheBreakpoint, Citation, DialectId, Extras, Ledger, LedgerPath,
    LedgerSection, Media, MediaKind, MediaSource, Reasoning, ReasoningForm, Role, Seal, SealOrigin,
    Spelling, ToolArgs, ToolCall, ToolResult, Verbatim, WrittenForm,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use super::unknown_fields;
use crate::dialect::Dialect;
use crate::native::enum_names;
use crate::native::id::ID;
use crate::registry;

/// Decodes a list of blocks. Any other value is decoded as one block.
pub(crate) fn decode_blocks(
    list: Option<JsonNode<'_>>,
    role: Role,
    ledger: &mut Ledger,
) -> Vec<Verbatim<Block>> {
    match list {
        Some(list) if list.is_array() => {
            let mut blocks = Vec::with_capacity(list.len());
            for (at, item) in list.items().enumerate() {
                let first_entry = ledger.entries.len();
                blocks.push(decode_block(item, role, ledger));
                set_entry_paths(ledger, first_entry, |path| path.block = Some(at as u32));
            }
            blocks
        }
        Some(block) if !block.is_null() => vec![decode_block(block, role, ledger)],
        _ => Vec::new(),
    }
}

/// Corrects the paths of the ledger entries from `first_entry` on: a value decoded from its own
/// text does not know its position in the conversation.
pub(crate) fn set_entry_paths(
    ledger: &mut Ledger,
    first_entry: usize,
    change: impl Fn(&mut LedgerPath),
) {
    for entry in ledger.entries.iter_mut().skip(first_entry) {
        if matches!(entry.path.section, LedgerSection::Turns | LedgerSection::System) {
            change(&mut entry.path);
            entry.path_after = Some(entry.path);
        }
    }
}

pub(crate) fn decode_block(node: JsonNode<'_>, role: Role, ledger: &mut Ledger) -> Verbatim<Block> {
    if let Some((dialect, raw)) = decode_raw(node) {
        let block = dialect.decode_block(raw.to_doc().root(), role, ledger);
        // Some dialects mark a cache breakpoint outside the block's own text.
        return block.map_keeping_text(|block| {
            block.cache_breakpoint = decode_cache(node);
            restore_id(block, node, &raw);
        });
    }
    if let Some(text) = node.json_string() {
        return Verbatim::new(Block::text(text));
    }
    let body = decode_body(node, role, ledger);
    unknown_fields::check_block(node, &body, ledger);
    let mut block = Block::new(body);
    block.seal = node.get("seal").map(|node| Box::new(decode_seal(node)));
    block.cache_breakpoint = decode_cache(node);
    block.extras = decode_extras(node);
    Verbatim::with_text(block, ID, node.json())
}

/// Restores the id of a call or result if its original text has none: a derived id depends on the
/// position in the whole conversation.
pub(super) fn restore_id(block: &mut Block, node: JsonNode<'_>, raw: &RawJson) {
    let (id, stored_id) = match &mut block.content {
        BlockContent::ToolCall(call) => {
            (&mut call.id, node.get("call").and_then(|call| call.get("id")))
        }
        BlockContent::ToolResult(result) => {
            (&mut result.call_id, node.get("result").and_then(|result| result.get("call")))
        }
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::Foreign { .. } => return,
    };
    if let Some(stored_id) =
        stored_id.and_then(JsonNode::json_string).filter(|_| !raw.as_str().contains(id.raw()))
    {
        *id = stored_id;
    }
}

/// The original text of a value in another dialect, and that dialect.
pub(super) fn decode_raw(node: JsonNode<'_>) -> Option<(&'static dyn Dialect, RawJson)> {
    let field = node.get("raw")?.fields().last()?;
    let dialect = registry::find_provider_dialect(&field.key())?;
    Some((dialect, field.value.json()))
}

fn decode_body(node: JsonNode<'_>, role: Role, ledger: &mut Ledger) -> BlockContent {
    for field in node.fields() {
        let inner = field.value;
        match &*field.key() {
            "text" => {
                let citations = node
                    .get("citations")
                    .into_iter()
                    .flat_map(JsonNode::items)
                    .map(decode_citation);
                return BlockContent::Text {
                    text: text_or_raw(Some(inner)),
                    citations: citations.collect(),
                };
            }
            "refusal" => return BlockContent::Refusal(text_or_raw(Some(inner))),
            "thinking" => {
                let form = enum_names::parse_name(enum_names::REASONING_FORMS, node.get("form"))
                    .unwrap_or(ReasoningForm::Full);
                return BlockContent::Reasoning(Reasoning { text: text_or_raw(Some(inner)), form });
            }
            "data" => return BlockContent::Json(inner.json()),
            "call" => return BlockContent::ToolCall(decode_tool_call(inner)),
            "result" => return BlockContent::ToolResult(decode_tool_result(inner, role, ledger)),
            "foreign" => return decode_foreign(inner, role),
            name => {
                if let Some((kind, _)) =
                    enum_names::MEDIA_KINDS.iter().find(|(_, name_in_table)| *name_in_table == name)
                {
                    return BlockContent::Media(Box::new(decode_media(*kind, inner, role, ledger)));
                }
            }
        }
    }
    BlockContent::Foreign { dialect: ID, kind: JsonString::EMPTY, json: node.json() }
}

/// Decodes a foreign block. Its kind comes from decoding the JSON in its own dialect.
fn decode_foreign(node: JsonNode<'_>, role: Role) -> BlockContent {
    let dialect = node
        .get("dialect")
        .and_then(|name| enum_names::find_dialect(&name.str_or_empty()))
        .unwrap_or(ID);
    let json = node.get("json").map_or(RawJson::NULL, JsonNode::json);
    let reader = registry::find_provider_dialect(dialect.0).filter(|_| json.is_object());
    let decoded = reader.map(|reader| {
        reader.decode_block(json.to_doc().root(), role, &mut Ledger::default()).into_value()
    });
    let kind = match decoded.map(|block| block.content) {
        Some(BlockContent::Foreign { kind, .. }) => kind,
        _ => text_or_raw(node.get("kind")),
    };
    BlockContent::Foreign { dialect, kind, json }
}

fn decode_tool_call(node: JsonNode<'_>) -> ToolCall {
    let args = match (node.get("args"), node.get("freeform")) {
        (Some(args), _) => ToolArgs::Json(args.json()),
        (None, Some(freeform)) => ToolArgs::Freeform(text_or_raw(Some(freeform))),
        (None, None) => ToolArgs::Malformed(text_or_raw(node.get("malformed"))),
    };
    ToolCall { id: text_or_raw(node.get("id")), name: text_or_raw(node.get("name")), args }
}

fn decode_tool_result(node: JsonNode<'_>, role: Role, ledger: &mut Ledger) -> ToolResult {
    ToolResult {
        call_id: text_or_raw(node.get("call")),
        name: node.get("name").and_then(JsonNode::json_string),
        content: decode_blocks(node.get("content"), role, ledger),
        is_error: node.get("is_error").and_then(JsonNode::as_bool).unwrap_or(false),
    }
}

fn decode_media(kind: MediaKind, node: JsonNode<'_>, role: Role, ledger: &mut Ledger) -> Media {
    let mime = node.get("mime").and_then(JsonNode::json_string);
    let source = if let Some(data) = node.get("base64").and_then(JsonNode::json_string) {
        MediaSource::Base64 { mime, data }
    } else if let Some(url) = node.get("url").and_then(JsonNode::json_string) {
        MediaSource::Url { mime, url }
    } else if let Some(id) = node.get("file").and_then(JsonNode::json_string) {
        MediaSource::File { mime, id }
    } else if let Some(inner) = node.get("blocks") {
        MediaSource::Blocks(decode_blocks(Some(inner), role, ledger))
    } else {
        MediaSource::Text(text_or_raw(node.get("plain")))
    };
    let name = node.get("name").and_then(JsonNode::json_string);
    Media { kind, source, name, detail: node.get("detail").and_then(JsonNode::json_string) }
}

pub(crate) fn decode_citation(node: JsonNode<'_>) -> Citation {
    let mut span =
        node.get("span").into_iter().flat_map(JsonNode::items).filter_map(JsonNode::as_u64);
    Citation {
        url: node.get("url").and_then(JsonNode::json_string),
        title: node.get("title").and_then(JsonNode::json_string),
        quote: node.get("quote").and_then(JsonNode::json_string),
        span: span.next().zip(span.next()),
        original: node.get("written").and_then(decode_tagged_json),
    }
}

/// Decodes `{"dialect": value}`.
pub(crate) fn decode_tagged_json(node: JsonNode<'_>) -> Option<(DialectId, RawJson)> {
    let field = node.fields().last()?;
    Some((enum_names::find_dialect(&field.key())?, field.value.json()))
}

pub(crate) fn decode_seal(node: JsonNode<'_>) -> Seal {
    let model = node.get("model").and_then(JsonNode::json_string);
    Seal {
        origin: SealOrigin { issuer: text_or_raw(node.get("issuer")), model },
        data: text_or_raw(node.get("data")),
        id: node.get("id").and_then(JsonNode::json_string),
    }
}

pub(super) fn decode_cache(node: JsonNode<'_>) -> Option<Box<CacheBreakpoint>> {
    let cache = node.get("cache").filter(|cache| cache.is_object())?;
    Some(Box::new(CacheBreakpoint { ttl: cache.get("ttl").and_then(JsonNode::json_string) }))
}

pub(crate) fn decode_extras(node: JsonNode<'_>) -> Extras {
    let mut extras = Extras::default();
    let dialect =
        node.get("extras_of").and_then(|name| enum_names::find_dialect(&name.str_or_empty()));
    for field in node.get("extras").into_iter().flat_map(JsonNode::fields) {
        match (dialect, WrittenForm::from_named(&field.key_json_string(), &field.value.json())) {
            (Some(dialect), Some(form)) => extras.set_written(dialect, form),
            _ => extras.push_field(dialect.unwrap_or(ID), field),
        }
    }
    for field in node.get("remembered").into_iter().flat_map(JsonNode::fields) {
        let Some(dialect) = enum_names::find_dialect(&field.key()) else { continue };
        for name in field.value.items().filter_map(JsonNode::json_string) {
            match Spelling::from_name(&name.unescape()) {
                Some(spelling) => extras.add_spellings(dialect, spelling),
                None => {
                    if let Some(form) = WrittenForm::from_named(&name, &RawJson::NULL) {
                        extras.set_written(dialect, form);
                    }
                }
            }
        }
    }
    extras
}

/// A string, or the JSON of any other value, so that nothing is lost.
pub(crate) fn text_or_raw(node: Option<JsonNode<'_>>) -> JsonString {
    match node {
        Some(node) if node.is_string() => node.json_string().unwrap_or_default(),
        Some(node) if node.kind() != JsonKind::Null => JsonString::new(node.raw()),
        _ => JsonString::EMPTY,
    }
}
