//! The history of a long agent session: 601 turns, about 1.2 MiB.

use bytes::Bytes;
use interlingua::{Dialect, Target, Text, find, translate_request};
use serde_json::{Value, json};

/// The history as a Messages body.
pub fn anthropic_history() -> Bytes {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut messages = Vec::new();
    for turn in 0..300 {
        messages.push(if turn == 0 { question() } else { result(turn - 1, &mut dice) });
        messages.push(call(turn, &mut dice));
    }
    messages.push(result(299, &mut dice));
    let body = json!({
        "model": "claude-opus-4-5",
        "max_tokens": 32000,
        "system": [{"type": "text", "text": prose(&mut dice, 600), "cache_control": {"type": "ephemeral"}}],
        "tools": tools(),
        "messages": messages,
        "stream": true,
    });
    body.to_string().into()
}

/// The same history as a client of another dialect would send it.
pub fn in_dialect(dialect: &dyn Dialect) -> Bytes {
    let body = anthropic_history();
    if dialect.id().0 == "anthropic" {
        return body;
    }
    match find("anthropic").map(|from| translate_request(body, from, dialect, &Target::default())) {
        Some(Ok(translated)) => translated.body,
        _ => Bytes::new(),
    }
}

/// A model that takes the history as it is.
pub fn healthy_model(to: &dyn Dialect) -> Text {
    let name = match to.id().0 {
        "anthropic" => "claude-opus-4-5",
        "bedrock" => "us.anthropic.claude-opus-4-5-20251101-v1:0",
        "gemini" => "gemini-2.5-pro",
        "openai-responses" => "gpt-5.2",
        _ => "gpt-4.1",
    };
    Text::new(name)
}

fn question() -> Value {
    json!({"role": "user", "content": "Please refactor the parser and run the tests."})
}

fn call(turn: u64, dice: &mut Dice) -> Value {
    json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": prose(dice, 60), "signature": "EqQBCkYIBRgCKkD4".repeat(20)},
        {"type": "text", "text": "Let me look at the next file before I change anything."},
        {"type": "tool_use", "id": id(turn), "name": "read_file", "input": {
            "target_file": format!("src/parser/module_{turn}.rs"), "offset": turn, "limit": 200}},
    ]})
}

fn result(turn: u64, dice: &mut Dice) -> Value {
    json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id(turn), "content": [{"type": "text", "text": code(dice)}]},
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

/// Source text: lines with quotes, tabs and now and then a letter outside ASCII.
fn code(dice: &mut Dice) -> String {
    let mut text = String::new();
    while text.len() < 2900 {
        let line = LINES[dice.roll(LINES.len())];
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn prose(dice: &mut Dice, words: usize) -> String {
    let words: Vec<&str> = (0..words).map(|_| WORDS[dice.roll(WORDS.len())]).collect();
    words.join(" ")
}

/// xorshift: the same numbers for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }
}

const LINES: &[&str] = &[
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

const WORDS: &[&str] = &[
    "the", "parser", "should", "look", "at", "each", "token", "before", "it", "decides", "whether",
    "this", "rule", "applies", "and", "then", "report", "an", "error", "with", "its", "position",
    "so", "that", "callers", "can", "recover",
];
