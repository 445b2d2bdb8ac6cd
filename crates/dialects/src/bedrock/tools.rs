//! Decodes and encodes tools and the tool choice.

use interlingua_model::{
    Conversation, Extras, Ledger, LedgerPath, Settings, Tool, ToolChoice, ToolKind, Verbatim,
};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use super::{ID, decode, encode};
use crate::name_set::NameSet;
use crate::note;

/// Decodes the list of tools. A cache point becomes the cache breakpoint of the tool before it.
pub(super) fn decode_tools(list: JsonNode<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Tool>> {
    let mut tools: Vec<Verbatim<Tool>> = Vec::with_capacity(list.len());
    for item in list.items() {
        let path = LedgerPath::tool(tools.len());
        if tools.last().is_some_and(|last| can_have_cache_point(last))
            && let Some(point) = decode::find_cache_point(item, TOOL_KEYS, path, ledger)
            && let Some(cached_tool) = tools.pop()
        {
            let cache = decode::decode_cache_point(point, LedgerPath::tool(tools.len()), ledger);
            tools.push(
                cached_tool.map_keeping_text(|tool| tool.cache_breakpoint = Some(Box::new(cache))),
            );
            continue;
        }
        tools.push(decode_tool(item, LedgerPath::tool(tools.len()), ledger));
    }
    tools
}

fn can_have_cache_point(tool: &Tool) -> bool {
    !matches!(&tool.kind, ToolKind::Foreign { kind, .. } if kind == "cachePoint")
}

pub(super) fn decode_tool(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Tool> {
    let is_union_key =
        |field: &Field<'_>| TOOL_KEYS.contains(&&*field.key()) && !field.value.is_null();
    let kinds: Vec<Field<'_>> = node.fields().filter(is_union_key).collect();
    if let [first, _, ..] = kinds.as_slice() {
        let message = format!("a tool of several kinds is read as `{}`", first.key());
        ledger.record_loss(note::ODD_INPUT, path, message);
    }
    let tool = match kinds.first().copied().or_else(|| node.fields().next()) {
        Some(union_field) if union_field.key_is("toolSpec") && union_field.value.is_object() => {
            decode_tool_spec(union_field.value, path, ledger)
        }
        Some(union_field) => {
            let name =
                union_field.value.get("name").and_then(JsonNode::json_string).unwrap_or_default();
            let json = if kinds.len() > 1 {
                decode::single_field_object(union_field)
            } else {
                node.json()
            };
            Tool::new(
                name,
                ToolKind::Foreign { dialect: ID, kind: union_field.key_json_string(), json },
            )
        }
        None => {
            ledger.record_change(note::ODD_INPUT, path, "a tool without a kind is kept as it is");
            let kind = JsonString::EMPTY;
            Tool::new(JsonString::EMPTY, ToolKind::Foreign { dialect: ID, kind, json: node.json() })
        }
    };
    Verbatim::with_text(tool, ID, node.json())
}

/// Union keys of a tool.
const TOOL_KEYS: &[&str] = &["toolSpec", "systemTool", "cachePoint"];

fn decode_tool_spec(spec: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Tool {
    let name = spec.get("name").map(decode::text_or_raw);
    if name.as_ref().is_none_or(JsonString::is_empty) {
        ledger.record_change(note::ODD_INPUT, path, "the tool has no name");
    }
    let schema = spec.get("inputSchema").and_then(|schema| schema.get("json"));
    let schema = schema.filter(|schema| !schema.is_null()).map(JsonNode::json);
    let mut tool = Tool::new(name.unwrap_or_default(), ToolKind::Function { schema });
    let description = spec.get("description").filter(|description| !description.is_null());
    if description.is_some_and(|description| !description.is_string()) {
        ledger.record_loss(note::ODD_INPUT, path, "left out a description that is not text");
    }
    tool.description = description.and_then(JsonNode::json_string);
    tool.strict = spec.get("strict").and_then(JsonNode::as_bool);
    let known_keys = ["name", "description", "inputSchema", "strict"];
    for field in spec.fields().filter(|field| !known_keys.contains(&&*field.key())) {
        tool.extras.push_field(ID, field);
    }
    tool
}

pub(super) fn decode_tool_choice(node: JsonNode<'_>, ledger: &mut Ledger) -> Option<ToolChoice> {
    let union_field = node.fields().find(|field| !field.value.is_null());
    let choice = union_field.and_then(|field| match &*field.key() {
        "auto" => Some(ToolChoice::Auto),
        "any" => Some(ToolChoice::Required),
        "tool" => Some(ToolChoice::Named(field.value.get("name")?.json_string()?)),
        _ => None,
    });
    if choice.is_none() && !node.is_null() {
        ledger.record_change(
            note::ODD_INPUT,
            LedgerPath::SETTINGS,
            "`toolChoice` has an unknown kind",
        );
    }
    choice
}

/// Writes `toolConfig`. The API rejects it without tools.
pub(super) fn encode_tool_config(
    conversation: &Conversation,
    original: Option<&RawJson>,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    let settings = &conversation.settings;
    let list = RawJson::array(|a| encode_tools(conversation, ledger, a));
    if list == RawJson::EMPTY_ARRAY {
        note_choice_without_tools(settings, ledger);
        return;
    }
    o.object("toolConfig", |o| {
        o.json("tools", &list);
        encode_tool_choice(settings, original, ledger, o);
        let original = original.map(RawJson::to_doc);
        for field in original.iter().flat_map(|doc| doc.root().fields()) {
            if !field.key_is("tools") && !field.key_is("toolChoice") {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
    });
}

fn encode_tools(conversation: &Conversation, ledger: &mut Ledger, out: &mut ArrayWriter<'_>) {
    let allowed = match &conversation.settings.tool_choice {
        Some(ToolChoice::Allowed { names, .. }) => Some(NameSet::new(names)),
        _ => None,
    };
    let is_offered =
        |names: &NameSet| conversation.tools.iter().any(|tool| names.contains(&tool.name));
    let allowed = allowed.filter(is_offered);
    for (index, tool) in conversation.tools.iter().enumerate() {
        if allowed.as_ref().is_some_and(|names| !names.contains(&tool.name)) {
            continue;
        }
        let path = LedgerPath::tool(index);
        match (tool.text_for(ID), &tool.kind) {
            (Some(text), _) => out.item().json(text),
            (None, ToolKind::Foreign { dialect, json, .. }) if *dialect == ID => {
                out.item().json(json);
            }
            (None, ToolKind::Foreign { dialect, kind, .. }) => {
                let message = format!("left out the tool `{kind}` of {dialect}");
                ledger.record_loss(note::NO_SUCH_TOOL, path, message);
                continue;
            }
            (None, ToolKind::Function { .. } | ToolKind::Freeform { .. }) => {
                out.object(|o| o.object("toolSpec", |o| encode_tool_spec(tool, path, ledger, o)));
            }
        }
        if let Some(cache) = &tool.cache_breakpoint {
            encode::encode_cache_point(cache, path, ledger, out);
        }
    }
}

fn encode_tool_spec(tool: &Tool, path: LedgerPath, ledger: &mut Ledger, o: &mut ObjectWriter<'_>) {
    encode::note_dropped_extras(&tool.extras, path, ledger);
    if let Some(namespace) = &tool.namespace {
        let message = format!("the namespace `{namespace}` is encoded only in the tool's name");
        ledger.record_change(note::NO_SUCH_FIELD, path, message);
    }
    o.json_string("name", &tool.name);
    let description = tool.description.as_ref().filter(|text| !text.is_empty());
    match &tool.kind {
        ToolKind::Function { schema } => {
            o.json_string_opt("description", description);
            o.object("inputSchema", |o| match schema {
                Some(schema) => o.json("json", schema),
                None => o.object("json", |o| {
                    o.static_str("type", "object");
                    o.object("properties", |_| {});
                }),
            });
        }
        ToolKind::Freeform { format } => {
            let message = "a tool for free text is offered as a function with one string";
            ledger.record_change(note::FREEFORM_WRAPPED, path, message);
            encode_freeform_spec(description, format.as_ref(), o);
        }
        ToolKind::Foreign { .. } => {}
    }
    if let Some(strict) = tool.strict {
        o.boolean("strict", strict);
    }
    Extras::write(&tool.extras, ID, o);
}

/// The API cannot enforce a grammar, so it is added to the description.
fn encode_freeform_spec(
    description: Option<&JsonString>,
    format: Option<&RawJson>,
    o: &mut ObjectWriter<'_>,
) {
    let doc = format.map(RawJson::to_doc);
    let grammar = doc.as_ref().and_then(|doc| {
        let root = doc.root();
        let inner = root.get("grammar").filter(|inner| inner.is_object()).unwrap_or(root);
        ["definition", "grammar"].iter().find_map(|key| inner.get(key)?.json_string())
    });
    let grammar = grammar.filter(|grammar| !grammar.is_empty());
    let parts: Vec<&JsonString> = description.into_iter().chain(&grammar).collect();
    if !parts.is_empty() {
        o.key("description").join(parts, "\n\n");
    }
    o.object("inputSchema", |o| {
        o.object("json", |o| {
            o.static_str("type", "object");
            o.object("properties", |o| o.object("input", |o| o.static_str("type", "string")));
            o.array("required", |a| a.item().str("input"));
        });
    });
}

fn encode_tool_choice(
    settings: &Settings,
    original: Option<&RawJson>,
    ledger: &mut Ledger,
    o: &mut ObjectWriter<'_>,
) {
    let choice_key = match &settings.tool_choice {
        // A choice of an unknown kind keeps its original JSON.
        None => {
            let original = original.map(RawJson::to_doc);
            let unknown = original.as_ref().and_then(|doc| doc.root().get("toolChoice"));
            let unknown = unknown
                .filter(|node| decode_tool_choice(*node, &mut Ledger::default()).is_none())
                .map(JsonNode::json);
            o.json_opt("toolChoice", unknown.as_ref());
            return;
        }
        Some(ToolChoice::None) => {
            let message = "left out the tool choice `none`: the API does not have it";
            ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
            return;
        }
        Some(ToolChoice::Named(name)) => {
            o.object("toolChoice", |o| o.object("tool", |o| o.json_string("name", name)));
            return;
        }
        Some(ToolChoice::Allowed { required, .. }) => {
            let message = "tools that the tool choice does not allow are left out";
            ledger.record_change(note::SETTING_CONVERTED, LedgerPath::SETTINGS, message);
            if *required { "any" } else { "auto" }
        }
        Some(ToolChoice::Auto) => "auto",
        Some(ToolChoice::Required) => "any",
    };
    o.object("toolChoice", |o| o.object(choice_key, |_| {}));
}

fn note_choice_without_tools(settings: &Settings, ledger: &mut Ledger) {
    let requires_call = match &settings.tool_choice {
        None | Some(ToolChoice::Auto | ToolChoice::None) => false,
        Some(ToolChoice::Required | ToolChoice::Named(_)) => true,
        Some(ToolChoice::Allowed { required, .. }) => *required,
    };
    if requires_call {
        let message = "left out the required tool call: there are no tools";
        ledger.record_loss(note::NO_SUCH_SETTING, LedgerPath::SETTINGS, message);
    }
}
