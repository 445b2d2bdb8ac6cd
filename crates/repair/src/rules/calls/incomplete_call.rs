//! Adds the parts that a call or a result lacks and that the target requires.
//!
//! Some servers replay calls without an id or a type, or with arguments that are an object instead
//! of a string; others reject that. A result without a call id gets an id, and a legacy result gets
//! the name of its tool.
//!
//! ## Why
//! > Missing required parameter: 'messages\[1\].tool_calls\[0\].id'.
//!
//! > Invalid type for 'messages\[1\].tool_calls\[0\].function.arguments': expected a string, but got an
//! > object instead.
//!
//! > Missing tool call type: {"id":"a"}
//!
//! ## Example
//! ```text
//! before   {"function": {"name": "read", "arguments": {"path": "a"}}}
//! after    {"id": "call_4f0c…", "type": "function", "function": {"name": "read", "arguments": "{…}"}}
//! ```

use interlingua_model::{BlockContent, LedgerPath, Spelling, SpellingSet, derive_id};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::call_ids;
use crate::values::block::{as_call, is_legacy};

pub(super) fn apply(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let is_call = as_call(block).is_some();
            if !is_call || !call_ids::has_rejected_spelling(work, &block.extras) {
                continue;
            }
            let spellings = block.extras.spellings(dialect).intersection(CALL_SPELLINGS);
            work.edit_block(turn, at).extras.remove_spellings(dialect, spellings);
            let names: Vec<_> = spellings.iter().map(Spelling::name).collect();
            let message = format!("the call had {}: it is sent complete", names.join(", "));
            work.record_change(LedgerPath::block(turn, at), message);
        }
    }
    complete_results(work);
}

/// Completes results without a known call, where the target accepts such results.
fn complete_results(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let BlockContent::ToolResult(result) = &block.content else { continue };
            // A result that is encoded in the current form is complete if its call is known.
            let is_reencoded = work.turns()[turn].text_for(dialect).is_none();
            let has_call = is_reencoded && !is_legacy(block) && !result.call_id.is_empty();
            if has_call || !call_ids::has_rejected_spelling(work, &block.extras) {
                continue;
            }
            let mut completed = result.clone();
            if is_legacy(block) {
                let call = work.conversation().call_before(turn, &result.call_id);
                let name = call.map(|call| call.name.clone()).filter(|name| !name.is_empty());
                completed.name =
                    result.name.clone().or(name).or(Some(JsonString::from_static(UNKNOWN_TOOL)));
            } else if result.call_id.is_empty() {
                completed.call_id =
                    derive_id("call_", result.name.as_ref().unwrap_or(&JsonString::EMPTY), turn);
            }
            let edited = work.edit_block(turn, at);
            edited.extras.remove_spellings(dialect, RESULT_SPELLINGS);
            edited.content = BlockContent::ToolResult(completed);
            work.record_change(
                LedgerPath::block(turn, at),
                "a result does not name its call: it is sent complete",
            );
        }
    }
}

const CALL_SPELLINGS: SpellingSet = SpellingSet::new(&[
    Spelling::NoId,
    Spelling::NoType,
    Spelling::NoToolName,
    Spelling::NoArguments,
    Spelling::NullArguments,
    Spelling::ObjectArguments,
    Spelling::OtherArguments,
]);
const RESULT_SPELLINGS: SpellingSet = SpellingSet::new(&[
    Spelling::NoCallId,
    Spelling::EmptyCallId,
    Spelling::NullCallId,
    Spelling::NoName,
]);
/// Name of a tool that the request does not name.
const UNKNOWN_TOOL: &str = "unknown";
