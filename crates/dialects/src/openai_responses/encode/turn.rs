//! Encodes turns as input items.

use interlingua_model::{
    Block, BlockContent, Extras, Ledger, LedgerPath, Reasoning, ReasoningForm, Role, Spelling,
    ToolArgs, ToolCall, ToolCallIndex, ToolResult, Turn, Verbatim,
};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, JsonWriter, RawJson};

use super::context::{EncodeCx, note_dropped_attributes, note_dropped_extras};
use crate::note;
use crate::openai_responses::id::{ID, OPENAI_ISSUER, XAI_ISSUER};
use crate::openai_responses::{decode, encode, namespace};

/// Encodes one turn: neighbouring parts become one message item, any other block its own item.
pub(crate) fn encode_turn(
    calls: &ToolCallIndex<'_>,
    at: usize,
    turn: &Turn,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    note_dropped_extras(&turn.extras, LedgerPath::turn(at), ledger);
    let same_dialect = calls.conversation().dialect == ID;
    let mut extras = Some(&turn.extras);
    let mut first = 0;
    let message_fields = |block: &Block| block.extras.written_message(ID).cloned();
    let belong_together = |a: &Block, b: &Block| {
        is_message_part(&a.content)
            && is_message_part(&b.content)
            && b.extras.written_message(ID).is_none()
    };
    for parts in turn.blocks.chunk_by(|a, b| belong_together(a, b)) {
        if is_message_part(&parts[0].content) {
            let content = |a: &mut ArrayWriter<'_>| {
                for (offset, block) in parts.iter().enumerate() {
                    let at = EncodeCx { path: LedgerPath::block(at, first + offset), same_dialect };
                    encode::block::encode_part(block, turn.role, at, a, ledger);
                }
            };
            if same_dialect || parts.iter().any(|block| is_always_encoded(&block.content)) {
                let fields = (extras.take(), message_fields(&parts[0]));
                encode_message(turn, fields, a, |out| out.array(content));
            } else {
                // A message without parts is rejected, so it is left out.
                let content = RawJson::array(content);
                if content != RawJson::EMPTY_ARRAY {
                    let fields = (extras.take(), message_fields(&parts[0]));
                    encode_message(turn, fields, a, |out| out.json(&content));
                }
            }
        } else {
            let path = LedgerPath::block(at, first);
            encode_item(calls, at, &parts[0], EncodeCx { path, same_dialect }, a, ledger);
        }
        first += parts.len();
    }
    if turn.blocks.is_empty() && same_dialect {
        encode_message(turn, (extras, None), a, |out| out.array(|_| {}));
    }
}

/// Writes a message item, with the turn's extras and the message fields that its first part
/// carries.
fn encode_message(
    turn: &Turn,
    (extras, message_fields): (Option<&Extras>, Option<RawJson>),
    a: &mut ArrayWriter<'_>,
    content: impl FnOnce(&mut JsonWriter),
) {
    a.object(|o| {
        o.static_str("type", "message");
        o.str("role", role_name(turn.role));
        content(o.key("content"));
        if let Some(extras) = extras {
            extras.write(ID, o);
        }
        let message_fields = message_fields.map(|message_fields| message_fields.to_doc());
        for field in message_fields.iter().flat_map(|message_fields| message_fields.root().fields())
        {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    });
}

/// Returns whether a part is never dropped.
fn is_always_encoded(body: &BlockContent) -> bool {
    matches!(body, BlockContent::Text { .. } | BlockContent::Refusal(_) | BlockContent::Json(_))
}

/// Returns whether a block belongs inside a message; otherwise it is a separate item.
fn is_message_part(body: &BlockContent) -> bool {
    match body {
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_) => true,
        BlockContent::Foreign { dialect, kind, .. } => {
            *dialect != ID || kind.raw().starts_with(decode::block::PART_KIND_PREFIX)
        }
        BlockContent::Reasoning(_) | BlockContent::ToolCall(_) | BlockContent::ToolResult(_) => {
            false
        }
    }
}

fn encode_item(
    calls: &ToolCallIndex<'_>,
    turn: usize,
    block: &Verbatim<Block>,
    cx: EncodeCx,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    if let Some(text) = block.text_for(ID) {
        return a.item().json(text);
    }
    match &block.content {
        BlockContent::Reasoning(thinking) => encode_reasoning(thinking, block, cx.path, a, ledger),
        BlockContent::ToolCall(call) => {
            note_dropped_attributes(block, cx, ledger);
            a.object(|o| encode_tool_call(call, &block.extras, o));
        }
        BlockContent::ToolResult(result) => {
            note_dropped_attributes(block, cx, ledger);
            let call = calls.call_before(turn, &result.call_id);
            let is_custom = call.is_some_and(|call| matches!(call.args, ToolArgs::Freeform(_)));
            a.object(|o| encode_tool_result(result, is_custom, &block.extras, cx, o, ledger));
        }
        BlockContent::Foreign { json, .. } => a.item().json(json),
        BlockContent::Text { .. }
        | BlockContent::Refusal(_)
        | BlockContent::Media(_)
        | BlockContent::Json(_) => {}
    }
}

