//! Decodes and encodes `reasoning_details`: entries of reasoning with their seals.

use interlingua_model::{Block, BlockContent, Extras, Reasoning, ReasoningForm, Seal, Verbatim};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::decode::fields;
use super::id::ID;

/// The issuer of a seal without a known format.
pub(super) const UNKNOWN_ISSUER: &str = "unknown";

/// The decoded `reasoning_details` of an assistant message.
#[derive(Debug, Default)]
pub(super) struct ReasoningDetails {
    pub(super) blocks: Vec<Verbatim<Block>>,
    /// Seals that belong to the call with this id.
    pub(super) call_seals: Vec<(JsonString, Seal)>,
    /// Number of blocks before the text of the message. The text's position is the index that the
    /// entries skip; usually it comes after all of them.
    pub(super) before_content: usize,
}

/// Decodes the list. `is_call` returns whether an id belongs to a call of the same message.
pub(super) fn decode_details(
    list: JsonNode<'_>,
    is_call: impl Fn(&JsonString) -> bool,
) -> ReasoningDetails {
    let mut details = ReasoningDetails::default();
    let (mut expected, mut gaps) = (0, Vec::new());
    for node in list.items() {
        let block = decode_detail(node);
        let index = node.get("index").and_then(JsonNode::as_u64).unwrap_or(expected);
        if index == expected + 1 {
            gaps.push(details.blocks.len());
        }
        expected = index + 1;
        let Some(seal) = block.seal.as_deref().filter(|_| is_redacted(&block)) else {
            details.blocks.push(block);
            continue;
        };
        if let Some(id) = seal.id.as_ref().filter(|id| seal.origin.issuer == GOOGLE && is_call(id))
        {
            details.call_seals.push((id.clone(), Seal { id: None, ..seal.clone() }));
        } else if let Some(summary) =
            details.blocks.last_mut().filter(|last| is_seal_of(last, seal))
        {
            let seal = Box::new(seal.clone());
            summary.edit().seal = Some(seal);
        } else {
            details.blocks.push(block);
        }
    }
    details.before_content = match gaps[..] {
        [before_content] => before_content,
        _ => details.blocks.len(),
    };
    details
}

/// Decodes one entry as a separate block.
pub(super) fn decode_detail(node: JsonNode<'_>) -> Verbatim<Block> {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let get = |key: &str| node.get(key).and_then(JsonNode::json_string);
    let thinking = |text: Option<JsonString>, form: ReasoningForm| {
        Block::new(BlockContent::Reasoning(Reasoning { text: text.unwrap_or_default(), form }))
    };
    let has_text_or_none =
        |key: &str| node.get(key).is_none_or(|value| value.is_string() || value.is_null());
    let block = match &*kind {
        // An entry with a text field that is not a string is kept unchanged.
        "reasoning.text" if has_text_or_none("text") => {
            thinking(get("text"), ReasoningForm::Full).with_seal(decode_seal(node, "signature"))
        }
        "reasoning.summary" if has_text_or_none("summary") => {
            thinking(get("summary"), ReasoningForm::Summary)
        }
        "reasoning.encrypted" if get("data").is_some() => {
            thinking(None, ReasoningForm::Redacted).with_seal(decode_seal(node, "data"))
        }
        // Anthropic's thinking blocks, which relays pass on in a separate list.
        "thinking" if has_text_or_none("thinking") => {
            thinking(get("thinking"), ReasoningForm::Full)
                .with_seal(decode_anthropic_seal(node, "signature"))
        }
        "redacted_thinking" if get("data").is_some() => {
            thinking(None, ReasoningForm::Redacted).with_seal(decode_anthropic_seal(node, "data"))
        }
        other if other.starts_with("reasoning.") => {
            fields::foreign_block(node, JsonString::new(other))
        }
        _ => fields::foreign_block(node, JsonString::from_static(UNKNOWN_DETAIL_KIND)),
    };
    let block = if matches!(block.content, BlockContent::Foreign { .. }) {
        block
    } else {
        Block { extras: decode_extras(node, block.seal.is_some()), ..block }
    };
    Verbatim::with_text(block, ID, node.json())
}

