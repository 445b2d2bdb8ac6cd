//! Parses the fields of a message.

use interlingua_model::{Extras, Ledger, LedgerPath, Spelling, SpellingSet};
use interlingua_wire::{Field, JsonNode, JsonString};

use super::fields::{self, note_odd_input};
use super::tool_call;
use crate::note;
use crate::openai_chat::id::ID;

/// The fields of a message, found in one pass.
#[derive(Default)]
pub(crate) struct MessageFields<'d> {
    pub(crate) role: Option<JsonNode<'d>>,
    pub(crate) content: Option<JsonNode<'d>>,
    pub(crate) refusal: Option<JsonString>,
    pub(crate) tool_calls: Option<JsonNode<'d>>,
    pub(crate) function_call: Option<JsonNode<'d>>,
    pub(crate) tool_call_id: Option<JsonNode<'d>>,
    /// `tool_call_id` is present and null.
    pub(crate) null_tool_call_id: bool,
    pub(crate) name: Option<JsonNode<'d>>,
    /// `reasoning_content`, or `reasoning`.
    pub(crate) reasoning: Option<JsonString>,
    pub(crate) reasoning_details: Option<JsonNode<'d>>,
    pub(crate) annotations: Option<JsonNode<'d>>,
    pub(crate) images: Option<JsonNode<'d>>,
    pub(crate) audio: Option<JsonNode<'d>>,
    /// The message has `extra_content`, which may contain a signature.
    pub(crate) has_extra_content: bool,
    pub(crate) extras: Extras,
    /// The message has fields that only assistant messages use.
    has_assistant_fields: bool,
}

impl<'d> MessageFields<'d> {
    pub(crate) fn parse(node: JsonNode<'d>) -> Self {
        Self::parse_with(node, true)
    }

    /// Like [`MessageFields::parse`], without recording which fields were written.
    pub(crate) fn parse_reply(node: JsonNode<'d>) -> Self {
        Self::parse_with(node, false)
    }

    fn parse_with(node: JsonNode<'d>, is_history: bool) -> Self {
        let mut fields = Self::default();
        for field in node.fields() {
            let value = field.value;
            let non_null = Some(value).filter(|value| !value.is_null());
            // Fast path: the fields that most messages have.
            if field.key_is("role") {
                fields.role = non_null;
                continue;
            }
            if field.key_is("content") {
                fields.content = non_null;
                continue;
            }
            if field.key_is(TOOL_CALL_ID) {
                (fields.tool_call_id, fields.null_tool_call_id) = (non_null, non_null.is_none());
                continue;
            }
            if field.key_is(TOOL_CALLS) {
                fields.set_tool_calls(value);
                continue;
            }
            let name = field.key();
            fields.has_extra_content |= *name == *"extra_content";
            fields.has_assistant_fields |= ASSISTANT_FIELDS.contains(&&*name);
            let spelling = Spelling::from_field(&name).filter(|_| is_history);
            if let Some(spelling) = spelling.filter(|spelling| RECORDED.contains(*spelling)) {
                fields.extras.add_spellings(ID, spelling);
            }
            match &*name {
                "refusal" => fields.refusal = non_null.map(fields::text_or_raw),
                // A value that is not an object is not a call.
                "function_call" if non_null.is_none_or(JsonNode::is_object) => {
                    fields.function_call = non_null;
                }
                "name" => {
                    fields.name = non_null;
                    fields.keep_field(field);
                }
                "reasoning_content" if value.is_string() => fields.reasoning = value.json_string(),
                // If both are present, they have the same text.
                "reasoning" if value.is_string() => {
                    fields.reasoning = fields.reasoning.take().or(value.json_string());
                }
                "reasoning_text" if value.is_string() && !is_history => {
                    fields.reasoning = fields.reasoning.take().or(value.json_string());
                }
                "reasoning_details" if value.is_array() && !value.is_empty() => {
                    fields.reasoning_details = non_null;
                }
                // A relay's list of the same reasoning blocks.
                "thinking_blocks" if value.is_array() => {
                    let is_non_empty_list =
                        |list: JsonNode<'_>| list.is_array() && !list.is_empty();
                    if !node.get(REASONING_DETAILS).is_some_and(is_non_empty_list) {
                        fields.reasoning_details = non_null;
                    }
                }
                "annotations" if non_null.is_none_or(JsonNode::is_array) => {
                    fields.annotations = non_null;
                }
                "images" if non_null.is_none_or(is_image_list) => fields.images = non_null,
                "audio" => {
                    fields.audio = non_null;
                    fields.keep_field(field);
                }
                "extra_content" if tool_call::decode_google_signature(node).is_some() => {}
                _ => fields.extras.push_field(ID, field),
            }
        }
        fields
    }

