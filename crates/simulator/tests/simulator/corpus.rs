//! Corpus cases over HTTP: rejected requests get the exact status, envelope and message.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::Request;
use interlingua_simulator::route::{PROVIDERS, SimulatedProvider};
use interlingua_simulator::{Api, Options, Simulator};
use interlingua_strict::{Judge, Switches, Violation, find};
use serde_json::Value;

use crate::client::{TestServer, VERSION_HEADER};
use crate::envelope::{EnvelopeTable, ExpectedError};

#[test]
fn every_rejected_case_gets_the_error_of_the_provider() {
    let envelopes = EnvelopeTable::read();
    let mut servers: BTreeMap<String, TestServer> = BTreeMap::new();
    let mut tried = BTreeSet::new();
    let mut count = 0;
    for file in files() {
        let case: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let judge = find(case["judge"].as_str().unwrap()).unwrap();
        for entry in case["refuse"].as_array().unwrap() {
            let setting = |key: &str| entry.get(key).unwrap_or(&case[key]);
            // Cases with an earlier request are tested in `reply_store`.
            if setting("known")
                .as_object()
                .is_some_and(|known| known.values().any(needs_earlier_request))
            {
                continue;
            }
            let flavor = setting("flavor").as_str().unwrap_or(judge.flavors[0]);
            let counting = setting("counting") == &Value::Bool(true);
            let path = path(judge, flavor, setting("model").as_str(), counting);
            let Some(path) = path else { continue };
            let switches = setting("switches");
            let server = servers
                .entry(switches.to_string())
                .or_insert_with(|| server_with_switches(switches));
            let reply = server.send_raw("POST", &path, &headers(&setting), &body(entry, &setting));
            let name = file.display();
            let status = entry["status"].as_u64().unwrap_or(400);
            assert_eq!(u64::from(reply.status), status, "{name}: {}", reply.text());
            let expected = ExpectedError { dialect: judge.dialect, flavor, status, entry };
            if let Some(difference) = envelopes.difference(&expected, &reply) {
                panic!("{name}: {difference}");
            }
            tried.insert(file.clone());
            count += 1;
        }
    }
    let untested: Vec<_> = files().into_iter().filter(|file| !tried.contains(file)).collect();
    println!("{count} cases of {} rules, none of {untested:?}", tried.len());
    // Three rules need an earlier request of the thread.
    assert!(untested.len() <= 3, "{untested:?}");
}

/// A server with these switches set.
fn server_with_switches(switches: &Value) -> TestServer {
    let settings = switches.as_object().into_iter().flatten();
    let unquote = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let settings: Vec<_> =
        settings.map(|(name, value)| format!("{name}={}", unquote(value))).collect();
    TestServer::with_options(Options {
        switches: Switches::parse(&settings).unwrap(),
        ..Options::default()
    })
}

fn headers<'v>(setting: &dyn Fn(&str) -> &'v Value) -> String {
    let mut headers = String::new();
    match setting("version").as_str() {
        None => headers.push_str(VERSION_HEADER),
        Some("") => {}
        Some(version) => headers.extend(["anthropic-version: ", version, "\r\n"]),
    }
    for beta in setting("betas").as_array().into_iter().flatten() {
        headers.extend(["anthropic-beta: ", beta.as_str().unwrap(), "\r\n"]);
    }
    for name in ["content_type", "content_encoding"] {
        if let Some(value) = setting(name).as_str() {
            headers.extend([&name.replace('_', "-"), ": ", value, "\r\n"]);
        }
    }
    headers
}

fn body<'v>(entry: &Value, setting: &dyn Fn(&str) -> &'v Value) -> Vec<u8> {
    if setting("decoded") == "large" {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&vec![b' '; 33 * 1024 * 1024]).unwrap();
        return encoder.finish().unwrap();
    }
    match entry.get("raw") {
        Some(raw) => raw.as_str().unwrap().into(),
        None => expand_repeats(&entry["request"]).to_string().into(),
    }
}

/// Expands `{"$repeat": [value, count]}`.
fn expand_repeats(value: &Value) -> Value {
    let count = |repeat: &Value| repeat[1].as_u64().unwrap() as usize;
    match value {
        Value::Object(object) => match object.get("$repeat") {
            Some(repeat) => match &repeat[0] {
                Value::String(text) => text.repeat(count(repeat)).into(),
                value => vec![expand_repeats(value); count(repeat)].into(),
            },
            None => {
                object.iter().map(|(key, value)| (key.clone(), expand_repeats(value))).collect()
            }
        },
        Value::Array(list) => list.iter().map(expand_repeats).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_fault_selects_any_rule() {
    let simulator = Simulator::default();
    for judge in interlingua_strict::ALL {
        for rule in judge.rules.iter() {
            let flavor = judge.flavors[0];
            let request = Request::post(path(judge, flavor, Some("m"), false).unwrap())
                .header("x-sim-fault", format!("rule={}", rule.name));
            let simulated_response = simulator.handle(&request.body(Bytes::from("{}")).unwrap());
            assert_eq!(simulated_response.status, rule.status);
            let violation = Violation {
                rule: rule.name,
                status: rule.status,
                path: String::new(),
                message: rule.error_message.to_owned(),
                param: None,
                code: None,
            };
            let mut got: Value = serde_json::from_slice(&simulated_response.body_bytes()).unwrap();
            if judge.dialect == "anthropic" {
                got.as_object_mut().unwrap().shift_remove("request_id");
            }
            let mut envelope = (judge.envelope)(&violation, flavor);
            envelope.as_object_mut().unwrap().shift_remove("request_id");
            assert_eq!(got, envelope, "{}", rule.name);
        }
    }
}

/// Whether a stored reply of a case needs an earlier request.
fn needs_earlier_request(stored: &Value) -> bool {
    stored.as_object().is_some_and(|stored| !stored.is_empty())
}

/// The path of a request for this judge; `None` if the flavor has no base URL.
fn path(judge: &Judge, flavor: &str, model: Option<&str>, counting: bool) -> Option<String> {
    if (judge.dialect, flavor) == ("anthropic", "deepseek") {
        return Some("/deepseek/anthropic/v1/messages".to_owned());
    }
    if flavor == "gemini-compat" {
        return Some("/gemini/v1beta/openai/chat/completions".to_owned());
    }
    if judge.dialect == "openai-responses" {
        let base = match flavor {
            "openai" => "/openai/v1",
            "azure" => "/azure/v1",
            "codex" => "/codex",
            "llama.cpp" => "/llama.cpp/v1",
            _ => "/groq/v1",
        };
        return Some(format!("{base}/responses"));
    }
    let fits = |provider: &&SimulatedProvider| {
        provider.api.dialect() == judge.dialect && provider.flavor == flavor
    };
    let provider = PROVIDERS.iter().find(fits)?;
    let name = provider.name;
    let model = model.unwrap_or("m").replace('/', "%2F").replace(':', "%3A");
    Some(match provider.api {
        Api::Anthropic if counting => format!("/{name}/v1/messages/count_tokens"),
        Api::Anthropic => format!("/{name}/v1/messages"),
        Api::Gemini => format!("/{name}/v1beta/models/{model}:generateContent"),
        Api::Bedrock => format!("/{name}/model/{model}/converse"),
        _ => format!("/{name}/v1/chat/completions"),
    })
}

fn files() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/strict");
    let folders = fs::read_dir(corpus).into_iter().flatten().map(|entry| entry.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}
