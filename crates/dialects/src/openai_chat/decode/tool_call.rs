//! Decodes tool calls.

use std::borrow::Cow;

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerEntry, LedgerPath, LedgerSection, Seal, Spelling,
    SpellingSet, ToolArgs, ToolCall, Verbatim, derive_id,
};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::call_pairing::CALLS_PER_TURN;
use super::fields::{self, note_odd_input};
use crate::openai_chat::id::ID;
use crate::openai_chat::reasoning_details::GOOGLE;

/// Inputs from which the id of a call without one is derived: the reply's id and the call's number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallIdSeed<'r> {
    pub(crate) reply_id: Option<&'r JsonString>,
    pub(crate) call_number: usize,
}

impl CallIdSeed<'_> {
    pub(crate) fn derive(self, name: &JsonString) -> JsonString {
        match self.reply_id {
            Some(reply_id) => {
                derive_id("call_", &JsonString::concat([reply_id, name]), self.call_number)
            }
            None => derive_id("call_", name, self.call_number),
        }
    }
}

/// Decodes one entry of `tool_calls`.
pub(super) fn decode_tool_call(
    node: JsonNode<'_>,
    id_seed: CallIdSeed<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    match decode_fast(node) {
        Some(call) => {
            Verbatim::with_text(Block::new(BlockContent::ToolCall(call)), ID, node.json())
        }
        None => decode_slow(node, id_seed, path, ledger),
    }
}

/// Like [`decode_tool_call`], for an entry of any form.
pub(super) fn decode_slow(
    node: JsonNode<'_>,
    id_seed: CallIdSeed<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Block> {
    let fields = ToolCallFields::parse(node);
    let name = fields.name.and_then(JsonNode::json_string).unwrap_or_default();
    let args = if fields.is_custom {
        ToolArgs::Freeform(fields.input.map(fields::text_or_raw).unwrap_or_default())
    } else {
        decode_args(fields.input)
    };
    let id = fields.id.and_then(JsonNode::json_string).filter(|id| !id.is_empty());
    if id.is_none() && path.section == LedgerSection::Reply {
        note_odd_input(ledger, path, "the call has no id: one is derived");
    }
    let id_spelling = match (&id, fields.id) {
        (Some(_), _) => SpellingSet::EMPTY,
        (None, Some(_)) => Spelling::EmptyId.into(),
        (None, None) => Spelling::NoId.into(),
    };
    let id = id.unwrap_or_else(|| id_seed.derive(&name));
    let mut block = Block::new(BlockContent::ToolCall(ToolCall { id, name, args }));
    if fields.has_extra_fields {
        block = block.with_seal(decode_google_signature(node));
        block.extras = decode_extras(node, block.seal.is_some());
    }
    if path.section == LedgerSection::Turns {
        block.extras.add_spellings(ID, fields.spellings().union(id_spelling));
    }
    if fields.has_wrong_types() {
        note_odd_input(ledger, path, "a malformed call is rewritten");
        return Verbatim::new(block);
    }
    Verbatim::with_text(block, ID, node.json())
}

/// Fast path for usual entries: a function call with each field once and of the usual type.
pub(super) fn decode_fast(node: JsonNode<'_>) -> Option<ToolCall> {
    let [id, kind, function] = node.get_many_exact(["id", "type", "function"])?;
    let [name, arguments] = function?.get_many_exact(["name", "arguments"])?;
    let is_function = kind?.as_escape_free_str()? == "function";
    let id = id?.json_string().filter(|id| !id.is_empty())?;
    let arguments = arguments.filter(|arguments| arguments.is_string() && is_function)?;
    Some(ToolCall { id, name: name?.json_string()?, args: decode_args(Some(arguments)) })
}

/// The fields of an entry, found in one pass.
struct ToolCallFields<'d> {
    node: JsonNode<'d>,
    id: Option<JsonNode<'d>>,
    kind: Option<JsonNode<'d>>,
    /// The value of `type`.
    type_name: Cow<'d, str>,
    function: Option<JsonNode<'d>>,
    name: Option<JsonNode<'d>>,
    /// The arguments, or the free text.
    input: Option<JsonNode<'d>>,
    is_custom: bool,
    /// The entry has fields other than `id`, `type` and `function`.
    has_extra_fields: bool,
}

impl<'d> ToolCallFields<'d> {
    fn parse(node: JsonNode<'d>) -> Self {
        let [mut id, mut kind, mut function, mut custom] = [None; 4];
        let mut count = 0;
        for field in node.fields() {
            count += 1;
            if field.key_is("id") {
                id = Some(field.value);
            } else if field.key_is("type") {
                kind = Some(field.value);
            } else if field.key_is("function") {
                function = Some(field.value);
            } else if field.key_is("custom") {
                custom = Some(field.value);
            }
        }
        let type_name = kind.map(JsonNode::str_or_empty).unwrap_or_default();
        let (payload, is_custom) = match (&*type_name, function, custom) {
            ("custom", _, Some(custom)) => (custom, true),
            ("function" | "", Some(function), _) => (function, false),
            // Some clients leave out the object with the name, or use another key for it.
            _ => (function.or(node.get(&type_name)).unwrap_or(node), false),
        };
        let (mut name, mut input) = (None, None);
        for field in payload.fields() {
            if field.key_is("name") {
                name = Some(field.value);
            } else if !is_custom && field.key_is("arguments") || is_custom && field.key_is("input")
            {
                input = Some(field.value);
            }
        }
        let usual_count = usize::from(id.is_some())
            + usize::from(kind.is_some())
            + usize::from(function.is_some());
        Self {
            node,
            id,
            kind,
            type_name,
            function,
            name,
            input,
            is_custom,
            has_extra_fields: count != usual_count,
        }
    }

