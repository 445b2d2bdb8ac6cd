//! Decodes one part of a content.

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerPath, Media, MediaSource, Reasoning, ReasoningForm,
    Seal, Verbatim,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::pairing::CallPairing;
use super::{ID, field_name};
use crate::{media, note};

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

pub(super) fn decode_part(
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
pub(super) fn decode_part_value(
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
        ("functionResponse", Some(data)) => BlockContent::ToolResult(
            pairing.decode_function_response(data, &mut fields.extras, path, ledger),
        ),
        (kind, Some(_)) => foreign_body(kind, part),
        (_, None) if has_seal || fields.is_thought => {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "a part holds no data: read as an empty text",
            );
            text_or_thought(JsonString::EMPTY, fields.is_thought)
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

fn decode_inline_data(
    data: JsonNode<'_>,
    extras: &mut Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> BlockContent {
    keep_unknown_fields(
        data,
        "inlineData",
        &["mimeType", "data", "displayName"],
        extras,
        path,
        ledger,
    );
    let mime = field_name::get_text(data, "mimeType", path, ledger);
    let contents = field_name::get_text(data, "data", path, ledger).unwrap_or_default();
    let contents = to_standard_base64(contents);
    let name = decode_display_name(data, extras, path, ledger);
    let known_mime = mime.as_ref().map(JsonString::unescape);
    let effective_mime = known_mime.as_deref().or_else(|| media::sniff(contents.raw()));
    let kind = media::kind_of_mime(effective_mime.unwrap_or_default());
    let source = MediaSource::Base64 { mime, data: contents };
    BlockContent::Media(Box::new(Media { kind, source, name, detail: None }))
}

fn decode_file_data(
    data: JsonNode<'_>,
    extras: &mut Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> BlockContent {
    keep_unknown_fields(
        data,
        "fileData",
        &["mimeType", "fileUri", "displayName"],
        extras,
        path,
        ledger,
    );
    let mime = field_name::get_text(data, "mimeType", path, ledger);
    let uri = field_name::get_text(data, "fileUri", path, ledger).unwrap_or_default();
    let name = decode_display_name(data, extras, path, ledger);
    let kind = match &mime {
        Some(mime) => media::kind_of_mime(&mime.unescape()),
        None => media::kind_of_mime(super::encode_media::mime_of_uri(&uri).unwrap_or_default()),
    };
    let source = if is_own_file(&uri) || !uri.raw().starts_with("http") {
        MediaSource::File { mime, id: uri }
    } else {
        MediaSource::Url { mime, url: uri }
    };
    BlockContent::Media(Box::new(Media { kind, source, name, detail: None }))
}

/// Decodes the display name, and records that the client sent one: not every backend accepts it.
fn decode_display_name(
    data: JsonNode<'_>,
    extras: &mut Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<JsonString> {
    let name = field_name::get_text(data, "displayName", path, ledger)?;
    extras.push(ID, DISPLAY_NAME_KEY, RawJson::NULL);
    Some(name)
}

/// Some clients of this provider send URL-safe base64, which no other provider decodes.
fn to_standard_base64(data: JsonString) -> JsonString {
    if !data.raw().contains(['-', '_']) {
        return data;
    }
    let mut converted = data.unescape().replace('-', "+").replace('_', "/");
    while !converted.len().is_multiple_of(4) {
        converted.push('=');
    }
    JsonString::new(&converted)
}

/// Returns whether the URI is a file in the provider's own storage, which only this provider can
/// read.
pub(super) fn is_own_file(uri: &JsonString) -> bool {
    let uri = uri.unescape();
    OWN_FILE_PREFIXES.iter().any(|start| uri.starts_with(start))
}

/// Keeps the fields of a part's data that the model does not have.
pub(super) fn keep_unknown_fields(
    data: JsonNode<'_>,
    key: &'static str,
    known: &[&'static str],
    extras: &mut Extras,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    if !data.is_object() {
        ledger.record_change(
            note::ODD_INPUT,
            path,
            format!("`{key}` is not an object: read as empty"),
        );
    }
    if let Some(unknown) = field_name::unknown_fields(data, known) {
        extras.push(ID, JsonString::from_static(key), unknown);
    }
}

pub(super) const ISSUER: &str = "google";

/// Extras key that marks media with a display name in the original.
pub(super) const DISPLAY_NAME_KEY: JsonString = JsonString::from_static("display name");

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

const OWN_FILE_PREFIXES: &[&str] =
    &["https://generativelanguage.googleapis.com/", "gs://", "files/"];
