//! Rules about compaction: requests for a summary, and summaries in messages.

use serde_json::Value;

use super::profile::profile;
use super::tool_changes::referenced_count;
use super::view::{self, Block};
use crate::json::{JsonExt as _, str_field};
use crate::seal::{SealClaims, SealError, SealKey};
use crate::{CheckContext, Request};

/// Signs a summary with this text and these tool changes.
pub fn sign_summary(key: &SealKey, text: &str, tool_changes: Option<&Value>) -> String {
    let changes = tool_changes.map(Value::to_string);
    key.seal(&claims(text, changes.as_deref()))
}

fn claims<'b>(text: &'b str, changes: Option<&'b str>) -> SealClaims<'b> {
    let preceding_blocks = changes.unwrap_or_default();
    SealClaims {
        provider: "anthropic",
        block_kind: BLOCK_TYPE,
        content: text,
        preceding_blocks,
        ..SealClaims::default()
    }
}

fn compaction_blocks(body: &Value) -> impl Iterator<Item = Block<'_>> {
    view::blocks(body).filter(|block| block.is_type(BLOCK_TYPE))
}

/// Whether the request asks the model for a summary.
fn wants_compaction(request: &Request<'_>) -> bool {
    request.body.field(BLOCK_TYPE).is_some_and(|setting| !setting.is_null())
}

pub(super) fn compaction_and_editing(request: &Request<'_>, cx: &mut CheckContext) {
    let has_edits = request.body.field("context_management").is_some_and(|edits| !edits.is_null());
    if has_edits && wants_compaction(request) {
        cx.reject(BLOCK_TYPE, cx.message());
    }
}

pub(super) fn nothing_to_compact(request: &Request<'_>, cx: &mut CheckContext) {
    let is_content = |block: Block<'_>| !block.is_type(BLOCK_TYPE);
    let has_messages = !view::messages(request.body).is_empty();
    if has_messages && wants_compaction(request) && !view::blocks(request.body).any(is_content) {
        cx.reject_with(BLOCK_TYPE, cx.message(), None, Some("compaction_nothing_to_summarize"));
    }
}

pub(super) fn compaction_of_open_turn(request: &Request<'_>, cx: &mut CheckContext) {
    let runs = view::merged_messages(request.body);
    let Some(last) = runs.last().filter(|run| run.role == "assistant" && wants_compaction(request))
    else {
        return;
    };
    if last.blocks.iter().any(|block| block.is_type("tool_use")) {
        cx.reject_with(BLOCK_TYPE, cx.message(), None, Some("compaction_incomplete_turn"));
    }
}

pub(super) fn compaction_of_many_tools(request: &Request<'_>, cx: &mut CheckContext) {
    let limit = request.switches.compaction_tools;
    let limit = limit.unwrap_or(profile(request.model).compaction_tools);
    if wants_compaction(request) && referenced_count(request.body) > limit {
        let code = Some("compaction_too_many_tool_references");
        cx.reject_with(BLOCK_TYPE, cx.message(), None, code);
    }
}

pub(super) fn empty_compaction(request: &Request<'_>, cx: &mut CheckContext) {
    for block in compaction_blocks(request.body) {
        if block.value.field("content").is_some_and(|content| content == "") {
            let path = format!("{}.compaction.content", block.path());
            cx.reject_filled(path, &[]);
        }
    }
}

/// Whether another summary precedes the block in its message.
fn follows_compaction(body: &Value, block: &Block<'_>) -> bool {
    compaction_blocks(body).any(|other| {
        other.message_index == block.message_index && other.block_index < block.block_index
    })
}

pub(super) fn ambiguous_compaction(request: &Request<'_>, cx: &mut CheckContext) {
    for block in
        compaction_blocks(request.body).filter(|block| follows_compaction(request.body, block))
    {
        let (path, code) = (block.path(), Some("compaction_block_ambiguous"));
        let message = format!("{path}: {AMBIGUOUS_COMPACTION_ERROR}");
        cx.reject_with(path, message, None, code);
    }
}

pub(super) fn misplaced_compaction(request: &Request<'_>, cx: &mut CheckContext) {
    let is_allowed =
        |block: &Block<'_>| block.block_index == 0 || follows_compaction(request.body, block);
    for block in compaction_blocks(request.body).filter(|block| !is_allowed(block)) {
        let (path, code) = (block.path(), Some("compaction_block_misplaced"));
        let message = format!("{path}: {MISPLACED_COMPACTION_ERROR}");
        cx.reject_with(path, message, None, code);
    }
}

/// Rejects signed summaries with one of these seal errors.
fn reject_seal_errors(
    request: &Request<'_>,
    cx: &mut CheckContext,
    errors: &[SealError],
    message: &str,
    code: &str,
) {
    let Some(key) = request.seal_key else { return };
    for block in compaction_blocks(request.body) {
        let seal = ["signature", "encrypted_content"].map(|name| block.str_field(name));
        let Some(seal) = seal.into_iter().find(|seal| !seal.is_empty()) else { continue };
        let changes = block.value.field("tool_changes").filter(|changes| !changes.is_null());
        let changes = changes.map(Value::to_string);
        let verified =
            key.verify(seal, &claims(str_field(block.value, "content"), changes.as_deref()));
        if verified.is_err_and(|error| errors.contains(&error)) {
            let path = block.path();
            let message = format!("{path}: {message}");
            cx.reject_with(path, message, None, Some(code));
        }
    }
}

pub(super) fn compaction_signature(request: &Request<'_>, cx: &mut CheckContext) {
    let foreign = [SealError::NotAuthentic, SealError::WrongProvider, SealError::WrongModel];
    reject_seal_errors(
        request,
        cx,
        &foreign,
        COMPACTION_SIGNATURE_ERROR,
        "compaction_signature_invalid",
    );
}

pub(super) fn modified_compaction(request: &Request<'_>, cx: &mut CheckContext) {
    reject_seal_errors(
        request,
        cx,
        &[SealError::ContentChanged],
        MODIFIED_COMPACTION_ERROR,
        "compaction_content_mismatch",
    );
}

pub(super) fn compaction_tool_changes(request: &Request<'_>, cx: &mut CheckContext) {
    reject_seal_errors(
        request,
        cx,
        &[SealError::PositionChanged],
        COMPACTION_TOOL_CHANGES_ERROR,
        "compaction_tool_changes_mismatch",
    );
}

const BLOCK_TYPE: &str = "compaction";
const AMBIGUOUS_COMPACTION_ERROR: &str = "a message may hold only one `compaction` block";
const MISPLACED_COMPACTION_ERROR: &str =
    "a `compaction` block must be the first block of its message";
const COMPACTION_SIGNATURE_ERROR: &str = "Invalid `signature` in `compaction` block";
const MODIFIED_COMPACTION_ERROR: &str = "the `content` of a `compaction` block cannot be modified";
const COMPACTION_TOOL_CHANGES_ERROR: &str =
    "the `tool_changes` of a `compaction` block cannot be modified";