    /// Returns whether a field has a type that every server rejects.
    fn has_wrong_types(&self) -> bool {
        let name = match self.function {
            Some(_) if !self.is_custom => self.name,
            function => function.and_then(|function| function.get("name")),
        };
        !self.node.is_object()
            || self.kind.is_some_and(|kind| !kind.is_string())
            || self.function.is_some_and(|function| !function.is_object())
            || name.is_some_and(|name| !name.is_string() && !name.is_null())
    }

    /// Missing or unusual fields of a replayed call, which only some servers accept.
    fn spellings(&self) -> SpellingSet {
        let arguments = match self.input.map(JsonNode::kind) {
            None => Spelling::NoArguments.into(),
            Some(JsonKind::String) => SpellingSet::EMPTY,
            // For a custom tool, arguments that are not text count as missing.
            Some(_) if self.is_custom => Spelling::NoArguments.into(),
            Some(JsonKind::Null) => Spelling::NullArguments.into(),
            Some(JsonKind::Object) => Spelling::ObjectArguments.into(),
            Some(JsonKind::Array | JsonKind::Number | JsonKind::Bool) => {
                Spelling::OtherArguments.into()
            }
        };
        let lacks_object = match &*self.type_name {
            "function" => !self.function.is_some_and(JsonNode::is_object),
            "custom" => !self.node.get("custom").is_some_and(JsonNode::is_object),
            _ => false,
        };
        let has_name = self.name.is_some_and(|name| !self.is_custom || name.is_string());
        let mut spellings = arguments;
        if self.kind.is_none() {
            spellings = spellings.union(Spelling::NoType.into());
        }
        if lacks_object || !has_name {
            spellings = spellings.union(Spelling::NoToolName.into());
        }
        spellings
    }
}

/// Decodes a legacy call. It has no id; its original text is the `function_call` object.
pub(super) fn decode_function_call(node: JsonNode<'_>, id_seed: CallIdSeed<'_>) -> Verbatim<Block> {
    let name = node.get("name").map(fields::text_or_raw).unwrap_or_default();
    let id = id_seed.derive(&name);
    let call = ToolCall { id, name, args: decode_args(node.get("arguments")) };
    let mut block = Block::new(BlockContent::ToolCall(call));
    block.extras.add_spellings(ID, Spelling::LegacyForm);
    Verbatim::with_text(block, ID, node.json())
}

/// Arguments should be JSON in a string. Some servers write the JSON itself.
fn decode_args(node: Option<JsonNode<'_>>) -> ToolArgs {
    let Some(node) = node else { return ToolArgs::Malformed(JsonString::EMPTY) };
    match node.kind() {
        JsonKind::String => match node.embedded_json() {
            Some(json) => ToolArgs::Json(json),
            None => ToolArgs::Malformed(node.json_string().unwrap_or_default()),
        },
        JsonKind::Null => ToolArgs::Malformed(JsonString::EMPTY),
        JsonKind::Bool | JsonKind::Number | JsonKind::Array | JsonKind::Object => {
            ToolArgs::Json(node.json())
        }
    }
}

pub(crate) fn has_blank_args(call: &ToolCall) -> bool {
    matches!(&call.args, ToolArgs::Malformed(text) if text.is_blank())
}

/// Decodes the seal that Gemini's OpenAI-compatible endpoint adds to a call or a message.
pub(crate) fn decode_google_signature(node: JsonNode<'_>) -> Option<Seal> {
    let extra = node.get("extra_content")?;
    let data = ["google", "vertex"].into_iter().find_map(|vendor| {
        extra.get(vendor)?.get("thought_signature")?.json_string().filter(|data| !data.is_empty())
    })?;
    Some(Seal::new(JsonString::from_static(GOOGLE), data))
}

fn decode_extras(node: JsonNode<'_>, has_signature: bool) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields() {
        let is_known = match &*field.key() {
            "id" | "type" | "function" | "custom" => true,
            "extra_content" => has_signature,
            _ => false,
        };
        if !is_known {
            extras.push_field(ID, field);
        } else if field.key_is("extra_content") {
            extras.add_spellings(ID, Spelling::ExtraContentField);
        } else if field.key_is("custom") {
            extras.add_spellings(ID, Spelling::CustomField);
        }
    }
    extras
}

/// The id seed of the call at this position of a message.
pub(super) fn call_id_seed(
    reply_id: Option<&JsonString>,
    path: LedgerPath,
    at: usize,
) -> CallIdSeed<'_> {
    let first = path.index.unwrap_or_default() as usize * CALLS_PER_TURN;
    CallIdSeed { reply_id, call_number: first + at }
}

/// Removes calls from the parts of a message that also has `tool_calls`. They are appended after
/// those, because seals refer to calls by position. Ledger entries about later parts are shifted.
pub(super) fn take_tool_calls(
    blocks: &mut Vec<Verbatim<Block>>,
    first: usize,
    calls: &[Verbatim<Block>],
    notes: &mut [LedgerEntry],
) -> Vec<Verbatim<Block>> {
    if calls.is_empty() {
        return Vec::new();
    }
    let is_call = |block: &Verbatim<Block>| matches!(block.content, BlockContent::ToolCall(_));
    let positions: Vec<usize> = (first..blocks.len()).filter(|at| is_call(&blocks[*at])).collect();
    for path in notes.iter_mut().map(|note| &mut note.path).filter(|_| !positions.is_empty()) {
        path.block = path.block.and_then(|block| {
            let removed_before = positions.binary_search(&(block as usize)).err()?;
            Some(block - removed_before as u32)
        });
    }
    blocks.extract_if(first.., |block| is_call(block)).collect()
}
