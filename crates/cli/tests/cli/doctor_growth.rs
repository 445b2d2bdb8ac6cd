//! How the time of `interlingua doctor` grows with what it finds.

use serde_json::json;

use crate::doctor::TestFolder;

/// A request with `count` calls without results, in one of several shapes.
fn unanswered_calls(shape: &str, count: usize) -> String {
    let id = |number: usize| format!("toolu_{number:06}");
    let call = |number| json!({"type": "tool_use", "id": id(number), "name": "Bash", "input": {}});
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    match shape {
        "one turn" => {
            let calls: Vec<_> = (0..count).map(call).collect();
            messages.push(json!({"role": "assistant", "content": calls}));
            messages.push(json!({"role": "user", "content": "go on"}));
        }
        "turns" => {
            for number in 0..count {
                messages.push(json!({"role": "assistant", "content": [call(number)]}));
                messages.push(json!({"role": "user", "content": "go on"}));
            }
        }
        _ => {
            let lines = (0..count).map(|number| {
                let item = json!({"type": "function_call", "call_id": id(number), "name": "f",
                    "arguments": "{}"});
                json!({"timestamp": "t", "type": "response_item", "payload": item}).to_string()
            });
            let head = json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "x"}});
            return std::iter::once(head.to_string()).chain(lines).collect::<Vec<_>>().join("\n");
        }
    }
    json!({"model": "claude-opus-4-6", "max_tokens": 9, "messages": messages}).to_string()
}

#[test]
fn many_unanswered_calls_take_linear_time() {
    for shape in ["one turn", "turns", "rollout"] {
        for options in ["", "--fix --force"] {
            let measure = |count: usize| {
                let name = format!("many-{}-{count}", shape.replace(' ', "-"));
                let file = if shape == "rollout" { "talk.jsonl" } else { "talk.json" };
                let test_folder = TestFolder::new(&name, file, &unanswered_calls(shape, count));
                // The ledger counts further changes of one rule in one entry.
                let listed = count.min(1001);
                let run = || {
                    let start = std::time::Instant::now();
                    let output = test_folder.doctor(options);
                    assert_eq!(output.text().matches("its outcome is unknown").count(), listed);
                    start.elapsed().as_secs_f64()
                };
                // The lesser of two, because other processes run as well.
                run().min(run())
            };
            let (few, many) = (measure(2_500), measure(20_000));
            assert!(many < 24.0 * few.max(0.02), "{shape} {options}: {few} s, {many} s");
        }
    }
}
