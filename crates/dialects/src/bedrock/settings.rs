//! Settings, read.

use interlingua_model::{Format, Ledger, Place, Reasoning, ReasoningMode, Settings};
use interlingua_wire::{Json, Kind, Node};

use super::tools;
use crate::note;

/// The fields of a body that hold settings, each found by its name.
pub(super) fn decode<'d>(
    field: impl Fn(&str) -> Option<Node<'d>>,
    ledger: &mut Ledger,
) -> Box<Settings> {
    let field = |key: &str| field(key).filter(|node| !node.is_null());
    let mut settings = Box::<Settings>::default();
    if let Some(config) = field("toolConfig") {
        settings.choice =
            config.get("toolChoice").and_then(|choice| tools::decode_choice(choice, ledger));
    }
    if let Some(config) = field("inferenceConfig") {
        inference(config, &mut settings, ledger);
    }
    if let Some(more) = field("additionalModelRequestFields") {
        additional(more, &mut settings);
    }
    if let Some(config) = field("outputConfig") {
        output(config, &mut settings);
    }
    settings.metadata = field("requestMetadata").map(Node::json);
    settings.service_tier =
        field("serviceTier").and_then(|tier| tier.get("type").unwrap_or(tier).text());
    settings
}

/// Whether the model holds a field, or at least some of what is inside.
pub(super) fn is_known(key: &str) -> bool {
    matches!(key, "modelId" | "model" | "messages" | "system" | "requestMetadata")
        || held_inside(key).is_some()
}

/// The keys the model holds of a field that has more.
pub(super) fn held_inside(field: &str) -> Option<&'static [&'static str]> {
    match field {
        "toolConfig" => Some(&["tools", "toolChoice"]),
        "inferenceConfig" => Some(INFERENCE),
        "additionalModelRequestFields" => Some(ADDITIONAL),
        "outputConfig" => Some(OUTPUT),
        "serviceTier" => Some(&["type"]),
        _ => None,
    }
}

fn inference(config: Node<'_>, settings: &mut Settings, ledger: &mut Ledger) {
    settings.max_tokens = number(config, "maxTokens", ledger);
    settings.temperature = number(config, "temperature", ledger);
    settings.top_p = number(config, "topP", ledger);
    if let Some(stop) = config.get("stopSequences") {
        settings.stop = match stop.text() {
            Some(one) => {
                odd("`stopSequences` is a string, read as a list of one", ledger);
                vec![one]
            }
            None => stop.items().filter_map(Node::text).collect(),
        };
    }
}

/// A number as written; one in a string is taken out of it.
fn number(config: Node<'_>, key: &str, ledger: &mut Ledger) -> Option<Json> {
    let node = config.get(key)?;
    match node.kind() {
        Kind::Number => Some(node.json()),
        Kind::Null => None,
        _ => {
            odd(format!("`{key}` is not a number"), ledger);
            Json::parse(node.word().into_owned()).ok().filter(|json| json.kind() == Kind::Number)
        }
    }
}

/// What goes to the model as it is. Claude's fields are known by name; what another model makes of
/// them is its own affair, so nothing is odd in them.
fn additional(more: Node<'_>, settings: &mut Settings) {
    let ledger = &mut Ledger::default();
    settings.top_k = number(more, "top_k", ledger);
    let mut reasoning = Reasoning::default();
    for key in ["thinking", "reasoning_config"] {
        if let Some(thinking) = more.get(key) {
            reasoning.mode = match &*thinking.get("type").map(Node::word).unwrap_or_default() {
                "enabled" => Some(ReasoningMode::On),
                "adaptive" => Some(ReasoningMode::Adaptive),
                "disabled" => Some(ReasoningMode::Off),
                "between_tools" => Some(ReasoningMode::BetweenTools),
                _ => None,
            };
            reasoning.budget = number(thinking, "budget_tokens", ledger);
            reasoning.display = thinking.get("display").and_then(Node::text);
        }
    }
    let config = more.get("output_config").and_then(|config| config.get("effort"));
    reasoning.effort = config.or_else(|| more.get("reasoning_effort")).and_then(Node::text);
    if reasoning != Reasoning::default() {
        settings.reasoning = Some(reasoning);
    }
}

fn output(config: Node<'_>, settings: &mut Settings) {
    if let Some(effort) = config.get("effort").and_then(Node::text) {
        settings.reasoning.get_or_insert_default().effort = Some(effort);
    }
    let Some(format) = config.get("textFormat") else { return };
    let schema = format.get("structure").and_then(|structure| structure.get("jsonSchema"));
    settings.format = schema.and_then(decode_schema);
}

/// The schema is JSON in a string.
fn decode_schema(node: Node<'_>) -> Option<Format> {
    let schema = node.get("schema")?;
    let schema = if schema.is_object() {
        schema.json()
    } else {
        Json::parse(schema.text()?.contents().into_owned()).ok()?
    };
    let text = |key: &str| node.get(key).and_then(Node::text);
    Some(Format::Schema {
        name: text("name"),
        description: text("description"),
        schema,
        strict: None,
    })
}

fn odd(what: impl Into<std::borrow::Cow<'static, str>>, ledger: &mut Ledger) {
    ledger.change(note::ODD_INPUT, Place::SETTINGS, what);
}

pub(super) const INFERENCE: &[&str] = &["maxTokens", "temperature", "topP", "stopSequences"];
pub(super) const ADDITIONAL: &[&str] =
    &["top_k", "thinking", "reasoning_config", "output_config", "reasoning_effort"];
pub(super) const OUTPUT: &[&str] = &["textFormat", "effort"];
