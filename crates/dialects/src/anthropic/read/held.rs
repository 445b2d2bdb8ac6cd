//! The block of a stream that is open, and what must be held back until it ends.

use interlingua_model::{Args, Block, Body, Delta, Event, Form, Ledger, Place, Thinking};
use interlingua_wire::{Json, Kind, Node, Text};

use crate::anthropic::frame::PIECE;
use crate::anthropic::{ID, decode, freeform};
use crate::note;

#[derive(Debug)]
pub(super) struct Open {
    /// The index on the wire.
    pub(super) wire: u64,
    pub(super) index: u32,
    pub(super) held: Held,
}

#[derive(Debug)]
pub(super) enum Held {
    Text,
    Thinking,
    /// What the call came with counts if no pieces come; `None` once some have.
    Call(Option<Json>),
    /// Pieces of the arguments of a tool that takes free text.
    Freeform(Vec<Text>),
    /// A block that came whole.
    Whole,
    /// A block only this dialect knows, and the pieces for its fields.
    Foreign {
        block: Box<Block>,
        parts: Vec<(Text, Vec<Text>)>,
    },
}

impl Held {
    pub(super) fn of_thinking(thinking: &Thinking) -> Self {
        if thinking.form == Form::Redacted { Self::Whole } else { Self::Thinking }
    }

    pub(super) fn of_call(args: Args, takes_text: bool) -> Self {
        let input = match args {
            Args::Json(json) if json.is_object() => json,
            Args::Json(_) | Args::Malformed(_) | Args::Freeform(_) => Json::EMPTY_OBJECT,
        };
        match takes_text {
            true if input == Json::EMPTY_OBJECT => Self::Freeform(Vec::new()),
            true => Self::Freeform(vec![Text::new(input.as_str())]),
            false => Self::Call(Some(input)),
        }
    }

    pub(super) fn is_call(&self) -> bool {
        matches!(self, Self::Call(_) | Self::Freeform(_))
    }

    /// Whether a piece has words that belong into a block of another kind.
    pub(super) fn is_apart(&self, kind: &str, delta: Node<'_>) -> bool {
        let key = match (self, kind) {
            (Self::Text | Self::Call(_) | Self::Freeform(_), "thinking_delta") => "thinking",
            (Self::Thinking | Self::Call(_) | Self::Freeform(_), "text_delta") => "text",
            _ => return false,
        };
        delta.get(key).and_then(Node::text).is_some_and(|words| !words.is_empty())
    }

    pub(super) fn foreign(block: Block) -> Self {
        Self::Foreign { block: Box::new(block), parts: Vec::new() }
    }
}

impl Open {
    /// Takes a piece of the block.
    pub(super) fn take(
        &mut self,
        kind: &str,
        delta: Node<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        let index = self.index;
        let text = |key| delta.get(key).and_then(Node::text).filter(|text: &Text| !text.is_empty());
        let piece = match (&mut self.held, kind) {
            (Held::Foreign { parts, .. }, _) => return gather(parts, delta),
            (Held::Text, "text_delta") => text("text").map(Delta::Text),
            (Held::Text, "citations_delta") => {
                delta.get("citation").map(|mark| Delta::Citation(Box::new(decode::citation(mark))))
            }
            (Held::Thinking, "thinking_delta") => text("thinking").map(Delta::Text),
            (Held::Thinking, "signature_delta") => {
                text("signature").and_then(decode::seal).map(Delta::Seal)
            }
            (Held::Call(input), "input_json_delta") => {
                let piece = text("partial_json");
                if piece.is_some() {
                    *input = None;
                }
                piece.map(Delta::Args)
            }
            (Held::Freeform(pieces), "input_json_delta") => {
                pieces.extend(text("partial_json"));
                return;
            }
            (_, unknown) if !PIECES.contains(&unknown) => {
                let kind = Text::word(PIECE);
                events.push(Event::Foreign { dialect: ID, kind, json: delta.json() });
                return;
            }
            (Held::Text | Held::Thinking | Held::Call(_) | Held::Freeform(_) | Held::Whole, _) => {
                let what = format!("left out a `{kind}` that fits not into its block");
                ledger.loss(note::STREAM_ORDER, Place::reply(index as usize), what);
                return;
            }
        };
        events.extend(piece.map(|delta| Event::Delta { index, delta }));
    }

    /// Closes the block. Without arguments a call that is complete has none: `{}`.
    pub(super) fn close(self, is_complete: bool, events: &mut Vec<Event>) {
        let index = self.index;
        match self.held {
            Held::Call(Some(input)) if is_complete => {
                let delta = Delta::Args(Text::new(input.as_str()));
                events.push(Event::Delta { index, delta });
            }
            Held::Freeform(pieces) if !pieces.is_empty() => {
                let all = Text::concat(&pieces);
                let delta = Delta::Args(freeform::unwrap(&all.contents()));
                events.push(Event::Delta { index, delta });
            }
            Held::Foreign { block, parts } => {
                let block = Box::new(whole(*block, &parts));
                events.push(Event::Open { index, block });
            }
            Held::Text | Held::Thinking | Held::Call(_) | Held::Freeform(_) | Held::Whole => {}
        }
        events.push(Event::Close { index });
    }
}

/// Keeps the fields of a piece under their names; arguments belong to `input`.
fn gather(parts: &mut Vec<(Text, Vec<Text>)>, delta: Node<'_>) {
    for field in delta.fields() {
        let Some(piece) = field.value.text().filter(|_| !field.is("type")) else { continue };
        let key = if field.is("partial_json") { Text::word("input") } else { field.key() };
        let at = parts.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            parts.push((key.clone(), Vec::new()));
            parts.len() - 1
        });
        let pieces = &mut parts[at].1;
        // What is opaque comes whole each time.
        if key == "signature" || key == "encrypted_content" {
            pieces.clear();
        }
        pieces.push(piece);
    }
}

/// The block with the pieces that came for it.
fn whole(mut block: Block, parts: &[(Text, Vec<Text>)]) -> Block {
    let Body::Foreign { json, .. } = &mut block.body else { return block };
    if parts.is_empty() {
        return block;
    }
    let doc = json.doc();
    *json = Json::object(|o| {
        for field in doc.root().fields() {
            let key = field.key();
            let pieces = parts.iter().find(|(part, _)| *part == key).map(|(_, pieces)| pieces);
            let value = pieces.map_or_else(|| field.value.json(), |p| joined(field.value, &key, p));
            o.key_text(&key).json(&value);
        }
        for (key, pieces) in parts {
            if doc.root().get(&key.contents()).is_none() {
                let all = Text::concat(pieces);
                o.key_text(key).json(&Json::string(&all));
            }
        }
    });
    block
}

fn joined(start: Node<'_>, key: &Text, pieces: &[Text]) -> Json {
    let all = Text::concat(pieces);
    match start.kind() {
        Kind::String if *key != "signature" && *key != "encrypted_content" => {
            let start = start.text().unwrap_or_default();
            Json::string(&Text::concat([&start, &all]))
        }
        Kind::Object => {
            Json::parse(all.contents().into_owned()).unwrap_or_else(|_| Json::string(&all))
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String | Kind::Array => Json::string(&all),
    }
}

/// The kinds of pieces whose meaning is known.
const PIECES: &[&str] =
    &["text_delta", "citations_delta", "thinking_delta", "signature_delta", "input_json_delta"];
