//! What the model may call, both ways.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use interlingua_model::{Conversation, Ledger, Place, Tool, ToolKind, Verbatim};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Node, Text};

use super::{ID, items, names};
use crate::note;

/// The list of tools; those of a namespace stand in its place.
pub(super) fn decode(list: Node<'_>, ledger: &mut Ledger) -> Verbatim<Vec<Verbatim<Tool>>> {
    if !list.is_array() && !list.is_null() {
        ledger.change(note::ODD_INPUT, Place::BODY, "`tools` is not a list");
    }
    let mut tools = Vec::with_capacity(list.len());
    for node in list.items() {
        let members = node.get("tools").filter(|list| is(node, "namespace") && !list.is_empty());
        match members {
            Some(members) => namespace(node, members, &mut tools, ledger),
            None => tools.push(decode_tool(node, tools.len(), ledger)),
        }
    }
    set_apart(&mut tools);
    Verbatim::read(tools, ID, list.json())
}

/// Tools of two namespaces, or of one and of none, stay two where their names would be one.
fn set_apart(tools: &mut [Verbatim<Tool>]) {
    for at in taken(tools) {
        let tool = tools[at].edit();
        if let Some(space) = &tool.namespace {
            tool.name = names::apart(space, &names::short(Some(space), &tool.name));
        }
    }
}

/// Those of a namespace whose name one has that is not of it.
fn taken(tools: &[Verbatim<Tool>]) -> Vec<usize> {
    if tools.iter().all(|tool| tool.namespace.is_none()) {
        return Vec::new();
    }
    let alone = tools.iter().filter(|tool| tool.namespace.is_none());
    let mut spaces: HashMap<Cow<'_, str>, Option<&Text>> =
        alone.map(|tool| (tool.name.contents(), None)).collect();
    let grouped = tools.iter().enumerate().filter(|(_, tool)| tool.namespace.is_some());
    let taken = grouped.filter(|(_, tool)| {
        let space = tool.namespace.as_ref();
        *spaces.entry(tool.name.contents()).or_insert(space) != space
    });
    taken.map(|(at, _)| at).collect()
}

/// The names of the tools that were set apart.
pub(super) fn apart(tools: &[Verbatim<Tool>]) -> HashSet<String> {
    let is_apart = |tool: &&Verbatim<Tool>| {
        let space = tool.namespace.as_ref().filter(|_| tool.name.raw().contains('.'));
        space.is_some_and(|space| {
            tool.name == names::apart(space, &names::short(Some(space), &tool.name))
        })
    };
    tools.iter().filter(is_apart).map(|tool| tool.name.contents().into_owned()).collect()
}

fn is(node: Node<'_>, kind: &str) -> bool {
    node.get("type").is_some_and(|word| word.word() == kind)
}

/// Members have no text of their own: it would not say which namespace they are of.
fn namespace(
    node: Node<'_>,
    members: Node<'_>,
    tools: &mut Vec<Verbatim<Tool>>,
    ledger: &mut Ledger,
) {
    let space = node.get("name").and_then(Node::text).unwrap_or_default();
    let named = names::is_plain(&space.contents()) && members.is_array();
    if !named {
        let what = "a namespace whose name cannot be said is none: its tools stand alone";
        ledger.loss(note::ODD_INPUT, Place::tool(tools.len()), what);
    }
    for (at, member) in members.items().enumerate() {
        let mut tool = decode_tool(member, tools.len(), ledger).into_value();
        tool.name = names::full(Some(&space), &tool.name);
        tool.namespace = named.then(|| space.clone());
        if at == 0 && named {
            let rest = items::extras(node, &["type", "name", "tools"]);
            let about = Json::object(|o| rest.write(ID, o));
            tool.extras.put(ID, Text::word(ABOUT), about);
        }
        tools.push(Verbatim::new(tool));
    }
}

pub(super) fn decode_tool(node: Node<'_>, at: usize, ledger: &mut Ledger) -> Verbatim<Tool> {
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    let some = |key: &str| node.get(key).filter(|value| !value.is_null());
    let tool = match &*kind {
        "function" => {
            // Chat's form nests the function; some clients mix the two up.
            let inner = match node.get("function") {
                Some(inner) if node.get("name").is_none() && inner.is_object() => {
                    ledger.change(
                        note::ODD_INPUT,
                        Place::tool(at),
                        "a function stands in its own object",
                    );
                    inner
                }
                _ => node,
            };
            let schema = inner.get("parameters").filter(|schema| !schema.is_null());
            let kind = ToolKind::Function { schema: schema.map(Node::json) };
            let strict = inner.get("strict").filter(|strict| !strict.is_null());
            let held = strict.and_then(Node::boolean);
            let known = ["parameters", "function", "strict"];
            let known = &known[..if strict.is_some() && held.is_none() { 2 } else { 3 }];
            let mut tool = named(inner, kind, known);
            tool.strict = held;
            tool
        }
        "custom" => {
            let format = some("format");
            if format.is_some_and(|format| fitting_format(format) != Some(format.json())) {
                let what = "the format of a custom tool is none that is known";
                ledger.change(note::ODD_INPUT, Place::tool(at), what);
            }
            named(node, ToolKind::Freeform { format: format.map(Node::json) }, &["format"])
        }
        _ => {
            let name = node.get("name").and_then(Node::text);
            let kind = Text::new(&kind);
            let json = node.json();
            let foreign = ToolKind::Foreign { dialect: ID, kind: kind.clone(), json };
            Tool::new(name.unwrap_or(kind), foreign)
        }
    };
    Verbatim::read(tool, ID, node.json())
}

