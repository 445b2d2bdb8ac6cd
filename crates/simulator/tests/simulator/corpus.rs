//! What the judge's corpus says is answered over HTTP: the exact status, envelope and words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::Request;
use interlingua_simulator::route::{PROVIDERS, Provider};
use interlingua_simulator::{Api, Options, Simulator};
use interlingua_strict::{Judge, Switches, Violation, find};
use serde_json::Value;

use crate::client::{Server, VERSION};
use crate::envelope::{Envelopes, Refused};

#[test]
fn every_refused_case_gets_the_providers_answer() {
    let envelopes = Envelopes::read();
    let mut servers: BTreeMap<String, Server> = BTreeMap::new();
    let mut tried = BTreeSet::new();
    let mut count = 0;
    for file in files() {
        let case: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let judge = find(case["judge"].as_str().unwrap()).unwrap();
        for entry in case["refuse"].as_array().unwrap() {
            let said = |key: &str| entry.get(key).unwrap_or(&case[key]);
            // What the provider must have been asked before is another test's.
            if said("known").as_object().is_some_and(|known| known.values().any(is_more)) {
                continue;
            }
            let flavor = said("flavor").as_str().unwrap_or(judge.flavors[0]);
            let counting = said("counting") == &Value::Bool(true);
            let path = path(judge, flavor, said("model").as_str(), counting);
            let Some(path) = path else { continue };
            let switches = said("switches");
            let server = servers.entry(switches.to_string()).or_insert_with(|| turned(switches));
            let reply = server.send_bare("POST", &path, &headers(&said), &body(entry, &said));
            let place = file.display();
            let status = entry["status"].as_u64().unwrap_or(400);
            assert_eq!(u64::from(reply.status), status, "{place}: {}", reply.text());
            let refused = Refused { dialect: judge.dialect, flavor, status, entry };
            if let Some(how) = envelopes.differs(&refused, &reply) {
                panic!("{place}: {how}");
            }
            tried.insert(file.clone());
            count += 1;
        }
    }
    let left: Vec<_> = files().into_iter().filter(|file| !tried.contains(file)).collect();
    println!("{count} cases of {} rules, none of {left:?}", tried.len());
    // Three rules are about threads that went on before.
    assert!(left.len() <= 3, "{left:?}");
}

/// A server with these switches turned.
fn turned(switches: &Value) -> Server {
    let said = switches.as_object().into_iter().flatten();
    let bare = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let said: Vec<_> = said.map(|(name, value)| format!("{name}={}", bare(value))).collect();
    Server::with(Options { switches: Switches::turned(&said).unwrap(), ..Options::default() })
}

fn headers<'v>(said: &dyn Fn(&str) -> &'v Value) -> String {
    let mut headers = String::new();
    match said("version").as_str() {
        None => headers.push_str(VERSION),
        Some("") => {}
        Some(version) => headers.extend(["anthropic-version: ", version, "\r\n"]),
    }
    for beta in said("betas").as_array().into_iter().flatten() {
        headers.extend(["anthropic-beta: ", beta.as_str().unwrap(), "\r\n"]);
    }
    for name in ["content_type", "content_encoding"] {
        if let Some(value) = said(name).as_str() {
            headers.extend([&name.replace('_', "-"), ": ", value, "\r\n"]);
        }
    }
    headers
}

fn body<'v>(entry: &Value, said: &dyn Fn(&str) -> &'v Value) -> Vec<u8> {
    if said("decoded") == "large" {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&vec![b' '; 33 * 1024 * 1024]).unwrap();
        return encoder.finish().unwrap();
    }
    match entry.get("raw") {
        Some(raw) => raw.as_str().unwrap().into(),
        None => written_out(&entry["request"]).to_string().into(),
    }
}

/// The value with `{"$repeat": [what, times]}` written out.
fn written_out(value: &Value) -> Value {
    let times = |repeat: &Value| repeat[1].as_u64().unwrap() as usize;
    match value {
        Value::Object(object) => match object.get("$repeat") {
            Some(repeat) => match &repeat[0] {
                Value::String(text) => text.repeat(times(repeat)).into(),
                what => vec![written_out(what); times(repeat)].into(),
            },
            None => object.iter().map(|(key, value)| (key.clone(), written_out(value))).collect(),
        },
        Value::Array(list) => list.iter().map(written_out).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_rule_can_be_asked_for() {
    let simulator = Simulator::default();
    for judge in interlingua_strict::ALL {
        for rule in judge.rules {
            let flavor = judge.flavors[0];
            let request = Request::post(path(judge, flavor, Some("m"), false).unwrap())
                .header("x-sim-fault", format!("rule={}", rule.name));
            let answer = simulator.answer(&request.body(Bytes::from("{}")).unwrap());
            assert_eq!(answer.status, rule.status);
            let violation = Violation {
                rule: rule.name,
                status: rule.status,
                path: String::new(),
                message: rule.words.to_owned(),
                param: None,
                code: None,
            };
            let mut got: Value = serde_json::from_slice(&answer.bytes()).unwrap();
            if judge.dialect == "anthropic" {
                got.as_object_mut().unwrap().shift_remove("request_id");
            }
            let mut envelope = (judge.envelope)(&violation, flavor);
            envelope.as_object_mut().unwrap().shift_remove("request_id");
            assert_eq!(got, envelope, "{}", rule.name);
        }
    }
}

/// Whether a reply that the provider keeps is one that it cannot have without being asked before.
fn is_more(kept: &Value) -> bool {
    kept.as_object().is_some_and(|kept| !kept.is_empty())
}

/// Where a request for this judge goes; `None` if the flavor has no base URL.
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
    let fits =
        |provider: &&Provider| provider.api.dialect() == judge.dialect && provider.flavor == flavor;
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
