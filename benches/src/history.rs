//! The history of a long agent session: 601 turns, about 1.2 MiB.

use bytes::Bytes;
use interlingua::{Dialect, JsonString, Target, find_dialect, translate_request};
use serde_json::{Value, json};

/// The history as a Messages body.
pub fn anthropic_history() -> Bytes {
    let mut rng = Rng(0x2545_f491_4f6c_dd1d);
    let mut messages = Vec::new();
    for turn in 0..300 {
        messages.push(if turn == 0 { question() } else { result(turn - 1, &mut rng) });
        messages.push(call(turn, &mut rng));
    }
    messages.push(result(299, &mut rng));
    let body = json!({
        "model": "claude-opus-4-5",
        "max_tokens": 32000,
        "system": [{"type": "text", "text": prose(&mut rng, 600), "cache_control": {"type": "ephemeral"}}],
        "tools": tools(),
        "messages": messages,
        "stream": true,
    });
    body.to_string().into()
}

/// The same history in another dialect.
pub fn history_in(dialect: &dyn Dialect) -> Bytes {
    let body = anthropic_history();
    if dialect.id().0 == "anthropic" {
        return body;
    }
    match find_dialect("anthropic")
        .map(|from| translate_request(body, from, dialect, &Target::default()))
    {
        Some(Ok(translated)) => translated.body,
        _ => Bytes::new(),
    }
}

/// A model for which the history needs no repairs.
pub fn model_without_repairs(to: &dyn Dialect) -> JsonString {
    let name = match to.id().0 {
        "anthropic" => "claude-opus-4-5",
        "bedrock" => "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "gemini" => "gemini-2.5-pro",
        "openai-responses" => "gpt-5.2",
        _ => "gpt-4.1",
    };
    JsonString::new(name)
}

fn question() -> Value {
    json!({"role": "user", "content": "Please refactor the parser and run the tests."})
}

fn call(turn: u64, rng: &mut Rng) -> Value {
    json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": prose(rng, 60), "signature": "EqQBCkYIBRgCKkD4".repeat(20)},
        {"type": "text", "text": "Let me look at the next file before I change anything."},
        {"type": "tool_use", "id": id(turn), "name": "read_file", "input": {
            "target_file": format!("src/parser/module_{turn}.rs"), "offset": turn, "limit": 200}},
    ]})
}

fn result(turn: u64, rng: &mut Rng) -> Value {
    json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id(turn), "content": [{"type": "text", "text": code(rng)}]},
    ]})
}

fn id(turn: u64) -> String {
    format!("toolu_{turn:024}")
}

fn tools() -> Value {
    let names = ["read_file", "write_file", "list_directory", "run_command", "search", "ask"];
    let tool = |name: &&str| {
        json!({"name": name, "description": format!("Does what {name} says, in the project's folder."),
            "input_schema": {"type": "object", "properties": {
                "target_file": {"type": "string", "description": "Path from the root."},
                "offset": {"type": "integer"}, "limit": {"type": "integer"}}, "required": ["target_file"]}})
    };
    names.iter().map(tool).collect()
}

/// Source text: lines with quotes, tabs and some non-ASCII letters.
fn code(rng: &mut Rng) -> String {
    let mut text = String::new();
    while text.len() < 2900 {
        let line = CODE_LINES[rng.below(CODE_LINES.len())];
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn prose(rng: &mut Rng, word_count: usize) -> String {
    let words: Vec<&str> =
        (0..word_count).map(|_| PROSE_WORDS[rng.below(PROSE_WORDS.len())]).collect();
    words.join(" ")
}

/// xorshift with a fixed seed.
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

const CODE_LINES: &[&str] = &[
    "fn main() -> Result<(), Box<dyn Error>> {",
    "\tlet text = std::fs::read_to_string(\"input.txt\")?;",
    "\tfor (index, line) in text.lines().enumerate() {",
    "\t\tprintln!(\"{index}: {line}\");",
    "\t}",
    "    // Löst das Problem mit den Umlauten – naïve, but it works.",
    "    let tokens = line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();",
    "    assert_eq!(tokens.len(), 3, \"expected three tokens in {line:?}\");",
    "}",
    "",
    "pub struct Parser<'a> { input: &'a str, position: usize, depth: u32 }",
];

const PROSE_WORDS: &[&str] = &[
    "the", "parser", "should", "look", "at", "each", "token", "before", "it", "decides", "whether",
    "this", "rule", "applies", "and", "then", "report", "an", "error", "with", "its", "position",
    "so", "that", "callers", "can", "recover",
];
