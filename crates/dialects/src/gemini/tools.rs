//! Tools and which of them may be called, both ways.

use interlingua_model::{Choice, Conversation, Ledger, Place, Tool, ToolKind, Verbatim};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Field, Json, Node, Text};

use super::{ID, names, schema};
use crate::note;

/// The declarations of all entries, and the provider's own tools, in order. One entry alone may stand
/// without its list.
pub(super) fn decode_list(tools: Node<'_>, ledger: &mut Ledger) -> Verbatim<Vec<Verbatim<Tool>>> {
    let mut decoded = Vec::new();
    if tools.is_object() {
        decode_entry(tools, &mut decoded, ledger);
    } else if !tools.is_array() {
        ledger.loss(note::ODD_INPUT, Place::tool(0), "tools are not a list: left out");
    }
    for entry in tools.items() {
        decode_entry(entry, &mut decoded, ledger);
    }
    Verbatim::read(decoded, ID, tools.json())
}

fn decode_entry(entry: Node<'_>, tools: &mut Vec<Verbatim<Tool>>, ledger: &mut Ledger) {
    let place = |tools: &[Verbatim<Tool>]| Place::tool(tools.len());
    if !entry.is_object() || names::get(entry, "name").is_some() {
        ledger.change(note::ODD_INPUT, place(tools), "a tool stands where a list of them is meant");
        tools.push(decode(entry, place(tools), ledger));
        return;
    }
    let alone = entry.len() == 1;
    for field in entry.fields() {
        if field.value.is_null() && names::of_field(field, NOT_EVERYWHERE).is_some() {
            // Where it is not known, it may not even be nothing.
            let json = Json::object(|object| object.key_text(&field.key()).json(&Json::NULL));
            tools.push(provided(field.key(), json));
        } else if field.value.is_null() {
            // Nothing is what a field has that is not set; but it must be one.
            if names::of_field(field, ENTRY).is_none() {
                let what = format!("`{}` is no kind of tool", field.name());
                ledger.change(note::ODD_INPUT, place(tools), what);
            }
        } else if !names::is(&field.name(), "functionDeclarations") {
            let json = if alone {
                entry.json()
            } else {
                Json::object(|object| object.key_text(&field.key()).json(&field.value.json()))
            };
            tools.push(provided(field.key(), json));
        } else if field.value.is_array() {
            for one in field.value.items() {
                tools.push(declared(one, place(tools), ledger));
            }
        } else {
            tools.push(declared(field.value, place(tools), ledger));
        }
    }
}

