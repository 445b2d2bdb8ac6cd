//! Gateways on one PostgreSQL are one gateway. `cargo xtask postgres` starts one for these tests.

mod keys;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use interlingua_gateway::Running;
use interlingua_gateway::config::Place;
use interlingua_simulator::Options;
use interlingua_strict::Switches;
use serde_json::{Value, json};

use crate::client::{CLIENTS, Client, delete, get};
use crate::house::House;
use crate::responses::{Talk, knows_all, options, second};
use crate::vault::{ask_more, without_thoughts};

const CLAUDE: &str = "anthropic/claude-sonnet-4-5";
const GPT: &str = "openai/gpt-5.5";
const GEMINI: &str = "gemini/gemini-3-pro";

fn place() -> Place {
    let Ok(server) = std::env::var("INTERLINGUA_TEST_POSTGRES") else {
        panic!("INTERLINGUA_TEST_POSTGRES names no server; cargo xtask postgres starts one");
    };
    Place::Postgres(server.into())
}

/// Two gateways that share nothing but a database, and are asked in turn.
struct Nodes<'h> {
    house: &'h House,
    running: Vec<Running>,
    asked: usize,
}

impl<'h> Nodes<'h> {
    fn before(house: &'h House) -> Self {
        let running = vec![second(house, place()), second(house, place())];
        Self { house, running, asked: 0 }
    }

    fn at(&self, nth: usize) -> SocketAddr {
        self.running[nth % 2].addr
    }

    /// The one whose turn it is.
    fn next(&mut self) -> SocketAddr {
        self.asked += 1;
        self.at(self.asked)
    }

    /// Stops the one that was asked last, and starts another in its place.
    fn restart(&mut self) {
        let fresh = second(self.house, place());
        let old = std::mem::replace(&mut self.running[self.asked % 2], fresh);
        self.house.runtime.block_on(old.stop());
    }
}

impl Drop for Nodes<'_> {
    fn drop(&mut self) {
        for node in self.running.drain(..) {
            self.house.runtime.block_on(node.stop());
        }
    }
}

/// Whom the ten turns go to, what is said if no call is to be answered, and whether a node starts anew first.
/// The call of the seventh is answered to another model.
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
    let mut request = (client.begin)(CLAUDE, stream, "Look at the harbour.");
    for (model, words, anew) in TURNS {
        if anew {
            nodes.restart();
        }
        if !words.is_empty() {
            ask_more(client, &mut request, words);
        }
        if request.get("model").is_some() {
            request["model"] = json!(model);
        }
        let reply = client.ask(nodes.next(), model, stream, &request);
        let reply = reply.unwrap_or_else(|why| panic!("{} {model}: {why}", client.dialect));
        let calls = (client.go_on)(&mut request, &without_thoughts(client, reply), "14 of them");
        let is_asked = words.contains("harbour") || request_is_first(&request);
        assert_eq!(calls > 0, is_asked, "{} {model} {words}", client.dialect);
    }
}

/// Only the first question was asked so far, and its reply was heard.
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
            let house = House::playing(options(), |config| config.store.place = Place::Off);
            ten_turns(&mut Nodes::before(&house), client, stream);
            let log = house.log();
            assert_eq!(log.len(), TURNS.len(), "{}", client.dialect);
            for request in &log {
                let refused = &request["violations"];
                assert_eq!(request["accepted"], true, "{}: {refused}", client.dialect);
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
fn a_reply_is_gone_on_from_at_another_node() {
    for stream in [false, true] {
        let house = House::playing(options(), |config| config.store.place = Place::Off);
        let mut nodes = Nodes::before(&house);
        let mut models = [GPT, GEMINI].into_iter();
        let mut talk = Talk { stream, at: nodes.next(), ..Talk::with(&house, CLAUDE) };
        talk.three_turns(|talk| {
            nodes.restart();
            talk.at = nodes.next();
            models.next().unwrap().clone_into(&mut talk.model);
        });
        knows_all(&house, &talk);
        for nth in 0..20 {
            talk.at = nodes.next();
            talk.say(&json!(format!("number {nth}.")));
        }
        let last = house.log().last().unwrap()["request"].to_string();
        assert!((0..20).all(|nth| last.contains(&format!("number {nth}."))), "{last}");
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn what_is_wrong_with_a_call_is_told_at_another_node() {
    let house = House::with(|config| config.store.place = Place::Off);
    let mut nodes = Nodes::before(&house);
    for client in CLIENTS {
        let mut request = (client.begin)(CLAUDE, true, "Please look. sim:missing-arguments");
        let reply = client.ask(nodes.next(), CLAUDE, true, &request).unwrap();
        assert_eq!((client.go_on)(&mut request, &reply, "What?"), 1);
        client.ask(nodes.next(), CLAUDE, true, &request).unwrap();
        let sent = house.log().last().unwrap()["request"].to_string();
        assert!(sent.contains("Tool 'look' was called with empty arguments"), "{sent}");
    }
}

#[test]
#[ignore = "needs a PostgreSQL: cargo xtask postgres"]
fn what_one_node_learns_or_forgets_others_know_soon() {
    let switches = Switches::turned(&["empty_text=drop"]).unwrap();
    let options = Options { switches, ..Options::default() };
    let house = House::playing(options, |config| config.store.place = Place::Off);
    let nodes = Nodes::before(&house);
    let (one, other) = (nodes.at(0), nodes.at(1));
    let knows = |at: SocketAddr| get(at, "/api/lessons", "").text().contains("empty-text=drop");
    let until = |at: SocketAddr, wanted: bool| {
        let began = Instant::now();
        while knows(at) != wanted {
            assert!(began.elapsed() < Duration::from_secs(8), "{wanted}");
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    delete(one, "/api/lessons/anthropic/claude-opus-4-8");
    until(other, false);
    let (client, model) = (&CLIENTS[0], "anthropic/claude-opus-4-8");
    let talk = |at: SocketAddr| {
        let before = house.log().len();
        let prompt = "sim:empty-text Please look at the harbour.";
        let mut request = (client.begin)(model, false, prompt);
        let reply = client.ask(at, model, false, &request).unwrap();
        (client.go_on)(&mut request, &reply, "It is calm.");
        client.ask(at, model, false, &request).unwrap();
        house.log().len() - before
    };
    assert_eq!(talk(one), 3, "it learns");
    until(other, true);
    assert_eq!(talk(other), 2, "it knows");
    delete(other, "/api/lessons/anthropic/claude-opus-4-8");
    until(one, false);
    assert_eq!(talk(one), 3, "it learns again");
}