pub(super) fn has_visible_text(node: JsonNode<'_>) -> bool {
    let texts = ["text", "summary", "thinking"].into_iter().filter_map(|key| node.get(key));
    texts.filter_map(JsonNode::json_string).any(|texts| !texts.is_empty())
}

fn decode_seal(node: JsonNode<'_>, key: &str) -> Option<Seal> {
    let data = node.get(key)?.json_string().filter(|data| !data.is_empty())?;
    let format = node.get("format").map(JsonNode::str_or_empty).unwrap_or_default();
    let id = node.get("id").and_then(JsonNode::json_string);
    Some(Seal { id, ..Seal::new(JsonString::from_static(issuer_of_format(&format)), data) })
}

fn decode_anthropic_seal(node: JsonNode<'_>, key: &str) -> Option<Seal> {
    let data = node.get(key)?.json_string().filter(|data| !data.is_empty())?;
    Some(Seal::new(JsonString::from_static(ANTHROPIC), data))
}

/// Keeps the fields that the model does not have: an id without a seal, and a format that does not
/// identify an issuer.
fn decode_extras(node: JsonNode<'_>, is_sealed: bool) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields().filter(|field| !field.value.is_null()) {
        let is_kept = match &*field.key() {
            "type" | "index" | "text" | "thinking" | "summary" | "data" | "signature" => false,
            "id" => !is_sealed,
            "format" => {
                let format = field.value.str_or_empty();
                let is_known_format =
                    format_of_issuer(&JsonString::from_static(issuer_of_format(&format)))
                        == Some(&*format);
                format != UNKNOWN_ISSUER && !is_known_format
            }
            _ => true,
        };
        if is_kept {
            extras.push_field(ID, field);
        }
    }
    extras
}

fn is_redacted(block: &Block) -> bool {
    matches!(&block.content, BlockContent::Reasoning(thinking) if thinking.form == ReasoningForm::Redacted)
}

/// Some providers send visible reasoning and its sealed form as two consecutive entries.
fn is_seal_of(block: &Block, seal: &Seal) -> bool {
    let is_shown = matches!(&block.content, BlockContent::Reasoning(thinking) if thinking.form != ReasoningForm::Redacted);
    let id = block.extras.get(ID, "id").and_then(RawJson::json_string);
    is_shown && block.seal.is_none() && matches_detail(id.as_ref(), seal)
}

/// Returns whether a separate seal entry belongs to the visible reasoning with this id.
pub(super) fn matches_detail(id: Option<&JsonString>, seal: &Seal) -> bool {
    !is_signature(seal) && (id.is_none() || id == seal.id.as_ref())
}

/// Returns whether a foreign block is an entry of this list.
pub(super) fn is_detail_kind(kind: &JsonString) -> bool {
    kind == UNKNOWN_DETAIL_KIND || kind.raw().starts_with("reasoning.")
}

/// Returns whether the block results in any entry.
pub(super) fn has_details(block: &Verbatim<Block>) -> bool {
    match &block.content {
        BlockContent::Reasoning(thinking) => {
            block.text_for(ID).is_some_and(is_detail_json)
                || thinking.form == ReasoningForm::Full
                || !thinking.text.is_empty()
                || block.seal.is_some()
        }
        _ => true,
    }
}

/// Encodes one thinking block as entries that are numbered from `index`; returns the next index.
pub(super) fn write_details(block: &Verbatim<Block>, index: u64, out: &mut ArrayWriter<'_>) -> u64 {
    if let Some(text) = block.text_for(ID).filter(|text| is_detail_json(text)) {
        out.item().json(text);
        return index + 1;
    }
    // An entry of unknown type is written back unchanged.
    if let BlockContent::Foreign { json, .. } = &block.content {
        out.item().json(json);
        return index + 1;
    }
    let BlockContent::Reasoning(thinking) = &block.content else { return index };
    let seal = block.seal.as_deref();
    let mut next_index = index;
    let visible_entry = match thinking.form {
        ReasoningForm::Redacted => None,
        ReasoningForm::Full => Some(("reasoning.text", "text")),
        ReasoningForm::Summary => Some(("reasoning.summary", "summary")),
    };
    // A full text carries its signature; any other seal is a separate entry.
    let has_inline_seal = thinking.form == ReasoningForm::Full && seal.is_none_or(is_signature);
    if let Some((kind, key)) =
        visible_entry.filter(|_| has_inline_seal || !thinking.text.is_empty())
    {
        out.object(|o| {
            write_detail_header(kind, next_index, o);
            o.json_string(key, &thinking.text);
            if let Some(seal) = seal.filter(|_| has_inline_seal) {
                o.json_string("signature", &seal.data);
            }
            // Without a seal the format is left out: in a format with sealed texts, a text
            // without a seal counts as one that lost it.
            write_detail_trailer_with(
                block,
                has_inline_seal || thinking.form != ReasoningForm::Full,
                o,
            );
        });
        next_index += 1;
    }
    if let Some(seal) = seal.filter(|_| !has_inline_seal) {
        out.object(|o| {
            write_detail_header("reasoning.encrypted", next_index, o);
            o.json_string("data", &seal.data);
            write_detail_trailer(block, o);
        });
        next_index += 1;
    }
    next_index
}

