//! One part of a content, read.

use interlingua_model::{
    Args, Block, Body, Extras, Form, Ledger, Media, Place, Seal, Source, Thinking, ToolCall,
    ToolResult, Verbatim, derive_id,
};
use interlingua_wire::{Json, Node, Text};

use super::{ID, names};
use crate::{media, note};

/// What reading a part must know of the parts before it: calls without an id get one, and responses
/// without an id find their call by name and order.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    /// What new ids depend on beside name and position.
    salt: Option<Text>,
    /// The turn was taken out of its conversation: calls before it are not known.
    alone: bool,
    calls: usize,
    orphans: usize,
    pending: Vec<Pending>,
    /// Somebody else spoke since the model did.
    interrupted: bool,
}

#[derive(Debug)]
struct Pending {
    id: Text,
    name: Text,
    /// The id is ours: the client wrote none.
    derived: bool,
}

/// A part taken apart: the one field that holds its data, and what stands beside it.
struct Pieces<'d> {
    kind: &'static str,
    data: Option<Node<'d>>,
    seal: Option<Seal>,
    thought: bool,
    extras: Extras,
    crowded: bool,
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
    if pieces.crowded {
        ledger.change(note::ODD_INPUT, place, "a part holds more than one kind of data");
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
        crowded: false,
    };
    let rank = |kind: &str| DATA.iter().position(|name| *name == kind).unwrap_or(DATA.len());
    for field in part.fields().filter(|field| !field.value.is_null()) {
        if names::is_field(field, "thoughtSignature") {
            let seal = field.value.text().map(|data| Seal::new(Text::word(ISSUER), data));
            pieces.seal = seal.filter(|seal| !seal.data.is_empty());
        } else if names::is_field(field, "thought") {
            pieces.thought = field.value.boolean() == Some(true);
        } else if let Some(kind) = names::of_field(field, DATA) {
            if let Some(other) = pieces.data {
                pieces.crowded = true;
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
        ("inlineData", Some(data)) => inline(data, &mut pieces.extras),
        ("fileData", Some(data)) => file(data, &mut pieces.extras),
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

fn inline(data: Node<'_>, extras: &mut Extras) -> Body {
    let mime = names::get(data, "mimeType").and_then(Node::text);
    let contents = names::get(data, "data").and_then(Node::text).unwrap_or_default();
    let contents = standard_base64(contents);
    let name = display_name(data, extras);
    keep_others(data, "inlineData", &["mimeType", "data", "displayName"], extras);
    let known = mime.as_ref().map(Text::contents);
    let sniffed = known.as_deref().or_else(|| media::sniff(contents.raw()));
    let kind = media::kind_of_mime(sniffed.unwrap_or_default());
    let source = Source::Base64 { mime, data: contents };
    Body::Media(Box::new(Media { kind, source, name, detail: None }))
}

fn file(data: Node<'_>, extras: &mut Extras) -> Body {
    let mime = names::get(data, "mimeType").and_then(Node::text);
    let uri = names::get(data, "fileUri").and_then(Node::text).unwrap_or_default();
    let name = display_name(data, extras);
    keep_others(data, "fileData", &["mimeType", "fileUri", "displayName"], extras);
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
fn display_name(data: Node<'_>, extras: &mut Extras) -> Option<Text> {
    let name = names::get(data, "displayName").and_then(Node::text)?;
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

fn keep_others(data: Node<'_>, key: &'static str, known: &[&'static str], extras: &mut Extras) {
    if let Some(kept) = names::others(data, known) {
        extras.put(ID, Text::word(key), kept);
    }
}

impl Pairing {
    /// For a turn or block that was taken out of its conversation.
    pub(super) fn alone() -> Self {
        Self { alone: true, ..Self::default() }
    }

    /// For a reply, whose new ids must differ from those of the replies before it.
    pub(super) fn of_reply(id: Option<Text>) -> Self {
        Self { salt: id, ..Self::default() }
    }

    /// The next content is said by the model, or by somebody else. When the model speaks again, what
    /// it called before is answered no more.
    pub(super) fn next_speaker(&mut self, is_model: bool) {
        if is_model && self.interrupted {
            self.pending.clear();
        }
        self.interrupted = !is_model;
    }

    fn call(
        &mut self,
        call: Node<'_>,
        extras: &mut Extras,
        place: Place,
        ledger: &mut Ledger,
    ) -> ToolCall {
        keep_others(call, "functionCall", &["name", "args", "id"], extras);
        let name = names::get(call, "name").and_then(Node::text).unwrap_or_default();
        if name.is_empty() {
            ledger.change(note::ODD_INPUT, place, "a call names no function");
        }
        let written = written_id(call);
        let derived = written.is_none();
        let id = written.unwrap_or_else(|| {
            extras.put(ID, NO_ID, Json::NULL);
            self.new_id(&name)
        });
        self.calls += 1;
        self.pending.push(Pending { id: id.clone(), name: name.clone(), derived });
        let args = match names::get(call, "args") {
            None => Args::Json(Json::EMPTY_OBJECT),
            Some(args) => match args.text() {
                Some(text) => {
                    ledger.change(note::ODD_INPUT, place, "arguments come as a string");
                    Args::from_text(&text)
                }
                None => Args::Json(args.json()),
            },
        };
        ToolCall { id, name, args }
    }

    fn new_id(&self, name: &Text) -> Text {
        match &self.salt {
            Some(salt) => derive_id("call_", &Text::concat([salt, name]), self.calls),
            None => derive_id("call_", name, self.calls),
        }
    }

    fn response(
        &mut self,
        response: Node<'_>,
        extras: &mut Extras,
        place: Place,
        ledger: &mut Ledger,
    ) -> ToolResult {
        keep_others(response, "functionResponse", &["name", "response", "id", "parts"], extras);
        let name = names::get(response, "name").and_then(Node::text);
        let answered = self.answered(written_id(response), name.as_ref(), extras);
        let call = answered.unwrap_or_else(|| {
            if !self.alone {
                return Text::EMPTY;
            }
            // As the call is named where its turn stands alone, too.
            self.orphans += 1;
            let before = self.calls + self.orphans - 1;
            derive_id("call_", name.as_ref().unwrap_or(&Text::EMPTY), before)
        });
        let (mut content, is_error) =
            names::get(response, "response").map(outcome).unwrap_or_default();
        for part in names::get(response, "parts").into_iter().flat_map(Node::items) {
            content.push(decode(part, &mut Pairing::default(), place, ledger));
        }
        ToolResult { call, name, content, is_error }
    }

    /// The id of the call that a response answers. The call is then no longer waiting.
    fn answered(
        &mut self,
        id: Option<Text>,
        name: Option<&Text>,
        extras: &mut Extras,
    ) -> Option<Text> {
        let Some(id) = id else {
            extras.put(ID, NO_ID, Json::NULL);
            let at = self.pending.iter().position(|call| Some(&call.name) == name)?;
            return Some(self.pending.remove(at).id);
        };
        if let Some(at) = self.pending.iter().position(|call| call.id == id) {
            self.pending.remove(at);
            return Some(id);
        }
        // The client made up an id for its response only.
        let nameless = |call: &Pending| call.derived && Some(&call.name) == name;
        let Some(at) = self.pending.iter().position(nameless) else { return Some(id) };
        extras.put(ID, NO_ID, Json::string(&id));
        Some(self.pending.remove(at).id)
    }
}

fn written_id(node: Node<'_>) -> Option<Text> {
    names::get(node, "id").and_then(Node::text).filter(|id| !id.is_empty())
}

/// By convention `output` alone is the result and `error` an error; anything else is data.
fn outcome(response: Node<'_>) -> (Vec<Verbatim<Block>>, bool) {
    let error = names::get(response, "error");
    let alone = response.len() == 1;
    let said = error.or_else(|| names::get(response, "output")).filter(|_| alone);
    let body = match (said, said.and_then(Node::text)) {
        (Some(_), Some(text)) => Body::Text { text, citations: Vec::new() },
        (Some(said), None) if error.is_some() => Body::Data(said.json()),
        _ => match response.text() {
            Some(text) => Body::Text { text, citations: Vec::new() },
            None => Body::Data(response.json()),
        },
    };
    (vec![Verbatim::new(Block::new(body))], error.is_some())
}

pub(super) const ISSUER: &str = "google";

/// Stands in a block's extras in place of an id: `null` where the client wrote none.
pub(super) const NO_ID: Text = Text::word("id");

/// Stands in a block's extras where its media was written with a name.
pub(super) const DISPLAY_NAME: Text = Text::word("displayName");

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
