//! Tools, both ways.

use interlingua_model::{Ledger, Place, Tool, ToolKind, Verbatim};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Text};

use super::{ID, blocks, read_blocks, unread};
use crate::note;

pub(super) fn encode(tool: &Verbatim<Tool>, o: &mut Object<'_>) {
    o.text("name", &tool.name);
    o.text_if("description", tool.description.as_ref());
    match &tool.kind {
        ToolKind::Function { schema } => o.json("schema", schema.as_ref().unwrap_or(&Json::NULL)),
        ToolKind::Freeform { format } => {
            o.json("freeform", format.as_ref().unwrap_or(&Json::NULL));
        }
        ToolKind::Foreign { dialect, kind, json } => o.object("foreign", |o| {
            o.word("dialect", dialect.0);
            o.text("kind", kind);
            o.json("json", json);
        }),
    }
    if let Some(strict) = tool.strict {
        o.boolean("strict", strict);
    }
    o.text_if("namespace", tool.namespace.as_ref());
    blocks::cache(tool.cache.as_deref(), o);
    blocks::extras(&tool.extras, o);
    blocks::raw(tool.written(), o);
}

pub(super) fn decode(node: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
    if let Some((dialect, raw)) = read_blocks::raw(node) {
        let tool = dialect.decode_tool(raw.doc().root(), ledger);
        return tool.beside(|tool| tool.cache = read_blocks::cache(node));
    }
    let place = Place::BODY;
    unread::fields(node, &known(node), place, ledger);
    unread::values(node, &["description", "namespace"], Node::is_string, place, ledger);
    unread::values(node, &["strict"], unread::is_boolean, place, ledger);
    unread::beside(node, place, ledger);
    let some = |node: Node<'_>| (!node.is_null()).then(|| node.json());
    let mut name = read_blocks::text(node.get("name"));
    let kind = if let Some(foreign) = node.get("foreign") {
        self::foreign(foreign, &mut name, ledger)
    } else if let Some(format) = node.get("freeform") {
        ToolKind::Freeform { format: some(format) }
    } else {
        ToolKind::Function { schema: node.get("schema").and_then(some) }
    };
    let tool = Tool {
        name,
        description: node.get("description").and_then(Node::text),
        kind,
        strict: node.get("strict").and_then(Node::boolean),
        namespace: node.get("namespace").and_then(Node::text),
        cache: read_blocks::cache(node),
        extras: read_blocks::extras(node),
    };
    Verbatim::read(tool, ID, node.json())
}

/// What a tool of its kind says of itself.
fn known(node: Node<'_>) -> Vec<&'static str> {
    let kinds = ["foreign", "freeform", "schema"];
    let kind = kinds.into_iter().find(|kind| node.get(kind).is_some());
    kind.into_iter().chain(TOOL).chain(unread::BESIDE).collect()
}

/// A tool that only one dialect knows: of the kind that it says itself to be, and
/// under the name that it gives itself.
fn foreign(foreign: Node<'_>, name: &mut Text, ledger: &mut Ledger) -> ToolKind {
    unread::fields(foreign, &["dialect", "kind", "json"], Place::BODY, ledger);
    let dialect = foreign.get("dialect").map(|name| name.word().into_owned()).unwrap_or_default();
    let json = foreign.get("json").map_or(Json::NULL, Node::json);
    let Some(dialect) = crate::find(&dialect).filter(|dialect| dialect.id() != ID) else {
        let kind = read_blocks::text(foreign.get("kind"));
        return ToolKind::Foreign { dialect: ID, kind, json };
    };
    let tool = dialect.decode_tool(json.doc().root(), ledger).into_value();
    let named = json.doc().root().get("name").and_then(Node::text);
    if let (ToolKind::Foreign { .. }, Some(named)) = (&tool.kind, named)
        && named != *name
    {
        let what = format!("a tool called `{name}` is called `{named}` where it is known");
        ledger.change(note::ODD_INPUT, Place::BODY, what);
        *name = named;
    }
    tool.kind
}

/// What a tool of any kind says of itself.
const TOOL: [&str; 4] = ["name", "description", "strict", "namespace"];
