//! Tests of lessons with several keys: one key's lesson serves others only when it is confirmed or
//! shared.

use std::sync::Arc;

use interlingua_gateway::config::{Config, StoreLocation};
use serde_json::{Value, json};

use crate::client::{delete_with, get, post};
use crate::harness::Harness;
use crate::keys::{auth_header, create_key, key};
use crate::lessons::stub_as_provider;
use crate::stub_provider::{StubProvider, error_answer, success_answer};

const UNKNOWN_FIELD: &str = "frobnicate: Extra inputs are not permitted";

struct Lab {
    harness: Harness,
    stub: StubProvider,
}

impl Lab {
    /// A gateway whose provider rejects the requests with these numbers.
    fn new(rejected: &[usize], change: impl Fn(&mut Config)) -> Self {
        let answer = |number: usize| {
            if rejected.contains(&number) {
                error_answer(UNKNOWN_FIELD)
            } else {
                success_answer("anthropic")
            }
        };
        let stub = StubProvider::with_answers((0..20).map(answer).collect());
        let harness = Harness::with_config(|config| {
            config.providers = vec![Arc::new(stub_as_provider(&stub, "anthropic"))];
            config.access.keys = vec![key("operator"), key("bob")];
            change(config);
        });
        Self { harness, stub }
    }

    /// Sends a request with an unknown field; returns whether it reached the provider with it.
    fn ask(&self, secret: &str) -> bool {
        let hello = json!({"role": "user", "content": "hello"});
        let body =
            json!({"model": "stub/m", "max_tokens": 9, "frobnicate": 1, "messages": [hello]});
        let body = body.to_string();
        let at = self.stub.requests().len();
        let response =
            post(self.harness.addr(), "/v1/messages", &auth_header(secret), body.as_bytes());
        assert_eq!(response.status, 200, "{}", response.text());
        self.stub.requests()[at].get("frobnicate").is_some()
    }

    fn rows(&self) -> Vec<Value> {
        let response = get(self.harness.addr(), "/api/lessons", &auth_header("operator"));
        let body: Value = serde_json::from_slice(&response.body).unwrap();
        body["lessons"].as_array().unwrap().clone()
    }
}

#[test]
fn a_lesson_of_one_key_serves_others_when_a_second_key_confirms_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let with_file =
        |config: &mut Config| config.store.location = StoreLocation::Sqlite(path.clone());
    // Numbers of requests at the provider: ann 0 and 1, ann 2, bob 3 and 4, operator 5.
    let mut lab = Lab::new(&[0, 3], with_file);
    let ann = create_key(lab.harness.addr(), "operator", &json!({"name": "ann"}));
    assert!(lab.ask(&ann), "it is learned");
    assert!(!lab.ask(&ann), "it is known");
    assert_eq!(lab.rows().len(), 1);
    assert_eq!(lab.rows()[0]["key"], "ann");
    let provider = Arc::new(stub_as_provider(&lab.stub, "anthropic"));
    lab.harness.restart_gateway(|config| {
        config.providers = vec![provider];
        config.access.keys = vec![key("operator"), key("bob")];
        with_file(config);
    });
    assert!(lab.ask("bob"), "ann's lesson does not serve bob, who learns it, too");
    assert!(!lab.ask("operator"), "two keys have learned it");
    let shared: Vec<Value> =
        lab.rows().into_iter().filter(|row| row.get("key").is_none()).collect();
    assert_eq!(shared.len(), 1, "{shared:?}");
    assert_eq!(shared[0]["lessons"], json!(["field=frobnicate"]));
}

#[test]
fn the_operator_can_share_a_lesson() {
    let lab = Lab::new(&[0], |_| {});
    let post = |path: &str, secret: &str| post(lab.harness.addr(), path, &auth_header(secret), b"");
    let limits = json!({"name": "ann", "rights": ["lessons"]});
    let ann = create_key(lab.harness.addr(), "operator", &limits);
    assert!(lab.ask(&ann));
    assert_eq!(post("/api/lessons", &ann).status, 403, "not even with the right");
    assert!(lab.ask("bob"), "the provider accepts it this time");
    let shared = post("/api/lessons/stub/m?key=nobody", "operator");
    assert_eq!((shared.status, shared.text()), (200, r#"{"shared":0}"#.to_owned()));
    let shared = post("/api/lessons/stub/m?key=ann", "operator");
    assert_eq!((shared.status, shared.text()), (200, r#"{"shared":1}"#.to_owned()));
    assert!(!lab.ask("bob"));
    let deleted = delete_with(lab.harness.addr(), "/api/lessons", &auth_header("operator"));
    assert_eq!(deleted.text(), r#"{"forgotten":1}"#);
    assert!(lab.ask("bob") && lab.ask(&ann));
}

#[test]
fn what_callers_without_a_key_teach_serves_all() {
    // Numbers of requests at the provider: ann 0 and 1, without a key 2 and 3.
    let lab = Lab::new(&[0, 2], |config| config.access.keys.clear());
    let [ann, eve] =
        ["ann", "eve"].map(|name| create_key(lab.harness.addr(), "", &json!({"name": name})));
    assert!(lab.ask(&ann), "it is learned");
    assert!(lab.ask("unknown"), "ann's lesson serves ann alone");
    assert!(!lab.ask("unknown") && !lab.ask(&eve));
}
