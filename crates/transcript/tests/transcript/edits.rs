//! Tests with random edits that a written file reads back as the edited request.

use serde_json::{Value, json};

use crate::file::{TestFile, fixture};

/// Deterministic pseudorandom numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % bound as u64).unwrap()
    }
}

/// Removes, inserts and rewrites blocks; leaves no message empty.
fn mutate_messages(messages: &mut [Value], rng: &mut Rng) {
    for round in 0..=rng.below(4) {
        let message_index = rng.below(messages.len());
        let is_user = messages[message_index]["role"] == "user";
        let content = messages[message_index]["content"].as_array_mut().unwrap();
        let block_index = rng.below(content.len());
        match rng.below(3) {
            0 if content.len() > 1 => drop(content.remove(block_index)),
            1 if is_user => {
                let id = format!("toolu_new_{round}");
                let result = json!({"type": "tool_result", "tool_use_id": id, "content": "x"});
                content.insert(block_index, result);
            }
            1 => {
                content
                    .insert(block_index, json!({"type": "text", "text": format!("new {round}")}));
            }
            _ if content[block_index]["type"] == "text" => {
                content[block_index]["text"] = json!(format!("rewritten {round}"));
            }
            _ => {}
        }
    }
    sort_results_first(messages);
}

/// The agent puts results first; the order among them has no meaning.
fn sort_results_first(messages: &mut [Value]) {
    for message in messages.iter_mut().filter(|message| message["role"] == "user") {
        let content = message["content"].as_array_mut().unwrap();
        let id = |block: &Value| block["tool_use_id"].as_str().unwrap_or_default().to_owned();
        content.sort_by_key(|block| (block["type"] != "tool_result", id(block)));
    }
}

#[test]
fn random_edits_of_a_claude_code_file_are_read_back() {
    let file = TestFile::new(fixture("claude_code.jsonl"));
    let mut rng = Rng(7);
    for round in 0..2000 {
        let mut body = file.body();
        mutate_messages(body["messages"].as_array_mut().unwrap(), &mut rng);
        let after = file.write(&body);
        let reread = TestFile::new(&after);
        let mut messages = reread.messages();
        sort_results_first(messages.as_array_mut().unwrap());
        assert_eq!(messages, body["messages"], "round {round}:\n{after}");
        assert_eq!(
            reread.write(&reread.body()),
            after,
            "round {round}: a second write changes nothing"
        );
    }
}

#[test]
fn random_edits_of_a_codex_file_are_read_back() {
    let file = TestFile::new(fixture("codex.jsonl"));
    let mut rng = Rng(11);
    for round in 0..2000 {
        let mut body = file.body();
        let items = body["input"].as_array_mut().unwrap();
        for number in 0..=rng.below(4) {
            let index = rng.below(items.len());
            let output = json!({"type": "function_call_output", "call_id": number, "output": "x"});
            match rng.below(3) {
                0 if items.len() > 1 => drop(items.remove(index)),
                1 => items.insert(index, output),
                _ => items[index]["status"] = json!(number),
            }
        }
        let after = file.write(&body);
        let reread = TestFile::new(&after);
        assert_eq!(reread.body()["input"], body["input"], "round {round}:\n{after}");
    }
}
