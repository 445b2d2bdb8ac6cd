//! Tools, both ways.

use interlingua_model::{Extras, Ledger, Place, Tool, ToolKind, Verbatim};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Field, Json, Node, Text};

use super::encode::Pen;
use super::flavor::{CacheMark, Skill};
use super::parts::{self, odd, some};
use super::{ID, content};
use crate::note;

/// The list of tools, and of legacy functions where a body has those.
pub(super) fn decode_all(body: Node<'_>, ledger: &mut Ledger) -> Verbatim<Vec<Verbatim<Tool>>> {
    let mut tools = Vec::new();
    let mut text = None;
    let keys = ["tools", "functions"];
    for (key, list) in keys.into_iter().zip(body.pick(keys)) {
        let Some(list) = list.filter(|list| !list.is_null()) else { continue };
        // In the old list, nobody looks.
        if !list.is_array() && key == "functions" {
            continue;
        }
        if !list.is_array() {
            odd(ledger, Place::BODY, "tools that are no list are left aside");
        }
        for node in list.items() {
            let place = Place::tool(tools.len());
            // In the old list there are functions and nothing else.
            let old = key == "functions" && node.is_object();
            let bare = || {
                let inner = node.get("function").filter(|inner| inner.get("name").is_some());
                described(node, inner.unwrap_or(node), false)
            };
            tools.push(if old { bare() } else { decode(node, place, ledger) });
        }
        text.get_or_insert_with(|| list.json());
    }
    match text {
        Some(text) => Verbatim::read(tools, ID, text),
        None => Verbatim::new(tools),
    }
}

/// One tool. A function may stand bare, as the legacy list and other dialects have it.
pub(super) fn decode(node: Node<'_>, place: Place, ledger: &mut Ledger) -> Verbatim<Tool> {
    let [said, function, custom, name] = node.pick(["type", "function", "custom", "name"]);
    let kind = said.map(Node::word).unwrap_or_default();
    let misshapen = misshapen(said, function);
    if !misshapen.is_empty() {
        odd(ledger, place, "a tool that holds something of another type is written anew");
    }
    let typed = kind == "function" || said.is_none();
    // What calls itself something else is that, also if it calls itself nothing; only a tool in the
    // form of another dialect is a function by its schema.
    let bare = kind == "function"
        || !said.is_some_and(Node::is_string)
        || kind == "custom" && node.get("input_schema").is_some_and(Node::is_object);
    let (inner, freeform) = match (&*kind, function, custom) {
        ("custom", _, Some(custom)) if custom.is_object() => (custom, true),
        // Whatever type it says, it describes a function, if there is anything of one.
        (_, Some(function), _) if function.is_object() && (typed || is_told(function)) => {
            (function, false)
        }
        (_, None, Some(custom)) if custom.get("name").and_then(Node::text).is_some() => {
            (custom, true)
        }
        // As another dialect has it; a rule says where that is refused.
        (_, None, _) if bare && name.is_some() => (node, false),
        _ => {
            let kind = Text::new(&kind);
            let json = without(node, &misshapen);
            let tool = Tool::new(kind.clone(), ToolKind::Foreign { dialect: ID, kind, json });
            return Verbatim::read(tool, ID, node.json());
        }
    };
    described(node, inner, freeform)
}

/// The fields of a tool that are of another type than they must be, for any server.
fn misshapen(kind: Option<Node<'_>>, function: Option<Node<'_>>) -> Vec<&'static str> {
    let is_nameless = |function: Node<'_>| function.get("name").is_some_and(is_no_name);
    let odd_kind = kind.is_some_and(|kind| !kind.is_string());
    let odd_function =
        function.is_some_and(|function| !function.is_object() || is_nameless(function));
    let kind = odd_kind.then_some("type");
    kind.into_iter().chain(odd_function.then_some("function")).collect()
}

fn is_told(function: Node<'_>) -> bool {
    function.get("name").is_some() || function.get("parameters").is_some()
}

fn is_no_name(name: Node<'_>) -> bool {
    !name.is_string() && !name.is_null()
}

