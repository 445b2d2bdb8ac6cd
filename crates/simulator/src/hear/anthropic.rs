//! What an Anthropic request says.

use serde_json::Value;

use super::{Choice, Heard, Outcome, Said, Thinking, Tool, is_one_of, is_true, items};
use super::{spelled, string, words};

pub(super) fn hear(model: &str, body: &Value) -> Heard {
    let messages = items(body, "messages");
    let mut heard = Heard {
        tools: tools(body),
        stream: is_true(body, "stream"),
        max_tokens: body.get("max_tokens").and_then(Value::as_u64),
        thinking: thinking(model, body.get("thinking")),
        choice: choice(body.get("tool_choice")),
        format: body.pointer("/output_config/format/schema").cloned(),
        ..Heard::default()
    };
    heard.conversation(said(messages));
    let cached = body.to_string().contains("\"cache_control\":{");
    heard.count(body, messages, cached);
    heard
}

fn said(messages: &[Value]) -> Vec<Said> {
    let mut out = Vec::new();
    for message in messages {
        let content = message.get("content").unwrap_or(&Value::Null);
        let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
        let of_kind = |kind: &'static str| blocks.iter().filter(move |b| string(b, "type") == kind);
        match string(message, "role") {
            "assistant" => {
                let calls = of_kind("tool_use")
                    .map(|call| (string(call, "id").to_owned(), string(call, "name").to_owned()));
                out.push(Said::Model(calls.collect()));
            }
            "user" => {
                let results: Vec<Outcome> = of_kind("tool_result").map(outcome).collect();
                out.push(if results.is_empty() {
                    Said::User(words(content))
                } else {
                    Said::Results(results)
                });
            }
            _ => {}
        }
    }
    out
}

fn outcome(result: &Value) -> Outcome {
    Outcome {
        call: string(result, "tool_use_id").to_owned(),
        name: String::new(),
        text: spelled(result.get("content").unwrap_or(&Value::Null)),
        failed: is_true(result, "is_error"),
    }
}

fn tools(body: &Value) -> Vec<Tool> {
    let custom = |tool: &&Value| tool.get("input_schema").is_some();
    let tool = |tool: &Value| Tool {
        name: string(tool, "name").to_owned(),
        description: string(tool, "description").to_owned(),
        schema: tool.get("input_schema").cloned().unwrap_or_default(),
        ..Tool::default()
    };
    items(body, "tools").iter().filter(custom).map(tool).collect()
}

/// Newer models think on their own, and show it only when asked.
pub(super) fn thinking(model: &str, asked: Option<&Value>) -> Thinking {
    let shown_by_default = is_one_of(model, SHOWN);
    let Some(asked) = asked else {
        return if shown_by_default || is_one_of(model, SILENT) {
            Thinking::Off
        } else {
            Thinking::Hidden
        };
    };
    match (string(asked, "type"), string(asked, "display")) {
        ("disabled" | "between_tools", _) => Thinking::Off,
        (_, "omitted") => Thinking::Hidden,
        (_, "") if !shown_by_default => Thinking::Hidden,
        _ => Thinking::Shown,
    }
}

fn choice(choice: Option<&Value>) -> Choice {
    match choice.map(|choice| (string(choice, "type"), string(choice, "name"))) {
        Some(("none", _)) => Choice::None,
        Some(("any", _)) => Choice::Any,
        Some(("tool", name)) => Choice::Tool(name.to_owned()),
        _ => Choice::Auto,
    }
}

/// Models that show their thinking unless told otherwise.
const SHOWN: &[&str] = &[
    "claude-2",
    "claude-3",
    "claude-instant",
    "opus-4-0",
    "opus-4-1",
    "opus-4-2025",
    "opus-4-5",
    "opus-4-6",
    "sonnet-4-0",
    "sonnet-4-2025",
    "sonnet-4-5",
    "sonnet-4-6",
    "haiku-4-5",
];

/// Models that hide it, but think only when asked to.
const SILENT: &[&str] = &["opus-4-7", "opus-4-8"];
