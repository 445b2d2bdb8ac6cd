//! The input of the simulated model, and what all APIs need to read it.

use serde_json::Value;

use crate::turn::{Usage, estimate_tokens};

/// The input of the simulated model, independent of the API.
#[derive(Clone, Debug, Default)]
pub struct ModelInput {
    /// The user's last non-empty message.
    pub last_user_text: String,
    /// All user messages since the model's last turn: clients put notes before the prompt.
    pub recent_user_text: String,
    pub tools: Vec<Tool>,
    /// Results of the last calls, if they end the conversation.
    pub tool_results: Vec<ToolResult>,
    /// Turns of the model since the prompt.
    pub turns_since_prompt: usize,
    /// The number of the model's turn, from 1.
    pub turn_number: usize,
    /// Tool calls in the conversation.
    pub call_count: usize,
    pub stream: bool,
    pub max_tokens: Option<u64>,
    pub stop_sequences: Vec<String>,
    pub thinking: ThinkingVisibility,
    pub tool_choice: ToolChoice,
    /// The reply is only a summary of the conversation.
    pub wants_summary: bool,
    /// The JSON schema of the answer; `Value::Null` accepts any JSON.
    pub response_schema: Option<Value>,
    /// Input tokens.
    pub usage: Usage,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    pub name: String,
    pub namespace: Option<String>,
    pub description: String,
    pub schema: Value,
    /// The tool takes free text instead of JSON.
    pub is_custom: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolResult {
    pub call_id: String,
    pub tool_name: String,
    pub text: String,
    pub is_error: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThinkingVisibility {
    #[default]
    Off,
    /// The reply has the text and the seal.
    Shown,
    /// The reply has only the seal.
    Hidden,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    #[default]
    Auto,
    None,
    Any,
    Tool(String),
}

/// One step of the conversation.
#[derive(Debug)]
pub(super) enum HistoryEntry {
    /// One text per message.
    User(Vec<String>),
    Results(Vec<ToolResult>),
    /// Ids and names of the calls.
    Model(Vec<(String, String)>),
}

impl ModelInput {
    pub(super) fn set_history(&mut self, entries: Vec<HistoryEntry>) {
        let entries = merge_adjacent(entries);
        let prompt = entries.iter().rposition(|entry| matches!(entry, HistoryEntry::User(_)));
        if let Some(HistoryEntry::User(texts)) = prompt.and_then(|at| entries.get(at)) {
            let last = texts.iter().rfind(|text| !text.trim().is_empty());
            self.last_user_text = last.cloned().unwrap_or_default();
            self.recent_user_text = texts.join("\n");
        }
        let since = prompt.map_or(0, |at| at + 1);
        let count_turns = |entries: &[HistoryEntry]| {
            entries.iter().filter(|entry| matches!(entry, HistoryEntry::Model(_))).count()
        };
        self.turns_since_prompt = count_turns(entries.get(since..).unwrap_or_default());
        self.turn_number = count_turns(&entries) + 1;
        let calls: Vec<&(String, String)> = entries
            .iter()
            .filter_map(
                |entry| {
                    if let HistoryEntry::Model(calls) = entry { Some(calls) } else { None }
                },
            )
            .flatten()
            .collect();
        self.call_count = calls.len();
        if let Some(HistoryEntry::Results(results)) = entries.last() {
            self.tool_results.clone_from(results);
            for result in &mut self.tool_results {
                if result.tool_name.is_empty() {
                    let name = calls.iter().rev().find(|(id, _)| *id == result.call_id);
                    result.tool_name = name.map(|(_, name)| name.clone()).unwrap_or_default();
                }
            }
        }
    }

    /// Counts the input tokens; with `cached`, all but the last message come from the cache.
    pub(super) fn count_input(&mut self, body: &Value, messages: &[Value], cached: bool) {
        let all = estimate_tokens(&body.to_string());
        let last = messages.last().map_or(0, |last| estimate_tokens(&last.to_string()));
        self.usage.cached =
            if cached && self.turn_number > 1 { all.saturating_sub(last) } else { 0 };
        self.usage.input = all - self.usage.cached;
    }
}

/// Merges neighbouring entries of one kind.
fn merge_adjacent(entries: Vec<HistoryEntry>) -> Vec<HistoryEntry> {
    let mut out: Vec<HistoryEntry> = Vec::new();
    for next in entries {
        match (out.last_mut(), next) {
            (Some(HistoryEntry::User(texts)), HistoryEntry::User(more)) => texts.extend(more),
            (Some(HistoryEntry::Results(results)), HistoryEntry::Results(more)) => {
                results.extend(more);
            }
            (Some(HistoryEntry::Model(calls)), HistoryEntry::Model(more)) => calls.extend(more),
            (_, next) => out.push(next),
        }
    }
    out
}

pub(super) fn array_field<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn str_field<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn bool_field(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// The text of a string or of a list of parts; other parts are added as JSON.
pub(super) fn content_text(content: &Value) -> String {
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

/// The text of a user message, without the notes that a client adds.
pub(super) fn user_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            let is_note = |text: &str| CLIENT_NOTES.iter().any(|tag| text.starts_with(tag));
            texts.filter(|text| !is_note(text.trim_start())).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// A string or a list of strings.
pub(super) fn string_list(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the model's name contains one of the names.
pub(super) fn model_contains(model: &str, names: &[&str]) -> bool {
    let model = model.to_ascii_lowercase();
    names.iter().any(|name| model.contains(name))
}

/// Tags at the start of the notes of Claude Code, Gemini CLI and Codex.
const CLIENT_NOTES: &[&str] = &["<system-reminder>", "<session_context>", "<environment_context>"];
