//! The agent calls tools and answers, and misbehaves on request.

use interlingua_simulator::Api;
use interlingua_simulator::model::{MISBEHAVIORS, ToolUse, agent};
use interlingua_simulator::parse::{
    ModelInput, ThinkingVisibility, Tool, ToolChoice, ToolResult, parse_request,
};
use interlingua_simulator::turn::{Block, StopReason, Turn};
use serde_json::{Value, json};

use crate::client::{TestServer, request};

fn tool(name: &str) -> Tool {
    let schema = json!({
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"],
    });
    let description = format!("Does {name} things");
    Tool { name: name.to_owned(), schema, description, ..Tool::default() }
}

fn model_input(prompt: &str) -> ModelInput {
    ModelInput {
        last_user_text: prompt.to_owned(),
        tools: vec![tool("read_file"), tool("list_files"), tool("search")],
        turn_number: 1,
        ..ModelInput::default()
    }
}

fn reply(model_input: &ModelInput) -> Turn {
    agent::reply(model_input, ToolUse::Any)
}

fn names(turn: &Turn) -> Vec<&str> {
    turn.calls().map(|call| call.name.as_str()).collect()
}

#[test]
fn it_calls_the_named_or_most_similar_tool() {
    assert_eq!(names(&reply(&model_input("Use list_files now"))), ["list_files"]);
    assert_eq!(names(&reply(&model_input("Please search the web"))), ["search"]);
    assert_eq!(names(&reply(&model_input("Hello"))), ["read_file"]);
    let forced = ModelInput {
        tool_choice: ToolChoice::Tool("search".into()),
        ..model_input("Use list_files now")
    };
    assert_eq!(names(&reply(&forced)), ["search"]);
    let none = ModelInput { tool_choice: ToolChoice::None, ..model_input("Use list_files now") };
    assert_eq!(reply(&none).stop_reason, StopReason::End);
}

#[test]
fn it_calls_agent_tools_only_by_name() {
    let with_agents = |prompt: &str| {
        let tools = ["Agent", "spawn_agent", "Task", "search"].map(tool).to_vec();
        ModelInput { tools, ..model_input(prompt) }
    };
    assert_eq!(names(&reply(&with_agents("Hello, does the agent do things?"))), ["search"]);
    assert_eq!(names(&reply(&with_agents("Use spawn_agent"))), ["spawn_agent"]);
}

#[test]
fn the_read_only_agent_calls_only_tools_that_read_and_match() {
    let names_of = [
        "write_file",
        "Read",
        "list_directory",
        "get_weather",
        "WebSearch",
        "get_or_create_user",
        "exec_command",
        "read_agent_mail",
        "update_goal",
        "get_goal",
    ];
    let with_tools = |prompt: &str| {
        let tools = names_of.map(tool).to_vec();
        ModelInput { tools, ..model_input(prompt) }
    };
    let called = |prompt: &str| {
        let turn = agent::reply(&with_tools(prompt), ToolUse::ReadOnly);
        turn.calls().map(|call| call.name.clone()).collect::<Vec<_>>()
    };
    for (prompt, tools) in [
        ("What's the weather like in San Francisco?", &["get_weather"][..]),
        ("Use list_directory and Read", &["list_directory"]),
        ("list the directories", &["list_directory"]),
        ("Search the web for crabs", &["WebSearch"]),
        ("Hi", &[]),
        ("Hi there!", &[]),
        ("What can you do?", &[]),
        ("Explain this repo", &[]),
        ("use write_file to save a haiku", &[]),
        ("Run the shell command echo hi", &[]),
        ("Create a user", &[]),
        ("Get the mail of the agent", &[]),
        ("sim:call=write_file", &["write_file"]),
    ] {
        assert_eq!(called(prompt), tools, "{prompt}");
    }
    let greeting = agent::reply(&with_tools("Hi"), ToolUse::ReadOnly);
    assert!(
        matches!(&greeting.blocks[..], [Block::Text(text)] if text.contains("ANTHROPIC_API_KEY")),
        "{greeting:?}"
    );
    for tool_choice in [ToolChoice::Any, ToolChoice::Tool("exec_command".into())] {
        let forced = ModelInput { tool_choice, ..with_tools("Hi") };
        let turn = agent::reply(&forced, ToolUse::ReadOnly);
        assert_eq!(turn.calls().count(), 1, "{forced:?}");
    }
    // The notes that a client puts before the prompt name tools that the user did not ask for.
    let notes =
        ModelInput { recent_user_text: "Prefer Read over cat.\nHi".into(), ..with_tools("Hi") };
    assert_eq!(agent::reply(&notes, ToolUse::ReadOnly).calls().count(), 0);
}

#[test]
fn it_prefers_the_last_message() {
    let message =
        |text: &str| json!({"role": "user", "content": [{"type": "input_text", "text": text}]});
    let body = json!({"input": [
        message("Notes of the client: read_file reads, sim:parallel=2 is possible."),
        message("Use list_files now, sim:parallel=3"),
    ]});
    let last = parse_request(Api::Responses, "openai", "m", &body);
    assert_eq!(last.last_user_text, "Use list_files now, sim:parallel=3");
    let last = ModelInput { tools: model_input("").tools, ..last };
    assert_eq!(names(&reply(&last)), ["list_files"; 3]);
    let only_before = ModelInput { last_user_text: "Go on.".into(), ..last };
    assert_eq!(names(&reply(&only_before)), ["read_file", "list_files"]);
}

