//! Tools and the choice among them, both ways.

use interlingua_model::{
    Choice, Conversation, Extras, Ledger, Place, Settings, Tool, ToolKind, Verbatim,
};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Field, Json, Node, Text};

use super::{ID, decode, encode};
use crate::note;

/// The list of tools; a cache point marks the tool before it.
pub(super) fn decode_list(list: Node<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Tool>> {
    let mut tools: Vec<Verbatim<Tool>> = Vec::with_capacity(list.len());
    for item in list.items() {
        let place = Place::tool(tools.len());
        if tools.last().is_some_and(|last| is_tool(last))
            && let Some(point) = decode::cache_point(item, KINDS, place, ledger)
            && let Some(marked) = tools.pop()
        {
            let cache = decode::mark(point, Place::tool(tools.len()), ledger);
            tools.push(marked.beside(|tool| tool.cache = Some(Box::new(cache))));
            continue;
        }
        tools.push(decode_one(item, Place::tool(tools.len()), ledger));
    }
    tools
}

fn is_tool(tool: &Tool) -> bool {
    !matches!(&tool.kind, ToolKind::Foreign { kind, .. } if kind == "cachePoint")
}

pub(super) fn decode_one(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Tool> {
    let set = |field: &Field<'_>| KINDS.contains(&&*field.name()) && !field.value.is_null();
    let kinds: Vec<Field<'_>> = node.fields().filter(set).collect();
    if let [first, _, ..] = kinds.as_slice() {
        let what = format!("a tool of several kinds is read as `{}`", first.name());
        ledger.loss(note::ODD_INPUT, place, what);
    }
    let tool = match kinds.first().copied().or_else(|| node.fields().next()) {
        Some(named) if named.is("toolSpec") && named.value.is_object() => {
            decode_spec(named.value, place, ledger)
        }
        Some(named) => {
            let name = named.value.get("name").and_then(Node::text).unwrap_or_default();
            let json = if kinds.len() > 1 { decode::only(named) } else { node.json() };
            Tool::new(name, ToolKind::Foreign { dialect: ID, kind: named.key(), json })
        }
        None => {
            ledger.change(note::ODD_INPUT, place, "a tool without a kind is kept as it is");
            let kind = Text::EMPTY;
            Tool::new(Text::EMPTY, ToolKind::Foreign { dialect: ID, kind, json: node.json() })
        }
    };
    Verbatim::read(tool, ID, node.json())
}

/// What a tool may be.
const KINDS: &[&str] = &["toolSpec", "systemTool", "cachePoint"];

fn decode_spec(spec: Node<'_>, place: Place, ledger: &mut Ledger) -> Tool {
    let name = spec.get("name").map(decode::text);
    if name.as_ref().is_none_or(Text::is_empty) {
        ledger.change(note::ODD_INPUT, place, "a tool without a name");
    }
    let schema = spec.get("inputSchema").and_then(|schema| schema.get("json"));
    let schema = schema.filter(|schema| !schema.is_null()).map(Node::json);
    let mut tool = Tool::new(name.unwrap_or_default(), ToolKind::Function { schema });
    let about = spec.get("description").filter(|about| !about.is_null());
    if about.is_some_and(|about| !about.is_string()) {
        ledger.loss(note::ODD_INPUT, place, "left out a description that is not text");
    }
    tool.description = about.and_then(Node::text);
    tool.strict = spec.get("strict").and_then(Node::boolean);
    let known = ["name", "description", "inputSchema", "strict"];
    for field in spec.fields().filter(|field| !known.contains(&&*field.name())) {
        tool.extras.keep(ID, field);
    }
    tool
}

pub(super) fn decode_choice(node: Node<'_>, ledger: &mut Ledger) -> Option<Choice> {
    let named = node.fields().find(|field| !field.value.is_null());
    let choice = named.and_then(|field| match &*field.name() {
        "auto" => Some(Choice::Auto),
        "any" => Some(Choice::Required),
        "tool" => Some(Choice::Named(field.value.get("name")?.text()?)),
        _ => None,
    });
    if choice.is_none() && !node.is_null() {
        ledger.change(note::ODD_INPUT, Place::SETTINGS, "`toolChoice` of an unknown kind");
    }
    choice
}

/// Writes `toolConfig`, if there are tools: it cannot be without.
pub(super) fn write_config(
    conversation: &Conversation,
    original: Option<&Json>,
    ledger: &mut Ledger,
    o: &mut Object<'_>,
) {
    let settings = &conversation.settings;
    let list = Json::array(|a| write_list(conversation, ledger, a));
    if list == Json::EMPTY_ARRAY {
        note_choice_without_tools(settings, ledger);
        return;
    }
    o.object("toolConfig", |o| {
        o.json("tools", &list);
        write_choice(settings, original, ledger, o);
        let original = original.map(Json::doc);
        for field in original.iter().flat_map(|doc| doc.root().fields()) {
            if !field.is("tools") && !field.is("toolChoice") {
                o.key_text(&field.key()).json(&field.value.json());
            }
        }
    });
}

fn write_list(conversation: &Conversation, ledger: &mut Ledger, out: &mut Array<'_>) {
    let allowed = match &conversation.settings.choice {
        Some(Choice::Allowed { names, .. })
            if conversation.tools.iter().any(|tool| names.contains(&tool.name)) =>
        {
            Some(names)
        }
        _ => None,
    };
    for (index, tool) in conversation.tools.iter().enumerate() {
        if allowed.is_some_and(|names| !names.contains(&tool.name)) {
            continue;
        }
        let place = Place::tool(index);
        match (tool.text_for(ID), &tool.kind) {
            (Some(text), _) => out.item().json(text),
            (None, ToolKind::Foreign { dialect, json, .. }) if *dialect == ID => {
                out.item().json(json);
            }
            (None, ToolKind::Foreign { dialect, kind, .. }) => {
                let what = format!("left out the tool `{kind}` of {dialect}");
                ledger.loss(note::NO_SUCH_TOOL, place, what);
                continue;
            }
            (None, ToolKind::Function { .. } | ToolKind::Freeform { .. }) => {
                out.object(|o| o.object("toolSpec", |o| write_spec(tool, place, ledger, o)));
            }
        }
        if let Some(cache) = &tool.cache {
            encode::cache_point(cache, place, ledger, out);
        }
    }
}

fn write_spec(tool: &Tool, place: Place, ledger: &mut Ledger, o: &mut Object<'_>) {
    encode::note_extras(&tool.extras, place, ledger);
    if let Some(namespace) = &tool.namespace {
        let what = format!("the group `{namespace}` is said in the tool's name alone");
        ledger.change(note::NO_SUCH_FIELD, place, what);
    }
    o.text("name", &tool.name);
    let description = tool.description.as_ref().filter(|text| !text.is_empty());
    match &tool.kind {
        ToolKind::Function { schema } => {
            o.text_if("description", description);
            o.object("inputSchema", |o| match schema {
                Some(schema) => o.json("json", schema),
                None => o.object("json", |o| {
                    o.known("type", "object");
                    o.object("properties", |_| {});
                }),
            });
        }
        ToolKind::Freeform { format } => {
            let what = "a tool for free text is offered as a function with one string";
            ledger.change(note::FREEFORM_WRAPPED, place, what);
            write_freeform(description, format.as_ref(), o);
        }
        ToolKind::Foreign { .. } => {}
    }
    if let Some(strict) = tool.strict {
        o.boolean("strict", strict);
    }
    Extras::write(&tool.extras, ID, o);
}

/// The grammar cannot be enforced, but it can be told.
fn write_freeform(description: Option<&Text>, format: Option<&Json>, o: &mut Object<'_>) {
    let doc = format.map(Json::doc);
    let grammar = doc.as_ref().and_then(|doc| {
        let root = doc.root();
        let inner = root.get("grammar").filter(|inner| inner.is_object()).unwrap_or(root);
        ["definition", "grammar"].iter().find_map(|key| inner.get(key)?.text())
    });
    let grammar = grammar.filter(|grammar| !grammar.is_empty());
    let parts: Vec<&Text> = description.into_iter().chain(&grammar).collect();
    if !parts.is_empty() {
        o.key("description").joined(parts, "\n\n");
    }
    o.object("inputSchema", |o| {
        o.object("json", |o| {
            o.known("type", "object");
            o.object("properties", |o| o.object("input", |o| o.known("type", "string")));
            o.array("required", |a| a.item().string("input"));
        });
    });
}

fn write_choice(
    settings: &Settings,
    original: Option<&Json>,
    ledger: &mut Ledger,
    o: &mut Object<'_>,
) {
    let word = match &settings.choice {
        // A choice of a kind nobody knows stays as written.
        None => {
            let original = original.map(Json::doc);
            let unknown = original.as_ref().and_then(|doc| doc.root().get("toolChoice"));
            let unknown = unknown
                .filter(|node| decode_choice(*node, &mut Ledger::default()).is_none())
                .map(Node::json);
            o.json_if("toolChoice", unknown.as_ref());
            return;
        }
        Some(Choice::None) => {
            let what = "left out that no tool may be called: it has no place";
            ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
            return;
        }
        Some(Choice::Named(name)) => {
            o.object("toolChoice", |o| o.object("tool", |o| o.text("name", name)));
            return;
        }
        Some(Choice::Allowed { required, .. }) => {
            let what = "tools that may not be called are left out";
            ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
            if *required { "any" } else { "auto" }
        }
        Some(Choice::Auto) => "auto",
        Some(Choice::Required) => "any",
    };
    o.object("toolChoice", |o| o.object(word, |_| {}));
}

fn note_choice_without_tools(settings: &Settings, ledger: &mut Ledger) {
    let asks = match &settings.choice {
        None | Some(Choice::Auto | Choice::None) => false,
        Some(Choice::Required | Choice::Named(_)) => true,
        Some(Choice::Allowed { required, .. }) => *required,
    };
    if asks {
        let what = "left out that a tool must be called: there is none";
        ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
    }
}