/// What stands in the list of declarations.
fn declared(tool: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Tool> {
    if !tool.is_object() {
        ledger.change(note::ODD_INPUT, place, "a declaration is not an object");
    }
    declaration(tool, place, ledger)
}

/// One declaration; or an entry of the list, of which the first tool counts.
pub(super) fn decode(tool: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Tool> {
    if names::get(tool, "name").is_some() {
        return declaration(tool, place, ledger);
    }
    let declared = names::get(tool, "functionDeclarations").and_then(|list| list.items().next());
    if let Some(first) = declared {
        return declaration(first, place, ledger);
    }
    let kind = tool.fields().next().map(Field::key);
    if kind.is_none() {
        ledger.change(note::ODD_INPUT, place, "a tool has no name and no kind");
    }
    provided(kind.unwrap_or(Text::word("unknown")), tool.json())
}

/// A tool that the provider runs itself.
fn provided(kind: Text, json: Json) -> Verbatim<Tool> {
    let foreign = ToolKind::Foreign { dialect: ID, kind: kind.clone(), json: json.clone() };
    Verbatim::read(Tool::new(kind, foreign), ID, json)
}

fn declaration(tool: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Tool> {
    let name = names::text(tool, "name", place, ledger).unwrap_or_default();
    let mut read = Tool::new(name, ToolKind::Function { schema: None });
    for field in tool.fields() {
        match names::one_of(&field.name(), DECLARED) {
            Some(_) if field.value.is_null() => {}
            Some("name") => {}
            Some("description") => {
                read.description = field.value.text();
                if read.description.is_none() {
                    let what = "a description is not a string: kept as it is";
                    ledger.change(note::ODD_INPUT, place, what);
                    read.extras.keep(ID, field);
                }
            }
            Some("parameters") => {
                let schema = Some(schema::to_json_schema(field.value));
                read.kind = ToolKind::Function { schema };
                read.extras.put(ID, OWN_SCHEMA, Json::NULL);
            }
            Some(_) => read.kind = ToolKind::Function { schema: Some(field.value.json()) },
            None => read.extras.keep(ID, field),
        }
    }
    Verbatim::read(read, ID, tool.json())
}

/// All functions in one entry, as the provider wants them, and each of its own tools in an entry of
/// its own.
pub(super) fn encode_list(tools: &[Verbatim<Tool>], list: &mut Array<'_>, ledger: &mut Ledger) {
    let declared = |tool: &Tool| !matches!(tool.kind, ToolKind::Foreign { .. });
    if tools.iter().any(|tool| declared(tool)) {
        list.object(|entry| {
            entry.array("functionDeclarations", |list| {
                for (at, tool) in tools.iter().enumerate().filter(|(_, tool)| declared(tool)) {
                    match tool.text_for(ID) {
                        Some(text) => list.item().json(text),
                        None => list.object(|object| encode(tool, at, object, ledger)),
                    }
                }
            });
        });
    }
    for (at, tool) in tools.iter().enumerate() {
        match &tool.kind {
            ToolKind::Foreign { dialect, json, .. } if *dialect == ID => list.item().json(json),
            ToolKind::Foreign { dialect, kind, .. } => {
                let what = format!("left out `{}`, a tool of {dialect} ({kind})", tool.name);
                ledger.loss(note::NO_SUCH_TOOL, Place::tool(at), what);
            }
            ToolKind::Function { .. } | ToolKind::Freeform { .. } => {}
        }
    }
}

/// Whether there is any tool that can be written.
pub(super) fn any(conversation: &Conversation) -> bool {
    conversation.tools.iter().any(|tool| match &tool.kind {
        ToolKind::Foreign { dialect, .. } => *dialect == ID,
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
    })
}

fn encode(tool: &Tool, at: usize, object: &mut Object<'_>, ledger: &mut Ledger) {
    let place = Place::tool(at);
    names::note_extras(&tool.extras, ID, place, ledger);
    if tool.cache.is_some() {
        ledger.loss(note::NO_SUCH_CACHE, place, "left out a cache mark: caches are made apart");
    }
    if tool.strict == Some(true) {
        ledger.loss(note::NO_SUCH_FIELD, place, "left out `strict`: there is no such promise");
    }
    if let Some(namespace) = &tool.namespace {
        let what = format!("the group `{namespace}` is said in the tool's name alone");
        ledger.change(note::NO_SUCH_FIELD, place, what);
    }
    object.text("name", &tool.name);
    match &tool.kind {
        ToolKind::Function { schema } => {
            object.text_if("description", tool.description.as_ref());
            let schema = schema.as_ref().filter(|schema| !schema::asks_nothing(schema));
            match (schema, tool.extras.find(ID, "parameters")) {
                (Some(schema), Some(_)) => {
                    object.json("parameters", &schema::to_own_schema(schema));
                }
                (Some(schema), None) => object.json("parametersJsonSchema", schema),
                (None, _) => {}
            }
        }
        ToolKind::Freeform { format } => {
            let what = "a tool that takes free text is offered as a function with one string";
            ledger.change(note::FREEFORM_WRAPPED, place, what);
            let description = freeform_description(tool.description.as_ref(), format.as_ref());
            object.text_if("description", description.as_ref());
            object.object("parametersJsonSchema", wrapped_input);
        }
        ToolKind::Foreign { .. } => {}
    }
    for (key, value) in tool.extras.of(ID).iter().filter(|(key, _)| *key != OWN_SCHEMA) {
        object.key_text(key).json(value);
    }
}

fn wrapped_input(schema: &mut Object<'_>) {
    schema.known("type", "object");
    schema.object("properties", |properties| {
        properties.object("input", |input| input.known("type", "string"));
    });
    schema.array("required", |required| required.item().string("input"));
}

/// The description, with the grammar that the input must follow.
fn freeform_description(description: Option<&Text>, format: Option<&Json>) -> Option<Text> {
    let grammar = format.and_then(|format| {
        let doc = format.doc();
        let root = doc.root();
        let definition = root.get("definition").or_else(|| root.get("grammar")?.get("definition"));
        definition.and_then(Node::text)
    });
    match (description, grammar) {
        (Some(description), Some(grammar)) => {
            let between = Text::new("\n\nThe input follows this grammar:\n");
            Some(Text::concat([description, &between, &grammar]))
        }
        (description, grammar) => description.cloned().or(grammar),
    }
}

/// Which functions may or must be called.
pub(super) fn decode_choice(config: Node<'_>) -> Option<Choice> {
    let calling = names::get(config, "functionCallingConfig")?;
    let allowed = names::get(calling, "allowedFunctionNames");
    let names: Vec<Text> =
        allowed.into_iter().flat_map(Node::items).filter_map(Node::text).collect();
    let mode = names::get(calling, "mode").map(Node::word).unwrap_or_default();
    match (&*mode.to_ascii_uppercase(), names.len()) {
        ("NONE", _) => Some(Choice::None),
        ("ANY", 0) => Some(Choice::Required),
        ("ANY", 1) => names.into_iter().next().map(Choice::Named),
        ("ANY", _) => Some(Choice::Allowed { names, required: true }),
        ("AUTO" | "VALIDATED" | "", 0) => Some(Choice::Auto),
        ("AUTO" | "VALIDATED" | "", 1..) => Some(Choice::Allowed { names, required: false }),
        _ => None,
    }
}

/// Writes the fields that say so; `validated` where the client asked for that kind of freedom.
pub(super) fn encode_choice(choice: &Choice, validated: bool, object: &mut Object<'_>) {
    let auto = if validated { "VALIDATED" } else { "AUTO" };
    let (mode, names): (&str, &[Text]) = match choice {
        Choice::Auto => (auto, &[]),
        Choice::None => ("NONE", &[]),
        Choice::Required => ("ANY", &[]),
        Choice::Named(name) => ("ANY", std::slice::from_ref(name)),
        Choice::Allowed { names, required: true } => ("ANY", names),
        // Only under this mode may a list stand beside the freedom not to call.
        Choice::Allowed { names, required: false } => ("VALIDATED", names),
    };
    object.word("mode", mode);
    if !names.is_empty() {
        object.array("allowedFunctionNames", |list| {
            for name in names {
                list.item().text(name);
            }
        });
    }
}

/// What an entry of the list may hold, on any backend.
const ENTRY: &[&str] = &[
    "functionDeclarations",
    "googleSearch",
    "googleSearchRetrieval",
    "googleMaps",
    "codeExecution",
    "urlContext",
    "computerUse",
    "fileSearch",
    "mcpServers",
    "retrieval",
    "enterpriseWebSearch",
    "parallelAiSearch",
];

/// Kinds that one backend knows, and the other does not.
const NOT_EVERYWHERE: &[&str] =
    &["fileSearch", "mcpServers", "retrieval", "enterpriseWebSearch", "parallelAiSearch"];

const DECLARED: &[&str] = &["name", "description", "parameters", "parametersJsonSchema"];

/// Stands in a tool's extras where its schema is of the provider's own kind.
const OWN_SCHEMA: Text = Text::word("parameters");
