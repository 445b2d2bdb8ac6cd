//! Settings, read: the generation config, the tool config and what stands beside them.

use interlingua_model::{Format, Settings, TopField};
use interlingua_wire::{Json, Node, Text};

use super::{names, reasoning, schema, tools};

/// The settings of a request. Fields inside the configs that the model has no name for are listed
/// in `fields` by their path, so that they are noted when the request crosses.
pub(super) fn decode(request: Node<'_>, prefix: &str, fields: &mut Vec<TopField>) -> Box<Settings> {
    let mut settings = Box::<Settings>::default();
    if let Some(config) = names::get(request, "generationConfig") {
        read_config(config, prefix, &mut settings, fields);
    }
    if let Some(config) = names::get(request, "toolConfig") {
        settings.choice = tools::decode_choice(config);
        for field in config.fields().filter(|field| !field.value.is_null()) {
            if !names::is(&field.name(), "functionCallingConfig") {
                list(fields, &format!("{prefix}toolConfig.{}", field.name()), field.value);
            } else if settings.choice.is_none() {
                list(fields, &format!("{prefix}toolConfig.functionCallingConfig"), field.value);
            } else if let Some(others) = names::others(field.value, CALLING) {
                for other in others.doc().root().fields() {
                    let path = "toolConfig.functionCallingConfig";
                    list(fields, &format!("{prefix}{path}.{}", other.name()), other.value);
                }
            }
        }
    }
    settings.service_tier = names::get(request, "serviceTier").and_then(Node::text);
    settings.store = names::get(request, "store").and_then(Node::boolean);
    settings
}

fn read_config(
    config: Node<'_>,
    prefix: &str,
    settings: &mut Settings,
    fields: &mut Vec<TopField>,
) {
    settings.format = read_format(config);
    for field in config.fields().filter(|field| !field.value.is_null()) {
        let value = field.value;
        let path = || format!("{prefix}generationConfig.{}", field.name());
        match names::one_of(&field.name(), CONFIG) {
            Some("temperature") => settings.temperature = Some(value.json()),
            Some("topP") => settings.top_p = Some(value.json()),
            Some("topK") => settings.top_k = Some(value.json()),
            Some("candidateCount") => settings.answers = Some(value.json()),
            Some("maxOutputTokens") => settings.max_tokens = Some(value.json()),
            Some("seed") => settings.seed = Some(value.json()),
            Some("presencePenalty") => settings.presence_penalty = Some(value.json()),
            Some("frequencyPenalty") => settings.frequency_penalty = Some(value.json()),
            Some("stopSequences") => {
                settings.stop = match value.text() {
                    Some(one) => vec![one],
                    None => value.items().filter_map(Node::text).collect(),
                };
            }
            Some("thinkingConfig") => {
                settings.reasoning = Some(reasoning::decode(value));
                if let Some(others) = names::others(value, reasoning::KNOWN) {
                    for other in others.doc().root().fields() {
                        list(fields, &format!("{}.{}", path(), other.name()), other.value);
                    }
                }
            }
            Some(_) if settings.format.is_some() => {}
            Some(_) | None => list(fields, &path(), value),
        }
    }
}

/// What form the answer has; `None` where nothing is said of it, or something nobody else knows.
pub(super) fn read_format(config: Node<'_>) -> Option<Format> {
    let mime = names::get(config, "responseMimeType").map(Node::word);
    let own = names::get(config, "responseSchema").map(schema::to_json_schema);
    let schema = names::get(config, "responseJsonSchema").map(Node::json).or(own);
    match (mime.as_deref(), schema) {
        (_, Some(schema)) => {
            Some(Format::Schema { name: None, description: None, schema, strict: None })
        }
        (Some("application/json"), None) => Some(Format::Json),
        (Some("text/plain"), None) => Some(Format::Text),
        _ => None,
    }
}

/// Whether a field lists something that stands inside another field.
pub(super) fn is_inner(field: &TopField) -> bool {
    let key = field.key.raw();
    let head = key.split_once('.').map(|(head, _)| head);
    head.is_some_and(|head| ["request", "generationConfig", "toolConfig"].contains(&head))
}

fn list(fields: &mut Vec<TopField>, path: &str, value: Node<'_>) {
    let value: Json = value.json();
    fields.push(TopField { key: Text::new(path), value, known: false });
}

/// The fields of the generation config whose meaning the model holds.
pub(super) const CONFIG: &[&str] = &[
    "temperature",
    "topP",
    "topK",
    "candidateCount",
    "maxOutputTokens",
    "stopSequences",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "thinkingConfig",
];

/// The fields of the function calling config whose meaning the model holds.
pub(super) const CALLING: &[&str] = &["mode", "allowedFunctionNames"];
