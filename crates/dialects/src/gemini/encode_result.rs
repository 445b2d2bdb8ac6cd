//! A tool's result, written as a function response.

use interlingua_model::{Block, Body, Ledger, Place, Source, ToolResult, Verbatim};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Text};

use super::encode::{self, Way};
use super::{ID, encode_media, names};
use crate::note;

/// What a result says, sorted by where it goes.
#[derive(Default)]
struct Sorted<'r> {
    texts: Vec<Text>,
    data: Option<&'r Json>,
    parts: Vec<Json>,
}

pub(super) fn write(
    result: &ToolResult,
    block: &Block,
    way: Way<'_>,
    turn: usize,
    place: Place,
    object: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    encode::write_id(&result.call, block, object);
    object.text("name", &name_of(result, way, turn, place, ledger));
    let mut sorted = Sorted::default();
    for block in &result.content {
        sorted.sort(block, way, place, ledger);
    }
    sorted.write_response(result.is_error, place, object, ledger);
    if !sorted.parts.is_empty() {
        object.array("parts", |list| {
            sorted.parts.iter().for_each(|part| list.item().json(part));
        });
    }
    names::write_others(block.extras.find(ID, "functionResponse"), object);
}

/// The name must be that of the call: on some backends another one is a bare "Request contains an
/// invalid argument."
fn name_of(
    result: &ToolResult,
    way: Way<'_>,
    turn: usize,
    place: Place,
    ledger: &mut Ledger,
) -> Text {
    let call = match way {
        Way::Request(calls) => calls.call_of(turn, &result.call),
        Way::Reply => None,
    };
    let (called, said) = (call.map(|call| &call.name), result.name.as_ref());
    // Without an id, the name tells more than the call that it happens to come after; so it does among
    // calls that share their id.
    let told = result.call.is_empty() || said != called && is_called(result, way, turn);
    let name = if told { said.or(called) } else { called.or(said) };
    let name = name.filter(|name| !name.is_empty());
    name.cloned().unwrap_or_else(|| {
        let what = "a result names no tool and answers no call: it is called `unknown`";
        ledger.change(note::REQUIRED_ADDED, place, what);
        Text::word("unknown")
    })
}

/// Whether a call of the result's id has its name.
fn is_called(result: &ToolResult, way: Way<'_>, turn: usize) -> bool {
    let (Way::Request(calls), Some(name)) = (way, &result.name) else { return false };
    calls.has_named(turn, &result.call, name)
}

impl<'r> Sorted<'r> {
    fn sort(
        &mut self,
        block: &'r Verbatim<Block>,
        way: Way<'_>,
        place: Place,
        ledger: &mut Ledger,
    ) {
        encode::note_sides(block, place, ledger);
        match &block.body {
            Body::Text { text, citations } => {
                if !citations.is_empty() {
                    let what = "left out the citations of a result";
                    ledger.loss(note::CITATION_REDUCED, place, what);
                }
                self.texts.push(text.clone());
            }
            Body::Refusal(text) => self.texts.push(text.clone()),
            Body::Data(json) if self.data.is_none() => self.data = Some(json),
            Body::Data(json) => self.texts.push(Text::new(json.as_str())),
            Body::Media(media) => match &media.source {
                Source::Text(text) => self.texts.push(text.clone()),
                Source::Blocks(blocks) => {
                    for inner in blocks {
                        self.sort(inner, way, place, ledger);
                    }
                }
                Source::Base64 { .. } | Source::Url { .. } | Source::File { .. } => {
                    self.sort_media(block, media, way, place, ledger);
                }
            },
            Body::Foreign { dialect, json, .. } if *dialect == ID => self.parts.push(json.clone()),
            Body::Foreign { dialect, kind, .. } => {
                let what = format!("left out a block of {dialect} (`{kind}`) in a result");
                ledger.loss(note::NO_SUCH_BLOCK, place, what);
            }
            Body::Thinking(_) | Body::ToolCall(_) | Body::ToolResult(_) => {
                let what = "left out a block that cannot stand in a result";
                ledger.loss(note::NO_SUCH_BLOCK, place, what);
            }
        }
    }

    fn sort_media(
        &mut self,
        block: &Verbatim<Block>,
        media: &interlingua_model::Media,
        way: Way<'_>,
        place: Place,
        ledger: &mut Ledger,
    ) {
        if let Some(text) = block.text_for(ID) {
            self.parts.push(text.clone());
        } else if encode_media::can_write(media, way) {
            self.parts.push(encode_media::part(media, place, ledger));
        } else {
            let what = "left out a file in the store of another provider";
            ledger.loss(note::NO_SUCH_BLOCK, place, what);
        }
    }

    /// `output` is the result, `error` an error; an object of data is the response itself.
    fn write_response(
        &mut self,
        is_error: bool,
        place: Place,
        object: &mut Object<'_>,
        ledger: &mut Ledger,
    ) {
        let key = if is_error { "error" } else { "output" };
        if let Some(data) = self.data {
            let says_error = || names::get(data.doc().root(), "error").is_some();
            if self.texts.is_empty() {
                if data.is_object() && is_error == says_error() {
                    return object.json("response", data);
                }
                return object.object("response", |object| object.json(key, data));
            }
            self.texts.push(Text::new(data.as_str()));
        }
        if self.texts.len() > 1 {
            let what = "the texts of a result are joined to one";
            ledger.change(note::TEXTS_JOINED, place, what);
        }
        object.object("response", |object| object.key(key).joined(&self.texts, "\n"));
    }
}
