//! Encodes the list of contents: turn by turn for same-dialect requests, and as alternating user
//! and model contents for cross-dialect ones.

use interlingua_model::{
    Block, BlockContent, Conversation, Ledger, LedgerPath, Role, ToolCallIndex, Turn, Verbatim,
};
use interlingua_wire::JsonString;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};

use super::context::EncodeCx;
use super::{block, fields};
use crate::common::turn_list;
use crate::gemini::field_name;
use crate::gemini::id::ID;
use crate::note;

enum ContentItem<'c> {
    Block(&'c Verbatim<Block>),
    /// Text of an instruction in the middle of the conversation.
    Instruction(JsonString),
}

struct PlacedItem<'c> {
    item: ContentItem<'c>,
    turn_index: usize,
    path: LedgerPath,
}

/// The content that is being built.
struct ContentBuilder<'c> {
    is_model: bool,
    /// Kept separate, because `functionResponse` parts must come before text.
    tool_results: Vec<PlacedItem<'c>>,
    other_items: Vec<PlacedItem<'c>>,
}

/// Encodes the turns of a same-dialect request. An unedited turn keeps its text.
pub(crate) fn encode_same_dialect(
    conversation: &Conversation,
    list: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    let calls = ToolCallIndex::new(conversation);
    for (at, turn) in conversation.turns.iter().enumerate() {
        if let Some(text) = turn.text_for(ID) {
            list.item().json(text);
            continue;
        }
        let mut content = ContentBuilder::new(turn.role == Role::Assistant);
        collect_items(&calls, turn, at, ledger, |item, _| content.other_items.push(item));
        if !content.is_empty() {
            let extras = |object: &mut ObjectWriter<'_>| turn.extras.write(ID, object);
            content.encode(&calls, list, extras, ledger);
        }
    }
}

/// Encodes the turns of another dialect, except the first `skip`, which are instructions.
pub(crate) fn encode_cross_dialect(
    conversation: &Conversation,
    skip: usize,
    list: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    let calls = ToolCallIndex::new(conversation);
    let first_entry = ledger.entries.len();
    let mut current = ContentBuilder::new(false);
    for (at, turn) in conversation.turns.iter().enumerate().skip(skip) {
        field_name::note_dropped_extras(&turn.extras, ID, LedgerPath::turn(at), ledger);
        let is_model = turn.role == Role::Assistant;
        let mut items = Vec::with_capacity(turn.blocks.len());
        collect_items(&calls, turn, at, ledger, |item, _| items.push(item));
        let mut starts_new_content = !is_model
            && !current.tool_results.is_empty()
            && is_media_without_results(&conversation.turns[at..]);
        for item in items {
            if current.is_model != is_model || std::mem::take(&mut starts_new_content) {
                current.encode(&calls, list, |_| {}, ledger);
                current = ContentBuilder::new(is_model);
            }
            current.push(item, ledger);
        }
    }
    current.encode(&calls, list, |_| {}, ledger);
    // A content is encoded when the next one begins, so the ledger entries are sorted back into
    // conversation order.
    ledger.entries[first_entry..].sort_by_key(|entry| (entry.path.index, entry.path.block));
}

/// Returns whether the turn has media and no tool results, and no user turn directly after it has
/// any. Media next to the results of several calls were reported to be rejected at times; in a
/// separate content they are accepted.
fn is_media_without_results(turns: &[Verbatim<Turn>]) -> bool {
    let is_media = |block: &Verbatim<Block>| matches!(block.content, BlockContent::Media(_));
    let is_result = |block: &Verbatim<Block>| matches!(block.content, BlockContent::ToolResult(_));
    let mut user_turns = turns.iter().take_while(|turn| turn.role != Role::Assistant);
    turns.first().is_some_and(|turn| turn.blocks.iter().any(is_media))
        && !user_turns.any(|turn| turn.blocks.iter().any(is_result))
}

/// Returns the number of leading instruction turns, and whether any instruction can be encoded.
pub(crate) fn leading_instructions(conversation: &Conversation) -> (usize, bool) {
    let count = turn_list::leading_instruction_count(conversation);
    let turns = conversation.turns.iter().take(count).flat_map(|turn| &turn.blocks);
    let has_instructions = conversation.system.iter().chain(turns).any(is_encodable_instruction);
    (count, has_instructions)
}

