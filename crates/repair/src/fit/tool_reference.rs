//! A reference to a tool that is not there is said as text; one to a tool with another name says that.
//!
//! A search for tools leaves references in the history. When the agent offers other tools later, the
//! reference names nothing.
//!
//! ## Why
//! > Tool reference 'read' not found in available tools
//!
//! ## Example
//! ```text
//! before   tools: `write`    result 1: a reference to `read`
//! after    tools: `write`    result 1: "[the tool `read` is no longer there]"
//! ```

use interlingua_model::{Block, Body, Place, ToolKind, Verbatim};
use interlingua_wire::{Json, Node, Text};

use crate::Work;
use crate::pairing::Spot;

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.tools.deferral {
        return;
    }
    let added = &additions(work)[..];
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            match &work.block(turn, at).body {
                Body::ToolResult(result) => {
                    let odd = |block: &Verbatim<Block>| {
                        reference(block).is_some_and(|name| !is_there(work, added, &name))
                    };
                    if result.content.iter().any(odd) {
                        mend(work, added, (turn, at));
                    }
                }
                Body::Foreign { kind, json, .. } if kind == FOUND => {
                    let json = json.clone();
                    found(work, added, (turn, at), &json);
                }
                _ => {}
            }
        }
    }
}

/// The name in a reference.
fn reference(block: &Block) -> Option<Text> {
    match &block.body {
        Body::Foreign { kind, json, .. } if kind == REFERENCE => {
            json.doc().root().get("tool_name").and_then(Node::text)
        }
        _ => None,
    }
}

/// What adds tools in the middle of the conversation.
fn additions(work: &Work<'_>) -> Vec<Json> {
    let blocks = work.turns().iter().flat_map(|turn| &turn.blocks);
    let added = blocks.filter_map(|block| match &block.body {
        Body::Foreign { kind, json, .. } if kind == "tool_addition" => Some(json.clone()),
        _ => None,
    });
    added.collect()
}

/// A set of tools may have any, and tools may come in the middle of the conversation.
fn is_there(work: &Work<'_>, added: &[Json], name: &Text) -> bool {
    let is_set = |kind: &ToolKind| matches!(kind, ToolKind::Foreign { kind, .. } if kind.raw().ends_with("toolset"));
    let tools = &work.conversation().tools;
    tools.iter().any(|tool| tool.name == *name || is_set(&tool.kind))
        || added.iter().any(|json| json.as_str().contains(name.raw()))
}

/// What a reference is now.
fn instead(work: &Work<'_>, added: &[Json], name: &Text) -> Block {
    match work.sent_name(name).filter(|sent| is_there(work, added, sent)) {
        Some(sent) => Block::new(Body::Foreign {
            dialect: work.profile.dialect,
            kind: Text::word(REFERENCE),
            json: named(sent),
        }),
        None => Block::text(Text::new(&format!("[the tool `{name}` is no longer there]"))),
    }
}

fn named(name: &Text) -> Json {
    Json::object(|object| {
        object.word("type", REFERENCE);
        object.text("tool_name", name);
    })
}

fn mend(work: &mut Work<'_>, added: &[Json], (turn, at): Spot) {
    let Body::ToolResult(result) = &work.block(turn, at).body else { return };
    let better = |block: &Verbatim<Block>| match reference(block) {
        Some(name) if !is_there(work, added, &name) => instead(work, added, &name).into(),
        _ => block.clone(),
    };
    let content: Vec<Verbatim<Block>> = result.content.iter().map(better).collect();
    work.change(Place::block(turn, at), "a reference names a tool that is not there");
    if let Body::ToolResult(result) = &mut work.edit(turn, at).body {
        result.content = content;
    }
}

/// What a search of the provider's own found.
fn found(work: &mut Work<'_>, added: &[Json], (turn, at): Spot, json: &Json) {
    let doc = json.doc();
    let content = doc.root().get("content");
    let list = content.and_then(|content| content.get("tool_references"));
    let names = |node: Node<'_>| node.get("tool_name").and_then(Node::text).unwrap_or_default();
    let gone = |node: Node<'_>| !is_there(work, added, &names(node));
    if !list.is_some_and(|list| list.items().any(gone)) {
        return;
    }
    let kept = Json::array(|out| {
        for node in list.into_iter().flat_map(Node::items) {
            match work.sent_name(&names(node)) {
                _ if !gone(node) => out.item().json(&node.json()),
                Some(sent) if is_there(work, added, sent) => out.item().json(&named(sent)),
                _ => {}
            }
        }
    });
    let rewritten = replaced(doc.root(), "content", &replaced_in(content, &kept));
    work.loss(Place::block(turn, at), "left out what a search found: it is not there");
    if let Body::Foreign { json, .. } = &mut work.edit(turn, at).body {
        *json = rewritten;
    }
}

fn replaced_in(content: Option<Node<'_>>, kept: &Json) -> Json {
    content.map_or(Json::NULL, |content| replaced(content, "tool_references", kept))
}

/// An object with another value for one key.
fn replaced(node: Node<'_>, key: &str, value: &Json) -> Json {
    Json::object(|object| {
        for field in node.fields() {
            let written = field.value.json();
            object.key_text(&field.key()).json(if field.is(key) { value } else { &written });
        }
    })
}

const REFERENCE: &str = "tool_reference";
const FOUND: &str = "tool_search_tool_result";
