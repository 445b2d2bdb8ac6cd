//! Settings, decoded.

use interlingua_model::{Choice, Format, Reasoning, ReasoningMode, Settings};
use interlingua_wire::{Json, Kind, Node, Text};

use crate::openai_chat::parts::{some, text_of};

/// Fields whose value says nothing that is known are put into `unread`.
pub(in crate::openai_chat) fn decode(body: Node<'_>, unread: &mut Vec<Text>) -> Box<Settings> {
    let mut settings = Box::<Settings>::default();
    let mut reasoning = Reasoning::default();
    for field in body.fields().filter(|field| !field.value.is_null()) {
        let value = field.value;
        let mut unread = || unread.push(field.key());
        match &*field.name() {
            "max_completion_tokens" => settings.max_tokens = Some(value.json()),
            "max_tokens" if body.get("max_completion_tokens").is_none_or(Node::is_null) => {
                settings.max_tokens = Some(value.json());
            }
            "temperature" => settings.temperature = Some(value.json()),
            "top_p" => settings.top_p = Some(value.json()),
            "top_k" => settings.top_k = Some(value.json()),
            "seed" | "random_seed" => settings.seed = Some(value.json()),
            "presence_penalty" => settings.presence_penalty = Some(value.json()),
            "frequency_penalty" => settings.frequency_penalty = Some(value.json()),
            "n" => settings.answers = Some(value.json()),
            "stop" => match stop(value) {
                Some(texts) => settings.stop = texts,
                None => unread(),
            },
            "stream" => settings.stream = value.boolean(),
            "stream_options" => {
                settings.stream_usage = value.get("include_usage").and_then(Node::boolean);
            }
            "tool_choice" => {
                settings.choice = choice(value);
                if settings.choice.is_none() {
                    unread();
                }
            }
            "function_call" if body.get("tool_choice").is_none_or(Node::is_null) => {
                settings.choice = choice(value);
                if settings.choice.is_none() {
                    unread();
                }
            }
            "parallel_tool_calls" => settings.parallel = value.boolean(),
            "reasoning_effort" => effort(value, &mut reasoning),
            "reasoning" => object(value, &mut reasoning),
            "thinking" => thinking(value, &mut reasoning),
            "enable_thinking" => {
                reasoning.mode = value.boolean().map(mode).or(reasoning.mode.take());
            }
            "thinking_budget" => reasoning.budget = Some(value.json()),
            "response_format" => {
                settings.format = format(value);
                if settings.format.is_none() {
                    unread();
                }
            }
            "verbosity" => settings.verbosity = Some(text_of(value)),
            "safety_identifier" => settings.user = Some(text_of(value)),
            "user" if settings.user.is_none() => settings.user = Some(text_of(value)),
            "metadata" => settings.metadata = Some(value.json()),
            "service_tier" => settings.service_tier = Some(text_of(value)),
            "prompt_cache_key" => settings.cache_key = Some(text_of(value)),
            "store" => settings.store = value.boolean(),
            _ => {}
        }
    }
    settings.reasoning = (reasoning != Reasoning::default()).then_some(reasoning);
    settings
}

/// The keys the model holds of a field that has more.
pub(in crate::openai_chat) fn held_inside(field: &str) -> Option<&'static [&'static str]> {
    match field {
        "stream_options" => Some(&["include_usage"]),
        "reasoning" => Some(&["effort", "enabled", "max_tokens", "summary", "exclude"]),
        "thinking" => Some(&["type", "budget_tokens"]),
        _ => None,
    }
}

fn stop(node: Node<'_>) -> Option<Vec<Text>> {
    match node.kind() {
        Kind::String => Some(node.text().into_iter().collect()),
        Kind::Array => Some(node.items().map(text_of).collect()),
        Kind::Null | Kind::Bool | Kind::Number | Kind::Object => None,
    }
}

fn choice(node: Node<'_>) -> Option<Choice> {
    match &*node.word() {
        "auto" => return Some(Choice::Auto),
        "none" => return Some(Choice::None),
        "required" | "any" => return Some(Choice::Required),
        _ => {}
    }
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    if kind == "allowed_tools" {
        let allowed = node.get("allowed_tools").unwrap_or(node);
        let tools = allowed.get("tools").into_iter().flat_map(Node::items);
        return Some(Choice::Allowed {
            names: tools.filter_map(name).collect(),
            required: allowed.get("mode").is_some_and(|mode| mode.word() == "required"),
        });
    }
    if let Some(name) = name(node) {
        return Some(Choice::Named(name));
    }
    match &*kind {
        "auto" => Some(Choice::Auto),
        "none" => Some(Choice::None),
        "required" | "any" => Some(Choice::Required),
        _ => None,
    }
}

/// The name of a tool, in any of the forms that name one.
fn name(node: Node<'_>) -> Option<Text> {
    let inner = node.get("function").or_else(|| node.get("custom")).unwrap_or(node);
    inner.get("name")?.text()
}

fn mode(on: bool) -> ReasoningMode {
    if on { ReasoningMode::On } else { ReasoningMode::Off }
}

/// An effort of `none` is a way to switch reasoning off.
fn effort(node: Node<'_>, reasoning: &mut Reasoning) {
    if node.word() == "none" {
        reasoning.mode = Some(ReasoningMode::Off);
    } else {
        reasoning.effort = node.text();
    }
}

fn object(node: Node<'_>, reasoning: &mut Reasoning) {
    if let Some(node) = node.get("effort").filter(|node| !node.is_null()) {
        effort(node, reasoning);
    }
    if let Some(enabled) = node.get("enabled").and_then(Node::boolean) {
        reasoning.mode = Some(mode(enabled));
    }
    reasoning.budget = some(node.get("max_tokens")).or(reasoning.budget.take());
    reasoning.display = node.get("summary").and_then(Node::text);
    if node.get("exclude").and_then(Node::boolean) == Some(true) {
        reasoning.display = Some(Text::word("omitted"));
    }
}

fn thinking(node: Node<'_>, reasoning: &mut Reasoning) {
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    reasoning.mode = match &*kind {
        "enabled" => Some(ReasoningMode::On),
        "disabled" => Some(ReasoningMode::Off),
        "adaptive" | "auto" => Some(ReasoningMode::Adaptive),
        _ => node.boolean().map(mode).or(reasoning.mode.take()),
    };
    reasoning.budget = some(node.get("budget_tokens")).or(reasoning.budget.take());
}

fn format(node: Node<'_>) -> Option<Format> {
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    match &*kind {
        "text" => Some(Format::Text),
        "json_object" => Some(Format::Json),
        kind if kind == "json_schema" || node.get("json_schema").is_some_and(Node::is_object) => {
            let inner = node.get("json_schema").unwrap_or(node);
            Some(Format::Schema {
                name: inner.get("name").and_then(Node::text),
                description: inner.get("description").and_then(Node::text),
                schema: some(inner.get("schema")).unwrap_or(Json::EMPTY_OBJECT),
                strict: inner.get("strict").and_then(Node::boolean),
            })
        }
        _ => None,
    }
}
