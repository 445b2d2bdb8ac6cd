//! What a model needs to know of a request, whatever API it came through.

mod anthropic;
mod bedrock;
mod gemini;
mod openai_chat;
mod openai_responses;

use serde_json::Value;

use crate::api::Api;
use crate::turn::{Usage, tokens};

/// A request, as the model hears it.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// What the user said last.
    pub prompt: String,
    /// All that the user said since the model last spoke: clients put notes before the prompt.
    pub around: String,
    pub tools: Vec<Tool>,
    /// Results of the last calls, if nothing came after them.
    pub results: Vec<Outcome>,
    /// How often the model has spoken since the prompt.
    pub steps: usize,
    /// Which turn of the model this is, from 1.
    pub turn: usize,
    /// How many calls the conversation holds.
    pub calls: usize,
    pub stream: bool,
    pub max_tokens: Option<u64>,
    /// Texts before which the model stops.
    pub stops: Vec<String>,
    pub thinking: Thinking,
    pub choice: Choice,
    /// A summary of the conversation is asked for, and nothing else.
    pub compact: bool,
    /// The answer has this shape; `Value::Null` leaves the shape open.
    pub format: Option<Value>,
    /// The tokens that were read.
    pub usage: Usage,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    pub name: String,
    pub namespace: Option<String>,
    pub description: String,
    pub schema: Value,
    /// Takes free text instead of JSON.
    pub custom: bool,
}

/// What a tool gave back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub call: String,
    pub name: String,
    pub text: String,
    pub failed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    #[default]
    Off,
    /// The text is given out.
    Shown,
    /// Only the seal is given out.
    Hidden,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    #[default]
    Auto,
    None,
    Any,
    Tool(String),
}

/// One step of the conversation.
#[derive(Debug)]
enum Said {
    /// One text for each message.
    User(Vec<String>),
    Results(Vec<Outcome>),
    /// Ids and names of the calls.
    Model(Vec<(String, String)>),
}

/// Hears a request; `flavor` is who is asked, `model` is asked for.
pub fn hear(api: Api, flavor: &str, model: &str, body: &Value) -> Heard {
    match api {
        Api::Anthropic => anthropic::hear(model, body),
        Api::Chat => openai_chat::hear(flavor, model, body),
        Api::Responses => openai_responses::hear(model, body),
        Api::Gemini => gemini::hear(model, body),
        Api::Bedrock => bedrock::hear(model, body),
    }
}

impl Heard {
    fn conversation(&mut self, said: Vec<Said>) {
        let said = merged(said);
        let prompt = said.iter().rposition(|said| matches!(said, Said::User(_)));
        if let Some(Said::User(texts)) = prompt.and_then(|at| said.get(at)) {
            let last = texts.iter().rfind(|text| !text.trim().is_empty());
            self.prompt = last.cloned().unwrap_or_default();
            self.around = texts.join("\n");
        }
        let since = prompt.map_or(0, |at| at + 1);
        let models = |said: &[Said]| said.iter().filter(|s| matches!(s, Said::Model(_))).count();
        self.steps = models(said.get(since..).unwrap_or_default());
        self.turn = models(&said) + 1;
        let called: Vec<&(String, String)> = said
            .iter()
            .filter_map(|said| if let Said::Model(calls) = said { Some(calls) } else { None })
            .flatten()
            .collect();
        self.calls = called.len();
        if let Some(Said::Results(results)) = said.last() {
            self.results.clone_from(results);
            for outcome in &mut self.results {
                if outcome.name.is_empty() {
                    let name = called.iter().rev().find(|(id, _)| *id == outcome.call);
                    outcome.name = name.map(|(_, name)| name.clone()).unwrap_or_default();
                }
            }
        }
    }

    /// Counts what was read; `cached` if the provider remembers everything but the last message.
    fn count(&mut self, body: &Value, messages: &[Value], cached: bool) {
        let all = tokens(&body.to_string());
        let last = messages.last().map_or(0, |last| tokens(&last.to_string()));
        self.usage.cached = if cached && self.turn > 1 { all.saturating_sub(last) } else { 0 };
        self.usage.input = all - self.usage.cached;
    }
}

/// Neighbours of one kind are one step.
fn merged(said: Vec<Said>) -> Vec<Said> {
    let mut out: Vec<Said> = Vec::new();
    for next in said {
        match (out.last_mut(), next) {
            (Some(Said::User(texts)), Said::User(more)) => texts.extend(more),
            (Some(Said::Results(results)), Said::Results(more)) => results.extend(more),
            (Some(Said::Model(calls)), Said::Model(more)) => calls.extend(more),
            (_, next) => out.push(next),
        }
    }
    out
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn string<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// The text of a string, or of a list of parts: texts as they are, anything else as JSON.
fn spelled(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .map(|part| match part.get("text") {
                Some(Value::String(text)) => text.clone(),
                _ => part.to_string(),
            })
            .collect(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The words of a user: texts alone, and without what a client adds on its own.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            let own = texts.filter(|text| !text.trim_start().starts_with("<system-reminder>"));
            own.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// A text, or a list of texts.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether one of the names is part of the model's name.
fn is_one_of(model: &str, names: &[&str]) -> bool {
    let model = model.to_ascii_lowercase();
    names.iter().any(|name| model.contains(name))
}
