//! Decodes tools.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use interlingua_model::{Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::fields;
use crate::note;
use crate::openai_responses::id::ID;
use crate::openai_responses::namespace;

/// Decodes the list of tools; a namespace is replaced by its tools.
pub(crate) fn decode_tools(
    list: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Tool>>> {
    if !list.is_array() && !list.is_null() {
        ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, "`tools` is not a list");
    }
    let mut tools = Vec::with_capacity(list.len());
    for node in list.items() {
        let members =
            node.get("tools").filter(|list| has_type(node, "namespace") && !list.is_empty());
        match members {
            Some(members) => decode_namespace(node, members, &mut tools, ledger),
            None => tools.push(decode_tool(node, tools.len(), ledger)),
        }
    }
    disambiguate_tools(&mut tools);
    Verbatim::with_text(tools, ID, list.json())
}

/// Renames tools with colliding qualified names: of two namespaces, or of a namespace and of none.
fn disambiguate_tools(tools: &mut [Verbatim<Tool>]) {
    for at in colliding_tools(tools) {
        let tool = tools[at].edit();
        if let Some(namespace) = &tool.namespace {
            tool.name = namespace::disambiguated_name(
                namespace,
                &namespace::local_name(Some(namespace), &tool.name),
            );
        }
    }
}

/// Positions of namespaced tools with a name that another namespace or a tool without one also has.
fn colliding_tools(tools: &[Verbatim<Tool>]) -> Vec<usize> {
    if tools.iter().all(|tool| tool.namespace.is_none()) {
        return Vec::new();
    }
    let without_namespace = tools.iter().filter(|tool| tool.namespace.is_none());
    let mut namespace_by_name: HashMap<Cow<'_, str>, Option<&JsonString>> =
        without_namespace.map(|tool| (tool.name.unescape(), None)).collect();
    let with_namespace = tools.iter().enumerate().filter(|(_, tool)| tool.namespace.is_some());
    let colliding = with_namespace.filter(|(_, tool)| {
        let namespace = tool.namespace.as_ref();
        *namespace_by_name.entry(tool.name.unescape()).or_insert(namespace) != namespace
    });
    colliding.map(|(at, _)| at).collect()
}

/// The names of the renamed tools.
pub(crate) fn disambiguated_names(tools: &[Verbatim<Tool>]) -> HashSet<String> {
    let is_disambiguated = |tool: &&Verbatim<Tool>| {
        let namespace = tool.namespace.as_ref().filter(|_| tool.name.raw().contains('.'));
        namespace.is_some_and(|namespace| {
            tool.name
                == namespace::disambiguated_name(
                    namespace,
                    &namespace::local_name(Some(namespace), &tool.name),
                )
        })
    };
    tools.iter().filter(is_disambiguated).map(|tool| tool.name.unescape().into_owned()).collect()
}

fn has_type(node: JsonNode<'_>, kind: &str) -> bool {
    node.get("type").is_some_and(|type_node| type_node.str_or_empty() == kind)
}

/// Members are decoded without original text, because it does not contain their namespace.
fn decode_namespace(
    node: JsonNode<'_>,
    members: JsonNode<'_>,
    tools: &mut Vec<Verbatim<Tool>>,
    ledger: &mut Ledger,
) {
    let namespace = node.get("name").and_then(JsonNode::json_string).unwrap_or_default();
    let is_valid = namespace::is_valid_name(&namespace.unescape()) && members.is_array();
    if !is_valid {
        let message = "a namespace with an invalid name is dropped: its tools are kept without it";
        ledger.record_loss(note::ODD_INPUT, LedgerPath::tool(tools.len()), message);
    }
    for (at, member) in members.items().enumerate() {
        let mut tool = decode_tool(member, tools.len(), ledger).into_value();
        tool.name = namespace::qualified_name(Some(&namespace), &tool.name);
        tool.namespace = is_valid.then(|| namespace.clone());
        if at == 0 && is_valid {
            let namespace_extras = fields::decode_extras(node, &["type", "name", "tools"]);
            let namespace_fields = RawJson::object(|o| namespace_extras.write(ID, o));
            tool.extras.push(ID, JsonString::from_static(NAMESPACE_FIELDS_KEY), namespace_fields);
        }
        tools.push(Verbatim::new(tool));
    }
}