fn named(node: Node<'_>, kind: ToolKind, known: &[&str]) -> Tool {
    let mut tool = Tool::new(node.get("name").and_then(Node::text).unwrap_or_default(), kind);
    tool.description = node.get("description").and_then(Node::text);
    let mut known = known.to_vec();
    known.extend(["type", "name"]);
    known.extend(tool.description.as_ref().map(|_| "description"));
    tool.extras = items::extras(node, &known);
    tool
}

/// Writes the list; neighbours of one namespace stand in it.
pub(super) fn encode(conversation: &Conversation, a: &mut Array<'_>, ledger: &mut Ledger) {
    let mut at = 0;
    for group in conversation.tools.chunk_by(|a, b| {
        let starts = b.extras.find(ID, ABOUT).is_some();
        a.namespace.is_some() && a.namespace == b.namespace && !starts
    }) {
        match group {
            [first, ..] if first.namespace.is_some() => a.object(|o| {
                o.known("type", "namespace");
                o.text_if("name", first.namespace.as_ref());
                if let Some(about) = first.extras.find(ID, ABOUT) {
                    for field in about.doc().root().fields() {
                        o.key_text(&field.key()).json(&field.value.json());
                    }
                }
                o.array("tools", |a| encode_group(conversation, group, at, a, ledger));
            }),
            _ => encode_group(conversation, group, at, a, ledger),
        }
        at += group.len();
    }
}

fn encode_group(
    conversation: &Conversation,
    group: &[Verbatim<Tool>],
    first: usize,
    a: &mut Array<'_>,
    ledger: &mut Ledger,
) {
    for (at, tool) in group.iter().enumerate() {
        let place = Place::tool(first + at);
        if let Some(text) = tool.text_for(ID) {
            a.item().json(text);
        } else if let ToolKind::Foreign { dialect, kind, json } = &tool.kind {
            if *dialect == ID {
                a.item().json(json);
            } else {
                let what = format!("left out the tool `{kind}`: only {dialect} knows it");
                ledger.loss(note::NO_SUCH_TOOL, place, what);
            }
        } else {
            super::encode::note_extras(&tool.extras, place, ledger);
            if tool.cache.is_some() {
                ledger.loss(note::NO_SUCH_CACHE, place, "left out the cache mark of a tool");
            }
            if let ToolKind::Freeform { format: Some(format) } = &tool.kind
                && fitting_format(format.doc().root()).is_none()
            {
                let what = "left out the format of a custom tool: it is not known";
                ledger.loss(note::NO_SUCH_FIELD, place, what);
            }
            a.object(|o| encode_tool(tool, conversation.source == ID, o));
        }
    }
}

fn encode_tool(tool: &Tool, same: bool, o: &mut Object<'_>) {
    let name = names::short(tool.namespace.as_ref(), &tool.name);
    match &tool.kind {
        ToolKind::Function { schema } => {
            o.known("type", "function");
            o.text("name", &name);
            o.text_if("description", tool.description.as_ref());
            o.json("parameters", schema.as_ref().unwrap_or(&Json::NULL));
            // Where nothing is said this dialect is strict and the others are not.
            match tool.strict {
                Some(strict) => o.boolean("strict", strict),
                None if !same => o.boolean("strict", false),
                None => {}
            }
        }
        ToolKind::Freeform { format } => {
            o.known("type", "custom");
            o.text("name", &name);
            o.text_if("description", tool.description.as_ref());
            let format = format.as_ref().and_then(|format| fitting_format(format.doc().root()));
            o.json_if("format", format.as_ref());
        }
        ToolKind::Foreign { .. } => {}
    }
    for (key, value) in tool.extras.of(ID).iter().filter(|(key, _)| *key != ABOUT) {
        o.key_text(key).json(value);
    }
}

/// The format of a custom tool as it is known here, if it is. Chat nests a grammar in an object of its
/// own; here it is flat.
fn fitting_format(format: Node<'_>) -> Option<Json> {
    let kind = format.get("type").map(Node::word)?;
    if kind == "text" {
        let plain = Json::object(|o| o.known("type", "text"));
        return Some(if format.len() == 1 { format.json() } else { plain });
    }
    let nested = format.get("grammar").filter(|grammar| grammar.is_object());
    let [syntax, definition] = nested.unwrap_or(format).pick(["syntax", "definition"]);
    let syntax = syntax.filter(|syntax| SYNTAXES.contains(&&*syntax.word()))?;
    let definition = definition.filter(|definition| definition.is_string())?;
    if kind != "grammar" {
        return None;
    }
    let flat = Json::object(|o| {
        o.known("type", "grammar");
        o.json("syntax", &syntax.json());
        o.json("definition", &definition.json());
    });
    Some(if nested.is_none() && format.len() == 3 { format.json() } else { flat })
}

const SYNTAXES: &[&str] = &["lark", "regex"];

/// Where the first tool of a namespace keeps what is said of the namespace itself.
const ABOUT: &str = "namespace";
