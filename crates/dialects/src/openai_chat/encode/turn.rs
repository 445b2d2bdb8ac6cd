//! Encodes turns as messages.

use interlingua_model::{
    Block, BlockContent, Extras, LedgerPath, MediaSource, Role, Spelling, ToolResult, Turn,
    Verbatim,
};
use interlingua_providers::spelling::openai_chat::Capability;
use interlingua_wire::JsonString;
use interlingua_wire::json::ArrayWriter;

use super::block::{self, ContentPart};
use super::context::{EncodeCx, blocks_with_paths};
use super::{assistant, media};
use crate::note;
use crate::openai_chat::id::ID;

impl<'a> EncodeCx<'a> {
    /// Encodes the whole list. Neighbouring turns of another dialect become one message, such as a
    /// call and the text before it; turns of this dialect stay separate messages.
    pub(crate) fn encode_messages(&mut self, out: &mut ArrayWriter<'_>) {
        let conversation = self.conversation;
        if !conversation.system.is_empty() {
            let blocks = conversation.system.iter().enumerate();
            let blocks = blocks.map(|(at, block)| (LedgerPath::system(at), block)).collect();
            self.encode_instructions("system", blocks, &Extras::default(), out);
        }
        let turns = conversation.turns.as_slice();
        let merges_turns = conversation.dialect != ID;
        let mut at = 0;
        while let Some(turn) = turns.get(at) {
            let mut end = at + 1;
            if let Some(text) = turn.text_for(ID) {
                if !self.moved_media.is_empty() && !is_tool_result_turn(turn) {
                    self.flush_moved_media(out);
                }
                out.item().json(text);
            } else {
                let is_same_role =
                    |next: &Verbatim<Turn>| next.role == turn.role && next.text_for(ID).is_none();
                while merges_turns && turns.get(end).is_some_and(is_same_role) {
                    end += 1;
                }
                self.encode_role_run(at, turns.get(at..end).unwrap_or_default(), out);
            }
            at = end;
        }
        self.flush_moved_media(out);
    }

    /// Encodes turns of one role.
    fn encode_role_run(
        &mut self,
        first: usize,
        turns: &'a [Verbatim<Turn>],
        out: &mut ArrayWriter<'_>,
    ) {
        let Some(turn) = turns.first() else { return };
        if turn.role == Role::User {
            return self.encode_user(first, turns, out);
        }
        self.flush_moved_media(out);
        if turn.role == Role::Assistant {
            return assistant::encode_assistant(first, turns, out, self);
        }
        for (at, turn) in (first..).zip(turns) {
            let as_developer =
                turn.role == Role::Developer && self.flavor.has(Capability::DeveloperRole);
            let role = if as_developer { "developer" } else { "system" };
            self.encode_instructions(role, blocks_with_paths(at, turn), &turn.extras, out);
            self.note_dropped_extras(&turn.extras, LedgerPath::turn(at));
        }
    }

    fn encode_instructions(
        &mut self,
        role: &'static str,
        blocks: Vec<(LedgerPath, &Verbatim<Block>)>,
        extras: &Extras,
        out: &mut ArrayWriter<'_>,
    ) {
        let is_cross_dialect = !blocks.is_empty() && self.conversation.dialect != ID;
        let mut parts = Vec::with_capacity(blocks.len());
        for (path, block) in blocks {
            match &block.content {
                BlockContent::Media(media) if block.text_for(ID).is_none() => {
                    self.note_dropped_block(path, media::media_noun(media.kind));
                }
                _ => block::push_parts(block, path, &mut parts, self),
            }
        }
        // No block of the instructions can be encoded.
        if is_cross_dialect && parts.is_empty() {
            return;
        }
        out.object(|o| {
            o.str("role", role);
            let allows_parts = self.flavor.has(Capability::SystemParts) && !self.joins_instructions;
            block::encode_content(&parts, allows_parts, "\n\n", o, self);
            extras.write(ID, o);
        });
    }

    /// Tool results come first, each in a separate message; then the other user content, turn by
    /// turn.
    fn encode_user(
        &mut self,
        first: usize,
        turns: &'a [Verbatim<Turn>],
        out: &mut ArrayWriter<'_>,
    ) {
        let mut has_content = false;
        for (at, turn) in (first..).zip(turns) {
            for (path, block) in blocks_with_paths(at, turn) {
                match &block.content {
                    BlockContent::ToolResult(result) => {
                        if std::mem::take(&mut has_content) {
                            let message = "a tool result is moved before the content preceding it";
                            self.ledger.record_change(note::ORDER_CHANGED, path, message);
                        }
                        self.encode_tool_result(result, turn, block, path, out);
                    }
                    BlockContent::Text { .. }
                    | BlockContent::Refusal(_)
                    | BlockContent::Reasoning(_)
                    | BlockContent::Media(_)
                    | BlockContent::Json(_)
                    | BlockContent::ToolCall(_)
                    | BlockContent::Foreign { .. } => has_content = true,
                }
            }
        }
        for (at, turn) in (first..).zip(turns) {
            self.note_dropped_extras(&turn.extras, LedgerPath::turn(at));
            let mut parts = Vec::with_capacity(turn.blocks.len());
            for (path, block) in blocks_with_paths(at, turn) {
                if !matches!(block.content, BlockContent::ToolResult(_)) {
                    block::push_parts(block, path, &mut parts, self);
                }
            }
            // A message of this dialect stays a message, even without parts.
            let keeps_message = self.conversation.dialect == ID && !is_tool_result_turn(turn);
            if !parts.is_empty() || turn.blocks.is_empty() || keeps_message {
                self.flush_moved_media(out);
                out.object(|o| {
                    o.json_string("role", &self.message_role(turn, "user"));
                    block::encode_content(&parts, self.flavor.supports_user_parts, "\n\n", o, self);
                    turn.extras.write(ID, o);
                });
            }
        }
    }

