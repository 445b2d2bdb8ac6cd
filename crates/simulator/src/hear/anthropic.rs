//! What an Anthropic request says.

use interlingua_strict::anthropic::profile::{self, profile};
use serde_json::Value;

use super::{Choice, Heard, Outcome, Said, Thinking, Tool, is_true, items};
use super::{spelled, string, texts, words};

pub(super) fn hear(model: &str, body: &Value) -> Heard {
    let messages = items(body, "messages");
    let mut heard = Heard {
        tools: tools(body),
        stream: is_true(body, "stream"),
        max_tokens: body.get("max_tokens").and_then(Value::as_u64),
        stops: texts(body.get("stop_sequences")),
        thinking: thinking(model, body.get("thinking")),
        compact: body.get("compaction").is_some_and(Value::is_object),
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
                    Said::User(vec![words(content)])
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
    let profile = profile(model);
    let shown = profile.shows_thinking();
    let kind = asked.map(|asked| (string(asked, "type"), string(asked, "display")));
    match kind {
        None if profile.unasked == profile::Thinking::Off => Thinking::Off,
        Some(("disabled" | "between_tools", _)) => Thinking::Off,
        Some((_, "summarized" | "updates")) => Thinking::Shown,
        Some((_, "omitted")) => Thinking::Hidden,
        _ if shown => Thinking::Shown,
        _ => Thinking::Hidden,
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