fn without(node: Node<'_>, gone: &[&str]) -> Json {
    if gone.is_empty() {
        return node.json();
    }
    Json::object(|o| {
        for field in node.fields().filter(|field| !gone.contains(&&*field.name())) {
            o.key_text(&field.key()).json(&field.value.json());
        }
    })
}

/// A tool as what stands inside describes it.
fn described(node: Node<'_>, inner: Node<'_>, freeform: bool) -> Verbatim<Tool> {
    let [name, schema, description, strict, format, elsewhere] =
        inner.pick(["name", "parameters", "description", "strict", "format", ELSEWHERE]);
    // Agents that know the model by its name offer it tools as its own API has them.
    let elsewhere = elsewhere.filter(|_| schema.is_none() && !freeform);
    let kind = if freeform {
        ToolKind::Freeform { format: some(format).map(|format| flat(&format)) }
    } else {
        ToolKind::Function { schema: some(schema.or(elsewhere)) }
    };
    let mut tool = Tool::new(name.and_then(Node::text).unwrap_or_default(), kind);
    tool.description = description.and_then(Node::text);
    tool.strict = strict.and_then(Node::boolean);
    tool.cache = parts::cache(node).or_else(|| parts::cache(inner));
    tool.extras = extras(node);
    let bare = inner.raw().len() == node.raw().len();
    if bare && elsewhere.is_some() {
        tool.extras.retain(ID, |key, _| key != ELSEWHERE);
    }
    if let Some(others) = others(inner, &tool).filter(|_| !freeform && !bare) {
        tool.extras.put(ID, INSIDE, others);
    }
    Verbatim::read(tool, ID, node.json())
}

fn extras(node: Node<'_>) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields().filter(|field| !is_known(&field.name())) {
        extras.keep(ID, field);
    }
    extras
}

/// The fields of a function that the model has no name for, or whose value it cannot hold.
fn others(function: Node<'_>, tool: &Tool) -> Option<Json> {
    let held = |field: &Field<'_>| match &*field.name() {
        "name" | "parameters" => true,
        "description" => tool.description.is_some(),
        "strict" => tool.strict.is_some(),
        ELSEWHERE => function.get("parameters").is_none(),
        // A bare function stands where these do.
        name => field.value.is_null() || is_known(name),
    };
    function.fields().find(|field| !held(field))?;
    Some(Json::object(|o| {
        for field in function.fields().filter(|field| !held(field)) {
            o.key_text(&field.key()).json(&field.value.json());
        }
    }))
}

/// A grammar is said flat between dialects; here it is nested once more.
fn flat(format: &Json) -> Json {
    let doc = format.doc();
    let Some(grammar) = doc.root().get("grammar") else { return format.clone() };
    Json::object(|o| {
        o.known("type", "grammar");
        for field in grammar.fields() {
            o.key_text(&field.key()).json(&field.value.json());
        }
    })
}

fn nested(format: &Json) -> Json {
    let doc = format.doc();
    let root = doc.root();
    if root.get("definition").is_none() {
        return format.clone();
    }
    Json::object(|o| {
        o.known("type", "grammar");
        o.object("grammar", |o| {
            for field in root.fields().filter(|field| !field.is("type")) {
                o.key_text(&field.key()).json(&field.value.json());
            }
        });
    })
}

/// Writes the tools; of these, only the ones named if `only` says so.
pub(super) fn encode_all(
    tools: &[Verbatim<Tool>],
    only: Option<&[Text]>,
    out: &mut Array<'_>,
    pen: &mut Pen<'_>,
) {
    for (at, tool) in tools.iter().enumerate() {
        if only.is_some_and(|names| !names.contains(&tool.name)) {
            let what = format!("`{}` is not offered: the choice is among others", tool.name);
            pen.ledger.loss(note::SETTING_CONVERTED, Place::tool(at), what);
            continue;
        }
        // One of the old list is written anew in the new one.
        let is_new = |text: &&Json| {
            let doc = text.doc();
            let has = |key: &str| doc.root().get(key).is_some();
            let typed = matches!(tool.kind, ToolKind::Foreign { .. });
            has("type") && (typed || has("function") || has("custom"))
        };
        match tool.text_for(ID).filter(is_new) {
            Some(text) => out.item().json(text),
            None => encode(tool, Place::tool(at), out, pen),
        }
    }
}

