//! Reads one delta of a choice.

use interlingua_model::{Block, BlockContent, Delta, Ledger, LedgerPath};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::blocks::{self, BlockKey};
use super::rewrite::ReadEntry;
use super::tool_call::{CallKind, ToolCallState};
use super::{OnceNote, Reader};
use crate::note;
use crate::openai_chat::decode::tool_call::{self, CallIdSeed};
use crate::openai_chat::decode::{block, fields};
use crate::openai_chat::{citation, reasoning_details};

impl Reader {
    pub(super) fn read_delta(&mut self, delta: JsonNode<'_>, ledger: &mut Ledger) {
        let [details, reasoning_content, reasoning, content, refusal, tool_calls, function_call] =
            delta.get_many([
                "reasoning_details",
                "reasoning_content",
                "reasoning",
                "content",
                "refusal",
                "tool_calls",
                "function_call",
            ]);
        let [blocks, annotations, images, audio, extra, reasoning_text, reasoning_opaque] = delta
            .get_many([
                "thinking_blocks",
                "annotations",
                "images",
                "audio",
                "extra_content",
                "reasoning_text",
                "reasoning_opaque",
            ]);
        let plain_fields = [reasoning_content, reasoning, reasoning_text];
        let is_list = |node: &JsonNode<'_>| node.is_array() && !node.is_empty();
        match details.filter(is_list).or(blocks.filter(is_list)) {
            Some(list) => {
                // The plain text next to the details repeats them, unless they have no text.
                if !list.items().any(reasoning_details::has_visible_text) {
                    self.read_plain_reasoning(plain_fields);
                }
                self.read_reasoning_details(list);
            }
            None => self.read_plain_reasoning(plain_fields),
        }
        if reasoning_opaque.is_some_and(JsonNode::is_string) && !self.rewriter.enabled {
            self.note_opaque(ledger);
        }
        if let Some(content) = content {
            self.read_content(content, ledger);
        }
        if let Some(text) = refusal.and_then(JsonNode::json_string) {
            let refusal = || Block::new(BlockContent::Refusal(JsonString::EMPTY));
            if !text.is_empty() {
                self.blocks.push_delta(BlockKey::Refusal, Delta::Text(text), refusal);
            }
        }
        if let Some(list) = tool_calls {
            self.read_tool_calls(list, ledger);
        }
        if let Some(legacy) = function_call.filter(|call| call.is_object()) {
            self.read_function_call(legacy, ledger);
        }
        self.read_annotations(annotations, ledger);
        for image in images.into_iter().flat_map(JsonNode::items) {
            let block = block::decode_part(image, LedgerPath::REPLY, ledger).into_value();
            self.blocks.push_block(BlockKey::Complete, block);
        }
        if let Some(seal) = extra.and_then(|_| tool_call::decode_google_signature(delta)) {
            let seal = Delta::Seal(Box::new(seal));
            self.blocks.push_delta(BlockKey::Text, seal, || Block::text(JsonString::EMPTY));
        }
        // The transcript of streamed audio. The audio itself is dropped.
        let transcript = audio.and_then(|audio| audio.get("transcript")?.json_string());
        if let Some(text) = transcript.filter(|text| !text.is_empty()) {
            self.read_text(&text);
        }
    }

