//! Describes which extra fields and foreign blocks each target accepts.
//!
//! Extra fields are those that the model of a conversation lacks. Only clients of the same dialect
//! send them; translation to another dialect drops them.

use crate::facts::{Fact, FactErrors, FactNode, facts, words};
use interlingua_model::{BlockContent, MediaKind, ReasoningForm, Role};
use interlingua_wire::JsonNode;

use crate::shape::FieldSpec;

facts! {
#[derive(Clone, Copy, Debug)]
pub struct FieldProfile {
    /// The target parses protobuf JSON: `camelCase` and `snake_case` are equivalent, and numbers
    /// may be strings.
    pub proto_json: bool,
    /// Unknown fields are ignored, and known ones are accepted anywhere.
    pub ignores_unknown: bool,
    /// Fields of the body; `None` accepts any. Fields that the settings model are checked by other
    /// rules.
    pub body_fields: Option<&'static [FieldSpec]>,
    /// Fields of a turn, by role; any, if the role is not listed.
    pub turn_fields: &'static [(Role, &'static [FieldSpec])],
    /// Fields of a block, by kind; any, if the kind is not listed.
    pub block_fields: &'static [(BlockKind, &'static [FieldSpec])],
    /// As `block_fields`, for freeform calls and their results.
    pub freeform_fields: &'static [(BlockKind, &'static [FieldSpec])],
    /// Foreign blocks of this dialect; `None` accepts any.
    pub foreign_kinds: Option<&'static [ForeignKind]>,
    /// System blocks must be texts.
    pub text_only_system: bool,
    /// Prefix of the kinds of message parts, where each item is a turn of its own; empty otherwise.
    pub part_prefix: &'static str,
    /// Whether the target accepts an item as written, for targets that check only few fields.
    pub accepts_item: Option<ItemCheck>,
    /// Fields of the body that are rejected even with null.
    pub forbidden_body_fields: &'static [&'static str],
    /// Kinds of blocks that only the last turn may have.
    pub last_turn_kinds: &'static [&'static str],
    /// Prefixes of billing labels, which clients of another provider write into the instructions.
    pub billing_prefixes: &'static [&'static str],
    /// Only user messages may have a name.
    pub name_only_on_user: bool,
    /// Clients write the fields of this server and not those of similar servers: an unlisted field
    /// is probably newer than this list.
    pub can_pass_unknown: bool,
    /// Foreign blocks of another dialect are dropped instead of described.
    pub drops_foreign_dialects: bool,
}
}

facts! {
/// A kind of foreign block.
#[derive(Clone, Copy, Debug)]
pub struct ForeignKind {
    /// With a trailing `*`, any kind with this prefix.
    pub kind: &'static str,
    /// `None` if the block is sent back unchanged.
    pub fields: Option<&'static [FieldSpec]>,
    /// Other fields are accepted, too.
    pub allows_unknown: bool,
    pub placement: BlockPlacement,
    /// Prefix of the beta header value that enables the kind; empty if none is needed.
    pub beta: &'static str,
}
}

/// A check of an item as it is written.
pub type ItemCheck = fn(JsonNode<'_>) -> bool;

/// The checks by name.
const ITEM_CHECKS: &[(&str, ItemCheck)] = &[("llama.cpp", llama_cpp_accepts_item)];

impl Fact for ItemCheck {
    fn expected() -> String {
        ITEM_CHECKS.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>().join(", ")
    }

    fn to_node(&self) -> FactNode {
        let named = ITEM_CHECKS.iter().find(|(_, check)| std::ptr::fn_addr_eq(*check, *self));
        FactNode::text(named.map_or("", |(name, _)| name))
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        let named = ITEM_CHECKS.iter().find(|(name, _)| node.as_text() == Some(name));
        named.map(|(_, check)| *check).or_else(|| errors.expected::<Self>(node))
    }
}

/// Checks that llama.cpp makes of an item: "Cannot determine type of 'item'".
pub(crate) fn llama_cpp_accepts_item(item: JsonNode<'_>) -> bool {
    let read_string = |key: &str| item.get(key).map(JsonNode::str_or_empty).unwrap_or_default();
    let has_string = |key: &str| item.get(key).is_some_and(JsonNode::is_string);
    let list = |key: &str| item.get(key).is_some_and(JsonNode::is_array);
    let has_parts = |key: &str, kinds: &[&str]| {
        let mut parts = item.get(key).into_iter().flat_map(JsonNode::items);
        parts
            .all(|part| part.get("type").is_some_and(|kind| kinds.contains(&&*kind.str_or_empty())))
    };
    match (&*read_string("role"), &*read_string("type")) {
        ("user" | "system" | "developer", _) if has_string("content") || list("content") => {
            has_parts("content", &["input_text", "input_image"])
        }
        ("assistant", _) if has_string("content") => true,
        ("assistant", "message") if list("content") => true,
        (_, "function_call") => {
            has_string("arguments") && has_string("call_id") && has_string("name")
        }
        (_, "function_call_output") => {
            has_string("call_id")
                && (has_string("output") || list("output") && has_parts("output", &["input_text"]))
        }
        (_, "reasoning") => {
            list("summary")
                && item.get("content").is_some_and(|list| list.is_array() && !list.is_empty())
        }
        _ => false,
    }
}

words! {
/// Turns in which a block may occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockPlacement {
    Anywhere,
    User,
    Assistant,
    Instructions,
    Result,
    /// User turns and tool results.
    UserOrResult,
    /// Everything but assistant turns.
    NotAssistant,
    /// User and assistant turns.
    UserOrAssistant,
    /// User and assistant turns, and tool results.
    NotInstructions,
    /// Everything but tool results.
    NotResult,
    /// Wherever an image is accepted as written.
    WhereImages,
}
}

words! {
/// The kind of a block as far as its fields depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Text,
    Refusal,
    Reasoning,
    RedactedReasoning,
    Image,
    Document,
    Audio,
    Video,
    Data,
    Call,
    Result,
}
}

impl BlockKind {
    /// The kind of a block; `None` for foreign blocks.
    pub fn from_content(body: &BlockContent) -> Option<Self> {
        Some(match body {
            BlockContent::Text { .. } => Self::Text,
            BlockContent::Refusal(_) => Self::Refusal,
            BlockContent::Reasoning(thinking) if thinking.form == ReasoningForm::Redacted => {
                Self::RedactedReasoning
            }
            BlockContent::Reasoning(_) => Self::Reasoning,
            BlockContent::Media(media) => match media.kind {
                MediaKind::Image => Self::Image,
                MediaKind::Document => Self::Document,
                MediaKind::Audio => Self::Audio,
                MediaKind::Video => Self::Video,
            },
            BlockContent::Json(_) => Self::Data,
            BlockContent::ToolCall(_) => Self::Call,
            BlockContent::ToolResult(_) => Self::Result,
            BlockContent::Foreign { .. } => return None,
        })
    }
}

/// Kind of an image whose address is a bare string.
pub const BARE_IMAGE_URL: &str = "image_url string";