#[test]
fn several_parallel_calls_on_request() {
    let turn = reply(&model_input("Run search and list_files in parallel"));
    assert_eq!(names(&turn), ["search", "list_files"]);
    let turn = reply(&model_input("read_file sim:parallel=3"));
    assert_eq!(names(&turn), ["read_file"; 3]);
    let arguments: Vec<&str> = turn.calls().map(|call| call.arguments.as_str()).collect();
    assert_ne!(arguments[0], arguments[1]);
}

#[test]
fn it_calls_the_requested_tool_with_the_requested_arguments() {
    let turn = reply(&model_input(r#"sim:call=search sim:arguments={"path": "}{", "n": 1} ok"#));
    let call = turn.calls().next().unwrap();
    assert_eq!((&*call.name, &*call.arguments), ("search", r#"{"path":"}{","n":1}"#));
}

#[test]
fn thinking_is_interleaved() {
    let thinking = ModelInput { thinking: ThinkingVisibility::Shown, ..model_input("Hello") };
    let turn = reply(&thinking);
    assert!(matches!(
        turn.blocks[..],
        [Block::Thinking(_), Block::Text(_), Block::Thinking(_), Block::Call(_)]
    ));
}

#[test]
fn the_answer_proves_that_results_arrived() {
    let text = "line one\nline \"two\" é".to_owned();
    let result =
        ToolResult { call_id: "c1".into(), tool_name: "search".into(), text, is_error: false };
    let answered = ModelInput {
        tool_results: vec![result],
        turns_since_prompt: 1,
        turn_number: 2,
        ..model_input("Hello")
    };
    let turn = reply(&answered);
    let [Block::Text(text)] = &turn.blocks[..] else { panic!("{turn:?}") };
    assert!(text.contains("search (c1): 22 bytes"), "{text}");
    assert!(text.contains("line one\nline \"two\" é"), "{text}");
    let digest = "sha256 77f8d2db30b53d038a7608a7d9d2f8204f7c0234d60c3610a4424a45a3d3bf8a";
    assert!(text.contains(digest), "{text}");
    assert_eq!(turn.stop_reason, StopReason::End);
    let more = ModelInput { last_user_text: "Hello sim:rounds=2".into(), ..answered };
    assert_eq!(reply(&more).stop_reason, StopReason::ToolCalls);
}

#[test]
fn every_misbehavior_happens_once() {
    for (phrase, misbehavior, _) in MISBEHAVIORS {
        let bad = ModelInput {
            thinking: ThinkingVisibility::Shown,
            ..model_input(&format!("Go on. {phrase}"))
        };
        let turn = reply(&bad);
        let call = turn.calls().next();
        let arguments = call.map_or("", |call| &call.arguments);
        let parsed = serde_json::from_str::<Value>(arguments);
        let holds = match *phrase {
            "sim:empty-arguments" => call.is_some() && arguments.is_empty(),
            "sim:missing-arguments" => arguments == "{}",
            "sim:malformed-arguments" => call.is_some() && parsed.is_err(),
            "sim:double-encoded" => parsed.unwrap().is_string(),
            "sim:unknown-tool" => bad.tools.iter().all(|tool| tool.name != call.unwrap().name),
            "sim:truncate" => turn.stop_reason == StopReason::MaxTokens && parsed.is_err(),
            "sim:empty-text" => turn.blocks[1] == Block::Text(String::new()),
            "sim:empty" => turn.blocks.is_empty() && turn.stop_reason == StopReason::End,
            "sim:refuse" => turn.stop_reason == StopReason::Refusal,
            other => panic!("{other} is not tested"),
        };
        assert!(holds, "{phrase} ({misbehavior:?}): {turn:?}");
        // The next turn has valid calls.
        let result = ToolResult { text: "no".into(), is_error: true, ..ToolResult::default() };
        let next =
            ModelInput { tool_results: vec![result], turns_since_prompt: 1, turn_number: 2, ..bad };
        let turn = reply(&next);
        let is_valid = |call: &interlingua_simulator::turn::Call| {
            serde_json::from_str::<Value>(&call.arguments).unwrap()["path"].is_string()
        };
        assert!(turn.calls().all(is_valid), "{phrase}: {turn:?}");
        assert!(
            matches!(turn.stop_reason, StopReason::End | StopReason::ToolCalls),
            "{phrase}: {turn:?}"
        );
    }
}

#[test]
fn groq_answers_a_bad_call_with_an_error() {
    let server = TestServer::start();
    for (phrase, message) in [
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
        assert!(error["message"].as_str().unwrap().contains(message), "{error}");
        assert!(error["failed_generation"].is_string());
        body["disable_tool_validation"] = true.into();
        assert_eq!(server.post("/groq/v1/chat/completions", &body).status, 200);
    }
}

#[test]
fn an_oauth_token_needs_its_beta_header() {
    let server = TestServer::start();
    let (path, body) = request("anthropic", false, "Hello");
    let body = body.to_string();
    let send = |headers: &str| server.send("POST", &path, headers, body.as_bytes());
    let token = "authorization: Bearer sk-ant-oat01-x\r\n";
    let rejected = send(token);
    assert_eq!(rejected.status, 401);
    let error = &rejected.json()["error"];
    assert_eq!(error["type"], "authentication_error");
    assert_eq!(error["message"], "OAuth authentication is currently not supported.");
    assert_eq!(send(&format!("{token}anthropic-beta: oauth-2025-04-20\r\n")).status, 200);
}
