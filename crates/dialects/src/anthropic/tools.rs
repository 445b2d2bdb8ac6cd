//! Tools, both ways.

use interlingua_model::{Ledger, Place, Tool, ToolKind, Verbatim};
use interlingua_wire::json::Array;
use interlingua_wire::{Json, Kind, Node, Text};

use super::encode::{self, Cx};
use super::{ID, decode};
use crate::note;

pub(super) fn decode_list(list: Node<'_>, ledger: &mut Ledger) -> Verbatim<Vec<Verbatim<Tool>>> {
    let mut tools = Vec::new();
    match list.kind() {
        Kind::Array => {
            tools.reserve_exact(list.len());
            tools.extend(list.items().enumerate().map(|(at, tool)| decode(tool, at, ledger)));
        }
        Kind::Null => {}
        Kind::Object | Kind::String | Kind::Number | Kind::Bool => {
            decode::odd(ledger, Place::BODY, "`tools` is not a list: read as one tool");
            tools.push(decode(list, 0, ledger));
        }
    }
    Verbatim::read(tools, ID, list.json())
}

pub(super) fn decode(node: Node<'_>, at: usize, ledger: &mut Ledger) -> Verbatim<Tool> {
    let place = Place::tool(at);
    let kind = node.get("type").filter(|kind| !kind.is_null());
    let tool = match kind {
        Some(kind) if kind.word() == "function" && node.get("input_schema").is_none() => {
            decode::odd(ledger, place, "a tool in the form of another dialect");
            let inner = node.get("function").filter(|inner| inner.is_object()).unwrap_or(node);
            function(inner, place, ledger)
        }
        Some(kind) if kind.word() != "custom" => foreign(node, kind),
        _ => function(node, place, ledger),
    };
    Verbatim::read(tool, ID, node.json())
}

fn function(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Tool {
    let mut tool = Tool::new(Text::EMPTY, ToolKind::Function { schema: None });
    let mut name = None;
    for field in node.fields() {
        match &*field.name() {
            "type" => {}
            "name" => name = Some(field.value),
            "description" if field.value.is_string() || field.value.is_null() => {
                tool.description = field.value.text();
            }
            "input_schema" | "parameters" => {
                tool.kind = ToolKind::Function { schema: decode::said(field.value) };
            }
            "strict" if field.value.boolean().is_some() => tool.strict = field.value.boolean(),
            "cache_control" if decode::is_plain_cache(field.value) => {
                tool.cache = decode::cache(field.value);
            }
            "cache_control" => {
                tool.cache = decode::cache(field.value);
                if field.value.get("type").is_some_and(Node::is_string) {
                    tool.extras.keep(ID, field);
                } else {
                    decode::odd(ledger, place, "a cache mark of no type is a plain one");
                }
            }
            _ => tool.extras.keep(ID, field),
        }
    }
    tool.name = decode::string(name, "name", place, ledger);
    tool
}

/// A tool known by its type: some have a fixed name, a set of them has none.
fn foreign(node: Node<'_>, kind: Node<'_>) -> Tool {
    let name = node.get("name").and_then(Node::text).unwrap_or_default();
    let kind = kind.text().unwrap_or_default();
    let mut tool = Tool::new(name, ToolKind::Foreign { dialect: ID, kind, json: node.json() });
    tool.cache = node.get("cache_control").and_then(decode::cache);
    tool
}

/// Writes a tool, or notes that it is left out.
pub(super) fn encode(tool: &Verbatim<Tool>, at: usize, cx: &mut Cx<'_>, out: &mut Array<'_>) {
    let place = Place::tool(at);
    if let Some(text) = tool.text_for(ID) {
        out.item().json(text);
        return;
    }
    encode::note_extras(&tool.extras, place, cx.ledger);
    if let Some(namespace) = &tool.namespace {
        let what = format!("the group `{namespace}` is said in the tool's name alone");
        cx.ledger.change(note::NO_SUCH_FIELD, place, what);
    }
    match &tool.kind {
        ToolKind::Function { schema } => {
            let schema = schema.as_ref().filter(|schema| schema.is_object());
            if schema.is_none() {
                let what = "the tool has no schema: it takes an object without properties";
                cx.ledger.change(note::REQUIRED_ADDED, place, what);
            }
            write(tool, tool.description.as_ref(), schema, place, cx, out);
        }
        ToolKind::Freeform { format } => {
            let what = "the tool takes free text: it is offered with one string `input`";
            cx.ledger.change(note::FREEFORM_WRAPPED, place, what);
            let description = described(tool.description.as_ref(), format.as_ref());
            write(
                tool,
                description.as_ref(),
                Json::parse(ONE_STRING).ok().as_ref(),
                place,
                cx,
                out,
            );
        }
        ToolKind::Foreign { dialect, json, .. } if *dialect == ID => {
            encode::foreign(json, tool.cache.as_deref(), out);
        }
        ToolKind::Foreign { dialect, kind, .. } => {
            let what = format!("left out the tool `{kind}` of {dialect}");
            cx.ledger.loss(note::NO_SUCH_TOOL, place, what);
        }
    }
}

fn write(
    tool: &Tool,
    description: Option<&Text>,
    schema: Option<&Json>,
    place: Place,
    cx: &mut Cx<'_>,
    out: &mut Array<'_>,
) {
    out.object(|o| {
        o.text("name", &tool.name);
        o.text_if("description", description);
        match schema {
            Some(schema) => o.json("input_schema", schema),
            None => o.object("input_schema", |o| {
                o.known("type", "object");
                o.object("properties", |_| {});
            }),
        }
        if let Some(strict) = tool.strict {
            o.boolean("strict", strict);
        }
        encode::cache_and_extras(tool.cache.as_deref(), &tool.extras, place, cx, o);
    });
}

/// The description with the grammar, which has no other place.
fn described(description: Option<&Text>, format: Option<&Json>) -> Option<Text> {
    let grammar = format.and_then(|format| {
        let doc = format.doc();
        let root = doc.root();
        let definition = root.get("definition").or_else(|| root.get("grammar")?.get("definition"));
        definition.and_then(Node::text)
    });
    match (description, grammar) {
        (Some(description), Some(grammar)) => {
            let head = Text::word("The input follows this grammar:");
            Some(Text::join([description, &Text::join([&head, &grammar], "\n")], "\n\n"))
        }
        (None, grammar) => grammar,
        (description, None) => description.cloned(),
    }
}

const ONE_STRING: &str =
    r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
