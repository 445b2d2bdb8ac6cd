//! Which extra fields and foreign blocks the vendors' own APIs, and their copies, accept.

pub(crate) mod anthropic;
pub(crate) mod bedrock;
pub(crate) mod gemini;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
mod openai_responses_items;

pub(super) use anthropic::{CACHE as CACHE_CONTROL, LOOSE_CACHE};
pub(super) use bedrock::CACHE_POINT;

use crate::profile::fields::{BlockPlacement, FieldProfile, ForeignKind};
use crate::shape::FieldSpec;

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
