//! Predicates on single blocks and turns.

use interlingua_model::{
    Block, BlockContent, DialectId, Extras, Role, Spelling, SpellingSet, ToolCall, ToolResult,
    Turn, WrittenForm,
};
use interlingua_wire::{JsonNode, JsonString, RawJson};

/// Position of a block: turn and index.
pub(crate) type BlockPos = (usize, usize);

/// The text of a block that has nothing else.
pub(crate) fn plain_text(block: &Block) -> Option<&JsonString> {
    match &block.content {
        BlockContent::Text { text, .. } | BlockContent::Refusal(text) => Some(text),
        BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_)
        | BlockContent::Foreign { .. } => None,
    }
}

/// Whether content, as written, is empty; with `blanks`, a list of empty texts counts as empty.
pub(crate) fn is_content_empty(content: JsonNode<'_>, blanks: bool) -> bool {
    let is_empty = |text: JsonNode<'_>| text.raw() == "\"\"";
    let is_blank = |part: JsonNode<'_>| blanks && part.get("text").is_some_and(is_empty);
    is_empty(content) || content.is_array() && content.items().all(is_blank)
}

pub(crate) fn is_reasoning_or_entry(block: &Block) -> bool {
    match &block.content {
        BlockContent::Reasoning(_) => true,
        BlockContent::Foreign { kind, .. } => kind.raw().starts_with("reasoning"),
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::ToolCall(_)
        | BlockContent::ToolResult(_) => false,
    }
}

pub(crate) fn is_result(block: &Block) -> bool {
    matches!(block.content, BlockContent::ToolResult(_))
}

pub(crate) fn is_call(block: &Block) -> bool {
    matches!(block.content, BlockContent::ToolCall(_))
}

pub(crate) fn is_instruction(turn: &Turn) -> bool {
    matches!(turn.role, Role::System | Role::Developer)
}

pub(crate) fn is_assistant(turn: &Turn) -> bool {
    turn.role == Role::Assistant
}

/// Whether the message may have content in a field other than its content: an audio transcript, a
/// seal, or images.
pub(crate) fn has_content_elsewhere(turn: &Turn, dialect: DialectId) -> bool {
    turn.extras.get(dialect, AUDIO_FIELD).is_some()
        || turn.extras.spellings(dialect).intersects(CONTENT_FIELDS)
}

pub(crate) fn is_reasoning_block(block: &Block) -> bool {
    matches!(block.content, BlockContent::Reasoning(_))
}

/// Whether the block has a non-empty seal.
pub(crate) fn is_sealed(block: &Block) -> bool {
    block.seal.as_deref().is_some_and(|seal| !seal.data.is_empty())
}

/// The id of a Responses item that is one block, or of the message that begins with the block.
pub(crate) fn item_id(block: &Block, dialect: DialectId) -> Option<JsonString> {
    let sealed_id = block.seal.as_deref().and_then(|seal| seal.id.clone());
    let written = || match &block.content {
        BlockContent::Foreign { json, .. } => {
            json.to_doc().root().get("id").and_then(JsonNode::json_string)
        }
        _ => block.extras.get(dialect, ID_FIELD).and_then(RawJson::json_string).or_else(|| {
            let message = block.extras.written_message(dialect)?.to_doc();
            message.root().get(ID_FIELD).and_then(JsonNode::json_string)
        }),
    };
    sealed_id.or_else(written).filter(|id| !id.is_empty())
}

/// A call that needs a result. A legacy call has no id and needs none.
pub(crate) fn as_call(block: &Block) -> Option<&ToolCall> {
    match &block.content {
        BlockContent::ToolCall(call) if !is_legacy(block) => Some(call),
        _ => None,
    }
}

/// A result that refers to a call by id.
pub(crate) fn as_result(block: &Block) -> Option<&ToolResult> {
    match &block.content {
        BlockContent::ToolResult(result) if !is_legacy(block) => Some(result),
        _ => None,
    }
}

/// Whether a call or a result is in the legacy form. The rule `old-call` decides where that is
/// accepted.
pub(crate) fn is_legacy(block: &Block) -> bool {
    block.extras.has_in_any_dialect(Spelling::LegacyForm)
}

/// Whether the turn was decoded from a role that the model does not have.
pub(crate) fn has_unknown_role(turn: &Turn) -> bool {
    turn.extras.dialect().is_some_and(|dialect| turn.extras.written_role(dialect).is_some())
}

/// Whether the block was written as a part whose type not every server has, or none.
pub(crate) fn has_part_type(block: &Block, dialect: DialectId) -> bool {
    matches!(
        block.extras.written(dialect),
        Some(WrittenForm::UntypedPart | WrittenForm::PartType(_))
    )
}

/// The extras of a dialect without one key.
pub(crate) fn without_key(extras: &Extras, dialect: DialectId, key: &str) -> Extras {
    let mut rest = extras.clone();
    rest.retain(dialect, |name, _| name != key);
    rest
}

const AUDIO_FIELD: &str = "audio";
const CONTENT_FIELDS: SpellingSet =
    SpellingSet::new(&[Spelling::ExtraContentField, Spelling::ImagesField]);
pub(crate) const ID_FIELD: &str = "id";
