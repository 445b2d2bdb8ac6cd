//! What the judge's corpus says is answered over HTTP: the exact status, envelope and words.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use hyper::Request;
use interlingua_simulator::route::{PROVIDERS, Provider};
use interlingua_simulator::{Api, Simulator};
use interlingua_strict::{Judge, Violation, find};
use serde_json::Value;

use crate::client::Server;

#[test]
fn every_refused_case_gets_the_providers_answer() {
    let server = Server::start();
    let mut tried = 0;
    for file in files() {
        let case: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let judge = find(case["judge"].as_str().unwrap()).unwrap();
        for entry in case["refuse"].as_array().unwrap() {
            let said = |key: &str| entry.get(key).unwrap_or(&case[key]);
            // The simulator's switches are the default ones, it always verifies seals, and it takes
            // a request without a version.
            let special = ["switches", "counting"].iter().any(|key| !said(key).is_null())
                || said("version").as_str().is_some_and(str::is_empty)
                || said("known").as_object().is_some_and(|known| known.values().any(is_more));
            let flavor = said("flavor").as_str().unwrap_or(judge.flavors[0]);
            let Some(path) = path(judge, flavor, said("model").as_str()).filter(|_| !special)
            else {
                continue;
            };
            let body = match entry.get("raw") {
                Some(raw) => raw.as_str().unwrap().to_owned(),
                None => entry["request"].to_string(),
            };
            if body.contains("$repeat") {
                continue;
            }
            let mut headers = String::new();
            if let Some(version) = said("version").as_str() {
                headers.extend(["anthropic-version: ", version, "\r\n"]);
            }
            for beta in said("betas").as_array().into_iter().flatten() {
                headers.extend(["anthropic-beta: ", beta.as_str().unwrap(), "\r\n"]);
            }
            let reply = server.send("POST", &path, &headers, body.as_bytes());
            let place = file.display();
            let status = entry["status"].as_u64().unwrap_or(400);
            assert_eq!(u64::from(reply.status), status, "{place}: {}", reply.text());
            let got = reply.json();
            let words = Value::from(entry["message"].as_str().unwrap()).to_string();
            let spelled = got.to_string();
            assert!(spelled.contains(words.trim_matches('"')), "{place}: {spelled}");
            tried += 1;
        }
    }
    println!("{tried} cases");
    assert!(tried > 100, "{tried}");
}

#[test]
fn a_rule_can_be_asked_for() {
    let simulator = Simulator::default();
    for judge in interlingua_strict::ALL {
        for rule in judge.rules {
            let flavor = judge.flavors[0];
            let request = Request::post(path(judge, flavor, Some("m")).unwrap())
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
fn path(judge: &Judge, flavor: &str, model: Option<&str>) -> Option<String> {
    if judge.dialect == "openai-responses" {
        let base = match flavor {
            "openai" => "/openai/v1",
            "azure" => "/azure/v1",
            "codex" => "/codex",
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
