//! Whatever is changed in a request comes back from the file that it was written to.

use serde_json::{Value, json};

use crate::file::{File, fixture};

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).unwrap()
    }
}

/// Takes out, puts in and rewrites blocks, and leaves no message empty.
fn change(messages: &mut [Value], dice: &mut Dice) {
    for round in 0..=dice.roll(4) {
        let at = dice.roll(messages.len());
        let is_user = messages[at]["role"] == "user";
        let content = messages[at]["content"].as_array_mut().unwrap();
        let of = dice.roll(content.len());
        match dice.roll(3) {
            0 if content.len() > 1 => drop(content.remove(of)),
            1 if is_user => {
                let id = format!("toolu_new_{round}");
                let result = json!({"type": "tool_result", "tool_use_id": id, "content": "x"});
                content.insert(of, result);
            }
            1 => content.insert(of, json!({"type": "text", "text": format!("new {round}")})),
            _ if content[of]["type"] == "text" => {
                content[of]["text"] = json!(format!("rewritten {round}"));
            }
            _ => {}
        }
    }
    sort(messages);
}

/// The agent puts results first; their order among themselves means nothing.
fn sort(messages: &mut [Value]) {
    for message in messages.iter_mut().filter(|message| message["role"] == "user") {
        let content = message["content"].as_array_mut().unwrap();
        let id = |block: &Value| block["tool_use_id"].as_str().unwrap_or_default().to_owned();
        content.sort_by_key(|block| (block["type"] != "tool_result", id(block)));
    }
}

#[test]
fn of_a_transcript() {
    let file = File::new(fixture("claude_code.jsonl"));
    let mut dice = Dice(7);
    for round in 0..2000 {
        let mut body = file.body();
        change(body["messages"].as_array_mut().unwrap(), &mut dice);
        let after = file.written(&body);
        let again = File::new(&after);
        let mut messages = again.messages();
        sort(messages.as_array_mut().unwrap());
        assert_eq!(messages, body["messages"], "round {round}:\n{after}");
        assert_eq!(again.written(&again.body()), after, "round {round}: nothing more to change");
    }
}

#[test]
fn of_a_rollout() {
    let file = File::new(fixture("codex.jsonl"));
    let mut dice = Dice(11);
    for round in 0..2000 {
        let mut body = file.body();
        let items = body["input"].as_array_mut().unwrap();
        for number in 0..=dice.roll(4) {
            let at = dice.roll(items.len());
            let output = json!({"type": "function_call_output", "call_id": number, "output": "x"});
            match dice.roll(3) {
                0 if items.len() > 1 => drop(items.remove(at)),
                1 => items.insert(at, output),
                _ => items[at]["status"] = json!(number),
            }
        }
        let after = file.written(&body);
        let again = File::new(&after);
        assert_eq!(again.body()["input"], body["input"], "round {round}:\n{after}");
    }
}
