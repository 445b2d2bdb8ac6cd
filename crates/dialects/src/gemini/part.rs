//! One part of a content, read.

use interlingua_model::{
    Block, Body, Extras, Form, Ledger, Media, Place, Seal, Source, Thinking, Verbatim,
};
use interlingua_wire::{Json, Node, Text};

use super::pairing::Pairing;
use super::{ID, names};
use crate::{media, note};

/// A part taken apart: the one field that holds its data, and what stands beside it.
struct Pieces<'d> {
    kind: &'static str,
    data: Option<Node<'d>>,
    seal: Option<Seal>,
    thought: bool,
    extras: Extras,
    /// What is not as the protocol has it.
    odd: Option<&'static str>,
}

pub(super) fn decode(
    part: Node<'_>,
    pairing: &mut Pairing,
    place: Place,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    let block = decode_block(part, pairing, place, ledger);
    if part.is_string() { Verbatim::new(block) } else { Verbatim::read(block, ID, part.json()) }
}

/// As [`decode`], where nobody asks for the text of the part.
pub(super) fn decode_block(
    part: Node<'_>,
    pairing: &mut Pairing,
    place: Place,
    ledger: &mut Ledger,
) -> Block {
    if let Some(text) = part.text() {
        ledger.change(note::ODD_INPUT, place, "a part is a bare string: read as text");
        return Block::text(text);
    }
    if !part.is_object() {
        ledger.change(note::ODD_INPUT, place, "a part is not an object: kept as it is");
        return Block::new(foreign("unknown", part));
    }
    let mut pieces = take_apart(part);
    if let Some(odd) = pieces.odd {
        ledger.change(note::ODD_INPUT, place, odd);
    }
    let body = body_of(part, &mut pieces, pairing, place, ledger);
    let extras =
        if matches!(body, Body::Foreign { .. }) { Extras::default() } else { pieces.extras };
    Block { extras, ..Block::new(body).sealed(pieces.seal) }
}

