//! The block that a stream has open: what came for it, and the events that makes.

use interlingua_model::{
    Args, Block, Body, Delta, Event, Form, Ledger, MediaKind, Place, Seal, Thinking, ToolCall,
    derive_id,
};
use interlingua_wire::{Field, Json, Node, Text};

use super::{ID, ISSUER, cite, media, reply};

/// A block that was begun and not yet closed.
#[derive(Debug)]
pub(super) struct Gathering {
    /// Its number in the stream.
    pub(super) wire: u64,
    /// Its number among the events.
    index: u32,
    kind: Kind,
}

/// What it is. Text and arguments pass on piece by piece; the rest waits until it is whole.
#[derive(Debug)]
enum Kind {
    Text,
    /// A signature may come in pieces, but is one seal.
    Thinking {
        signature: Vec<Text>,
    },
    Redacted(Vec<Text>),
    Call,
    /// A call whose free text was wrapped for the provider.
    Wrapped(Vec<Text>),
    Image {
        format: Json,
        source: Option<Json>,
    },
    /// A call of the provider's own tools.
    ServerCall {
        start: Json,
        input: Vec<Text>,
    },
    ServerResult {
        start: Json,
        content: Vec<Json>,
    },
    /// Of a kind nobody knows; its steps pass on as they are.
    Unknown,
}

/// What a delta adds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adds {
    Text,
    Thinking,
    Redacted,
    Input,
    Image,
    ServerResult,
    Unknown,
}

impl Gathering {
    /// A block that begins with a start event.
    pub(super) fn start(
        wire: u64,
        index: u32,
        start: Node<'_>,
        freeform: &[Text],
        events: &mut Vec<Event>,
    ) -> Self {
        let named = start.fields().next();
        let value = named.map(|field| field.value);
        let kind = match (named.map(Field::name).as_deref(), value) {
            (Some("toolUse"), Some(call)) if call.get("type").is_none_or(Node::is_null) => {
                let text = |key: &str| call.get(key).and_then(Node::text).unwrap_or_default();
                return Self::call(wire, index, text("toolUseId"), text("name"), freeform, events);
            }
            (Some("toolUse"), Some(call)) => {
                Kind::ServerCall { start: call.json(), input: Vec::new() }
            }
            (Some("toolResult"), Some(result)) => {
                Kind::ServerResult { start: result.json(), content: Vec::new() }
            }
            (Some("image"), Some(image)) => {
                let format = image.get("format").map_or(Json::NULL, Node::json);
                Kind::Image { format, source: None }
            }
            _ => Kind::Unknown,
        };
        Self { wire, index, kind }
    }

    fn call(
        wire: u64,
        index: u32,
        id: Text,
        name: Text,
        freeform: &[Text],
        events: &mut Vec<Event>,
    ) -> Self {
        let id = if id.is_empty() { derive_id("call_", &name, index as usize) } else { id };
        let (kind, args) = if freeform.contains(&name) {
            (Kind::Wrapped(Vec::new()), Args::Freeform(Text::EMPTY))
        } else {
            (Kind::Call, Args::Malformed(Text::EMPTY))
        };
        let body = Body::ToolCall(ToolCall { id, name, args });
        events.push(Event::Open { index, block: Box::new(Block::new(body)) });
        Self { wire, index, kind }
    }

