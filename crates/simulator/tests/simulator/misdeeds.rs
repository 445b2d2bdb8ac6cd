//! The agent behaves, and misbehaves when asked to.

use interlingua_simulator::Api;
use interlingua_simulator::brain::{MISDEEDS, agent};
use interlingua_simulator::hear::{Choice, Heard, Outcome, Thinking, Tool, hear};
use interlingua_simulator::turn::{Block, Stop, Turn};
use serde_json::{Value, json};

use crate::client::{Server, request};

fn tool(name: &str) -> Tool {
    let schema = json!({
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"],
    });
    let description = format!("Does {name} things");
    Tool { name: name.to_owned(), schema, description, ..Tool::default() }
}

fn heard(prompt: &str) -> Heard {
    Heard {
        prompt: prompt.to_owned(),
        tools: vec![tool("read_file"), tool("list_files"), tool("search")],
        turn: 1,
        ..Heard::default()
    }
}

fn names(turn: &Turn) -> Vec<&str> {
    turn.calls().map(|call| call.name.as_str()).collect()
}

#[test]
fn it_calls_the_tool_that_is_named_or_fits() {
    assert_eq!(names(&agent::answer(&heard("Use list_files now"))), ["list_files"]);
    assert_eq!(names(&agent::answer(&heard("Please search the web"))), ["search"]);
    assert_eq!(names(&agent::answer(&heard("Hello"))), ["read_file"]);
    let forced = Heard { choice: Choice::Tool("search".into()), ..heard("Use list_files now") };
    assert_eq!(names(&agent::answer(&forced)), ["search"]);
    let none = Heard { choice: Choice::None, ..heard("Use list_files now") };
    assert_eq!(agent::answer(&none).stop, Stop::End);
}

#[test]
fn it_starts_no_agents_unless_it_is_asked_to() {
    let with_agents = |prompt: &str| {
        let tools = ["Agent", "spawn_agent", "Task", "search"].map(tool).to_vec();
        Heard { tools, ..heard(prompt) }
    };
    assert_eq!(names(&agent::answer(&with_agents("Hello, does the agent do things?"))), ["search"]);
    assert_eq!(names(&agent::answer(&with_agents("Use spawn_agent"))), ["spawn_agent"]);
}

#[test]
fn it_prefers_what_was_said_last() {
    let message =
        |text: &str| json!({"role": "user", "content": [{"type": "input_text", "text": text}]});
    let body = json!({"input": [
        message("Notes of the client: read_file reads, sim:parallel=2 is possible."),
        message("Use list_files now, sim:parallel=3"),
    ]});
    let last = hear(Api::Responses, "openai", "m", &body);
    assert_eq!(last.prompt, "Use list_files now, sim:parallel=3");
    let last = Heard { tools: heard("").tools, ..last };
    assert_eq!(names(&agent::answer(&last)), ["list_files"; 3]);
    let only_before = Heard { prompt: "Go on.".into(), ..last };
    assert_eq!(names(&agent::answer(&only_before)), ["read_file", "list_files"]);
}

#[test]
fn several_calls_in_parallel_when_asked() {
    let turn = agent::answer(&heard("Run search and list_files in parallel"));
    assert_eq!(names(&turn), ["search", "list_files"]);
    let turn = agent::answer(&heard("read_file sim:parallel=3"));
    assert_eq!(names(&turn), ["read_file"; 3]);
    let arguments: Vec<&str> = turn.calls().map(|call| call.arguments.as_str()).collect();
    assert_ne!(arguments[0], arguments[1]);
}

