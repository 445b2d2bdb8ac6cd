//! Replaces call ids that the target rejects.
//!
//! An accepted id stays. Any other id is replaced by one that is derived from it, and never from
//! later turns; no two calls get the same id. The reply is translated back to the client's ids.
//! Where the target has no call ids, they are removed.
//!
//! ## Why
//! > Tool call id was call_0fypS1hVX but must be a-z, A-Z, 0-9, with a length of 9.
//!
//! > messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'
//!
//! > Invalid 'messages\[2\].tool_calls\[0\].id': string too long. Expected a string with maximum length
//! > 40, but got a string with length 44 instead.
//!
//! ## Example
//! ```text
//! before   call `functions.read:0`, result of `functions.read:0`
//! after    call `call_4f0c…`, result of `call_4f0c…`
//! ```

use std::collections::{HashMap, HashSet};

use interlingua_model::{
    Block, BlockContent, LedgerPath, Spelling, ToolCallIndex, Verbatim, WrittenForm, derive_id,
};
use interlingua_providers::profile::calls::CallIdFormat;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::call_ids;
use crate::query::rounds::blocks;
use crate::values::block::{BlockPos, as_call, as_result, is_legacy};

pub(super) fn apply(work: &mut Work<'_>) {
    let format = work.profile.calls.id_format;
    if format.omitted {
        return remove_ids(work);
    }
    if format.accepts_lengths(work.survey().id_lengths()) || all_fit(work, format) {
        return;
    }
    let dialect = work.profile.dialect;
    let mut map = IdMap::new(format);
    let mut turn = 0;
    while turn < work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let block = work.block(turn, at);
            let Some(id) = id_of(block).cloned() else { continue };
            // An accepted null is no id.
            let is_null = block.extras.has(dialect, Spelling::NullCallId);
            if is_null && id.is_empty() && !call_ids::has_rejected_spelling(work, &block.extras) {
                continue;
            }
            // Ids without a call in this request are not checked.
            let has_call =
                as_call(block).is_some() || map.sent_by_client.contains_key(&*id.unescape());
            if format.calls_only && !has_call {
                continue;
            }
            let sent = map.sent_id(&id);
            if sent != id {
                replace_id(work, (turn, at), id, sent);
            }
        }
        turn += 1;
    }
}

fn all_fit(work: &Work<'_>, format: CallIdFormat) -> bool {
    let is_accepted =
        |block: &Verbatim<Block>| id_of(block).is_none_or(|id| format.accepts(&id.unescape()));
    work.turns().iter().all(|turn| turn.blocks.iter().all(is_accepted))
}

fn id_of(block: &Block) -> Option<&JsonString> {
    match &block.content {
        BlockContent::ToolCall(call) if !is_legacy(block) => Some(&call.id),
        BlockContent::ToolResult(result) if !is_legacy(block) => Some(&result.call_id),
        _ => None,
    }
}

/// The client's ids, and the ids sent for them.
struct IdMap {
    format: CallIdFormat,
    sent_by_client: HashMap<String, JsonString>,
    used: HashSet<String>,
}

impl IdMap {
    fn new(format: CallIdFormat) -> Self {
        Self { format, sent_by_client: HashMap::new(), used: HashSet::new() }
    }

    fn sent_id(&mut self, id: &JsonString) -> JsonString {
        let client_id = id.unescape();
        if let Some(sent) = self.sent_by_client.get(&*client_id) {
            return sent.clone();
        }
        let mut sent = id.clone();
        let mut number = 0;
        while !self.format.accepts(&sent.unescape()) || self.used.contains(&*sent.unescape()) {
            sent = self.derive(id, number);
            number += 1;
        }
        self.used.insert(sent.unescape().into_owned());
        self.sent_by_client.insert(client_id.into_owned(), sent.clone());
        sent
    }

    /// Derives an id in the accepted format.
    fn derive(&self, id: &JsonString, number: usize) -> JsonString {
        let plain = derive_id("call_", id, number);
        if self.format.accepts(&plain.unescape()) {
            return plain;
        }
        // Writes the hexadecimal digits in base 62, so that short ids stay distinct.
        let contents = plain.unescape();
        let digits = contents.trim_start_matches("call_");
        let mut rest = digits.chars().fold(0_u128, |number, digit| {
            (number << 4) | u128::from(digit.to_digit(16).unwrap_or(0))
        });
        let mut short = String::with_capacity(self.format.min_chars);
        while short.len() < self.format.min_chars {
            let base = ALPHANUMERIC.len() as u128;
            short.push(char::from(ALPHANUMERIC[(rest % base) as usize]));
            rest /= base;
        }
        JsonString::new(&short)
    }
}

fn replace_id(work: &mut Work<'_>, (turn, at): BlockPos, id: JsonString, sent: JsonString) {
    let is_call = as_call(work.block(turn, at)).is_some();
    let message = format!("the call id {id} is sent as {sent}");
    match &mut work.edit_block(turn, at).content {
        BlockContent::ToolCall(call) => call.id = sent.clone(),
        BlockContent::ToolResult(result) => result.call_id = sent.clone(),
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Reasoning(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_)
        | BlockContent::Foreign { .. } => {}
    }
    work.record_change(LedgerPath::block(turn, at), message);
    if is_call {
        work.record_call_rename(sent, id);
    }
}

/// Removes all ids. Results are matched by name and order then, so their names are resolved first.
fn remove_ids(work: &mut Work<'_>) {
    let is_written = |work: &Work<'_>, (turn, at): BlockPos| {
        let block = work.block(turn, at);
        id_of(block).is_some_and(|id| match block.extras.written(work.profile.dialect) {
            Some(WrittenForm::NoId) => false,
            // An empty id is sent as well.
            Some(WrittenForm::Id(_)) => true,
            _ => !id.is_empty(),
        })
    };
    let all_turns = 0..work.turns().len();
    let positions = blocks(work, all_turns).map(|(pos, _)| pos);
    let written: Vec<BlockPos> = positions.filter(|pos| is_written(work, *pos)).collect();
    let calls = ToolCallIndex::new(work.conversation());
    let name_of = |(turn, at): &BlockPos| {
        let result = as_result(work.block(*turn, *at))?;
        calls.call_before(*turn, &result.call_id).map(|call| call.name.clone())
    };
    let names: Vec<Option<JsonString>> = written.iter().map(name_of).collect();
    for ((turn, at), name) in written.into_iter().zip(names).rev() {
        let dialect = work.profile.dialect;
        let block = work.edit_block(turn, at);
        block.extras.remove_written(dialect);
        match &mut block.content {
            BlockContent::ToolCall(call) => call.id = JsonString::EMPTY,
            BlockContent::ToolResult(result) => {
                result.call_id = JsonString::EMPTY;
                result.name = name.or(result.name.take());
            }
            BlockContent::Text { .. }
            | BlockContent::Refusal(_)
            | BlockContent::Reasoning(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::Foreign { .. } => {}
        }
        work.record_change(
            LedgerPath::block(turn, at),
            "left out the call id: the target matches results by order",
        );
    }
}

const ALPHANUMERIC: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