    fn encode_tool_result(
        &mut self,
        result: &'a ToolResult,
        turn: &Turn,
        block: &Block,
        path: LedgerPath,
        out: &mut ArrayWriter<'_>,
    ) {
        let mut parts = Vec::with_capacity(result.content.len());
        for inner in &result.content {
            self.push_tool_result_part(result, inner, path, &mut parts);
        }
        if result.is_error {
            self.ledger.record_change(
                note::ERROR_IN_TEXT,
                path,
                "the result's error flag is encoded as text",
            );
            prefix_error_text(&mut parts);
        }
        block::note_dropped_attributes(block, path, self);
        self.note_unwritable_cache(block, path);
        let name = result.name.clone().or_else(|| {
            let turn_index = path.index.unwrap_or_default() as usize;
            Some(self.calls.call_before(turn_index, &result.call_id)?.name.clone())
        });
        let is_legacy =
            self.conversation.dialect == ID && block.extras.has(ID, Spelling::LegacyForm);
        out.object(|o| {
            let same_dialect = self.conversation.dialect == ID;
            let requires_name = self.flavor.has(Capability::ToolMessageName);
            if is_legacy {
                o.static_str("role", "function");
                o.json_string_opt("name", name.as_ref());
            } else {
                o.json_string("role", &self.message_role(turn, "tool"));
                let was_written =
                    |spelling| result.call_id.is_empty() && block.extras.has(ID, spelling);
                if was_written(Spelling::NullCallId) {
                    o.null("tool_call_id");
                } else if !was_written(Spelling::NoCallId) {
                    o.json_string("tool_call_id", &result.call_id);
                }
                let original_name = result.name.as_ref().filter(|_| same_dialect);
                o.json_string_opt(
                    "name",
                    original_name.or(name.as_ref().filter(|_| requires_name)),
                );
            }
            block::encode_content(&parts, self.flavor.has(Capability::ToolParts), "\n\n", o, self);
            if turn.blocks.len() == 1 {
                turn.extras.write(ID, o);
            }
        });
    }

    /// Media move out of tool messages: "Image URLs are only allowed for messages with role 'user',
    /// but this message with role 'tool' contains an image URL." In same-dialect requests to a
    /// server that accepts them there, they stay: a user message would end the tool loop to which
    /// reasoning is bound.
    fn push_tool_result_part(
        &mut self,
        result: &'a ToolResult,
        inner: &'a Verbatim<Block>,
        path: LedgerPath,
        parts: &mut Vec<ContentPart<'a>>,
    ) {
        let BlockContent::Media(media) = &inner.content else {
            return block::push_parts(inner, path, parts, self);
        };
        let stays_in_place =
            self.conversation.dialect == ID && self.flavor.has(Capability::ToolMedia);
        if stays_in_place || matches!(media.source, MediaSource::Text(_) | MediaSource::Blocks(_)) {
            return block::push_parts(inner, path, parts, self);
        }
        let name = media::media_noun(media.kind);
        let number = self.moved_media.len() + 1;
        if media::is_encodable(media, self.flavor) {
            parts.push(ContentPart::Text(
                JsonString::new(&format!("[{name} {number} follows]")),
                None,
            ));
            let message =
                format!("the {name} of a result is moved to a user message after the results");
            self.ledger.record_change(note::MEDIA_MOVED, path, message);
            media::note_missing_file_name(media, path, self);
            self.moved_media.push((result.call_id.clone(), media));
        } else {
            parts.push(ContentPart::Text(JsonString::new(&format!("[{name}]")), None));
            self.note_dropped_block(path, name);
        }
        block::note_dropped_attributes(inner, path, self);
        self.note_unwritable_cache(inner, path);
    }

    /// Writes the media that were moved out of tool results.
    fn flush_moved_media(&mut self, out: &mut ArrayWriter<'_>) {
        let media_list = std::mem::take(&mut self.moved_media);
        if media_list.is_empty() {
            return;
        }
        let mut parts = Vec::with_capacity(media_list.len() * 2);
        for (number, (call_id, media)) in (1..).zip(&media_list) {
            let name = media::media_noun(media.kind);
            let label = format!("[{name} {number} from the result of {call_id}]");
            parts.push(ContentPart::Text(JsonString::new(&label), None));
            parts.push(ContentPart::Media(media, None));
        }
        if let Some(filler) = self.flavor.tool_to_user_filler {
            out.object(|o| {
                o.static_str("role", "assistant");
                o.str("content", filler);
            });
        }
        out.object(|o| {
            o.static_str("role", "user");
            o.array("content", |a| {
                for part in &parts {
                    block::encode_part(part, a, self);
                }
            });
        });
    }
}

fn is_tool_result_turn(turn: &Turn) -> bool {
    !turn.blocks.is_empty()
        && turn.blocks.iter().all(|block| matches!(block.content, BlockContent::ToolResult(_)))
}

fn prefix_error_text(parts: &mut Vec<ContentPart<'_>>) {
    match parts.first_mut() {
        Some(ContentPart::Text(text, _)) => {
            *text = JsonString::concat([&JsonString::from_static("[tool error] "), text]);
        }
        Some(_) => {
            parts.insert(0, ContentPart::Text(JsonString::from_static("[tool error] "), None));
        }
        None => parts.push(ContentPart::Text(JsonString::from_static("[tool error]"), None)),
    }
}
