//! Tests of several gateways that share one PostgreSQL, which `cargo xtask postgres` starts.

mod keys;
pub(crate) mod round_robin;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use interlingua_gateway::ServerHandle;
use interlingua_gateway::config::StoreLocation;
use interlingua_simulator::Options;
use interlingua_strict::Switches;
use serde_json::{Value, json};

use crate::client::{CLIENTS, Client, delete, get};
use crate::harness::Harness;
use crate::responses::{ResponsesConversation, assert_full_history, options, second_gateway};
use crate::vault::{append_user_message, strip_reasoning};

const CLAUDE: &str = "anthropic/claude-sonnet-4-5";
const GPT: &str = "openai/gpt-5.5";
const GEMINI: &str = "gemini/gemini-3-pro";

pub(crate) fn postgres_location() -> StoreLocation {
    let Ok(server) = std::env::var("INTERLINGUA_TEST_POSTGRES") else {
        panic!("INTERLINGUA_TEST_POSTGRES names no server; cargo xtask postgres starts one");
    };
    StoreLocation::Postgres(server.into())
}

/// Two gateways that share only a database, called alternately.
struct Nodes<'h> {
    harness: &'h Harness,
    gateways: Vec<ServerHandle>,
    requests: usize,
}

impl<'h> Nodes<'h> {
    fn new(harness: &'h Harness) -> Self {
        let gateways = vec![
            second_gateway(harness, postgres_location()),
            second_gateway(harness, postgres_location()),
        ];
        Self { harness, gateways, requests: 0 }
    }

    fn addr(&self, nth: usize) -> SocketAddr {
        self.gateways[nth % 2].addr
    }

    /// The node for the next request.
    fn next_addr(&mut self) -> SocketAddr {
        self.requests += 1;
        self.addr(self.requests)
    }

    /// Replaces the node that was called last by a new one.
    fn restart(&mut self) {
        let new_node = second_gateway(self.harness, postgres_location());
        let old_node = std::mem::replace(&mut self.gateways[self.requests % 2], new_node);
        self.harness.runtime.block_on(old_node.stop());
    }
}

impl Drop for Nodes<'_> {
    fn drop(&mut self) {
        for node in self.gateways.drain(..) {
            self.harness.runtime.block_on(node.stop());
        }
    }
}

/// Model, user message (empty if the last calls are answered), and whether a node is restarted
/// before the turn. The call of the seventh turn is answered by another model.
const TURNS: [(&str, &str, bool); 10] = [
    (CLAUDE, "", false),
    (CLAUDE, "", false),
    (GPT, "And the other harbour?", true),
    (GPT, "", false),
    (GEMINI, "And the third harbour?", false),
    (GEMINI, "", true),
    (CLAUDE, "And the last harbour?", false),
    (GPT, "", true),
    (GEMINI, "And now?", true),
    (CLAUDE, "And then?", true),
];

fn ten_turns(nodes: &mut Nodes<'_>, client: &Client, stream: bool) {
    let mut request = (client.first_request)(CLAUDE, stream, "Look at the harbour.");
    for (model, user_message, restart) in TURNS {
        if restart {
            nodes.restart();
        }
        if !user_message.is_empty() {
            append_user_message(client, &mut request, user_message);
        }
        if request.get("model").is_some() {
            request["model"] = json!(model);
        }
        let reply = client.request_turn(nodes.next_addr(), model, stream, &request);
        let reply = reply.unwrap_or_else(|error| panic!("{} {model}: {error}", client.dialect));
        let calls =
            (client.append_results)(&mut request, &strip_reasoning(client, reply), "14 of them");
        let expects_call = user_message.contains("harbour") || request_is_first(&request);
        assert_eq!(calls > 0, expects_call, "{} {model} {user_message}", client.dialect);
    }
}

