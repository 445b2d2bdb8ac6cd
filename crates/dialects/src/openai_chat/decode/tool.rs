//! Decodes tools.

use interlingua_model::{Extras, Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use super::fields::{self, non_null_json, note_odd_input};
use crate::openai_chat::id::ID;

/// Decodes `tools`, and legacy `functions` if the body has them.
pub(crate) fn decode_tools(
    body: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Tool>>> {
    let mut tools = Vec::new();
    let mut text = None;
    let keys = ["tools", "functions"];
    for (key, list) in keys.into_iter().zip(body.get_many(keys)) {
        let Some(list) = list.filter(|list| !list.is_null()) else { continue };
        // A `functions` value that is not a list is ignored, as servers do.
        if !list.is_array() && key == "functions" {
            continue;
        }
        if !list.is_array() {
            note_odd_input(ledger, LedgerPath::BODY, "`tools` is not a list: it is ignored");
        }
        for node in list.items() {
            let path = LedgerPath::tool(tools.len());
            // `functions` contains only functions.
            let is_legacy = key == "functions" && node.is_object();
            let decode_legacy = || {
                let inner = node.get("function").filter(|inner| inner.get("name").is_some());
                decode_definition(node, inner.unwrap_or(node), false)
            };
            tools.push(if is_legacy { decode_legacy() } else { decode_tool(node, path, ledger) });
        }
        text.get_or_insert_with(|| list.json());
    }
    match text {
        Some(text) => Verbatim::with_text(tools, ID, text),
        None => Verbatim::new(tools),
    }
}

/// Decodes one tool. A function may be written without the nested object, as in the legacy list and
/// in other dialects.
pub(crate) fn decode_tool(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Tool> {
    let [type_node, function, custom, name] = node.get_many(["type", "function", "custom", "name"]);
    let kind = type_node.map(JsonNode::str_or_empty).unwrap_or_default();
    let wrong_fields = wrong_type_fields(type_node, function);
    if !wrong_fields.is_empty() {
        note_odd_input(ledger, path, "a tool with a field of the wrong type is rewritten");
    }
    let is_function_type = kind == "function" || type_node.is_none();
    // A tool with another type is foreign, even with an empty one. Only a tool in Anthropic's form
    // is decoded as a function because of its schema.
    let may_be_flat = kind == "function"
        || !type_node.is_some_and(JsonNode::is_string)
        || kind == "custom" && node.get("input_schema").is_some_and(JsonNode::is_object);
    let (inner, freeform) = match (&*kind, function, custom) {
        ("custom", _, Some(custom)) if custom.is_object() => (custom, true),
        // A nested `function` object is a function, whatever the type, if it has function fields.
        (_, Some(function), _)
            if function.is_object() && (is_function_type || has_function_fields(function)) =>
        {
            (function, false)
        }
        (_, None, Some(custom)) if custom.get("name").and_then(JsonNode::json_string).is_some() => {
            (custom, true)
        }
        // A flat function as in other dialects; a repair rule handles servers that reject it.
        (_, None, _) if may_be_flat && name.is_some() => (node, false),
        _ => {
            let kind = JsonString::new(&kind);
            let json = without_fields(node, &wrong_fields);
            let tool = Tool::new(kind.clone(), ToolKind::Foreign { dialect: ID, kind, json });
            return Verbatim::with_text(tool, ID, node.json());
        }
    };
    decode_definition(node, inner, freeform)
}

/// The fields of a tool that have a type which every server rejects.
fn wrong_type_fields(
    kind: Option<JsonNode<'_>>,
    function: Option<JsonNode<'_>>,
) -> Vec<&'static str> {
    let has_invalid_name =
        |function: JsonNode<'_>| function.get("name").is_some_and(is_invalid_name);
    let has_wrong_type = kind.is_some_and(|kind| !kind.is_string());
    let has_wrong_function =
        function.is_some_and(|function| !function.is_object() || has_invalid_name(function));
    let kind = has_wrong_type.then_some("type");
    kind.into_iter().chain(has_wrong_function.then_some("function")).collect()
}

fn has_function_fields(function: JsonNode<'_>) -> bool {
    function.get("name").is_some() || function.get("parameters").is_some()
}

fn is_invalid_name(name: JsonNode<'_>) -> bool {
    !name.is_string() && !name.is_null()
}

fn without_fields(node: JsonNode<'_>, removed: &[&str]) -> RawJson {
    if removed.is_empty() {
        return node.json();
    }
    RawJson::object(|o| {
        for field in node.fields().filter(|field| !removed.contains(&&*field.key())) {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    })
}

/// Decodes a tool from the object that describes it.
fn decode_definition(node: JsonNode<'_>, inner: JsonNode<'_>, freeform: bool) -> Verbatim<Tool> {
    let [name, schema, description, strict, format, input_schema] =
        inner.get_many(["name", "parameters", "description", "strict", "format", INPUT_SCHEMA]);
    // Agents that recognize a Claude model by its name send tools in Anthropic's form.
    let input_schema = input_schema.filter(|_| schema.is_none() && !freeform);
    let kind = if freeform {
        ToolKind::Freeform { format: non_null_json(format).map(|format| flatten_grammar(&format)) }
    } else {
        ToolKind::Function { schema: non_null_json(schema.or(input_schema)) }
    };
    let mut tool = Tool::new(name.and_then(JsonNode::json_string).unwrap_or_default(), kind);
    tool.description = description.and_then(JsonNode::json_string);
    tool.strict = strict.and_then(JsonNode::as_bool);
    tool.cache_breakpoint =
        fields::decode_cache_breakpoint(node).or_else(|| fields::decode_cache_breakpoint(inner));
    tool.extras = decode_extras(node);
    let is_flat = inner.raw().len() == node.raw().len();
    if is_flat && input_schema.is_some() {
        tool.extras.retain(ID, |key, _| key != INPUT_SCHEMA);
    }
    if let Some(unknown) = unknown_function_fields(inner, &tool).filter(|_| !freeform && !is_flat) {
        tool.extras.push(ID, FUNCTION_EXTRAS_KEY, unknown);
    }
    Verbatim::with_text(tool, ID, node.json())
}

fn decode_extras(node: JsonNode<'_>) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields().filter(|field| !is_known_field(&field.key())) {
        extras.push_field(ID, field);
    }
    extras
}

/// The fields of a function that the model does not have or cannot hold.
fn unknown_function_fields(function: JsonNode<'_>, tool: &Tool) -> Option<RawJson> {
    let is_held = |field: &Field<'_>| match &*field.key() {
        "name" | "parameters" => true,
        "description" => tool.description.is_some(),
        "strict" => tool.strict.is_some(),
        INPUT_SCHEMA => function.get("parameters").is_none(),
        // In a flat function, the tool's own keys are known.
        name => field.value.is_null() || is_known_field(name),
    };
    function.fields().find(|field| !is_held(field))?;
    Some(RawJson::object(|o| {
        for field in function.fields().filter(|field| !is_held(field)) {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    }))
}

/// Converts a grammar to the flat form used between dialects; this dialect nests it in `grammar`.
fn flatten_grammar(format: &RawJson) -> RawJson {
    let doc = format.to_doc();
    let Some(grammar) = doc.root().get("grammar") else { return format.clone() };
    RawJson::object(|o| {
        o.static_str("type", "grammar");
        for field in grammar.fields() {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    })
}

/// Extras key for the unknown fields of a tool's function.
pub(crate) const FUNCTION_EXTRAS_KEY: JsonString = JsonString::from_static("function");

/// Key of a tool's schema in Anthropic's dialect.
const INPUT_SCHEMA: &str = "input_schema";

/// Returns whether this is a key of a tool, including a flat function's.
fn is_known_field(key: &str) -> bool {
    matches!(
        key,
        "type"
            | "function"
            | "custom"
            | "name"
            | "description"
            | "parameters"
            | "strict"
            | "cache_control"
            | "prompt_cache_breakpoint"
    )
}
