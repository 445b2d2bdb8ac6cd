//! Calls and responses, read: which response answers which call.

use interlingua_model::{
    Args, Block, Body, Extras, Ledger, Place, ToolCall, ToolResult, Verbatim, derive_id,
};
use interlingua_wire::{Field, Json, Node, Text};

use super::part::{decode, keep_others};
use super::waiting::{Pending, Waiting};
use super::{ID, names};
use crate::note;

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
    pending: Waiting,
    /// Somebody else spoke since the model did.
    interrupted: bool,
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

    pub(super) fn call(
        &mut self,
        call: Node<'_>,
        extras: &mut Extras,
        place: Place,
        ledger: &mut Ledger,
    ) -> ToolCall {
        keep_others(call, "functionCall", &["name", "args", "id"], extras, place, ledger);
        let name = names::text(call, "name", place, ledger).unwrap_or_default();
        if name.is_empty() {
            ledger.change(note::ODD_INPUT, place, "a call names no function");
        }
        let written = written_id(call, place, ledger);
        let derived = written.as_ref().is_none_or(Text::is_empty);
        let id = written.filter(|_| !derived).unwrap_or_else(|| {
            extras.put(ID, NO_ID, unwritten(call));
            self.new_id(&name)
        });
        self.calls += 1;
        self.pending.push(Pending { id: id.clone(), name: name.clone(), derived });
        let args = match names::get(call, "args") {
            None => Args::Json(Json::EMPTY_OBJECT),
            Some(args) => {
                if !args.is_object() {
                    ledger.change(note::ODD_INPUT, place, "arguments are not an object");
                }
                args.text().map_or_else(|| Args::Json(args.json()), |text| Args::from_text(&text))
            }
        };
        ToolCall { id, name, args }
    }

    fn new_id(&self, name: &Text) -> Text {
        match &self.salt {
            Some(salt) => derive_id("call_", &Text::concat([salt, name]), self.calls),
            None => derive_id("call_", name, self.calls),
        }
    }

    pub(super) fn response(
        &mut self,
        response: Node<'_>,
        extras: &mut Extras,
        place: Place,
        ledger: &mut Ledger,
    ) -> ToolResult {
        let known = &["name", "response", "id", "parts"];
        keep_others(response, "functionResponse", known, extras, place, ledger);
        let name = names::text(response, "name", place, ledger);
        let id = written_id(response, place, ledger);
        let answered = if let Some(id) = id.filter(|id| !id.is_empty()) {
            Some(self.answered(id, name.as_ref(), extras))
        } else {
            extras.put(ID, NO_ID, unwritten(response));
            name.as_ref().and_then(|name| self.pending.take_named(name))
        };
        let call = answered.unwrap_or_else(|| {
            if !self.alone {
                return Text::EMPTY;
            }
            // As the call is named where its turn stands alone, too.
            self.orphans += 1;
            let before = self.calls + self.orphans - 1;
            derive_id("call_", name.as_ref().unwrap_or(&Text::EMPTY), before)
        });
        let said = names::get(response, "response");
        if said.is_some_and(|said| !said.is_object()) {
            ledger.change(
                note::ODD_INPUT,
                place,
                "a response is not an object: read as its output",
            );
        }
        let (mut content, is_error) = said.map(outcome).unwrap_or_default();
        if let Some(parts) = names::get(response, "parts") {
            // One alone may stand without its list.
            let alone = Some(parts).filter(|parts| !parts.is_array());
            // Where nothing is in a part, nobody misses it.
            let holds = |part: &Node<'_>| {
                !part.is_object() || part.fields().any(|field| !field.value.is_null())
            };
            let all = || alone.into_iter().chain(parts.items());
            // What holds nothing is a field all the same.
            let fits = |field: Field<'_>| names::of_field(field, RESPONSE_PART).is_some();
            if all().any(|part| !part.fields().all(fits)) {
                let what = "a part of a response has a field that such parts do not have";
                ledger.change(note::ODD_INPUT, place, what);
            }
            for part in all().filter(holds) {
                let part = decode(part, &mut Pairing::default(), place, ledger);
                if !matches!(part.body, Body::Media(_)) || part.seal.is_some() {
                    let what = "a part of a response is none that a response has";
                    ledger.change(note::ODD_INPUT, place, what);
                }
                content.push(part);
            }
        }
        ToolResult { call, name, content, is_error }
    }

    /// The id of the call that a response with this id answers. The call is then no longer waiting.
    fn answered(&mut self, id: Text, name: Option<&Text>, extras: &mut Extras) -> Text {
        if self.pending.take(&id).is_some() {
            return id;
        }
        // The client made up an id for its response only.
        let Some(own) = name.and_then(|name| self.pending.take_derived(name)) else { return id };
        extras.put(ID, NO_ID, Json::string(&id));
        own
    }
}

fn written_id(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Option<Text> {
    names::text(node, "id", place, ledger)
}

/// What stands for an id that says nothing: an empty one, or none.
fn unwritten(node: Node<'_>) -> Json {
    let empty = names::get(node, "id").is_some_and(Node::is_string);
    if empty { Json::string(&Text::EMPTY) } else { Json::NULL }
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

/// Stands in a block's extras in place of an id: `null` where the client wrote none, or what it
/// wrote.
pub(super) const NO_ID: Text = Text::word("written id");

/// The fields of a part of a response.
const RESPONSE_PART: &[&str] = &["inlineData", "fileData"];
