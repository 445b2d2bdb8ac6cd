//! Describes which extra fields and foreign blocks each target accepts.
//!
//! Extra fields are those that the model of a conversation lacks. Only clients of the same dialect
//! send them; translation to another dialect drops them.

mod anthropic;
mod bedrock;
mod gemini;
mod openai_chat;
mod openai_responses;
mod openai_responses_items;
mod rows;

use interlingua_model::{BlockContent, MediaKind, ReasoningForm, Role};
use interlingua_wire::JsonNode;

use crate::shape::FieldSpec;

pub(super) use anthropic::{CACHE as CACHE_CONTROL, LOOSE_CACHE};
pub(super) use bedrock::CACHE_POINT;
pub(super) use rows::ROWS;

#[expect(clippy::struct_excessive_bools, reason = "a row of independent flags")]
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
    pub accepts_item: Option<fn(JsonNode<'_>) -> bool>,
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

const fn closed_kind(
    kind: &'static str,
    side: BlockPlacement,
    keys: &'static [FieldSpec],
) -> ForeignKind {
    ForeignKind { kind, fields: Some(keys), allows_unknown: false, placement: side, beta: "" }
}

/// A kind with these fields and any others.
const fn open_kind(
    kind: &'static str,
    side: BlockPlacement,
    keys: &'static [FieldSpec],
) -> ForeignKind {
    ForeignKind { kind, fields: Some(keys), allows_unknown: true, placement: side, beta: "" }
}

const fn opaque_kind(kind: &'static str, side: BlockPlacement) -> ForeignKind {
    ForeignKind { kind, fields: None, allows_unknown: false, placement: side, beta: "" }
}

const UNRESTRICTED: FieldProfile = FieldProfile {
    proto_json: false,
    ignores_unknown: false,
    body_fields: None,
    turn_fields: &[],
    block_fields: &[],
    freeform_fields: &[],
    foreign_kinds: None,
    text_only_system: false,
    part_prefix: "",
    accepts_item: None,
    forbidden_body_fields: &[],
    last_turn_kinds: &[],
    billing_prefixes: BILLING_PREFIXES,
    name_only_on_user: false,
    can_pass_unknown: false,
    drops_foreign_dialects: false,
};

/// "x-anthropic-billing-header: `cc_version=2.1.117.48f`; `cc_entrypoint=cli`; cch=71fea;"
const BILLING_PREFIXES: &[&str] = &["x-anthropic-billing-header:"];