    fn set_tool_calls(&mut self, value: JsonNode<'d>) {
        self.tool_calls = Some(value).filter(|value| !value.is_null());
        self.has_assistant_fields = true;
        if value.is_array() && value.is_empty() {
            self.extras.add_spellings(ID, Spelling::EmptyToolCalls);
        }
    }

    /// Returns whether the message has nothing but text and calls in their usual form.
    pub(crate) fn is_text_and_calls_only(&self) -> bool {
        self.content.is_none_or(JsonNode::is_string)
            && self.tool_calls.is_none_or(JsonNode::is_array)
            && self.function_call.is_none()
            && self.refusal.is_none()
            && self.reasoning.is_none()
            && self.reasoning_details.is_none()
            && self.annotations.is_none_or(JsonNode::is_empty)
            && self.images.is_none_or(JsonNode::is_empty)
            && self.audio.is_none()
            && !self.has_extra_content
    }

    pub(crate) fn has_empty_content(&self) -> bool {
        self.content.is_some_and(|content| content.is_string() && content.raw() == "\"\"")
    }

    /// Notes fields that must be a string and are not.
    pub(crate) fn note_wrong_types(&mut self, path: LedgerPath, ledger: &mut Ledger) {
        if self.tool_call_id.is_some_and(|id| !id.is_string()) {
            note_odd_input(ledger, path, "an id is not a string: its JSON is used");
        }
        if self.name.take_if(|name| !name.is_string()).is_some() {
            ledger.record_loss(note::ODD_INPUT, path, "left out a name that is not a string");
            self.extras.retain(ID, |key, _| key != "name");
        }
    }

    /// Keeps fields that are not used in a message of this role.
    pub(crate) fn keep_unused_fields(
        &mut self,
        node: JsonNode<'_>,
        unused: &[&str],
        path: LedgerPath,
        ledger: &mut Ledger,
    ) {
        let has_id = self.tool_call_id.is_some() || self.null_tool_call_id;
        if has_id && unused.contains(&TOOL_CALL_ID) || self.has_assistant_fields && unused.len() > 1
        {
            // An empty list of calls is already recorded.
            let is_empty_calls = |field: &Field<'_>| {
                field.key_is(TOOL_CALLS) && field.value.is_array() && field.value.is_empty()
            };
            for field in node.fields().filter(|field| unused.contains(&&*field.key())) {
                if is_empty_calls(&field) {
                    self.extras.add_spellings(ID, Spelling::ToolCallsField);
                } else if field.key_is(TOOL_CALL_ID)
                    && !field.value.is_string()
                    && !field.value.is_null()
                {
                    ledger.record_loss(
                        note::ODD_INPUT,
                        path,
                        "left out an id that is not a string",
                    );
                } else if self.extras.get(ID, &field.key()).is_none() {
                    self.keep_field(field);
                }
            }
        }
    }

    /// Keeps a field. Of a null one only that it was written.
    fn keep_field(&mut self, field: Field<'_>) {
        match Spelling::from_field(&field.key()).filter(|_| field.value.is_null()) {
            Some(spelling) => self.extras.add_spellings(ID, spelling),
            None => self.extras.push_field(ID, field),
        }
    }
}

/// Returns whether a list contains only images; any other list cannot be decoded.
fn is_image_list(list: JsonNode<'_>) -> bool {
    let is_image = |item: JsonNode<'_>| {
        let image = item.get("image_url");
        let url =
            image.and_then(|image| image.json_string().or_else(|| image.get("url")?.json_string()));
        item.get("type").is_some_and(|kind| kind.str_or_empty() == "image_url") && url.is_some()
    };
    list.is_array() && list.items().all(is_image)
}

pub(super) const TOOL_CALL_ID: &str = "tool_call_id";
pub(crate) const REASONING_DETAILS: &str = "reasoning_details";
pub(super) const TOOL_CALLS: &str = "tool_calls";
const FUNCTION_CALL: &str = "function_call";
/// Fields that only assistant messages and tool results have.
pub(super) const NON_USER_FIELDS: &[&str] =
    &[TOOL_CALL_ID, TOOL_CALLS, FUNCTION_CALL, "reasoning", "reasoning_content", REASONING_DETAILS];
pub(super) const ASSISTANT_FIELDS: &[&str] =
    &[TOOL_CALLS, FUNCTION_CALL, "reasoning", "reasoning_content", REASONING_DETAILS];
/// Fields that the model holds in blocks, and that not every server has.
const RECORDED: SpellingSet = SpellingSet::new(&[
    Spelling::RefusalField,
    Spelling::FunctionCallField,
    Spelling::ThinkingBlocksField,
    Spelling::AnnotationsField,
    Spelling::ImagesField,
    Spelling::ExtraContentField,
]);
