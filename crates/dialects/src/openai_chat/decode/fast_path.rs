//! Fast path for plain messages: a role with a text, calls or a tool result, each field once and of
//! the usual type.
//!
//! Measured by `cargo xtask bench gateway --plain "428 KB, same dialect"`, ratio to nginx, median of 4
//! runs: 2.59 with it, 3.25 without.

use interlingua_model::{
    Block, BlockContent, Ledger, LedgerPath, Role, ToolResult, Turn, Verbatim,
};
use interlingua_wire::{JsonNode, JsonString};

use super::fields;
use super::message_fields::{TOOL_CALL_ID, TOOL_CALLS};
use super::tool_call::{self, call_id_seed};
use crate::openai_chat::id::ID;

/// Decodes a message that has only the usual fields; `None` for any other.
pub(super) fn decode_message(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Option<Verbatim<Turn>> {
    let turn = match FastFields::parse(node)? {
        FastFields { role: "user", content: Some(text), tool_calls: None, tool_call_id: None } => {
            text_turn(Role::User, text)
        }
        FastFields {
            role: "system",
            content: Some(text),
            tool_calls: None,
            tool_call_id: None,
        } => text_turn(Role::System, text),
        FastFields {
            role: "developer",
            content: Some(text),
            tool_calls: None,
            tool_call_id: None,
        } => text_turn(Role::Developer, text),
        FastFields { role: "assistant", content, tool_calls, tool_call_id: None }
            if content.is_some() || tool_calls.is_some() =>
        {
            decode_assistant(content, tool_calls, None, path, ledger)
        }
        FastFields {
            role: "tool",
            content: Some(text),
            tool_calls: None,
            tool_call_id: Some(call_id),
        } => tool_result_turn(call_id, text),
        _ => return None,
    };
    Some(Verbatim::with_text(turn, ID, node.json()))
}

/// The fields of a message, found in one pass.
struct FastFields<'d> {
    role: &'d str,
    /// A string.
    content: Option<JsonNode<'d>>,
    /// A non-empty list.
    tool_calls: Option<JsonNode<'d>>,
    /// A non-empty string.
    tool_call_id: Option<JsonString>,
}

impl<'d> FastFields<'d> {
    /// `None` if a field appears twice or has another type, or if there are other fields.
    fn parse(node: JsonNode<'d>) -> Option<Self> {
        let [role, content, tool_call_id, tool_calls] =
            node.get_many_exact(["role", "content", TOOL_CALL_ID, TOOL_CALLS])?;
        if content.is_some_and(|content| !content.is_string() && !content.is_null())
            || tool_calls.is_some_and(|tool_calls| !tool_calls.is_array() || tool_calls.is_empty())
            || tool_call_id.is_some_and(|tool_call_id| !tool_call_id.is_string())
        {
            return None;
        }
        let tool_call_id = tool_call_id.and_then(JsonNode::json_string);
        if tool_call_id.as_ref().is_some_and(JsonString::is_empty) {
            return None;
        }
        let content = content.filter(|content| content.is_string());
        Some(Self { role: role?.as_escape_free_str()?, content, tool_calls, tool_call_id })
    }
}

fn text_turn(role: Role, text: JsonNode<'_>) -> Turn {
    let mut turn = Turn::new(role);
    turn.blocks = vec![text_block(text)];
    turn
}