/// Only the first call was answered so far.
fn request_is_first(request: &Value) -> bool {
    let lists = ["messages", "input", "contents"];
    let turns = lists.iter().find_map(|list| request[list].as_array()).unwrap();
    turns.iter().filter(|turn| turn.to_string().contains("14 of them")).count() == 1
        && !turns.iter().any(|turn| turn.to_string().contains("14 ships."))
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn ten_turns_over_two_nodes_and_three_providers_are_one_conversation() {
    for client in CLIENTS {
        for stream in [false, true] {
            let harness = Harness::with_simulator(options(), |config| {
                config.store.location = StoreLocation::Off;
            });
            ten_turns(&mut Nodes::new(&harness), client, stream);
            let log = harness.provider_requests();
            assert_eq!(log.len(), TURNS.len(), "{}", client.dialect);
            for request in &log {
                let violations = &request["violations"];
                assert_eq!(request["accepted"], true, "{}: {violations}", client.dialect);
            }
            let last = &log.last().unwrap()["request"]["messages"];
            let first = &last[1]["content"][0];
            assert_eq!(first["thinking"], "First, the ships.", "{}: {last}", client.dialect);
            assert!(first["signature"].as_str().is_some_and(|seal| !seal.is_empty()), "{first}");
            assert_eq!(last[3]["content"][0]["thinking"], "They are there.", "{last}");
        }
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_reply_is_continued_on_another_node() {
    for stream in [false, true] {
        let harness =
            Harness::with_simulator(options(), |config| config.store.location = StoreLocation::Off);
        let mut nodes = Nodes::new(&harness);
        let mut models = [GPT, GEMINI].into_iter();
        let mut conversation = ResponsesConversation {
            stream,
            at: nodes.next_addr(),
            ..ResponsesConversation::new(&harness, CLAUDE)
        };
        conversation.three_turns(|conversation| {
            nodes.restart();
            conversation.at = nodes.next_addr();
            models.next().unwrap().clone_into(&mut conversation.model);
        });
        assert_full_history(&harness, &conversation);
        for nth in 0..20 {
            conversation.at = nodes.next_addr();
            conversation.send(&json!(format!("number {nth}.")));
        }
        let last = harness.provider_requests().last().unwrap()["request"].to_string();
        assert!((0..20).all(|nth| last.contains(&format!("number {nth}."))), "{last}");
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn a_guard_answer_is_sent_from_another_node() {
    let harness = Harness::with_config(|config| config.store.location = StoreLocation::Off);
    let mut nodes = Nodes::new(&harness);
    for client in CLIENTS {
        let mut request =
            (client.first_request)(CLAUDE, true, "Please look. sim:missing-arguments");
        let reply = client.request_turn(nodes.next_addr(), CLAUDE, true, &request).unwrap();
        assert_eq!((client.append_results)(&mut request, &reply, "What?"), 1);
        client.request_turn(nodes.next_addr(), CLAUDE, true, &request).unwrap();
        let sent = harness.provider_requests().last().unwrap()["request"].to_string();
        assert!(sent.contains("Tool 'look' was called with empty arguments"), "{sent}");
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn learned_and_deleted_lessons_reach_other_nodes() {
    let switches = Switches::parse(&["empty_text=drop"]).unwrap();
    let options = Options { switches, ..Options::default() };
    let harness =
        Harness::with_simulator(options, |config| config.store.location = StoreLocation::Off);
    let nodes = Nodes::new(&harness);
    let (first, second) = (nodes.addr(0), nodes.addr(1));
    let has_lesson =
        |at: SocketAddr| get(at, "/api/lessons", "").text().contains("empty-text=drop");
    let wait_for = |at: SocketAddr, expected: bool| {
        let start = Instant::now();
        while has_lesson(at) != expected {
            assert!(start.elapsed() < Duration::from_secs(8), "{expected}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    delete(first, "/api/lessons/anthropic/claude-opus-4-8");
    wait_for(second, false);
    let (client, model) = (&CLIENTS[0], "anthropic/claude-opus-4-8");
    let run_loop = |at: SocketAddr| {
        let before = harness.provider_requests().len();
        let prompt = "sim:empty-text Please look at the harbour.";
        let mut request = (client.first_request)(model, false, prompt);
        let reply = client.request_turn(at, model, false, &request).unwrap();
        (client.append_results)(&mut request, &reply, "It is calm.");
        client.request_turn(at, model, false, &request).unwrap();
        harness.provider_requests().len() - before
    };
    assert_eq!(run_loop(first), 3, "it learns");
    wait_for(second, true);
    assert_eq!(run_loop(second), 2, "it has the lesson");
    delete(second, "/api/lessons/anthropic/claude-opus-4-8");
    wait_for(first, false);
    assert_eq!(run_loop(first), 3, "it learns again");
}
