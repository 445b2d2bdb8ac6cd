//! Decodes one part of a content.

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerPath, Reasoning, ReasoningForm, Seal, Verbatim,
};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use super::call_pairing::CallPairing;
use super::media::{decode_file_data, decode_inline_data};
use crate::gemini::field_name;
use crate::gemini::id::{ID, ISSUER};
use crate::note;

/// The fields of a part: the one data field, and the attributes next to it.
struct PartFields<'d> {
    data_key: &'static str,
    data: Option<JsonNode<'d>>,
    seal: Option<Seal>,
    is_thought: bool,
    extras: Extras,
    /// Description of a protocol violation, for the ledger.
    odd_input: Option<&'static str>,
}

pub(crate) fn decode_part(
    part: JsonNode<'_>,
    pairing: &mut CallPairing,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    let block = decode_part_value(part, pairing, path, ledger);
    if part.is_string() {
        Verbatim::new(block)
    } else {
        Verbatim::with_text(block, ID, part.json())
    }
}

/// Like [`decode_part`], without keeping the part's text.
pub(crate) fn decode_part_value(
    part: JsonNode<'_>,
    pairing: &mut CallPairing,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Block {
    if let Some(text) = part.json_string() {
        ledger.record_change(note::ODD_INPUT, path, "a part is a bare string: read as text");
        return Block::text(text);
    }
    if !part.is_object() {
        ledger.record_change(note::ODD_INPUT, path, "a part is not an object: kept as it is");
        return Block::new(foreign_body("unknown", part));
    }
    let mut fields = parse_fields(part);
    if let Some(odd_input) = fields.odd_input {
        ledger.record_change(note::ODD_INPUT, path, odd_input);
    }
    let body = decode_body(part, &mut fields, pairing, path, ledger);
    let extras = if matches!(body, BlockContent::Foreign { .. }) {
        Extras::default()
    } else {
        fields.extras
    };
    Block { extras, ..Block::new(body).with_seal(fields.seal) }
}

fn parse_fields(part: JsonNode<'_>) -> PartFields<'_> {
    let mut fields = PartFields {
        data_key: "",
        data: None,
        seal: None,
        is_thought: false,
        extras: Extras::default(),
        odd_input: None,
    };
    let rank =
        |kind: &str| DATA_KEYS.iter().position(|name| *name == kind).unwrap_or(DATA_KEYS.len());
    for field in part.fields() {
        let is_attribute =
            || field_name::find_known_field(field, &["thoughtSignature", "thought"]).is_some();
        if field.value.is_null()
            && (field_name::find_known_field(field, DATA_KEYS).is_some() || is_attribute())
        {
            continue;
        }
        if field_name::field_matches(field, "thoughtSignature") {
            let seal = field
                .value
                .json_string()
                .map(|data| Seal::new(JsonString::from_static(ISSUER), data));
            if seal.is_none() {
                fields.odd_input = Some("a signature is not a string: left out");
            }
            fields.seal = seal.filter(|seal| !seal.data.is_empty());
        } else if field_name::field_matches(field, "thought") {
            let is_thought = field_name::lenient_bool(field.value);
            if is_thought.is_none() {
                fields.odd_input = Some("`thought` is neither true nor false: left out");
            }
            fields.is_thought = is_thought == Some(true);
        } else if let Some(kind) = field_name::find_known_field(field, DATA_KEYS) {
            if let Some(other) = fields.data {
                fields.odd_input = Some("a part holds more than one kind of data");
                if rank(kind) > rank(fields.data_key) {
                    fields.extras.push_field(ID, field);
                    continue;
                }
                fields.extras.push(ID, JsonString::from_static(fields.data_key), other.json());
            }
            (fields.data_key, fields.data) = (kind, Some(field.value));
        } else {
            fields.extras.push_field(ID, field);
        }
    }
    fields
}

fn decode_body(
    part: JsonNode<'_>,
    fields: &mut PartFields<'_>,
    pairing: &mut CallPairing,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> BlockContent {
    let has_seal = fields.seal.is_some();
    if fields.is_thought && !matches!(fields.data_key, "text" | "") {
        fields.extras.push(ID, JsonString::from_static("thought"), RawJson::TRUE);
    }
    match (fields.data_key, fields.data) {
        ("text", Some(data)) => {
            let text = data.json_string().unwrap_or_else(|| {
                ledger.record_change(
                    note::ODD_INPUT,
                    path,
                    "a text is not a string: read as its JSON",
                );
                JsonString::new(data.raw())
            });
            text_or_thought(text, fields.is_thought)
        }
        ("inlineData", Some(data)) => decode_inline_data(data, &mut fields.extras, path, ledger),
        ("fileData", Some(data)) => decode_file_data(data, &mut fields.extras, path, ledger),
        ("functionCall", Some(data)) => BlockContent::ToolCall(pairing.decode_function_call(
            data,
            &mut fields.extras,
            path,
            ledger,
        )),
        ("functionResponse", Some(data)) => {
            let mut result =
                pairing.decode_function_response(data, &mut fields.extras, path, ledger);
            decode_response_parts(data, &mut result.content, path, ledger);
            BlockContent::ToolResult(result)
        }
        (kind, Some(_)) => foreign_body(kind, part),
        // Models end their reasoning with a signature alone.
        (_, None) if has_seal => text_or_thought(JsonString::EMPTY, fields.is_thought),
        (_, None) if fields.is_thought => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "a part holds no data: read as an empty text",
            );
            text_or_thought(JsonString::EMPTY, true)
        }
        (_, None) => {
            let Some(field) = part.fields().find(|field| !field.value.is_null()) else {
                ledger.record_change(
                    note::ODD_INPUT,
                    path,
                    "a part is empty: read as an empty text",
                );
                return text_or_thought(JsonString::EMPTY, false);
            };
            BlockContent::Foreign { dialect: ID, kind: field.key_json_string(), json: part.json() }
        }
    }
}

/// Decodes the media next to a function's response.
fn decode_response_parts(
    response: JsonNode<'_>,
    content: &mut Vec<Verbatim<Block>>,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    let Some(parts) = field_name::get(response, "parts") else { return };
    // A single part may appear without a list.
    let single_part = Some(parts).filter(|parts| !parts.is_array());
    // Empty parts are dropped.
    let has_content = |part: &JsonNode<'_>| {
        !part.is_object() || part.fields().any(|field| !field.value.is_null())
    };
    let all_parts = || single_part.into_iter().chain(parts.items());
    // Null fields count here: the provider rejects unknown fields even if null.
    let is_known_field =
        |field: Field<'_>| field_name::find_known_field(field, RESPONSE_PART_KEYS).is_some();
    if all_parts().any(|part| !part.fields().all(is_known_field)) {
        let message = "a part of a response has an unknown field";
        ledger.record_change(note::ODD_INPUT, path, message);
    }
    for part in all_parts().filter(has_content) {
        let part = decode_part(part, &mut CallPairing::default(), path, ledger);
        if !matches!(part.content, BlockContent::Media(_)) || part.seal.is_some() {
            let message = "a part of a response is not media";
            ledger.record_change(note::ODD_INPUT, path, message);
        }
        content.push(part);
    }
}

fn text_or_thought(text: JsonString, is_thought: bool) -> BlockContent {
    if is_thought {
        BlockContent::Reasoning(Reasoning { text, form: ReasoningForm::Summary })
    } else {
        BlockContent::Text { text, citations: Vec::new() }
    }
}

fn foreign_body(kind: &'static str, part: JsonNode<'_>) -> BlockContent {
    BlockContent::Foreign { dialect: ID, kind: JsonString::from_static(kind), json: part.json() }
}

/// The fields that hold a part's data. If a part has several, the first of this list counts.
const DATA_KEYS: &[&str] = &[
    "functionCall",
    "functionResponse",
    "inlineData",
    "fileData",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
    "text",
];

/// Allowed fields of a part of a response.
const RESPONSE_PART_KEYS: &[&str] = &["inlineData", "fileData"];
