//! A model that calls its tool wrongly is told so: exactly once, in every dialect, and whether or not
//! the client answers the call.

use std::fmt::{self, Write as _};
use std::sync::Mutex;

use interlingua_gateway::config::{Mode, Place};
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::client::{Answer, CLIENTS, Client, get, post};
use crate::house::House;

/// A provider of each dialect, with a model it knows.
const PROVIDERS: &[&str] = &[
    "anthropic/claude-sonnet-4-5",
    "openai/gpt-4.1",
    "codex/gpt-5.5-codex",
    "gemini/gemini-2.5-pro",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
];
const WRONG: &str = "Please look at the harbour. sim:missing-arguments";
const TOLD: &str = "Tool 'look' was called with empty arguments";
const CLIENTS_WORDS: &str = "I cannot look at nothing.";

/// One turn: the reply as one body, and the headers it came with.
fn ask(
    house: &House,
    client: &Client,
    model: &str,
    stream: bool,
    request: &Value,
) -> (Value, Answer) {
    let path = (client.path)(model, stream);
    let answer = post(house.addr(), &path, "", request.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{} {model}: {}", client.dialect, answer.text());
    let reply = if stream {
        client.folded(&answer.body).unwrap()
    } else {
        serde_json::from_slice(&answer.body).unwrap()
    };
    (reply, answer)
}

/// Goes on as a client that does not answer the call.
fn leave(client: &Client, request: &mut Value, reply: &Value, words: &str) {
    // What it would send, without the results.
    (client.go_on)(request, reply, "");
    let (turns, said) = match client.dialect {
        "anthropic" | "openai-chat" => ("messages", json!({"role": "user", "content": words})),
        "openai-responses" => ("input", json!({"role": "user", "content": words})),
        _ => ("contents", json!({"role": "user", "parts": [{"text": words}]})),
    };
    let turns = request[turns].as_array_mut().unwrap();
    turns.pop();
    turns.push(said);
}

/// How many results stand in what a provider was asked.
fn results(request: &Value) -> usize {
    let text = request.to_string();
    [
        "\"tool_result\"",
        "\"role\":\"tool\"",
        "\"function_call_output\"",
        "\"functionResponse\"",
        "\"toolResult\"",
    ]
    .iter()
    .map(|mark| text.matches(mark).count())
    .sum()
}

fn said(request: &Value, words: &str) -> usize {
    request.to_string().matches(words).count()
}

/// The part of a request that must not change when the conversation goes on.
fn history(request: &Value) -> Vec<Value> {
    let turns = ["messages", "input", "contents"].iter().find_map(|key| request[key].as_array());
    turns.unwrap().clone()
}

fn repairs(answer: &Answer) -> Vec<String> {
    let names = answer.header("x-interlingua-repairs").unwrap_or_default();
    names.split(',').map(str::to_owned).collect()
}

#[test]
fn a_model_is_told_once_of_empty_arguments_and_corrects_itself() {
    for client in CLIENTS {
        for model in PROVIDERS {
            for (stream, answers) in [(false, true), (true, true), (false, false), (true, false)] {
                told(client, model, stream, answers);
            }
        }
    }
}

fn told(client: &Client, model: &str, stream: bool, answers: bool) {
    let house = House::build();
    let at = format!("{} → {model}, stream {stream}, answered {answers}", client.dialect);
    let mut request = (client.begin)(model, stream, WRONG);
    let (reply, first) = ask(&house, client, model, stream, &request);
    assert_eq!(
        first.header("x-interlingua-guard"),
        (!stream).then_some("look=empty-arguments"),
        "{at}"
    );
    if answers {
        assert_eq!((client.go_on)(&mut request, &reply, CLIENTS_WORDS), 1, "{at}: {reply}");
    } else {
        leave(client, &mut request, &reply, "Please look at the tower.");
    }
    let (reply, second) = ask(&house, client, model, stream, &request);
    assert!(repairs(&second).contains(&"guard-answer".to_owned()), "{at}: {:?}", repairs(&second));
    // This time the call is right, and nothing is found.
    assert_eq!((client.go_on)(&mut request, &reply, "14 ships"), 1, "{at}: {reply}");
    assert_eq!(second.header("x-interlingua-guard"), None, "{at}");
    let (_, third) = ask(&house, client, model, stream, &request);
    assert!(repairs(&third).contains(&"guard-answer".to_owned()), "{at}");

    let log = house.log();
    for request in &log {
        assert_eq!(request["accepted"], true, "{at}: {}", request["violations"]);
    }
    let sent: Vec<&Value> = log.iter().map(|entry| &entry["request"]).collect();
    assert_eq!((said(sent[0], TOLD), results(sent[0])), (0, 0), "{at}");
    for (request, count) in [(sent[1], 1), (sent[2], 2)] {
        assert_eq!((said(request, TOLD), results(request)), (1, count), "{at}: {request}");
        assert_eq!(said(request, CLIENTS_WORDS), usize::from(answers), "{at}: {request}");
        assert_eq!(said(request, "Required parameters: place (string)"), 1, "{at}");
    }
    let (before, after) = (history(sent[1]), history(sent[2]));
    assert_eq!(before, after[..before.len()], "{at}: the history has changed");
}

/// What a model is to be told outlives the gateway, and is nobody else's.
#[test]
fn a_model_is_told_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let place = || Place::Sqlite(folder.path().join("store.db"));
    let (client, model) = (&CLIENTS[0], PROVIDERS[0]);
    let mut request = (client.begin)(model, true, WRONG);
    let house = House::with(|config| config.store.place = place());
    let (reply, _) = ask(&house, client, model, true, &request);
    drop(house);
    leave(client, &mut request, &reply, "Please look at the tower.");
    for (place, told) in [(place(), 1), (Place::Memory, 0), (place(), 1)] {
        let house = House::with(|config| config.store.place = place);
        ask(&house, client, model, true, &request);
        let sent = &house.log()[0]["request"];
        assert_eq!((said(sent, TOLD), results(sent)), (told, 1), "{sent}");
    }
}

