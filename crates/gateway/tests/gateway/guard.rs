//! Tests of the guard: a model gets the guard answer to a bad call exactly once, in every dialect,
//! whether or not the client answers the call.

use std::fmt::{self, Write as _};
use std::sync::Mutex;

use interlingua_gateway::config::{GuardMode, StoreLocation};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::client::{CLIENTS, Client, HttpResponse, get, post, reply_repairs};
use crate::harness::Harness;

/// A provider of each dialect with one of its models.
const PROVIDERS: &[&str] = &[
    "anthropic/claude-sonnet-4-5",
    "openai/gpt-4.1",
    "codex/gpt-5.5-codex",
    "gemini/gemini-2.5-pro",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
];
const BAD_CALL_PROMPT: &str = "Please look at the harbour. sim:missing-arguments";
const GUARD_ANSWER: &str = "Tool 'look' was called with empty arguments";
const CLIENT_ANSWER: &str = "I cannot look at nothing.";

/// One turn: the reply as one body, and the response.
fn ask(
    harness: &Harness,
    client: &Client,
    model: &str,
    stream: bool,
    request: &Value,
) -> (Value, HttpResponse) {
    let path = (client.path)(model, stream);
    let response = post(harness.addr(), &path, "", request.to_string().as_bytes());
    assert_eq!(response.status, 200, "{} {model}: {}", client.dialect, response.text());
    let reply = if stream {
        client.fold_stream(&response.body).unwrap()
    } else {
        serde_json::from_slice(&response.body).unwrap()
    };
    (reply, response)
}

/// Continues as a client that does not answer the call.
fn append_without_results(client: &Client, request: &mut Value, reply: &Value, text: &str) {
    // Appends the reply, then removes the results.
    (client.append_results)(request, reply, "");
    let (turns, user_turn) = match client.dialect {
        "anthropic" | "openai-chat" => ("messages", json!({"role": "user", "content": text})),
        "openai-responses" => ("input", json!({"role": "user", "content": text})),
        _ => ("contents", json!({"role": "user", "parts": [{"text": text}]})),
    };
    let turns = request[turns].as_array_mut().unwrap();
    turns.pop();
    turns.push(user_turn);
}

/// Tool results in a provider request.
fn count_results(request: &Value) -> usize {
    let text = request.to_string();
    [
        "\"tool_result\"",
        "\"role\":\"tool\"",
        "\"function_call_output\"",
        "\"functionResponse\"",
        "\"toolResult\"",
    ]
    .iter()
    .map(|key| text.matches(key).count())
    .sum()
}

fn count_matches(request: &Value, text: &str) -> usize {
    request.to_string().matches(text).count()
}

/// The part of a request that must stay the same when the conversation continues.
fn history(request: &Value) -> Vec<Value> {
    let turns = ["messages", "input", "contents"].iter().find_map(|key| request[key].as_array());
    turns.unwrap().clone()
}

fn repairs(response: &HttpResponse) -> Vec<String> {
    let names = response.header("x-interlingua-repairs").unwrap_or_default();
    names.split(',').map(str::to_owned).collect()
}

#[test]
fn empty_arguments_get_one_guard_answer() {
    for client in CLIENTS {
        for model in PROVIDERS {
            for (stream, answers) in [(false, true), (true, true), (false, false), (true, false)] {
                check_guard_answer(client, model, stream, answers);
            }
        }
    }
}

fn check_guard_answer(client: &Client, model: &str, stream: bool, answers: bool) {
    let harness = Harness::new();
    let name = format!("{} → {model}, stream {stream}, answered {answers}", client.dialect);
    let mut request = (client.first_request)(model, stream, BAD_CALL_PROMPT);
    let (reply, first) = ask(&harness, client, model, stream, &request);
    assert_eq!(
        first.header("x-interlingua-guard"),
        (!stream).then_some("look=empty-arguments"),
        "{name}"
    );
    if answers {
        assert_eq!(
            (client.append_results)(&mut request, &reply, CLIENT_ANSWER),
            1,
            "{name}: {reply}"
        );
    } else {
        append_without_results(client, &mut request, &reply, "Please look at the tower.");
    }
    let (reply, second) = ask(&harness, client, model, stream, &request);
    assert!(
        repairs(&second).contains(&"guard-answer".to_owned()),
        "{name}: {:?}",
        repairs(&second)
    );
    // This time the call is valid and has no finding.
    assert_eq!((client.append_results)(&mut request, &reply, "14 ships"), 1, "{name}: {reply}");
    assert_eq!(second.header("x-interlingua-guard"), None, "{name}");
    let (_, third) = ask(&harness, client, model, stream, &request);
    assert!(repairs(&third).contains(&"guard-answer".to_owned()), "{name}");

    let log = harness.provider_requests();
    for request in &log {
        assert_eq!(request["accepted"], true, "{name}: {}", request["violations"]);
    }
    let sent: Vec<&Value> = log.iter().map(|entry| &entry["request"]).collect();
    assert_eq!((count_matches(sent[0], GUARD_ANSWER), count_results(sent[0])), (0, 0), "{name}");
    for (request, count) in [(sent[1], 1), (sent[2], 2)] {
        assert_eq!(
            (count_matches(request, GUARD_ANSWER), count_results(request)),
            (1, count),
            "{name}: {request}"
        );
        assert_eq!(
            count_matches(request, CLIENT_ANSWER),
            usize::from(answers),
            "{name}: {request}"
        );
        assert_eq!(count_matches(request, "Required parameters: place (string)"), 1, "{name}");
    }
    let (before, after) = (history(sent[1]), history(sent[2]));
    assert_eq!(before, after[..before.len()], "{name}: the history has changed");
}

