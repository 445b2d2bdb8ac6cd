//! Blocks, written as parts.

use interlingua_model::{
    Args, Block, Body, Calls, Form, Ledger, Media, Place, Seal, Source, Thinking, ToolCall,
    Verbatim,
};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Text};

use super::part::ISSUER;
use super::{ID, encode_media, encode_result, names};
use crate::{arguments, note};

/// To whom the parts go: to the provider, or to a client.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way<'c> {
    Request(&'c Calls<'c>),
    Reply,
}

/// Whether a block has a part here; what has none is noted.
pub(super) fn is_carried(
    block: &Verbatim<Block>,
    way: Way<'_>,
    place: Place,
    ledger: &mut Ledger,
) -> bool {
    if block.text_for(ID).is_some() {
        return true;
    }
    match &block.body {
        Body::Thinking(thinking) => is_thinking_carried(thinking, block, way, place, ledger),
        Body::Foreign { dialect, .. } if *dialect == ID => true,
        Body::Foreign { dialect, kind, .. } => {
            let what = format!("left out a block of {dialect} (`{kind}`)");
            ledger.loss(note::NO_SUCH_BLOCK, place, what);
            false
        }
        Body::Media(media) if !encode_media::can_write(media, way) => {
            let what = "left out a file in the store of another provider";
            ledger.loss(note::NO_SUCH_BLOCK, place, what);
            false
        }
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_) => true,
    }
}

fn is_thinking_carried(
    thinking: &Thinking,
    block: &Block,
    way: Way<'_>,
    place: Place,
    ledger: &mut Ledger,
) -> bool {
    let own_seal = block.seal.as_deref().is_some_and(is_own);
    let carried = own_seal
        || match way {
            Way::Request(calls) => block.seal.is_none() && calls.conversation().source == ID,
            Way::Reply => thinking.form != Form::Redacted,
        };
    if !carried {
        let what = "left out reasoning that this provider has not signed";
        ledger.loss(note::FOREIGN_SEAL, place, what);
    }
    carried
}

pub(super) fn is_own(seal: &Seal) -> bool {
    seal.origin.issuer == ISSUER
}

/// Writes the part, or parts, of a block that is carried.
pub(super) fn write(
    block: &Verbatim<Block>,
    way: Way<'_>,
    turn: usize,
    place: Place,
    list: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    if let Some(text) = block.text_for(ID) {
        return list.item().json(text);
    }
    if let Body::Foreign { json, .. } = &block.body {
        return list.item().json(json);
    }
    if let Body::Media(media) = &block.body
        && let Source::Blocks(blocks) = &media.source
    {
        note_sides(block, place, ledger);
        note_document(media, place, ledger);
        for inner in blocks {
            // A text without a letter is refused, and says nothing.
            let empty = inner.body.as_text().is_some_and(Text::is_empty);
            if !empty && is_carried(inner, way, place, ledger) {
                write(inner, way, turn, place, list, ledger);
            }
        }
        return;
    }
    note_sides(block, place, ledger);
    list.object(|object| {
        write_data(block, way, turn, place, object, ledger);
        if let Some(seal) = block.seal.as_deref().filter(|seal| is_own(seal)) {
            object.text("thoughtSignature", &seal.data);
        }
        for (key, value) in block.extras.of(ID) {
            if !INSIDE.iter().any(|inside| key == inside) {
                object.key_text(key).json(value);
            }
        }
    });
}

fn write_data(
    block: &Block,
    way: Way<'_>,
    turn: usize,
    place: Place,
    object: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    match &block.body {
        Body::Text { text, citations } => {
            if !citations.is_empty() && matches!(way, Way::Request(_)) {
                let what = "left out the citations of a text";
                ledger.loss(note::CITATION_REDUCED, place, what);
            }
            object.text("text", text);
        }
        Body::Refusal(text) => {
            ledger.change(note::NO_SUCH_BLOCK, place, "a refusal is said as text");
            object.text("text", text);
        }
        Body::Thinking(thinking) => {
            object.text("text", &thinking.text);
            object.boolean("thought", true);
        }
        Body::Media(media) => {
            if matches!(media.source, Source::Text(_)) {
                note_document(media, place, ledger);
            }
            encode_media::write(media, &block.extras, object, place, ledger);
        }
        Body::Data(json) => {
            ledger.change(note::NO_SUCH_BLOCK, place, "data is said as text");
            object.text("text", &Text::new(json.as_str()));
        }
        Body::ToolCall(call) => object.object("functionCall", |object| {
            write_call(call, block, way, place, object, ledger);
        }),
        Body::ToolResult(result) => object.object("functionResponse", |object| {
            encode_result::write(result, block, way, turn, place, object, ledger);
        }),
        Body::Foreign { .. } => {}
    }
}

fn write_call(
    call: &ToolCall,
    block: &Block,
    way: Way<'_>,
    place: Place,
    object: &mut Object<'_>,
    ledger: &mut Ledger,
) {
    write_id(&call.id, block, object);
    object.text("name", &call.name);
    object.json("args", &args_object(&call.args, way, place, ledger));
    names::write_others(block.extras.find(ID, "functionCall"), object);
}

/// The id, unless the client wrote none, or wrote another.
pub(super) fn write_id(id: &Text, block: &Block, object: &mut Object<'_>) {
    match block.extras.find(ID, "written id") {
        None if id.is_empty() => {}
        None => object.text("id", id),
        Some(json) => {
            if let Some(written) = json.text() {
                object.text("id", &written);
            }
        }
    }
}

/// Arguments must be an object here.
fn args_object(args: &Args, way: Way<'_>, place: Place, ledger: &mut Ledger) -> Json {
    let (object, wrapped) = match way {
        Way::Request(_) => arguments::object(args),
        Way::Reply => arguments::told(args),
    };
    if let Some(what) = wrapped {
        ledger.change(note::ARGS_WRAPPED, place, what);
    }
    object
}

fn note_document(media: &Media, place: Place, ledger: &mut Ledger) {
    let what = match &media.name {
        Some(name) => format!("the document `{name}` is said as text, without its name"),
        None => "a document is said as text".to_owned(),
    };
    ledger.change(note::NO_SUCH_BLOCK, place, what);
}

/// Notes what stands beside a block and has no place here.
pub(super) fn note_sides(block: &Block, place: Place, ledger: &mut Ledger) {
    names::note_extras(&block.extras, ID, place, ledger);
    if block.cache.is_some() {
        ledger.loss(note::NO_SUCH_CACHE, place, "left out a cache mark: caches are made apart");
    }
    if block.seal.as_deref().is_some_and(|seal| !is_own(seal)) {
        let what = "left out the signature of another provider";
        ledger.loss(note::FOREIGN_SEAL, place, what);
    }
}

/// Extras that belong inside the field that holds the part's data.
const INSIDE: &[&str] =
    &["written id", "display name", "functionCall", "functionResponse", "inlineData", "fileData"];
