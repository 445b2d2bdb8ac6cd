//! Turns as they happen: the list of late, live events, and the page that shows them.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use interlingua_gateway::config::Key;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::client::{CLIENTS, get, post};
use crate::house::House;

/// Asks a model that is built in; gives the id of the turn.
fn turn(house: &House, headers: &str) -> String {
    let client = &CLIENTS[0];
    let said = (client.begin)("sim/echo", false, "A secret of the harbour.").to_string();
    let answer = post(house.addr(), &(client.path)("sim/echo", false), headers, said.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.header("x-interlingua-turn").unwrap().to_owned()
}

struct Listener {
    stream: TcpStream,
    heard: String,
}

impl Listener {
    fn new(addr: SocketAddr, headers: &str) -> Self {
        let mut stream = TcpStream::connect(addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!("GET /api/events HTTP/1.1\r\nhost: {addr}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut listener = Self { stream, heard: String::new() };
        listener.until(": listening");
        listener
    }

    /// Reads until these words were heard.
    fn until(&mut self, words: &str) -> &str {
        let mut piece = [0; 4096];
        while !self.heard.contains(words) {
            let read = self.stream.read(&mut piece).unwrap();
            assert!(read > 0, "it ended: {}", self.heard);
            self.heard.push_str(&String::from_utf8_lossy(&piece[..read]));
        }
        &self.heard
    }

    fn event(&mut self, name: &str) -> Value {
        self.until(&format!("event: {name}\n"));
        let heard = self.until("}\n\n");
        let text = heard.split(&format!("event: {name}\ndata: ")).nth(1).unwrap();
        serde_json::from_str(text.lines().next().unwrap()).unwrap()
    }
}

#[test]
fn turns_are_told_of_as_they_happen_and_listed_in_short() {
    let house = House::build();
    let mut listener = Listener::new(house.addr(), "");
    let id = turn(&house, "");
    let begun = listener.event("turn.begun");
    assert_eq!([&begun["turn"], &begun["dialect"]], [&id, "anthropic"]);
    listener.until("turn.ended");
    let ended = listener.event("turn.ended");
    assert_eq!([&ended["turn"], &ended["outcome"]], [&id, "answered"]);
    assert_eq!([&ended["provider"], &ended["model"]], ["sim", "sim/echo"]);
    assert!(ended["usage"]["output"].as_u64() > Some(0), "{ended}");
    assert!(!listener.heard.contains("harbour"), "{}", listener.heard);

    let listed: Value = serde_json::from_slice(&get(house.addr(), "/api/turns", "").body).unwrap();
    assert_eq!(listed["turns"][0], ended);
    let one = get(house.addr(), &format!("/api/turns/{id}"), "");
    let one: Value = serde_json::from_slice(&one.body).unwrap();
    assert_eq!(one["turn"], ended);
}

#[test]
fn repairs_are_named_in_the_list() {
    let house = House::build();
    let body = br#"{"model":"sim/echo","max_tokens":9,"messages":[{"role":"user","content":""}]}"#;
    let answer = post(house.addr(), "/v1/messages", "", body);
    let rules: Vec<_> = answer.header("x-interlingua-repairs").unwrap().split(',').collect();
    let listed: Value = serde_json::from_slice(&get(house.addr(), "/api/turns", "").body).unwrap();
    assert_eq!(listed["turns"][0]["repairs"], serde_json::json!(rules));
}

#[test]
fn the_list_does_not_grow_for_ever() {
    let house = House::build();
    let ids: Vec<_> = (0..300).map(|_| turn(&house, "")).collect();
    let listed: Value = serde_json::from_slice(&get(house.addr(), "/api/turns", "").body).unwrap();
    let listed = listed["turns"].as_array().unwrap();
    assert_eq!(listed.len(), 256);
    assert_eq!([&listed[0]["turn"], &listed[255]["turn"]], [&ids[299], &ids[44]]);
}

#[test]
fn nobody_hears_of_the_turns_of_others() {
    let key = |name: &str| Key {
        name: name.to_owned(),
        sha256: Sha256::digest(format!("key-of-{name}")).into(),
        requests_per_minute: None,
        concurrent: None,
        tokens_per_day: None,
    };
    let house = House::with(|config| config.access.keys = vec![key("anna"), key("bert")]);
    let as_of = |name: &str| format!("authorization: Bearer key-of-{name}\r\n");
    assert_eq!(get(house.addr(), "/api/events", "").status, 401);
    let mut anna = Listener::new(house.addr(), &as_of("anna"));
    let theirs = turn(&house, &as_of("bert"));
    let own = turn(&house, &as_of("anna"));
    assert_eq!(anna.event("turn.ended")["turn"], own);
    assert!(!anna.heard.contains(&theirs), "{}", anna.heard);
    let listed = get(house.addr(), "/api/turns", &as_of("anna")).text();
    assert!(listed.contains(&own) && !listed.contains(&theirs), "{listed}");
    assert_eq!(get(house.addr(), &format!("/api/turns/{theirs}"), &as_of("anna")).status, 404);
}

#[test]
fn who_listens_does_not_keep_a_gateway_from_stopping() {
    let mut house = House::with(|config| config.timeouts.drain = Duration::from_mins(1));
    let mut listener = Listener::new(house.addr(), "");
    let began = Instant::now();
    let gateway = house.gateway.take().unwrap();
    house.runtime.block_on(gateway.stop());
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let mut rest = String::new();
    listener.stream.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "the stream has an end: {rest}");
}

#[test]
fn a_quiet_line_gives_signs_of_life() {
    let house = House::with(|config| config.timeouts.heartbeat = Duration::from_millis(50));
    let mut listener = Listener::new(house.addr(), "");
    listener.heard.clear();
    listener.until(": listening");
}

#[test]
fn the_page_is_whole_and_runs_nothing_of_others() {
    let house = House::build();
    let page = get(house.addr(), "/ui/", "");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
    let text = page.text();
    let named: Vec<_> = text
        .split('"')
        .filter(|word| [".js", ".css", ".svg"].iter().any(|end| word.ends_with(end)))
        .collect();
    assert_eq!(named.len(), 3, "{named:?}");
    for name in named {
        let file = get(house.addr(), &format!("/ui/{name}"), "");
        assert_eq!(file.status, 200, "{name}");
        let markup = ["innerHTML", "outerHTML", "insertAdjacent", "eval(", "document.write"];
        assert!(!markup.iter().any(|word| file.text().contains(word)), "{name}");
    }
    assert!(!text.contains("<style") && !text.contains("onclick"), "{text}");
    assert_eq!(get(house.addr(), "/ui", "").header("location"), Some("/ui/"));
    assert_eq!(get(house.addr(), "/ui/nothing.js", "").status, 404);
    assert_eq!(get(house.addr(), "/ui/", "host: evil.example\r\n").status, 403);
}