    /// Reads the first of the plain reasoning fields that is not empty.
    fn read_plain_reasoning(&mut self, fields: [Option<JsonNode<'_>>; 3]) {
        let mut texts = fields.into_iter().flatten().filter_map(JsonNode::json_string);
        let text = texts.find(|text| !text.is_empty());
        if let Some(text) = text {
            self.blocks.push_delta(
                BlockKey::Reasoning,
                Delta::Text(text),
                blocks::empty_thinking_block,
            );
        }
    }

    fn note_opaque(&mut self, ledger: &mut Ledger) {
        if self.once_notes.insert(OnceNote::ReasoningOpaque) {
            ledger.record_loss(
                note::NO_SUCH_FIELD,
                LedgerPath::REPLY,
                "left out `reasoning_opaque`",
            );
        }
    }

    fn read_content(&mut self, content: JsonNode<'_>, ledger: &mut Ledger) {
        match content.kind() {
            JsonKind::Null => {}
            JsonKind::String => {
                if let Some(text) = content.json_string().filter(|text| !text.is_empty()) {
                    self.read_text(&text);
                }
            }
            JsonKind::Array => content.items().for_each(|part| self.read_part(part, ledger)),
            JsonKind::Object => self.read_part(content, ledger),
            JsonKind::Bool | JsonKind::Number => self.read_text(&JsonString::new(content.raw())),
        }
    }

    /// Reads one part of a content list.
    fn read_part(&mut self, node: JsonNode<'_>, ledger: &mut Ledger) {
        if let Some(text) = node.json_string() {
            return self.read_text(&text);
        }
        let block = block::decode_part(node, LedgerPath::REPLY, ledger).into_value();
        match &block.content {
            BlockContent::Text { text, .. } if !text.is_empty() => self.read_text(text),
            BlockContent::Text { .. } => {}
            BlockContent::Reasoning(thinking) => {
                let text = Delta::Text(thinking.text.clone());
                self.blocks.push_delta(BlockKey::Reasoning, text, blocks::empty_thinking_block);
                let last = self.blocks.sequencer.last_slot();
                if let (Some(seal), Some(last)) = (block.seal.clone(), last) {
                    self.blocks.push(last, Delta::Seal(seal));
                }
            }
            BlockContent::Refusal(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => {
                self.blocks.push_block(BlockKey::Complete, block);
            }
        }
    }

    fn read_annotations(&mut self, list: Option<JsonNode<'_>>, ledger: &mut Ledger) {
        for node in list.into_iter().flat_map(JsonNode::items) {
            if let Some(text) = self.blocks.sequencer.find(&BlockKey::Text) {
                let citation = citation::decode_citation(node);
                self.blocks.push(text, Delta::Citation(Box::new(citation)));
            } else {
                let message = "left out an annotation without a text";
                ledger.record_loss(note::CITATION_REDUCED, LedgerPath::REPLY, message);
            }
        }
    }

    pub(super) fn read_tool_calls(&mut self, list: JsonNode<'_>, ledger: &mut Ledger) {
        let single_call = Some(list).filter(|list| list.is_object());
        if single_call.is_some() {
            self.rewriter.chunk.needs_rewrite = true;
            if self.once_notes.insert(OnceNote::CallsNotList) {
                let message = "`tool_calls` is not a list: read as one call";
                fields::note_odd_input(ledger, LedgerPath::REPLY, message);
            }
        }
        let has_several = list.is_array() && list.len() > 1;
        for (position, node) in list.items().chain(single_call).enumerate() {
            let [index, id, custom, function] =
                node.get_many(["index", "id", "custom", "function"]);
            let own_index = index.and_then(JsonNode::as_u64);
            let id = id.and_then(JsonNode::json_string).unwrap_or_default();
            let custom = custom.filter(|custom| custom.is_object());
            let payload = custom.or(function).unwrap_or(node);
            let name = payload.get("name").and_then(JsonNode::json_string).unwrap_or_default();
            // Several calls in one list without index and id are identified by their position.
            let uses_position = own_index.is_none() && id.is_empty() && has_several;
            let index = own_index.or(uses_position.then_some(position as u64));
            let piece = payload.get(if custom.is_some() { "input" } else { "arguments" });
            let piece = piece.filter(|piece| !piece.is_null());
            let existing = self.find_call(index, &id, &name, piece);
            let at = existing.unwrap_or_else(|| {
                let kind = if custom.is_some() { CallKind::Freeform } else { CallKind::Function };
                self.blocks.push_call(ToolCallState { index, kind, ..ToolCallState::default() })
            });
            let new_fields = self
                .rewriter
                .enabled
                .then(|| self.new_id_and_name(at, existing.is_none(), &id, &name));
            self.update_call(at, &id, &name, ledger);
            let new_args = match piece {
                Some(piece) if piece.is_object() => {
                    self.blocks.set_args_object(at, piece.json(), ledger);
                    None
                }
                Some(piece) => self.blocks.push_args(at, &fields::text_or_raw(piece), ledger),
                None => None,
            };
            if let Some([new_id, new_name]) = new_fields {
                self.rewriter.add_entry(ReadEntry {
                    call: at,
                    is_first: existing.is_none(),
                    is_custom: custom.is_some(),
                    index: own_index,
                    id: &id,
                    name: &name,
                    args_node: piece,
                    new_id,
                    new_name,
                    new_args,
                    is_nested: custom.or(function).is_some_and(JsonNode::is_object),
                });
            }
            if let Some(seal) = tool_call::decode_google_signature(node)
                && let Some(slot) = self.blocks.find_call_block(at)
            {
                self.blocks.push(slot, Delta::Seal(Box::new(seal)));
            }
        }
    }

    /// The parts of id and name that the client does not have yet. A call without an id gets a
    /// derived one.
    fn new_id_and_name(
        &mut self,
        at: usize,
        is_first: bool,
        id: &JsonString,
        name: &JsonString,
    ) -> [Option<JsonString>; 2] {
        let reply_id = self.blocks.reply_id.as_ref();
        let Some(call) = self.blocks.calls.get(at) else {
            return [None, None];
        };
        let is_new = !name.is_empty() && (is_first || !call.opened && call.name != *name);
        let new_name = is_new.then(|| name.clone());
        if is_first && id.is_empty() && is_new {
            let derived_id = CallIdSeed { reply_id, call_number: at }.derive(name);
            self.blocks.set_call_id(at, derived_id.clone());
            return [Some(derived_id), new_name];
        }
        let new_id = (!id.is_empty() && call.id.is_empty()).then(|| id.clone());
        [new_id, new_name]
    }

    /// Reads a legacy `function_call`.
    fn read_function_call(&mut self, call: JsonNode<'_>, ledger: &mut Ledger) {
        let name = call.get("name").and_then(JsonNode::json_string).unwrap_or_default();
        let current = self.blocks.calls.len().checked_sub(1);
        let at = current.unwrap_or_else(|| self.blocks.push_call(ToolCallState::default()));
        self.update_call(at, &JsonString::EMPTY, &name, ledger);
        if let Some(piece) = call.get("arguments").filter(|piece| !piece.is_null()) {
            self.blocks.push_args(at, &fields::text_or_raw(piece), ledger);
        }
    }

    /// Finds the call that an entry continues; `None` begins a new one.
    fn find_call(
        &self,
        index: Option<u64>,
        id: &JsonString,
        name: &JsonString,
        piece: Option<JsonNode<'_>>,
    ) -> Option<usize> {
        let calls = &self.blocks.calls;
        let has_name = !name.is_empty();
        let by_id = || self.blocks.find_call_by_id(id);
        let is_done = |at: usize| calls.get(at).is_some_and(ToolCallState::is_complete);
        if let Some(index) = index {
            let Some(at) = self.blocks.find_call_by_index(index) else {
                // Some servers increment the index within a call.
                let may_continue = !id.is_empty() && !has_name;
                return may_continue.then(by_id).flatten().filter(|at| !is_done(*at));
            };
            let call = calls.get(at)?;
            if id.is_empty() || call.id.is_empty() {
                let starts_new = has_name && is_done(at) && starts_new_call(call, name, piece);
                return (!starts_new).then_some(at);
            }
            // Some servers restart the index for each call; others change the id within a call.
            return if call.id != *id && (has_name || is_done(at)) { by_id() } else { Some(at) };
        }
        if !id.is_empty() {
            return by_id();
        }
        let last = calls.len().checked_sub(1)?;
        let has_arguments = calls.get(last).is_some_and(ToolCallState::has_arguments);
        (!(has_name && has_arguments)).then_some(last)
    }

    /// Updates id and name, which may arrive late, repeated, or in pieces.
    fn update_call(&mut self, at: usize, id: &JsonString, name: &JsonString, ledger: &mut Ledger) {
        self.blocks.name_call(at, name, ledger);
        if !id.is_empty() && self.blocks.calls.get(at).is_some_and(|call| call.id.is_empty()) {
            self.blocks.set_call_id(at, id.clone());
        }
        if let Some(call) = self.blocks.calls.get_mut(at)
            && call.kind == CallKind::Function
            && self.freeform_tools.contains(&call.name)
        {
            call.kind = CallKind::WrappedFreeform;
        }
    }
}

/// Returns whether an entry with a name is a new call, although a complete call has its index.
fn starts_new_call(call: &ToolCallState, name: &JsonString, piece: Option<JsonNode<'_>>) -> bool {
    let Some(piece) = piece else {
        return call.name != *name;
    };
    let text = fields::text_or_raw(piece);
    let begins_json = text.raw().starts_with(['{', '[']);
    call.name != *name || call.args_object.is_some() || (begins_json && call.args.text() != text)
}