    /// A block that begins with its first delta: text and reasoning have no start event.
    pub(super) fn begin(wire: u64, index: u32, adds: Adds, events: &mut Vec<Event>) -> Self {
        let (kind, body) = match adds {
            Adds::Text => {
                let body = Body::Text { text: Text::EMPTY, citations: Vec::new() };
                (Kind::Text, Some(body))
            }
            Adds::Thinking => {
                let body = Body::Thinking(Thinking { text: Text::EMPTY, form: Form::Full });
                (Kind::Thinking { signature: Vec::new() }, Some(body))
            }
            Adds::Redacted => (Kind::Redacted(Vec::new()), None),
            Adds::Input => {
                return Self::call(wire, index, Text::EMPTY, Text::EMPTY, &[], events);
            }
            Adds::Image => (Kind::Image { format: Json::NULL, source: None }, None),
            Adds::ServerResult => {
                let start = Json::EMPTY_OBJECT;
                (Kind::ServerResult { start, content: Vec::new() }, None)
            }
            Adds::Unknown => (Kind::Unknown, None),
        };
        if let Some(body) = body {
            events.push(Event::Open { index, block: Box::new(Block::new(body)) });
        }
        Self { wire, index, kind }
    }

    pub(super) fn takes(&self, adds: Adds) -> bool {
        match &self.kind {
            Kind::Text => matches!(adds, Adds::Text | Adds::Unknown),
            Kind::Thinking { .. } => matches!(adds, Adds::Thinking | Adds::Unknown),
            Kind::Redacted(_) => matches!(adds, Adds::Redacted | Adds::Unknown),
            Kind::Call | Kind::Wrapped(_) | Kind::ServerCall { .. } => {
                matches!(adds, Adds::Input | Adds::Unknown)
            }
            Kind::Image { .. } => matches!(adds, Adds::Image | Adds::Unknown),
            Kind::ServerResult { .. } => matches!(adds, Adds::ServerResult | Adds::Unknown),
            Kind::Unknown => true,
        }
    }

    /// Whether the block is one of the reply's, and so has a number.
    pub(super) fn counts(&self) -> bool {
        !matches!(self.kind, Kind::Unknown)
    }

    pub(super) fn is_call(&self) -> bool {
        matches!(self.kind, Kind::Call | Kind::Wrapped(_))
    }

    /// Takes a delta that [`Gathering::takes`]; `whole` is the event it came in.
    pub(super) fn add(
        &mut self,
        adds: Adds,
        delta: Node<'_>,
        whole: Node<'_>,
        events: &mut Vec<Event>,
    ) {
        let index = self.index;
        let mut pass = |delta: Delta| events.push(Event::Delta { index, delta });
        let input = || delta.get("toolUse").and_then(|call| call.get("input")).and_then(input_text);
        let piece = |key: &str| delta.get("reasoningContent")?.get(key)?.text();
        match (&mut self.kind, adds) {
            (Kind::Text, Adds::Text) => {
                if let Some(text) = delta.get("text").and_then(Node::text) {
                    if !text.is_empty() {
                        pass(Delta::Text(text));
                    }
                } else if let Some(citation) = delta.get("citation") {
                    pass(Delta::Citation(Box::new(cite::one(citation))));
                }
            }
            (Kind::Thinking { signature }, Adds::Thinking) => {
                if let Some(text) = piece("text").filter(|text| !text.is_empty()) {
                    pass(Delta::Text(text));
                }
                signature.extend(piece("signature").filter(|text| !text.is_empty()));
            }
            (Kind::Redacted(data), Adds::Redacted) => data.extend(piece("redactedContent")),
            (Kind::Call, Adds::Input) => {
                if let Some(text) = input().filter(|text| !text.is_empty()) {
                    pass(Delta::Args(text));
                }
            }
            (Kind::Wrapped(pieces) | Kind::ServerCall { input: pieces, .. }, Adds::Input) => {
                pieces.extend(input());
            }
            (Kind::Image { source, .. }, Adds::Image) => {
                let image = delta.get("image");
                *source = image.and_then(|image| image.get("source")).map(Node::json);
            }
            (Kind::ServerResult { content, .. }, Adds::ServerResult) => {
                let list = delta.get("toolResult");
                content.extend(list.into_iter().flat_map(Node::items).map(Node::json));
            }
            _ => events.push(foreign("contentBlockDelta", whole)),
        }
    }