/// Encodes the system prompt, followed by the leading instruction turns.
pub(crate) fn encode_system(
    conversation: &Conversation,
    turns: usize,
    list: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    let calls = ToolCallIndex::new(conversation);
    for (at, block) in conversation.system.iter().enumerate() {
        encode_instruction(block, &calls, LedgerPath::system(at), list, ledger);
    }
    for (at, turn) in conversation.turns.iter().enumerate().take(turns) {
        if conversation.dialect != ID {
            field_name::note_dropped_extras(&turn.extras, ID, LedgerPath::turn(at), ledger);
        }
        for (block_at, block) in turn.blocks.iter().enumerate() {
            encode_instruction(block, &calls, LedgerPath::block(at, block_at), list, ledger);
        }
    }
}

/// Returns whether a block of the system prompt can be encoded.
fn is_encodable_instruction(block: &Verbatim<Block>) -> bool {
    block.content.as_text().is_some() || block.text_for(ID).is_some()
}

fn encode_instruction<'c>(
    block: &Verbatim<Block>,
    calls: &'c ToolCallIndex<'c>,
    path: LedgerPath,
    list: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    if is_encodable_instruction(block) {
        block::encode_part(block, EncodeCx::Request(calls), 0, path, list, ledger);
    } else {
        let message = "left out a part of the system prompt that is not text";
        ledger.record_loss(note::NO_SUCH_BLOCK, path, message);
    }
}

/// Collects the blocks of a turn that can be encoded. Instructions become user text.
fn collect_items<'c>(
    calls: &'c ToolCallIndex<'c>,
    turn: &'c Turn,
    at: usize,
    ledger: &mut Ledger,
    mut push: impl FnMut(PlacedItem<'c>, &mut Ledger),
) {
    let is_instruction = matches!(turn.role, Role::System | Role::Developer);
    for (block_at, block) in turn.blocks.iter().enumerate() {
        let path = LedgerPath::block(at, block_at);
        let content = match &block.content {
            BlockContent::Text { text, .. } if is_instruction => {
                let message =
                    "instructions in the middle of the conversation are sent as user text";
                ledger.record_change(note::SYSTEM_MOVED, path, message);
                fields::note_dropped_attributes(block, path, ledger);
                let (opening, closing) = (
                    JsonString::new("<system-reminder>\n"),
                    JsonString::new("\n</system-reminder>"),
                );
                ContentItem::Instruction(JsonString::concat([&opening, text, &closing]))
            }
            _ if block::check_encodable(block, EncodeCx::Request(calls), path, ledger) => {
                ContentItem::Block(block)
            }
            _ => continue,
        };
        push(PlacedItem { item: content, turn_index: at, path }, ledger);
    }
}

impl<'c> ContentBuilder<'c> {
    fn new(is_model: bool) -> Self {
        Self { is_model, tool_results: Vec::new(), other_items: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.tool_results.is_empty() && self.other_items.is_empty()
    }

    fn push(&mut self, item: PlacedItem<'c>, ledger: &mut Ledger) {
        let is_result = matches!(&item.item, ContentItem::Block(block)
            if matches!(block.content, BlockContent::ToolResult(_)));
        if !is_result || self.is_model {
            self.other_items.push(item);
            return;
        }
        if !self.other_items.is_empty() {
            let message = "a tool result is moved before the text next to it";
            ledger.record_change(note::ORDER_CHANGED, item.path, message);
        }
        self.tool_results.push(item);
    }

    /// Writes nothing without parts: an empty content is rejected ("must include at least one parts
    /// field").
    fn encode(
        &self,
        calls: &'c ToolCallIndex<'c>,
        list: &mut ArrayWriter<'_>,
        extras: impl FnOnce(&mut ObjectWriter<'_>),
        ledger: &mut Ledger,
    ) {
        if self.is_empty() {
            return;
        }
        list.object(|object| {
            object.str("role", if self.is_model { "model" } else { "user" });
            object.array("parts", |parts| {
                for PlacedItem { item: content, turn_index: turn, path } in
                    self.tool_results.iter().chain(&self.other_items)
                {
                    match content {
                        ContentItem::Block(block) => {
                            let cx = EncodeCx::Request(calls);
                            block::encode_part(block, cx, *turn, *path, parts, ledger);
                        }
                        ContentItem::Instruction(text) => {
                            parts.object(|object| object.json_string("text", text));
                        }
                    }
                }
            });
            extras(object);
        });
    }
}