/// Guard answers survive a restart and stay in their store.
#[test]
fn a_guard_answer_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let location = || StoreLocation::Sqlite(folder.path().join("store.db"));
    let (client, model) = (&CLIENTS[0], PROVIDERS[0]);
    let mut request = (client.first_request)(model, true, BAD_CALL_PROMPT);
    let harness = Harness::with_config(|config| config.store.location = location());
    let (reply, _) = ask(&harness, client, model, true, &request);
    drop(harness);
    append_without_results(client, &mut request, &reply, "Please look at the tower.");
    for (location, expected) in [(location(), 1), (StoreLocation::Memory, 0), (location(), 1)] {
        let harness = Harness::with_config(|config| config.store.location = location);
        ask(&harness, client, model, true, &request);
        let sent = &harness.provider_requests()[0]["request"];
        assert_eq!(
            (count_matches(sent, GUARD_ANSWER), count_results(sent)),
            (expected, 1),
            "{sent}"
        );
    }
}

#[test]
fn every_call_error_gets_a_guard_answer() {
    let call_errors = [
        ("sim:empty-arguments", "was called with empty arguments"),
        ("sim:malformed-arguments", "Tool 'look' was called with"),
        ("sim:double-encoded", "as a JSON string that holds JSON"),
        ("sim:unknown-tool", "There is no tool named"),
    ];
    for client in CLIENTS {
        for (switch, text) in call_errors {
            for stream in [false, true] {
                let harness = Harness::new();
                let model = "openai/gpt-4.1";
                let name = format!("{} {switch} {stream}", client.dialect);
                let prompt = format!("Please look at the harbour. {switch}");
                let mut request = (client.first_request)(model, stream, &prompt);
                let (reply, _) = ask(&harness, client, model, stream, &request);
                assert_eq!(
                    (client.append_results)(&mut request, &reply, CLIENT_ANSWER),
                    1,
                    "{name}: {reply}"
                );
                ask(&harness, client, model, stream, &request);
                let sent = &harness.provider_requests()[1]["request"];
                assert_eq!(count_matches(sent, text), 1, "{name}: {sent}");
                assert_eq!(
                    (count_results(sent), count_matches(sent, CLIENT_ANSWER)),
                    (1, 1),
                    "{name}: {sent}"
                );
            }
        }
    }
}

#[test]
fn a_gemini_client_without_call_ids_works() {
    let client = CLIENTS.iter().find(|client| client.dialect == "gemini").unwrap();
    let (harness, model) = (Harness::new(), "openai/gpt-4.1");
    let mut request = (client.first_request)(model, false, BAD_CALL_PROMPT);
    let (mut reply, _) = ask(&harness, client, model, false, &request);
    for part in reply["candidates"][0]["content"]["parts"].as_array_mut().unwrap() {
        if let Some(call) = part["functionCall"].as_object_mut() {
            call.remove("id");
        }
    }
    (client.append_results)(&mut request, &reply, CLIENT_ANSWER);
    ask(&harness, client, model, false, &request);
    assert_eq!(count_matches(&harness.provider_requests()[1]["request"], GUARD_ANSWER), 1);
}