#[test]
fn every_mistake_reaches_the_model_whatever_the_client_makes_of_the_call() {
    let mistakes = [
        ("sim:empty-arguments", "was called with empty arguments"),
        ("sim:malformed-arguments", "Tool 'look' was called with"),
        ("sim:double-encoded", "as a JSON string that holds JSON"),
        ("sim:unknown-tool", "There is no tool named"),
    ];
    for client in CLIENTS {
        for (phrase, words) in mistakes {
            for stream in [false, true] {
                let house = House::build();
                let model = "openai/gpt-4.1";
                let at = format!("{} {phrase} {stream}", client.dialect);
                let prompt = format!("Please look at the harbour. {phrase}");
                let mut request = (client.begin)(model, stream, &prompt);
                let (reply, _) = ask(&house, client, model, stream, &request);
                assert_eq!((client.go_on)(&mut request, &reply, CLIENTS_WORDS), 1, "{at}: {reply}");
                ask(&house, client, model, stream, &request);
                let sent = &house.log()[1]["request"];
                assert_eq!(said(sent, words), 1, "{at}: {sent}");
                assert_eq!((results(sent), said(sent, CLIENTS_WORDS)), (1, 1), "{at}: {sent}");
            }
        }
    }
}

#[test]
fn a_gemini_client_that_leaves_ids_away_is_understood() {
    let client = CLIENTS.iter().find(|client| client.dialect == "gemini").unwrap();
    let (house, model) = (House::build(), "openai/gpt-4.1");
    let mut request = (client.begin)(model, false, WRONG);
    let (mut reply, _) = ask(&house, client, model, false, &request);
    for part in reply["candidates"][0]["content"]["parts"].as_array_mut().unwrap() {
        if let Some(call) = part["functionCall"].as_object_mut() {
            call.remove("id");
        }
    }
    (client.go_on)(&mut request, &reply, CLIENTS_WORDS);
    ask(&house, client, model, false, &request);
    assert_eq!(said(&house.log()[1]["request"], TOLD), 1);
}