/// Whether any tool can be said, so that no empty list is written.
pub(super) fn any(tools: &[Verbatim<Tool>]) -> bool {
    tools.iter().any(|tool| is_sayable(tool))
}

pub(super) fn is_sayable(tool: &Tool) -> bool {
    match &tool.kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        ToolKind::Foreign { dialect, .. } => *dialect == ID,
    }
}

fn encode(tool: &Tool, place: Place, out: &mut Array<'_>, pen: &mut Pen<'_>) {
    match &tool.kind {
        ToolKind::Function { schema } => out.object(|o| {
            o.known("type", "function");
            o.object("function", |o| function(tool, schema.as_ref(), o));
            rest(tool, place, o, pen);
        }),
        ToolKind::Freeform { format } if pen.flavor.can(Skill::CustomTools) => out.object(|o| {
            o.known("type", "custom");
            o.object("custom", |o| {
                o.text("name", &tool.name);
                o.text_if("description", tool.description.as_ref());
                o.json_if("format", format.as_ref().map(nested).as_ref());
            });
            rest(tool, place, o, pen);
        }),
        ToolKind::Freeform { format } => {
            let what = "a tool that takes free text is offered as a function with one string";
            pen.ledger.change(note::FREEFORM_WRAPPED, place, what);
            let mut wrapped = tool.clone();
            wrapped.description = describe(tool, format.as_ref());
            out.object(|o| {
                o.known("type", "function");
                o.object("function", |o| function(&wrapped, Some(&one_string()), o));
                rest(tool, place, o, pen);
            });
        }
        ToolKind::Foreign { dialect, json, .. } if *dialect == ID => out.item().json(json),
        ToolKind::Foreign { kind, .. } => {
            let what = format!("left out the tool `{kind}`: only its own provider knows it");
            pen.ledger.loss(note::NO_SUCH_TOOL, place, what);
        }
    }
}

fn function(tool: &Tool, schema: Option<&Json>, o: &mut Object<'_>) {
    o.text("name", &tool.name);
    o.text_if("description", tool.description.as_ref());
    o.json_if("parameters", schema);
    o.json_if("strict", tool.strict.map(Json::boolean).as_ref());
    if let Some(others) = tool.extras.find(ID, INSIDE.raw()) {
        o.fields(others);
    }
}

/// Cache mark and extras.
fn rest(tool: &Tool, place: Place, o: &mut Object<'_>, pen: &mut Pen<'_>) {
    if let Some(cache) = &tool.cache {
        if pen.flavor.cache == CacheMark::Control {
            content::write_cache(cache, CacheMark::Control, o);
        } else {
            pen.cache_stays(place);
        }
    }
    for (key, value) in tool.extras.of(ID).iter().filter(|(key, _)| *key != INSIDE) {
        o.key_text(key).json(value);
    }
    pen.note_extras(&tool.extras, place);
}

/// The grammar of free text goes into the description, where the model at least can read it.
fn describe(tool: &Tool, format: Option<&Json>) -> Option<Text> {
    let doc = format.map(Json::doc);
    let root = doc.as_ref().map(|doc| doc.root());
    let grammar =
        root.and_then(|root| root.get("grammar").unwrap_or(root).get("definition")?.text());
    match (&tool.description, grammar) {
        (description, None) => description.clone(),
        (None, Some(grammar)) => Some(grammar),
        (Some(description), Some(grammar)) => Some(Text::join([description, &grammar], "\n\n")),
    }
}

fn one_string() -> Json {
    Json::object(|o| {
        o.known("type", "object");
        o.object("properties", |o| o.object("input", |o| o.known("type", "string")));
        o.array("required", |a| a.item().string("input"));
    })
}

/// Where a tool keeps what else its function says.
const INSIDE: Text = Text::word("function");

/// What another dialect calls the schema of a tool.
const ELSEWHERE: &str = "input_schema";

/// Whether this is a key of a tool, bare functions included.
fn is_known(key: &str) -> bool {
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
