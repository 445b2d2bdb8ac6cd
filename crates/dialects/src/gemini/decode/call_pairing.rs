//! Pairs function responses with function calls while decoding.

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerPath, ToolArgs, ToolCall, ToolResult, Verbatim,
    WrittenForm, derive_id,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::fields::keep_unknown_fields;
use crate::common::unanswered_calls::{UnansweredCall, UnansweredCalls};
use crate::gemini::field_name;
use crate::gemini::id::ID;
use crate::note;

/// State from the parts decoded so far: calls without an id get a derived one, and responses
/// without an id are matched by name and order.
#[derive(Debug, Default)]
pub(crate) struct CallPairing {
    /// Added to the name and position when an id is derived.
    id_salt: Option<JsonString>,
    /// The turn is decoded without its conversation, so earlier calls are unknown.
    is_detached: bool,
    call_count: usize,
    orphan_count: usize,
    unanswered: UnansweredCalls,
    /// A user turn came after the last model turn.
    interrupted: bool,
}

impl CallPairing {
    /// For a turn or block that is decoded without its conversation.
    pub(crate) fn detached() -> Self {
        Self { is_detached: true, ..Self::default() }
    }

    /// For a reply: its derived ids must differ from those of earlier replies.
    pub(crate) fn for_reply(id: Option<JsonString>) -> Self {
        Self { id_salt: id, ..Self::default() }
    }

    /// Begins a content. When the model's next turn begins, calls of its earlier turns can no
    /// longer be answered.
    pub(crate) fn begin_turn(&mut self, is_model: bool) {
        if is_model && self.interrupted {
            self.unanswered.clear();
        }
        self.interrupted = !is_model;
    }

    pub(crate) fn decode_function_call(
        &mut self,
        call: JsonNode<'_>,
        extras: &mut Extras,
        path: LedgerPath,
        ledger: &mut Ledger,
    ) -> ToolCall {
        keep_unknown_fields(call, "functionCall", &["name", "args", "id"], extras, path, ledger);
        let name = field_name::get_text(call, "name", path, ledger).unwrap_or_default();
        if name.is_empty() {
            ledger.record_change(note::ODD_INPUT, path, "a call has no function name");
        }
        let original_id = decode_id(call, path, ledger);
        let has_derived_id = original_id.as_ref().is_none_or(JsonString::is_empty);
        let id = original_id.filter(|_| !has_derived_id).unwrap_or_else(|| {
            extras.set_written(ID, written_id(call));
            self.derive_call_id(&name)
        });
        self.call_count += 1;
        self.unanswered.push(UnansweredCall { id: id.clone(), name: name.clone(), has_derived_id });
        let args = match field_name::get(call, "args") {
            None => ToolArgs::Json(RawJson::EMPTY_OBJECT),
            Some(args) => {
                if !args.is_object() {
                    ledger.record_change(note::ODD_INPUT, path, "arguments are not an object");
                }
                args.json_string().map_or_else(
                    || ToolArgs::Json(args.json()),
                    |text| ToolArgs::from_json_string(&text),
                )
            }
        };
        ToolCall { id, name, args }
    }

    fn derive_call_id(&self, name: &JsonString) -> JsonString {
        match &self.id_salt {
            Some(salt) => derive_id("call_", &JsonString::concat([salt, name]), self.call_count),
            None => derive_id("call_", name, self.call_count),
        }
    }

    /// Decodes a response without its parts.
    pub(crate) fn decode_function_response(
        &mut self,
        response: JsonNode<'_>,
        extras: &mut Extras,
        path: LedgerPath,
        ledger: &mut Ledger,
    ) -> ToolResult {
        let known_fields = &["name", "response", "id", "parts"];
        keep_unknown_fields(response, "functionResponse", known_fields, extras, path, ledger);
        let name = field_name::get_text(response, "name", path, ledger);
        let id = decode_id(response, path, ledger);
        let matched_id = if let Some(id) = id.filter(|id| !id.is_empty()) {
            Some(self.match_call_id(id, name.as_ref(), extras))
        } else {
            extras.set_written(ID, written_id(response));
            name.as_ref().and_then(|name| self.unanswered.take_by_name(name))
        };
        let call_id = matched_id.unwrap_or_else(|| {
            if !self.is_detached {
                return JsonString::EMPTY;
            }
            // The same id as the call gets when its turn is decoded on its own.
            self.orphan_count += 1;
            let position = self.call_count + self.orphan_count - 1;
            derive_id("call_", name.as_ref().unwrap_or(&JsonString::EMPTY), position)
        });
        let response_value = field_name::get(response, "response");
        if response_value.is_some_and(|response_value| !response_value.is_object()) {
            ledger.record_change(
                note::ODD_INPUT,
                path,
                "a response is not an object: read as its output",
            );
        }
        let (content, is_error) = response_value.map(decode_response_content).unwrap_or_default();
        ToolResult { call_id, name, content, is_error }
    }

    /// Returns the id of the call that a response with this id answers, and removes that call from
    /// the unanswered ones.
    fn match_call_id(
        &mut self,
        id: JsonString,
        name: Option<&JsonString>,
        extras: &mut Extras,
    ) -> JsonString {
        if self.unanswered.take_by_id(&id).is_some() {
            return id;
        }
        // The client invented an id for its response only.
        let Some(call_id) = name.and_then(|name| self.unanswered.take_derived_by_name(name)) else {
            return id;
        };
        extras.set_written(ID, WrittenForm::Id(id));
        call_id
    }
}

fn decode_id(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Option<JsonString> {
    field_name::get_text(node, "id", path, ledger)
}

/// What was written instead of an id: an empty one, or none.
fn written_id(node: JsonNode<'_>) -> WrittenForm {
    let is_empty = field_name::get(node, "id").is_some_and(JsonNode::is_string);
    if is_empty { WrittenForm::Id(JsonString::EMPTY) } else { WrittenForm::NoId }
}

/// By convention the only key `output` is the result and `error` an error; other objects are data.
fn decode_response_content(response: JsonNode<'_>) -> (Vec<Verbatim<Block>>, bool) {
    let error = field_name::get(response, "error");
    let is_only_field = response.len() == 1;
    let value = error.or_else(|| field_name::get(response, "output")).filter(|_| is_only_field);
    let body = match (value, value.and_then(JsonNode::json_string)) {
        (Some(_), Some(text)) => BlockContent::Text { text, citations: Vec::new() },
        (Some(value), None) if error.is_some() => BlockContent::Json(value.json()),
        _ => match response.json_string() {
            Some(text) => BlockContent::Text { text, citations: Vec::new() },
            None => BlockContent::Json(response.json()),
        },
    };
    (vec![Verbatim::new(Block::new(body))], error.is_some())
}