#[test]
fn it_says_what_it_is_told_to_call() {
    let turn = agent::answer(&heard(r#"sim:call=search sim:arguments={"path": "}{", "n": 1} ok"#));
    let call = turn.calls().next().unwrap();
    assert_eq!((&*call.name, &*call.arguments), ("search", r#"{"path":"}{","n":1}"#));
}

#[test]
fn thinking_is_interleaved() {
    let thinking = Heard { thinking: Thinking::Shown, ..heard("Hello") };
    let turn = agent::answer(&thinking);
    assert!(matches!(
        turn.blocks[..],
        [Block::Thinking(_), Block::Text(_), Block::Thinking(_), Block::Call(_)]
    ));
}

#[test]
fn the_answer_proves_that_results_arrived() {
    let text = "line one\nline \"two\" é".to_owned();
    let result = Outcome { call: "c1".into(), name: "search".into(), text, failed: false };
    let answered = Heard { results: vec![result], steps: 1, turn: 2, ..heard("Hello") };
    let turn = agent::answer(&answered);
    let [Block::Text(said)] = &turn.blocks[..] else { panic!("{turn:?}") };
    assert!(said.contains("search (c1): 22 bytes"), "{said}");
    assert!(said.contains("line one\nline \"two\" é"), "{said}");
    let digest = "sha256 77f8d2db30b53d038a7608a7d9d2f8204f7c0234d60c3610a4424a45a3d3bf8a";
    assert!(said.contains(digest), "{said}");
    assert_eq!(turn.stop, Stop::End);
    let more = Heard { prompt: "Hello sim:rounds=2".into(), ..answered };
    assert_eq!(agent::answer(&more).stop, Stop::Calls);
}

#[test]
fn every_misdeed_is_done_once() {
    for (phrase, misdeed, _) in MISDEEDS {
        let bad = Heard { thinking: Thinking::Shown, ..heard(&format!("Go on. {phrase}")) };
        let turn = agent::answer(&bad);
        let call = turn.calls().next();
        let arguments = call.map_or("", |call| &call.arguments);
        let parsed = serde_json::from_str::<Value>(arguments);
        let holds = match *phrase {
            "sim:empty-arguments" => call.is_some() && arguments.is_empty(),
            "sim:missing-arguments" => arguments == "{}",
            "sim:malformed-arguments" => call.is_some() && parsed.is_err(),
            "sim:double-encoded" => parsed.unwrap().is_string(),
            "sim:unknown-tool" => bad.tools.iter().all(|tool| tool.name != call.unwrap().name),
            "sim:truncate" => turn.stop == Stop::Length && parsed.is_err(),
            "sim:empty-text" => turn.blocks[1] == Block::Text(String::new()),
            "sim:empty" => turn.blocks.is_empty() && turn.stop == Stop::End,
            "sim:refuse" => turn.stop == Stop::Refusal,
            other => panic!("{other} is not tried"),
        };
        assert!(holds, "{phrase} ({misdeed:?}): {turn:?}");
        // The next step is done well.
        let result = Outcome { text: "no".into(), failed: true, ..Outcome::default() };
        let next = Heard { results: vec![result], steps: 1, turn: 2, ..bad };
        let turn = agent::answer(&next);
        let well = |call: &interlingua_simulator::turn::Call| {
            serde_json::from_str::<Value>(&call.arguments).unwrap()["path"].is_string()
        };
        assert!(turn.calls().all(well), "{phrase}: {turn:?}");
        assert!(matches!(turn.stop, Stop::End | Stop::Calls), "{phrase}: {turn:?}");
    }
}

#[test]
fn one_provider_answers_a_bad_call_with_an_error() {
    let server = Server::start();
    for (phrase, words) in [
        (
            "sim:unknown-tool",
            "attempted to call tool 'no_such_tool' which was not in request.tools",
        ),
        ("sim:malformed-arguments", "Failed to call a function."),
    ] {
        let (_, mut body) = request("openai", false, &format!("Use get_weather {phrase}"));
        let reply = server.post("/groq/v1/chat/completions", &body);
        assert_eq!(reply.status, 400, "{}", reply.text());
        let error = &reply.json()["error"];
        assert_eq!(error["code"], "tool_use_failed");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
        assert!(error["failed_generation"].is_string());
        body["disable_tool_validation"] = true.into();
        assert_eq!(server.post("/groq/v1/chat/completions", &body).status, 200);
    }
}

#[test]
fn a_subscription_must_be_asked_for() {
    let server = Server::start();
    let (path, body) = request("anthropic", false, "Hello");
    let body = body.to_string();
    let send = |headers: &str| server.send("POST", &path, headers, body.as_bytes());
    let token = "authorization: Bearer sk-ant-oat01-x\r\n";
    let refused = send(token);
    assert_eq!(refused.status, 401);
    let error = &refused.json()["error"];
    assert_eq!(error["type"], "authentication_error");
    assert_eq!(error["message"], "OAuth authentication is currently not supported.");
    assert_eq!(send(&format!("{token}anthropic-beta: oauth-2025-04-20\r\n")).status, 200);
}
