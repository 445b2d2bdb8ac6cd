//! A provider that says nothing for long, not even that it heard: who waits for a stream is told that somebody
//! is there.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::Duration;

use http::HeaderValue;
use interlingua::find;
use interlingua_upstream::Provider;

use crate::client::{Answer, CLIENTS, Client, post};
use crate::faults::{Outcome, judged};
use crate::house::House;
use crate::raw::{BEGINNING, EVENTS, REST, server};

/// What each client hears first when it has waited; nothing where that would not make it wait longer.
const SIGNS: [(&str, Option<&str>); 4] = [
    ("anthropic", Some("event: ping\n")),
    ("openai-chat", Some(": ping\n\n")),
    ("openai-responses", None),
    ("gemini", Some("\n\n")),
];

/// A house with one provider, which speaks the dialect `anthropic`.
fn house(at: SocketAddr) -> House {
    let dialect = find("anthropic").unwrap();
    let provider = Provider::new("anthropic", dialect, format!("http://{at}").parse().unwrap());
    House::with(|config| {
        config.providers = vec![Arc::new(provider)];
        config.limits.retries = 0;
        config.timeouts.heartbeat = Duration::from_millis(100);
    })
}

fn ask(house: &House, client: &Client, stream: bool) -> Answer {
    let model = "anthropic/claude-sonnet-4-5";
    let request = (client.begin)(model, stream, "Please look.").to_string();
    post(house.addr(), &(client.path)(model, stream), "", request.as_bytes())
}

#[test]
fn who_waits_for_a_stream_hears_of_it() {
    let says = [EVENTS, BEGINNING, REST].concat();
    let at = server(move |mut stream, _| {
        sleep(Duration::from_millis(600));
        let (head, events) = says.split_at(EVENTS.len());
        stream.write_all(head.as_bytes()).unwrap();
        sleep(Duration::from_millis(300));
        stream.write_all(events.as_bytes()).unwrap();
    });
    let house = house(at);
    for (client, (dialect, sign)) in CLIENTS.iter().zip(SIGNS) {
        let answer = ask(&house, client, true);
        let said = answer.text();
        assert_eq!(answer.status, 200, "{dialect}: {said}");
        assert!(answer.header("x-interlingua-turn").is_some(), "{dialect}");
        let reply = client.folded(&answer.body).unwrap_or_else(|why| panic!("{dialect}: {why}"));
        assert!((client.text)(&reply).contains("looked"), "{dialect}: {reply}");
        let begins = said.find("data: {\"").unwrap();
        match sign {
            Some(sign) => assert!(said.starts_with(sign), "{dialect}: {said}"),
            None => assert!(said[..begins].starts_with("event: response.created"), "{said}"),
        }
        assert_eq!(ask(&house, client, false).status, 200, "{dialect}");
    }
}

/// Before the head, between head and events, and again: the provider goes on when the client has heard it.
#[test]
fn it_hears_of_it_as_often_as_it_waits() {
    let (tell, told) = channel();
    let says = [EVENTS, BEGINNING, REST].concat();
    let at = server(move |mut stream, _| {
        let (head, events) = says.split_at(EVENTS.len());
        for part in [head, events] {
            told.recv().unwrap();
            stream.write_all(part.as_bytes()).unwrap();
        }
    });
    let house = house(at);
    let mut stream = begin(&house);
    for pings in [2, 4] {
        hear(&mut stream, "event: ping", pings);
        tell.send(()).unwrap();
    }
    hear(&mut stream, "message_stop", 1);
}

#[test]
fn a_failure_after_that_is_an_error_in_the_stream() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"there is no such thing"}}"#;
    let says = format!(
        "HTTP/1.1 400 X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let at = server(move |mut stream, _| {
        sleep(Duration::from_millis(400));
        stream.write_all(says.as_bytes()).unwrap();
    });
    let house = house(at);
    for (client, (dialect, sign)) in CLIENTS.iter().zip(SIGNS) {
        let answer = ask(&house, client, true);
        let said = answer.text();
        assert_eq!(answer.status, if sign.is_some() { 200 } else { 400 }, "{dialect}: {said}");
        assert_eq!(judged(client, true, &answer), Ok(Outcome::Failed), "{dialect}: {said}");
        assert!(said.contains("no such thing"), "{dialect}: {said}");
        assert_eq!(ask(&house, client, false).status, 400, "{dialect}");
    }
}

#[test]
fn the_request_is_asked_again_meanwhile() {
    let house = House::with(|config| {
        config.timeouts.heartbeat = Duration::from_millis(100);
        for provider in &mut config.providers {
            let mut faulty = (**provider).clone();
            faulty.headers.insert("x-sim-fault", HeaderValue::from_static("silent=1@1"));
            *provider = Arc::new(faulty);
        }
    });
    let answer = ask(&house, &CLIENTS[0], true);
    assert!(answer.text().starts_with("event: ping\n"), "{}", answer.text());
    assert_eq!(judged(&CLIENTS[0], true, &answer), Ok(Outcome::Answered), "{}", answer.text());
    assert_eq!(house.log().len(), 2);
}

#[test]
fn who_leaves_while_waiting_ends_the_call() {
    let (tell, told) = channel();
    let at = server(move |mut stream, _| {
        let _ = stream.read(&mut [0; 16]);
        tell.send(()).unwrap();
    });
    let house = house(at);
    let mut stream = begin(&house);
    hear(&mut stream, "event: ping", 1);
    assert!(told.try_recv().is_err());
    drop(stream);
    told.recv_timeout(Duration::from_secs(10)).unwrap();
}

/// A stream that is asked for.
fn begin(house: &House) -> TcpStream {
    let model = "anthropic/claude-sonnet-4-5";
    let body = (CLIENTS[0].begin)(model, true, "Hi.").to_string();
    let mut stream = TcpStream::connect(house.addr()).unwrap();
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
        house.addr(),
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Reads until so many of these were heard.
fn hear(stream: &mut TcpStream, what: &str, often: usize) {
    let mut heard = String::new();
    while heard.matches(what).count() < often {
        let mut some = [0; 1024];
        let read = stream.read(&mut some).unwrap();
        assert_ne!(read, 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&some[..read]));
    }
}