#[test]
fn modes_off_and_observe_have_no_guard_answer() {
    let client = &CLIENTS[0];
    let model = "openai/gpt-4.1";
    let cases: [(GuardMode, Option<GuardMode>, Option<&str>, usize); 5] = [
        (GuardMode::Off, None, None, 0),
        (GuardMode::Observe, None, Some("look=empty-arguments"), 0),
        (GuardMode::Answer, Some(GuardMode::Off), None, 0),
        (GuardMode::Off, Some(GuardMode::Answer), Some("look=empty-arguments"), 1),
        (GuardMode::Mend, None, Some("look=empty-arguments"), 1),
    ];
    for (mode, tool_mode, header, count) in cases {
        let harness = Harness::with_config(|config| {
            config.guard.default = mode;
            config.guard.per_tool =
                tool_mode.map(|tool_mode| ("look".to_owned(), tool_mode)).into_iter().collect();
        });
        let mut request = (client.first_request)(model, false, BAD_CALL_PROMPT);
        let (reply, first) = ask(&harness, client, model, false, &request);
        assert_eq!(first.header("x-interlingua-guard"), header, "{mode:?} {tool_mode:?}");
        (client.append_results)(&mut request, &reply, CLIENT_ANSWER);
        ask(&harness, client, model, false, &request);
        assert_eq!(
            count_matches(&harness.provider_requests()[1]["request"], GUARD_ANSWER),
            count,
            "{mode:?} {tool_mode:?}"
        );
    }
}

#[test]
fn a_call_is_mended_before_the_client_sees_it() {
    // Other dialects cannot carry such a call.
    let models = PROVIDERS.iter().filter(|model| ["openai", "codex"].contains(&provider(model)));
    for model in models {
        for client in CLIENTS {
            for stream in [false, true] {
                let harness = Harness::with_config(|config| config.guard.default = GuardMode::Mend);
                let name = format!("{} → {model}, stream {stream}", client.dialect);
                let mut request = (client.first_request)(
                    model,
                    stream,
                    "Please look at the harbour. sim:double-encoded",
                );
                let (reply, first) = ask(&harness, client, model, stream, &request);
                let text = reply.to_string();
                assert!(text.contains("place") && !text.contains(r#"\\\"place"#), "{name}: {text}");
                let header = first.header("x-interlingua-guard");
                assert_eq!(header, (!stream).then_some("look=double-encoded"), "{name}");
                assert!(!repairs(&first).contains(&"guard-mend".to_owned()), "{name}");
                let of_reply = reply_repairs(harness.addr(), &first);
                assert!(of_reply.contains(&"guard-mend".to_owned()), "{name}: {of_reply:?}");
                assert_eq!(
                    (client.append_results)(&mut request, &reply, "14 ships"),
                    1,
                    "{name}: {reply}"
                );
                let (_, second) = ask(&harness, client, model, stream, &request);
                assert!(!repairs(&second).contains(&"guard-answer".to_owned()), "{name}");
                assert_eq!(harness.provider_requests()[1]["accepted"], true, "{name}");
            }
        }
    }
}

fn provider(model: &str) -> &str {
    model.split('/').next().unwrap()
}

#[test]
fn a_valid_call_has_no_guard_answer() {
    let (harness, client) = (Harness::new(), &CLIENTS[0]);
    let model = "anthropic/claude-sonnet-4-5";
    let mut request = (client.first_request)(model, true, "Please look at the harbour.");
    let (reply, _) = ask(&harness, client, model, true, &request);
    (client.append_results)(&mut request, &reply, "14 ships");
    let (_, second) = ask(&harness, client, model, true, &request);
    assert!(!repairs(&second).contains(&"guard-answer".to_owned()));
}

#[test]
fn findings_are_counted_and_logged_without_arguments() {
    static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    tracing::subscriber::set_global_default(LogLines(&LINES)).unwrap();
    let (harness, client) = (Harness::new(), &CLIENTS[1]);
    let model = "openai/gpt-4.1";
    let prompt = r#"Please look at it. sim:arguments={"place":["s3cret"]}"#;
    let (reply, _) =
        ask(&harness, client, model, true, &(client.first_request)(model, true, prompt));
    let id = reply["choices"][0]["message"]["tool_calls"][0]["id"].as_str().unwrap();
    let metrics = get(harness.addr(), "/metrics", "").text();
    let counted = metrics.lines().find(|line| {
        line.starts_with("interlingua_guard_total")
            && line.contains("wrong-type")
            && line.contains("answered")
    });
    assert!(counted.is_some(), "{metrics}");
    drop(harness);
    let lines = LINES.lock().unwrap();
    let line = lines.iter().find(|line| line.contains(id) && line.starts_with("WARN"));
    let line = line.unwrap_or_else(|| panic!("no line about {id} in {lines:?}"));
    for part in ["look", "wrong-type", "answered", "openai", "gpt-4.1"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(
        lines.iter().any(|line| line.starts_with("INFO") && line.contains("guard=\"wrong-type\""))
    );
    assert!(!lines.iter().any(|line| line.contains("s3cret")), "{lines:?}");
}

/// Collects every log line.
struct LogLines(&'static Mutex<Vec<String>>);

impl Subscriber for LogLines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("interlingua")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = LineVisitor(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct LineVisitor(String);

impl Visit for LineVisitor {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}