/// Decodes an assistant message with text, calls or both.
pub(super) fn decode_assistant(
    content: Option<JsonNode<'_>>,
    tool_calls: Option<JsonNode<'_>>,
    reply_id: Option<&JsonString>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Turn {
    let mut turn = Turn::new(Role::Assistant);
    let count = tool_calls.map_or(0, JsonNode::len);
    turn.blocks.reserve_exact(count + usize::from(content.is_some()));
    // Next to calls, an empty text is dropped.
    if let Some(text) = content.filter(|text| count == 0 || text.raw() != "\"\"") {
        turn.blocks.push(text_block(text));
    }
    for (at, node) in tool_calls.into_iter().flat_map(JsonNode::items).enumerate() {
        turn.blocks.push(tool_call::decode_tool_call(
            node,
            call_id_seed(reply_id, path, at),
            path,
            ledger,
        ));
    }
    turn
}

fn tool_result_turn(call_id: JsonString, text: JsonNode<'_>) -> Turn {
    // An empty text means an empty result.
    let content = if text.raw() == "\"\"" { Vec::new() } else { vec![text_block(text)] };
    let result = ToolResult { call_id, name: None, content, is_error: false };
    let mut turn = Turn::new(Role::User);
    turn.blocks = vec![Verbatim::new(Block::new(BlockContent::ToolResult(result)))];
    turn
}

fn text_block(text: JsonNode<'_>) -> Verbatim<Block> {
    Verbatim::new(Block::text(fields::text_or_raw(text)))
}

#[cfg(test)]
mod tests {
    use interlingua_model::{Ledger, LedgerPath};
    use interlingua_wire::{JsonDoc, JsonLimits, JsonString};

    use super::super::tool_call::{self, CallIdSeed};
    use super::super::turn::decode_message_slow;
    use super::{Block, BlockContent, ID, Verbatim, decode_message};

    /// Returns whether the fast path accepts the message; if so, asserts that the slow path decodes
    /// the same.
    fn fast_path_accepts(json: &str) -> bool {
        let doc = JsonDoc::parse(json.to_owned().into(), JsonLimits::default()).unwrap();
        let (node, path) = (doc.root(), LedgerPath::turn(3));
        let (mut ledger, mut slow_ledger) = (Ledger::default(), Ledger::default());
        let fast = decode_message(node, path, &mut ledger);
        let slow = decode_message_slow(node, |_| JsonString::EMPTY, path, &mut slow_ledger);
        fast.is_some_and(|fast| {
            assert_eq!(fast, slow, "{json}");
            assert_eq!(fast.text_for(ID), slow.text_for(ID), "{json}");
            let json = |turn: &super::Turn| {
                turn.blocks.iter().map(|block| block.text_for(ID).cloned()).collect::<Vec<_>>()
            };
            assert_eq!(json(&fast), json(&slow));
            assert_eq!(format!("{ledger:?}"), format!("{slow_ledger:?}"));
            true
        })
    }

    #[test]
    fn fast_and_slow_path_decode_the_same_message() {
        let call =
            r#"{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"a\":1}"}}"#;
        for json in [
            r#"{"role":"user","content":"x"}"#.to_owned(),
            r#"{"content":"","role":"system"}"#.to_owned(),
            r#"{"role":"developer","content":"a\nb"}"#.to_owned(),
            r#"{"role":"assistant","content":"x"}"#.to_owned(),
            r#"{"role":"assistant","content":""}"#.to_owned(),
            format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}}"#),
            format!(r#"{{"role":"assistant","content":"","tool_calls":[{call},{call}]}}"#),
            format!(r#"{{"role":"assistant","tool_calls":[{call},{{}},7]}}"#),
            r#"{"role":"tool","tool_call_id":"c1","content":"x"}"#.to_owned(),
            r#"{"role":"tool","tool_call_id":"c1","content":""}"#.to_owned(),
        ] {
            assert!(fast_path_accepts(&json), "{json}");
        }
    }

    /// The same for a call.
    fn fast_path_accepts_call(json: &str) -> bool {
        let doc = JsonDoc::parse(json.to_owned().into(), JsonLimits::default()).unwrap();
        let mut ledger = Ledger::default();
        let slow = tool_call::decode_slow(
            doc.root(),
            CallIdSeed::default(),
            LedgerPath::turn(3),
            &mut ledger,
        );
        tool_call::decode_fast(doc.root()).is_some_and(|call| {
            assert_eq!(Verbatim::new(Block::new(BlockContent::ToolCall(call))), slow, "{json}");
            assert!(slow.text_for(ID).is_some() && ledger.is_empty(), "{json}");
            true
        })
    }

    #[test]
    fn fast_and_slow_path_decode_the_same_call() {
        for (is_fast, json) in [
            (true, r#"{"id":"c","type":"function","function":{"name":"n","arguments":"{}"}}"#),
            (true, r#"{"function":{"arguments":"","name":""},"type":"function","id":"c"}"#),
            (true, r#"{"id":"c","type":"function","function":{"name":"n","arguments":"{\"a"}}"#),
            (false, r#"{"id":"","type":"function","function":{"name":"n","arguments":"{}"}}"#),
            (false, r#"{"type":"function","function":{"name":"n","arguments":"{}"}}"#),
            (false, r#"{"id":"c","type":"custom","function":{"name":"n","arguments":"{}"}}"#),
            (false, r#"{"id":"c","function":{"name":"n","arguments":"{}"}}"#),
            (false, r#"{"id":"c","type":"function","function":{"name":"n","arguments":{}}}"#),
            (false, r#"{"id":"c","type":"function","function":{"name":"n"}}"#),
            (false, r#"{"id":"c","type":"function","function":"n"}"#),
            (
                false,
                r#"{"id":"c","type":"function","index":0,"function":{"name":"n","arguments":"{}"}}"#,
            ),
            (false, r#"{"id":"c","type":"function","function":{"name":7,"arguments":"{}"}}"#),
        ] {
            assert_eq!(fast_path_accepts_call(json), is_fast, "{json}");
        }
    }

    #[test]
    fn fast_path_rejects_other_messages() {
        for json in [
            "7",
            "{}",
            r#"{"role":"user"}"#,
            r#"{"role":"user","content":null}"#,
            r#"{"role":"user","content":[]}"#,
            r#"{"role":"user","content":"x","name":"n"}"#,
            r#"{"role":"user","content":"x","content":"y"}"#,
            r#"{"role":"user","content":"x","tool_call_id":"c1"}"#,
            r#"{"role":"us\u0065r","content":"x"}"#,
            r#"{"role":"assistant"}"#,
            r#"{"role":"assistant","content":"x","tool_calls":[]}"#,
            r#"{"role":"assistant","content":"x","tool_calls":null}"#,
            r#"{"role":"function","name":"n","content":"x"}"#,
            r#"{"role":"tool","content":"x"}"#,
            r#"{"role":"tool","tool_call_id":"","content":"x"}"#,
            r#"{"role":"tool","tool_call_id":7,"content":"x"}"#,
            r#"{"role":"tool","tool_call_id":"c1","content":null}"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"x","name":"n"}"#,
        ] {
            assert!(!fast_path_accepts(json), "{json}");
        }
    }
}
