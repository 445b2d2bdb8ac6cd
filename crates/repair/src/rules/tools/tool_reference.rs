//! Replaces a reference to a tool that is not declared by a text, and updates one to a renamed
//! tool.
//!
//! A search for tools leaves references in the history. When the agent declares other tools later,
//! such a reference has no target.
//!
//! ## Why
//! > Tool reference 'read' not found in available tools
//!
//! ## Example
//! ```text
//! before   tools: `write`    result 1: a reference to `read`
//! after    tools: `write`    result 1: "[the tool `read` is no longer there]"
//! ```

use interlingua_model::{Block, BlockContent, LedgerPath, ToolKind, Verbatim};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::engine::Work;
use crate::values::block::BlockPos;

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.tools.deferred_loading {
        return;
    }
    let added = &added_tools(work)[..];
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            match &work.block(turn, at).content {
                BlockContent::ToolResult(result) => {
                    let is_dangling = |block: &Verbatim<Block>| {
                        referenced_name(block).is_some_and(|name| !is_declared(work, added, &name))
                    };
                    if result.content.iter().any(is_dangling) {
                        fix_result(work, added, (turn, at));
                    }
                }
                BlockContent::Foreign { kind, json, .. } if kind == SEARCH_RESULT_KIND => {
                    let json = json.clone();
                    fix_search_result(work, added, (turn, at), &json);
                }
                _ => {}
            }
        }
    }
}

/// The tool name in a reference.
fn referenced_name(block: &Block) -> Option<JsonString> {
    match &block.content {
        BlockContent::Foreign { kind, json, .. } if kind == REFERENCE_KIND => {
            json.to_doc().root().get("tool_name").and_then(JsonNode::json_string)
        }
        _ => None,
    }
}

/// The blocks that add tools in the middle of the conversation.
fn added_tools(work: &Work<'_>) -> Vec<RawJson> {
    let blocks = work.turns().iter().flat_map(|turn| &turn.blocks);
    let added = blocks.filter_map(|block| match &block.content {
        BlockContent::Foreign { kind, json, .. } if kind == "tool_addition" => Some(json.clone()),
        _ => None,
    });
    added.collect()
}

/// Whether a tool may be declared: a toolset may have any tool, and later blocks may add it.
fn is_declared(work: &Work<'_>, added: &[RawJson], name: &JsonString) -> bool {
    let is_set = |kind: &ToolKind| matches!(kind, ToolKind::Foreign { kind, .. } if kind.raw().ends_with("toolset"));
    let tools = &work.conversation().tools;
    tools.iter().any(|tool| tool.name == *name || is_set(&tool.kind))
        || added.iter().any(|json| json.as_str().contains(name.raw()))
}

/// The block that replaces a reference.
fn replace_reference(work: &Work<'_>, added: &[RawJson], name: &JsonString) -> Block {
    match work.sent_name(name).filter(|sent| is_declared(work, added, sent)) {
        Some(sent) => Block::new(BlockContent::Foreign {
            dialect: work.profile.dialect,
            kind: JsonString::from_static(REFERENCE_KIND),
            json: reference_json(sent),
        }),
        None => Block::text(JsonString::new(&format!("[the tool `{name}` is no longer there]"))),
    }
}

fn reference_json(name: &JsonString) -> RawJson {
    RawJson::object(|object| {
        object.str("type", REFERENCE_KIND);
        object.json_string("tool_name", name);
    })
}

fn fix_result(work: &mut Work<'_>, added: &[RawJson], (turn, at): BlockPos) {
    let BlockContent::ToolResult(result) = &work.block(turn, at).content else { return };
    let replaced_block = |block: &Verbatim<Block>| match referenced_name(block) {
        Some(name) if !is_declared(work, added, &name) => {
            replace_reference(work, added, &name).into()
        }
        _ => block.clone(),
    };
    let content: Vec<Verbatim<Block>> = result.content.iter().map(replaced_block).collect();
    work.record_change(
        LedgerPath::block(turn, at),
        "replaced a reference to a tool that is not declared",
    );
    if let BlockContent::ToolResult(result) = &mut work.edit_block(turn, at).content {
        result.content = content;
    }
}

/// Removes or updates references in the result of the provider's tool search.
fn fix_search_result(work: &mut Work<'_>, added: &[RawJson], (turn, at): BlockPos, json: &RawJson) {
    let doc = json.to_doc();
    let content = doc.root().get("content");
    let list = content.and_then(|content| content.get("tool_references"));
    let name_of = |node: JsonNode<'_>| {
        node.get("tool_name").and_then(JsonNode::json_string).unwrap_or_default()
    };
    let is_dangling = |node: JsonNode<'_>| !is_declared(work, added, &name_of(node));
    if !list.is_some_and(|list| list.items().any(is_dangling)) {
        return;
    }
    let remaining = RawJson::array(|out| {
        for node in list.into_iter().flat_map(JsonNode::items) {
            match work.sent_name(&name_of(node)) {
                _ if !is_dangling(node) => out.item().json(&node.json()),
                Some(sent) if is_declared(work, added, sent) => {
                    out.item().json(&reference_json(sent));
                }
                _ => {}
            }
        }
    });
    let rewritten = with_value(doc.root(), "content", &with_references(content, &remaining));
    work.record_loss(
        LedgerPath::block(turn, at),
        "left out references of a tool search to tools that are not declared",
    );
    if let BlockContent::Foreign { json, .. } = &mut work.edit_block(turn, at).content {
        *json = rewritten;
    }
}

fn with_references(content: Option<JsonNode<'_>>, references: &RawJson) -> RawJson {
    content.map_or(RawJson::NULL, |content| with_value(content, "tool_references", references))
}

/// An object with another value for one key.
fn with_value(node: JsonNode<'_>, key: &str, value: &RawJson) -> RawJson {
    RawJson::object(|object| {
        for field in node.fields() {
            let written = field.value.json();
            object.key_json_string(&field.key_json_string()).json(if field.key_is(key) {
                value
            } else {
                &written
            });
        }
    })
}

const REFERENCE_KIND: &str = "tool_reference";
const SEARCH_RESULT_KIND: &str = "tool_search_tool_result";