/// Returns whether the seal signs a text. Otherwise it contains the reasoning itself, encrypted by
/// its issuer.
pub(super) fn is_signature(seal: &Seal) -> bool {
    !(seal.origin.issuer == "openai" || seal.origin.issuer == "xai")
}

/// Returns whether the seal has a separate field next to a text or a call.
pub(super) fn is_google_seal(seal: &Seal) -> bool {
    seal.origin.issuer == GOOGLE
}

/// Writes the entry for the seal of a call.
pub(super) fn write_call_seal(
    call_id: &JsonString,
    seal: &Seal,
    index: u64,
    out: &mut ArrayWriter<'_>,
) {
    out.object(|o| {
        write_detail_header("reasoning.encrypted", index, o);
        o.json_string("data", &seal.data);
        o.json_string("id", call_id);
        if let Some(format) = format_of_issuer(&seal.origin.issuer) {
            o.str("format", format);
        }
    });
}

pub(super) fn write_detail_header(kind: &'static str, index: u64, o: &mut ObjectWriter<'_>) {
    o.str("type", kind);
    o.number("index", index);
}

/// Writes id, format and the other fields of an entry.
pub(super) fn write_detail_trailer(block: &Block, o: &mut ObjectWriter<'_>) {
    write_detail_trailer_with(block, true, o);
}

fn write_detail_trailer_with(block: &Block, writes_format: bool, o: &mut ObjectWriter<'_>) {
    if let Some(seal) = block.seal.as_deref() {
        o.json_string_opt("id", seal.id.as_ref());
        if writes_format
            && block.extras.get(ID, "format").is_none()
            && let Some(format) = format_of_issuer(&seal.origin.issuer)
        {
            o.str("format", format);
        }
    }
    let has_id = block.seal.as_deref().is_some_and(|seal| seal.id.is_some());
    let is_excluded = |key: &JsonString| has_id && key == "id" || !writes_format && key == "format";
    for (key, value) in block.extras.fields_for(ID).iter().filter(|(key, _)| !is_excluded(key)) {
        o.key_json_string(key).json(value);
    }
}

fn is_detail_json(text: &RawJson) -> bool {
    text.to_doc()
        .root()
        .get("type")
        .is_some_and(|kind| kind.str_or_empty().starts_with("reasoning."))
}

/// The issuer of seals with this format.
pub(super) fn issuer_of_format(format: &str) -> &'static str {
    match format {
        "anthropic-claude-v1" => ANTHROPIC,
        "google-gemini-v1" => GOOGLE,
        format if format.ends_with("openai-responses-v1") => "openai",
        format if format.ends_with("xai-responses-v1") => "xai",
        _ => UNKNOWN_ISSUER,
    }
}

/// The usual format of an issuer's seals.
pub(super) fn format_of_issuer(issuer: &JsonString) -> Option<&'static str> {
    ISSUER_FORMATS.iter().find(|(name, _)| *issuer == **name).map(|(_, format)| *format)
}

const ANTHROPIC: &str = "anthropic";
pub(super) const GOOGLE: &str = "google";
const UNKNOWN_DETAIL_KIND: &str = "reasoning_details";

const ISSUER_FORMATS: &[(&str, &str)] = &[
    (ANTHROPIC, "anthropic-claude-v1"),
    (GOOGLE, "google-gemini-v1"),
    ("openai", "openai-responses-v1"),
    ("xai", "xai-responses-v1"),
];