pub(crate) fn decode_tool(node: JsonNode<'_>, at: usize, ledger: &mut Ledger) -> Verbatim<Tool> {
    let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let non_null = |key: &str| node.get(key).filter(|value| !value.is_null());
    let tool = match &*kind {
        "function" => {
            // Chat Completions nests the function; some clients mix both forms.
            let inner = match node.get("function") {
                Some(inner) if node.get("name").is_none() && inner.is_object() => {
                    ledger.record_change(
                        note::ODD_INPUT,
                        LedgerPath::tool(at),
                        "a function is nested in its own object",
                    );
                    inner
                }
                _ => node,
            };
            let schema = inner.get("parameters").filter(|schema| !schema.is_null());
            let kind = ToolKind::Function { schema: schema.map(JsonNode::json) };
            let strict = inner.get("strict").filter(|strict| !strict.is_null());
            let strict_value = strict.and_then(JsonNode::as_bool);
            let known_keys = ["parameters", "function", "strict"];
            let known_keys =
                &known_keys[..if strict.is_some() && strict_value.is_none() { 2 } else { 3 }];
            let mut tool = decode_named_tool(inner, kind, known_keys);
            tool.strict = strict_value;
            tool
        }
        "custom" => {
            let format = non_null("format");
            if format.is_some_and(|format| decode_custom_format(format) != Some(format.json())) {
                let message = "a custom tool has an unknown format";
                ledger.record_change(note::ODD_INPUT, LedgerPath::tool(at), message);
            }
            decode_named_tool(
                node,
                ToolKind::Freeform { format: format.map(JsonNode::json) },
                &["format"],
            )
        }
        _ => {
            let name = node.get("name").and_then(JsonNode::json_string);
            let kind = JsonString::new(&kind);
            let json = node.json();
            let foreign = ToolKind::Foreign { dialect: ID, kind: kind.clone(), json };
            Tool::new(name.unwrap_or(kind), foreign)
        }
    };
    Verbatim::with_text(tool, ID, node.json())
}

fn decode_named_tool(node: JsonNode<'_>, kind: ToolKind, known: &[&str]) -> Tool {
    let mut tool =
        Tool::new(node.get("name").and_then(JsonNode::json_string).unwrap_or_default(), kind);
    tool.description = node.get("description").and_then(JsonNode::json_string);
    let mut known = known.to_vec();
    known.extend(["type", "name"]);
    known.extend(tool.description.as_ref().map(|_| "description"));
    tool.extras = fields::decode_extras(node, &known);
    tool
}

/// Converts the format of a custom tool to this dialect's flat form; `None` if it is unknown. Chat
/// Completions nests a grammar in an object.
pub(crate) fn decode_custom_format(format: JsonNode<'_>) -> Option<RawJson> {
    let kind = format.get("type").map(JsonNode::str_or_empty)?;
    if kind == "text" {
        let text_format = RawJson::object(|o| o.static_str("type", "text"));
        return Some(if format.len() == 1 { format.json() } else { text_format });
    }
    let nested = format.get("grammar").filter(|grammar| grammar.is_object());
    let [syntax, definition] = nested.unwrap_or(format).get_many(["syntax", "definition"]);
    let syntax = syntax.filter(|syntax| SYNTAXES.contains(&&*syntax.str_or_empty()))?;
    let definition = definition.filter(|definition| definition.is_string())?;
    if kind != "grammar" {
        return None;
    }
    let flat = RawJson::object(|o| {
        o.static_str("type", "grammar");
        o.json("syntax", &syntax.json());
        o.json("definition", &definition.json());
    });
    Some(if nested.is_none() && format.len() == 3 { format.json() } else { flat })
}

const SYNTAXES: &[&str] = &["lark", "regex"];

/// Extras key under which the first tool of a namespace carries the namespace's own fields.
pub(crate) const NAMESPACE_FIELDS_KEY: &str = "namespace";
