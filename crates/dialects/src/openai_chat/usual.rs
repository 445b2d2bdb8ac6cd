//! What most messages are: a role, and words, calls or a result, each once and of its kind.

use interlingua_model::{Block, Body, Ledger, Place, Role, ToolResult, Turn, Verbatim};
use interlingua_wire::{Node, Text};

use super::decode::nameless;
use super::fields::{CALL, CALLS};
use super::{ID, calls, parts};

/// A message that has nothing else; `None` for any other.
pub(super) fn message(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Option<Verbatim<Turn>> {
    let turn = match Fields::of(node)? {
        Fields { role: "user", content: Some(words), calls: None, call: None } => {
            said(Role::User, words)
        }
        Fields { role: "system", content: Some(words), calls: None, call: None } => {
            said(Role::System, words)
        }
        Fields { role: "developer", content: Some(words), calls: None, call: None } => {
            said(Role::Developer, words)
        }
        Fields { role: "assistant", content, calls, call: None }
            if content.is_some() || calls.is_some() =>
        {
            assistant(content, calls, None, place, ledger)
        }
        Fields { role: "tool", content: Some(words), calls: None, call: Some(call) } => {
            result(call, words)
        }
        _ => return None,
    };
    Some(Verbatim::read(turn, ID, node.json()))
}

/// The fields of a message, found in one pass.
struct Fields<'d> {
    role: &'d str,
    /// A string.
    content: Option<Node<'d>>,
    /// A list that holds something.
    calls: Option<Node<'d>>,
    /// A string that is not empty.
    call: Option<Text>,
}

impl<'d> Fields<'d> {
    /// Nothing if one of them stands there twice, or is of another kind, or if there are others.
    fn of(node: Node<'d>) -> Option<Self> {
        let [role, content, call, calls] = node.only(["role", "content", CALL, CALLS])?;
        if content.is_some_and(|content| !content.is_string() && !content.is_null())
            || calls.is_some_and(|calls| !calls.is_array() || calls.is_empty())
            || call.is_some_and(|call| !call.is_string())
        {
            return None;
        }
        let call = call.and_then(Node::text);
        if call.as_ref().is_some_and(Text::is_empty) {
            return None;
        }
        let content = content.filter(|content| content.is_string());
        Some(Self { role: role?.plain_word()?, content, calls, call })
    }
}

fn said(role: Role, words: Node<'_>) -> Turn {
    let mut turn = Turn::new(role);
    turn.blocks = vec![text(words)];
    turn
}

/// Words, calls, or words and calls.
pub(super) fn assistant(
    content: Option<Node<'_>>,
    list: Option<Node<'_>>,
    reply: Option<&Text>,
    place: Place,
    ledger: &mut Ledger,
) -> Turn {
    let mut turn = Turn::new(Role::Assistant);
    let count = list.map_or(0, Node::len);
    turn.blocks.reserve_exact(count + usize::from(content.is_some()));
    // Beside calls, empty words are none.
    if let Some(words) = content.filter(|words| count == 0 || words.raw() != "\"\"") {
        turn.blocks.push(text(words));
    }
    for (at, node) in list.into_iter().flat_map(Node::items).enumerate() {
        turn.blocks.push(calls::decode(node, nameless(reply, place, at), place, ledger));
    }
    turn
}

fn result(call: Text, words: Node<'_>) -> Turn {
    // Empty words are nothing that came back.
    let content = if words.raw() == "\"\"" { Vec::new() } else { vec![text(words)] };
    let result = ToolResult { call, name: None, content, is_error: false };
    let mut turn = Turn::new(Role::User);
    turn.blocks = vec![Verbatim::new(Block::new(Body::ToolResult(result)))];
    turn
}

fn text(words: Node<'_>) -> Verbatim<Block> {
    Verbatim::new(Block::text(parts::text_of(words)))
}

#[cfg(test)]
mod tests {
    use interlingua_model::{Ledger, Place};
    use interlingua_wire::{Doc, Limits, Text};

    use super::super::calls::{self, Nameless};
    use super::super::decode::any_message;
    use super::{Block, Body, ID, Verbatim, message};

    /// Whether it is a usual message; if so, it is read as any other.
    fn is_usual(written: &str) -> bool {
        let doc = Doc::parse(written.to_owned().into(), Limits::default()).unwrap();
        let (node, place) = (doc.root(), Place::turn(3));
        let (mut ledger, mut other) = (Ledger::default(), Ledger::default());
        let usual = message(node, place, &mut ledger);
        let any = any_message(node, |_| Text::EMPTY, place, &mut other);
        usual.is_some_and(|usual| {
            assert_eq!(usual, any, "{written}");
            assert_eq!(usual.text_for(ID), any.text_for(ID), "{written}");
            let written = |turn: &super::Turn| {
                turn.blocks.iter().map(|block| block.text_for(ID).cloned()).collect::<Vec<_>>()
            };
            assert_eq!(written(&usual), written(&any));
            assert_eq!(format!("{ledger:?}"), format!("{other:?}"));
            true
        })
    }

    #[test]
    fn usual_messages_are_read_as_any_others() {
        let call =
            r#"{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"a\":1}"}}"#;
        for usual in [
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
            assert!(is_usual(&usual), "{usual}");
        }
    }

    /// The same of a call.
    fn is_usual_call(written: &str) -> bool {
        let doc = Doc::parse(written.to_owned().into(), Limits::default()).unwrap();
        let mut ledger = Ledger::default();
        let any = calls::any(doc.root(), Nameless::default(), Place::turn(3), &mut ledger);
        calls::usual(doc.root()).is_some_and(|call| {
            assert_eq!(Verbatim::new(Block::new(Body::ToolCall(call))), any, "{written}");
            assert!(any.text_for(ID).is_some() && ledger.is_empty(), "{written}");
            true
        })
    }

    #[test]
    fn usual_calls_are_read_as_any_others() {
        for (usual, written) in [
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
            assert_eq!(is_usual_call(written), usual, "{written}");
        }
    }

    #[test]
    fn no_other_message_is_usual() {
        for other in [
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
            assert!(!is_usual(other), "{other}");
        }
    }
}