fn take_apart(part: Node<'_>) -> Pieces<'_> {
    let mut pieces = Pieces {
        kind: "",
        data: None,
        seal: None,
        thought: false,
        extras: Extras::default(),
        odd: None,
    };
    let rank = |kind: &str| DATA.iter().position(|name| *name == kind).unwrap_or(DATA.len());
    for field in part.fields() {
        let known = || names::of_field(field, &["thoughtSignature", "thought"]).is_some();
        if field.value.is_null() && (names::of_field(field, DATA).is_some() || known()) {
            continue;
        }
        if names::is_field(field, "thoughtSignature") {
            let seal = field.value.text().map(|data| Seal::new(Text::word(ISSUER), data));
            if seal.is_none() {
                pieces.odd = Some("a signature is not a string: left out");
            }
            pieces.seal = seal.filter(|seal| !seal.data.is_empty());
        } else if names::is_field(field, "thought") {
            let thought = names::truth(field.value);
            if thought.is_none() {
                pieces.odd = Some("`thought` is neither true nor false: left out");
            }
            pieces.thought = thought == Some(true);
        } else if let Some(kind) = names::of_field(field, DATA) {
            if let Some(other) = pieces.data {
                pieces.odd = Some("a part holds more than one kind of data");
                if rank(kind) > rank(pieces.kind) {
                    pieces.extras.keep(ID, field);
                    continue;
                }
                pieces.extras.put(ID, Text::word(pieces.kind), other.json());
            }
            (pieces.kind, pieces.data) = (kind, Some(field.value));
        } else {
            pieces.extras.keep(ID, field);
        }
    }
    pieces
}

fn body_of(
    part: Node<'_>,
    pieces: &mut Pieces<'_>,
    pairing: &mut Pairing,
    place: Place,
    ledger: &mut Ledger,
) -> Body {
    let sealed = pieces.seal.is_some();
    if pieces.thought && !matches!(pieces.kind, "text" | "") {
        pieces.extras.put(ID, Text::word("thought"), Json::TRUE);
    }
    match (pieces.kind, pieces.data) {
        ("text", Some(data)) => {
            let text = data.text().unwrap_or_else(|| {
                ledger.change(note::ODD_INPUT, place, "a text is not a string: read as its JSON");
                Text::new(data.raw())
            });
            written_text(text, pieces.thought)
        }
        ("inlineData", Some(data)) => inline(data, &mut pieces.extras, place, ledger),
        ("fileData", Some(data)) => file(data, &mut pieces.extras, place, ledger),
        ("functionCall", Some(data)) => {
            Body::ToolCall(pairing.call(data, &mut pieces.extras, place, ledger))
        }
        ("functionResponse", Some(data)) => {
            Body::ToolResult(pairing.response(data, &mut pieces.extras, place, ledger))
        }
        (kind, Some(_)) => foreign(kind, part),
        (_, None) if sealed || pieces.thought => {
            ledger.change(note::ODD_INPUT, place, "a part holds no data: read as an empty text");
            written_text(Text::EMPTY, pieces.thought)
        }
        (_, None) => {
            let Some(field) = part.fields().find(|field| !field.value.is_null()) else {
                ledger.change(note::ODD_INPUT, place, "a part is empty: read as an empty text");
                return written_text(Text::EMPTY, false);
            };
            Body::Foreign { dialect: ID, kind: field.key(), json: part.json() }
        }
    }
}

fn written_text(text: Text, thought: bool) -> Body {
    if thought {
        Body::Thinking(Thinking { text, form: Form::Summary })
    } else {
        Body::Text { text, citations: Vec::new() }
    }
}

fn foreign(kind: &'static str, part: Node<'_>) -> Body {
    Body::Foreign { dialect: ID, kind: Text::word(kind), json: part.json() }
}

fn inline(data: Node<'_>, extras: &mut Extras, place: Place, ledger: &mut Ledger) -> Body {
    keep_others(data, "inlineData", &["mimeType", "data", "displayName"], extras, place, ledger);
    let mime = names::text(data, "mimeType", place, ledger);
    let contents = names::text(data, "data", place, ledger).unwrap_or_default();
    let contents = standard_base64(contents);
    let name = display_name(data, extras, place, ledger);
    let known = mime.as_ref().map(Text::contents);
    let sniffed = known.as_deref().or_else(|| media::sniff(contents.raw()));
    let kind = media::kind_of_mime(sniffed.unwrap_or_default());
    let source = Source::Base64 { mime, data: contents };
    Body::Media(Box::new(Media { kind, source, name, detail: None }))
}

fn file(data: Node<'_>, extras: &mut Extras, place: Place, ledger: &mut Ledger) -> Body {
    keep_others(data, "fileData", &["mimeType", "fileUri", "displayName"], extras, place, ledger);
    let mime = names::text(data, "mimeType", place, ledger);
    let uri = names::text(data, "fileUri", place, ledger).unwrap_or_default();
    let name = display_name(data, extras, place, ledger);
    let kind = match &mime {
        Some(mime) => media::kind_of_mime(&mime.contents()),
        None => media::kind_of_mime(super::encode_media::mime_of_uri(&uri).unwrap_or_default()),
    };
    let source = if is_own_file(&uri) || !uri.raw().starts_with("http") {
        Source::File { mime, id: uri }
    } else {
        Source::Url { mime, url: uri }
    };
    Body::Media(Box::new(Media { kind, source, name, detail: None }))
}

/// The name of a file, and that it was written here: not every backend takes one.
fn display_name(
    data: Node<'_>,
    extras: &mut Extras,
    place: Place,
    ledger: &mut Ledger,
) -> Option<Text> {
    let name = names::text(data, "displayName", place, ledger)?;
    extras.put(ID, DISPLAY_NAME, Json::NULL);
    Some(name)
}

/// Some clients of this provider write base64 in the alphabet for addresses, which no other provider
/// reads.
fn standard_base64(data: Text) -> Text {
    if !data.raw().contains(['-', '_']) {
        return data;
    }
    let mut standard = data.contents().replace('-', "+").replace('_', "/");
    while !standard.len().is_multiple_of(4) {
        standard.push('=');
    }
    Text::new(&standard)
}

/// Files of the provider's own store, which nobody else can open.
pub(super) fn is_own_file(uri: &Text) -> bool {
    let uri = uri.contents();
    OWN_FILES.iter().any(|start| uri.starts_with(start))
}

/// Keeps the fields of a part's data that the model has no name for.
pub(super) fn keep_others(
    data: Node<'_>,
    key: &'static str,
    known: &[&'static str],
    extras: &mut Extras,
    place: Place,
    ledger: &mut Ledger,
) {
    if !data.is_object() {
        ledger.change(note::ODD_INPUT, place, format!("`{key}` is not an object: read as empty"));
    }
    if let Some(kept) = names::others(data, known) {
        extras.put(ID, Text::word(key), kept);
    }
}

pub(super) const ISSUER: &str = "google";

/// Stands in a block's extras where its media was written with a name.
pub(super) const DISPLAY_NAME: Text = Text::word("display name");

/// The fields that hold a part's data; where several stand together, the first of these counts.
const DATA: &[&str] = &[
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

const OWN_FILES: &[&str] = &["https://generativelanguage.googleapis.com/", "gs://", "files/"];