/// Returns whether this dialect's providers issued the seal.
pub(crate) fn has_own_seal(block: &Block) -> bool {
    block.seal.as_ref().is_some_and(|seal| {
        let issuer = &seal.origin.issuer;
        *issuer == OPENAI_ISSUER || *issuer == XAI_ISSUER
    })
}

/// Reasoning is sent back only with a seal of these providers, or with the id under which the
/// provider stored it.
fn encode_reasoning(
    thinking: &Reasoning,
    block: &Block,
    path: LedgerPath,
    a: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    if !has_own_seal(block) && block.extras.get(ID, "id").is_none() {
        let message = match &block.seal {
            Some(seal) => format!("left out reasoning sealed by {}", seal.origin.issuer),
            None => "left out reasoning without a seal".to_owned(),
        };
        ledger.record_loss(note::FOREIGN_SEAL, path, message);
        return;
    }
    let seal_id = block.seal.as_ref().and_then(|seal| seal.id.clone());
    let original_id = block.extras.get(ID, "id").and_then(RawJson::json_string);
    // A missing id is not derived: it would refer to an item that the provider has stored.
    let id = seal_id.or(original_id);
    a.object(|o| {
        write_reasoning_fields(
            thinking,
            block,
            id.as_ref(),
            thinking.form == ReasoningForm::Full,
            o,
        );
    });
}

/// Writes the fields of a reasoning item; `is_full` tells whether the text is the reasoning itself,
/// not a summary.
pub(crate) fn write_reasoning_fields(
    thinking: &Reasoning,
    block: &Block,
    id: Option<&JsonString>,
    is_full: bool,
    o: &mut ObjectWriter<'_>,
) {
    o.static_str("type", "reasoning");
    o.json_string_opt("id", id);
    let summary = block.extras.get(ID, "summary");
    let is_unchanged =
        |list: &&RawJson| decode::turn::join_texts(list.to_doc().root()) == thinking.text;
    match summary.filter(|list| is_full || is_unchanged(list)) {
        Some(list) => o.json("summary", list),
        None => o.array("summary", |a| {
            if !is_full && !thinking.text.is_empty() {
                write_text_part(decode::block::SUMMARY_TEXT, &thinking.text, a);
            }
        }),
    }
    match block.extras.get(ID, "content").filter(is_unchanged) {
        Some(list) => o.json("content", list),
        None if is_full => {
            o.array("content", |a| {
                write_text_part(decode::block::REASONING_TEXT, &thinking.text, a);
            });
        }
        None => {}
    }
    if let Some(seal) = block.seal.as_ref().filter(|_| has_own_seal(block)) {
        o.json_string("encrypted_content", &seal.data);
    }
    for (key, value) in block.extras.fields_for(ID) {
        if !["id", "summary", "content"].iter().any(|written_key| *key == **written_key) {
            o.key_json_string(key).json(value);
        }
    }
}

fn write_text_part(kind: &'static str, text: &JsonString, a: &mut ArrayWriter<'_>) {
    a.object(|o| {
        o.str("type", kind);
        o.json_string("text", text);
    });
}

fn encode_tool_call(call: &ToolCall, extras: &Extras, o: &mut ObjectWriter<'_>) {
    let namespace = extras.get(ID, "namespace").and_then(RawJson::json_string);
    let name = namespace::local_name(namespace.as_ref(), &call.name);
    match &call.args {
        ToolArgs::Freeform(input) => {
            o.static_str("type", "custom_tool_call");
            o.json_string("call_id", &call.id);
            o.json_string("name", &name);
            o.json_string("input", input);
        }
        ToolArgs::Json(_) | ToolArgs::Malformed(_) => {
            o.static_str("type", "function_call");
            o.json_string("call_id", &call.id);
            o.json_string("name", &name);
            o.json_string("arguments", &call.args.to_json_string());
        }
    }
    extras.write(ID, o);
}

fn encode_tool_result(
    result: &ToolResult,
    is_custom: bool,
    extras: &Extras,
    cx: EncodeCx,
    o: &mut ObjectWriter<'_>,
    ledger: &mut Ledger,
) {
    o.str("type", if is_custom { "custom_tool_call_output" } else { "function_call_output" });
    if !extras.has(ID, Spelling::LegacyForm) {
        o.json_string("call_id", &result.call_id);
    }
    encode::block::encode_output(result, cx, o, ledger);
    // Clients of other dialects repeat the tool's name, which this dialect does not need.
    if cx.same_dialect {
        o.json_string_opt("name", result.name.as_ref());
    }
    for (key, value) in extras.fields_for(ID) {
        if is_custom && FUNCTION_ONLY_FIELDS.contains(&key.raw()) {
            let message =
                format!("left out `{key}`: the result of a custom tool does not have this field");
            ledger.record_loss(note::NO_SUCH_FIELD, cx.path, message);
        } else {
            o.key_json_string(key).json(value);
        }
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// Fields of a function's result that a custom tool's result does not have.
const FUNCTION_ONLY_FIELDS: &[&str] = &["status", "namespace", "caller"];