    pub(super) fn close(self, ledger: &mut Ledger, events: &mut Vec<Event>) {
        let index = self.index;
        let mut whole = |block: Block| {
            events.push(Event::Open { index, block: Box::new(block) });
        };
        match self.kind {
            Kind::Text | Kind::Call => {}
            Kind::Unknown => return,
            Kind::Thinking { signature } => {
                if !signature.is_empty() {
                    let seal = Seal::new(ISSUER, Text::concat(&signature));
                    events.push(Event::Delta { index, delta: Delta::Seal(Box::new(seal)) });
                }
            }
            Kind::Redacted(data) => {
                let body = Body::Thinking(Thinking { text: Text::EMPTY, form: Form::Redacted });
                let seal = Seal::new(ISSUER, Text::concat(&data));
                whole(Block::new(body).sealed(Some(seal)));
            }
            Kind::Wrapped(pieces) => {
                let args = Args::from_text(&Text::concat(&pieces));
                let text = reply::unwrapped(&args).to_text();
                if !text.is_empty() {
                    events.push(Event::Delta { index, delta: Delta::Args(text) });
                }
            }
            Kind::Image { format, source } => whole(image(&format, source.as_ref(), ledger)),
            Kind::ServerCall { start, input } => whole(server_call(&start, &input)),
            Kind::ServerResult { start, content } => whole(server_result(&start, &content)),
        }
        events.push(Event::Close { index });
    }
}

/// What a delta adds to, by the one key it has.
pub(super) fn adds(delta: Node<'_>) -> Adds {
    let Some(field) = delta.fields().find(|field| !field.value.is_null()) else {
        return Adds::Unknown;
    };
    match &*field.name() {
        "text" | "citation" => Adds::Text,
        "toolUse" => Adds::Input,
        "image" => Adds::Image,
        "toolResult" => Adds::ServerResult,
        "reasoningContent" if field.value.get("redactedContent").is_some() => Adds::Redacted,
        "reasoningContent" => Adds::Thinking,
        _ => Adds::Unknown,
    }
}

/// Arguments come as pieces of text; some servers send them as JSON at once.
fn input_text(node: Node<'_>) -> Option<Text> {
    if node.is_null() { None } else { Some(super::decode::text(node)) }
}

fn image(format: &Json, source: Option<&Json>, ledger: &mut Ledger) -> Block {
    let json = Json::object(|o| {
        o.json("format", format);
        o.json_if("source", source);
    });
    let doc = json.doc();
    media::decode(MediaKind::Image, doc.root(), Place::REPLY, ledger).unwrap_or_else(|| {
        let json = Json::object(|o| o.json("image", &json));
        Block::new(Body::Foreign { dialect: ID, kind: Text::word("image"), json })
    })
}

fn server_call(start: &Json, input: &[Text]) -> Block {
    let args = Args::from_text(&Text::concat(input));
    let json = Json::object(|o| {
        o.object("toolUse", |o| {
            let doc = start.doc();
            for field in doc.root().fields() {
                o.key_text(&field.key()).json(&field.value.json());
            }
            match &args {
                Args::Json(json) => o.json("input", json),
                Args::Malformed(text) | Args::Freeform(text) => o.text("input", text),
            }
        });
    });
    Block::new(Body::Foreign { dialect: ID, kind: Text::word("toolUse"), json })
}

fn server_result(start: &Json, content: &[Json]) -> Block {
    let json = Json::object(|o| {
        o.object("toolResult", |o| {
            let doc = start.doc();
            for field in doc.root().fields() {
                o.key_text(&field.key()).json(&field.value.json());
            }
            o.array("content", |a| content.iter().for_each(|part| a.item().json(part)));
        });
    });
    Block::new(Body::Foreign { dialect: ID, kind: Text::word("toolResult"), json })
}

pub(super) fn foreign(kind: &str, whole: Node<'_>) -> Event {
    Event::Foreign { dialect: ID, kind: Text::new(kind), json: whole.json() }
}
