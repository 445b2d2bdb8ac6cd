//! Decodes and encodes tools.

use interlingua_model::{Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::json::ArrayWriter;
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use super::encode::{self, EncodeCx};
use super::{ID, decode};
use crate::note;

pub(super) fn decode_tools(
    list: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Tool>>> {
    let mut tools = Vec::new();
    match list.kind() {
        JsonKind::Array => {
            tools.reserve_exact(list.len());
            tools.extend(list.items().enumerate().map(|(at, tool)| decode_tool(tool, at, ledger)));
        }
        JsonKind::Null => {}
        JsonKind::Object | JsonKind::String | JsonKind::Number | JsonKind::Bool => {
            decode::note_odd_input(
                ledger,
                LedgerPath::BODY,
                "`tools` is not a list: read as one tool",
            );
            tools.push(decode_tool(list, 0, ledger));
        }
    }
    Verbatim::with_text(tools, ID, list.json())
}

pub(super) fn decode_tool(node: JsonNode<'_>, at: usize, ledger: &mut Ledger) -> Verbatim<Tool> {
    let path = LedgerPath::tool(at);
    let kind = node.get("type").filter(|kind| !kind.is_null());
    let tool = match kind {
        Some(kind) if kind.str_or_empty() == "function" && node.get("input_schema").is_none() => {
            decode::note_odd_input(ledger, path, "a tool in the form of another dialect");
            let inner = node.get("function").filter(|inner| inner.is_object()).unwrap_or(node);
            decode_function(inner, path, ledger)
        }
        Some(kind) if kind.str_or_empty() != "custom" => decode_foreign(node, kind),
        _ => decode_function(node, path, ledger),
    };
    Verbatim::with_text(tool, ID, node.json())
}

fn decode_function(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Tool {
    let mut tool = Tool::new(JsonString::EMPTY, ToolKind::Function { schema: None });
    let mut name = None;
    for field in node.fields() {
        match &*field.key() {
            "type" => {}
            "name" => name = Some(field.value),
            "description" if field.value.is_string() || field.value.is_null() => {
                tool.description = field.value.json_string();
            }
            "input_schema" | "parameters" => {
                tool.kind = ToolKind::Function { schema: decode::non_null_json(field.value) };
            }
            "strict" if field.value.as_bool().is_some() => tool.strict = field.value.as_bool(),
            "cache_control" if decode::is_lossless_cache_control(field.value) => {
                tool.cache_breakpoint = decode::decode_cache_control(field.value);
            }
            "cache_control" => {
                tool.cache_breakpoint = decode::decode_cache_control(field.value);
                if field.value.get("type").is_some_and(JsonNode::is_string) {
                    tool.extras.push_field(ID, field);
                } else {
                    decode::note_odd_input(
                        ledger,
                        path,
                        "a `cache_control` without a type is read as `ephemeral`",
                    );
                }
            }
            _ => tool.extras.push_field(ID, field),
        }
    }
    tool.name = decode::decode_string(name, "name", path, ledger);
    tool
}

/// A tool defined by its type. Some have a fixed name; toolsets have none.
fn decode_foreign(node: JsonNode<'_>, kind: JsonNode<'_>) -> Tool {
    let name = node.get("name").and_then(JsonNode::json_string).unwrap_or_default();
    let kind = kind.json_string().unwrap_or_default();
    let mut tool = Tool::new(name, ToolKind::Foreign { dialect: ID, kind, json: node.json() });
    tool.cache_breakpoint = node.get("cache_control").and_then(decode::decode_cache_control);
    tool
}

pub(super) fn encode_tool(
    tool: &Verbatim<Tool>,
    at: usize,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    let path = LedgerPath::tool(at);
    if let Some(text) = tool.text_for(ID) {
        out.item().json(text);
        return;
    }
    encode::note_dropped_extras(&tool.extras, path, cx.ledger);
    if let Some(namespace) = &tool.namespace {
        let message = format!("the namespace `{namespace}` is encoded only in the tool's name");
        cx.ledger.record_change(note::NO_SUCH_FIELD, path, message);
    }
    match &tool.kind {
        ToolKind::Function { schema } => {
            let schema = schema.as_ref().filter(|schema| schema.is_object());
            if schema.is_none() {
                let message = "the tool has no schema: it takes an object without properties";
                cx.ledger.record_change(note::REQUIRED_ADDED, path, message);
            }
            write_function_tool(tool, tool.description.as_ref(), schema, path, cx, out);
        }
        ToolKind::Freeform { format } => {
            let message = "the tool takes free text: it is offered with one string `input`";
            cx.ledger.record_change(note::FREEFORM_WRAPPED, path, message);
            let description = description_with_grammar(tool.description.as_ref(), format.as_ref());
            write_function_tool(
                tool,
                description.as_ref(),
                RawJson::parse(FREEFORM_SCHEMA).ok().as_ref(),
                path,
                cx,
                out,
            );
        }
        ToolKind::Foreign { dialect, json, .. } if *dialect == ID => {
            encode::encode_foreign(json, tool.cache_breakpoint.as_deref(), out);
        }
        ToolKind::Foreign { dialect, kind, .. } => {
            let message = format!("left out the tool `{kind}` of {dialect}");
            cx.ledger.record_loss(note::NO_SUCH_TOOL, path, message);
        }
    }
}

fn write_function_tool(
    tool: &Tool,
    description: Option<&JsonString>,
    schema: Option<&RawJson>,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    out.object(|o| {
        o.json_string("name", &tool.name);
        o.json_string_opt("description", description);
        match schema {
            Some(schema) => o.json("input_schema", schema),
            None => o.object("input_schema", |o| {
                o.static_str("type", "object");
                o.object("properties", |_| {});
            }),
        }
        if let Some(strict) = tool.strict {
            o.boolean("strict", strict);
        }
        encode::write_cache_and_extras(tool.cache_breakpoint.as_deref(), &tool.extras, path, cx, o);
    });
}

/// Appends the grammar to the description, because the API has no field for it.
fn description_with_grammar(
    description: Option<&JsonString>,
    format: Option<&RawJson>,
) -> Option<JsonString> {
    let grammar = format.and_then(|format| {
        let doc = format.to_doc();
        let root = doc.root();
        let definition = root.get("definition").or_else(|| root.get("grammar")?.get("definition"));
        definition.and_then(JsonNode::json_string)
    });
    match (description, grammar) {
        (Some(description), Some(grammar)) => {
            let head = JsonString::from_static("The input follows this grammar:");
            Some(JsonString::join(
                [description, &JsonString::join([&head, &grammar], "\n")],
                "\n\n",
            ))
        }
        (None, grammar) => grammar,
        (description, None) => description.cloned(),
    }
}

const FREEFORM_SCHEMA: &str =
    r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