#[test]
fn what_is_off_or_observed_is_not_told() {
    let client = &CLIENTS[0];
    let model = "openai/gpt-4.1";
    let cases: [(Mode, Option<Mode>, Option<&str>, usize); 5] = [
        (Mode::Off, None, None, 0),
        (Mode::Observe, None, Some("look=empty-arguments"), 0),
        (Mode::Answer, Some(Mode::Off), None, 0),
        (Mode::Off, Some(Mode::Answer), Some("look=empty-arguments"), 1),
        (Mode::Mend, None, Some("look=empty-arguments"), 1),
    ];
    for (mode, own, header, count) in cases {
        let house = House::with(|config| {
            config.guard.mode = mode;
            config.guard.tools = own.map(|own| ("look".to_owned(), own)).into_iter().collect();
        });
        let mut request = (client.begin)(model, false, WRONG);
        let (reply, first) = ask(&house, client, model, false, &request);
        assert_eq!(first.header("x-interlingua-guard"), header, "{mode:?} {own:?}");
        (client.go_on)(&mut request, &reply, CLIENTS_WORDS);
        ask(&house, client, model, false, &request);
        assert_eq!(said(&house.log()[1]["request"], TOLD), count, "{mode:?} {own:?}");
    }
}

#[test]
fn a_call_is_mended_before_the_client_sees_it() {
    // Others have no way to say such a call.
    let texts = PROVIDERS.iter().filter(|model| ["openai", "codex"].contains(&provider(model)));
    for model in texts {
        for client in CLIENTS {
            for stream in [false, true] {
                let house = House::with(|config| config.guard.mode = Mode::Mend);
                let at = format!("{} → {model}, stream {stream}", client.dialect);
                let mut request =
                    (client.begin)(model, stream, "Please look at the harbour. sim:double-encoded");
                let (reply, first) = ask(&house, client, model, stream, &request);
                let text = reply.to_string();
                assert!(text.contains("place") && !text.contains(r#"\\\"place"#), "{at}: {text}");
                let guarded = first.header("x-interlingua-guard");
                assert_eq!(guarded, (!stream).then_some("look=double-encoded"), "{at}");
                let named = repairs(&first).contains(&"guard-mend".to_owned());
                assert_eq!(named, !stream, "{at}");
                assert_eq!((client.go_on)(&mut request, &reply, "14 ships"), 1, "{at}: {reply}");
                let (_, second) = ask(&house, client, model, stream, &request);
                assert!(!repairs(&second).contains(&"guard-answer".to_owned()), "{at}");
                assert_eq!(house.log()[1]["accepted"], true, "{at}");
            }
        }
    }
}

fn provider(model: &str) -> &str {
    model.split('/').next().unwrap()
}

#[test]
fn a_healthy_call_costs_nobody_anything() {
    let (house, client) = (House::build(), &CLIENTS[0]);
    let model = "anthropic/claude-sonnet-4-5";
    let mut request = (client.begin)(model, true, "Please look at the harbour.");
    let (reply, _) = ask(&house, client, model, true, &request);
    (client.go_on)(&mut request, &reply, "14 ships");
    let (_, second) = ask(&house, client, model, true, &request);
    assert!(!repairs(&second).contains(&"guard-answer".to_owned()));
}

#[test]
fn it_is_counted_and_logged_as_a_warning_without_the_arguments() {
    static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());
    tracing::subscriber::set_global_default(Lines(&LINES)).unwrap();
    let (house, client) = (House::build(), &CLIENTS[1]);
    let model = "openai/gpt-4.1";
    let prompt = r#"Please look at it. sim:arguments={"place":["s3cret"]}"#;
    let (reply, _) = ask(&house, client, model, true, &(client.begin)(model, true, prompt));
    let id = reply["choices"][0]["message"]["tool_calls"][0]["id"].as_str().unwrap();
    let metrics = get(house.addr(), "/metrics", "").text();
    let counted = metrics.lines().find(|line| {
        line.starts_with("interlingua_guard_total")
            && line.contains("wrong-type")
            && line.contains("answered")
    });
    assert!(counted.is_some(), "{metrics}");
    drop(house);
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

/// Keeps every line of the log.
struct Lines(&'static Mutex<Vec<String>>);

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("interlingua")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {}={value:?}", field.name());
    }
}
