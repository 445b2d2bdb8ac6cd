//! What is too much is refused, in the dialect of who asks; and nobody is waited for for ever.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use interlingua::find;
use interlingua::model::FailureKind;
use interlingua_gateway::config::Config;
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{Answer, CLIENTS, Client, post};
use crate::faults::{Outcome, judged};
use crate::house::House;
use crate::raw::{BEGINNING, EVENTS, server};

fn ask(house: &House, client: &Client, stream: bool, request: &Value) -> Answer {
    let path = (client.path)("anthropic/claude-sonnet-4-5", stream);
    post(house.addr(), &path, "", request.to_string().as_bytes())
}

fn begin(client: &Client, stream: bool, prompt: &str) -> Value {
    (client.begin)("anthropic/claude-sonnet-4-5", stream, prompt)
}

/// Refused with these words, in the client's dialect and before any provider was asked.
fn refused(house: &House, client: &Client, request: &Value, kind: FailureKind, words: &str) {
    let answer = ask(house, client, false, request);
    let failure = find(client.dialect).unwrap().decode_error(answer.status, &answer.body);
    let said = answer.text();
    assert_eq!(failure.kind, kind, "{} {said}", client.dialect);
    assert!(failure.written.is_some(), "not of {}: {said}", client.dialect);
    assert!(said.contains(words), "{}: {said}", client.dialect);
    assert!(house.log().is_empty(), "{}", client.dialect);
}

#[test]
fn json_that_nests_too_deep() {
    let house = House::with(|config| config.limits.depth = 20);
    for client in CLIENTS {
        let mut deep = json!(1);
        for _ in 0..20 {
            deep = json!([deep]);
        }
        let mut request = begin(client, false, "Hi.");
        request["deep"] = deep;
        refused(&house, client, &request, FailureKind::Shape, "deeper than the limit of 20");
    }
}

/// What is long is translated on another thread, and nothing of it is lost there.
#[test]
fn a_long_history_comes_whole() {
    let house = House::build();
    let long = "word ".repeat(250_000);
    for client in CLIENTS {
        let model = "gemini/gemini-2.5-pro";
        let request = (client.begin)(model, false, &long).to_string();
        let answer = post(house.addr(), &(client.path)(model, false), "", request.as_bytes());
        assert_eq!(answer.status, 200, "{} {}", client.dialect, answer.text());
        let sent = house.log().last().unwrap()["request"].to_string();
        assert!(sent.contains(&long), "{} {}", client.dialect, sent.len());
    }
}

/// Also where the limit is the one that the HTTP library has of itself.
#[test]
fn too_many_headers() {
    for most in [5, 100, 150] {
        let house = House::with(|config| config.limits.headers = most);
        for (count, status) in [(most, 200), (most + 1, 431)] {
            let more = "x: 1\r\n".repeat(count - 1);
            let head = format!("GET /readyz HTTP/1.1\r\nhost: localhost\r\n{more}\r\n");
            let mut stream = TcpStream::connect(house.addr()).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            let mut said = [0; 12];
            stream.read_exact(&mut said).unwrap();
            assert_eq!(str::from_utf8(&said), Ok(&*format!("HTTP/1.1 {status}")), "{count}");
        }
    }
}

#[test]
fn too_many_messages() {
    let house = House::with(|config| config.limits.messages = 3);
    for client in CLIENTS {
        let turns = find(client.dialect).unwrap().turns_key();
        let mut request = begin(client, false, "Hi.");
        let turn = request[turns][0].clone();
        request[turns] = json!([turn, turn, turn, turn]);
        refused(&house, client, &request, FailureKind::TooLarge, "4 messages");
    }
}

#[test]
fn too_many_tools_in_groups_too() {
    let house = House::with(|config| config.limits.tools = 2);
    for client in CLIENTS {
        let mut request = begin(client, false, "Hi.");
        let group = request.pointer_mut("/tools/0/functionDeclarations");
        let tools = match group {
            Some(group) => group,
            None => &mut request["tools"],
        };
        let tool = tools[0].clone();
        *tools = json!([tool, tool, tool]);
        refused(&house, client, &request, FailureKind::TooLarge, "3 tools");
    }
}

#[test]
fn a_history_with_arguments_that_are_too_long() {
    let house = House::with(|config| config.limits.arguments = 2000);
    let long = "long ".repeat(400);
    for client in CLIENTS {
        let mut request = begin(client, false, "Please look.");
        // The prompt is longer than that too, and nobody minds.
        let reply = ask(&house, client, false, &begin(client, false, &format!("Look. {long}")));
        assert_eq!(reply.status, 200, "{}", reply.text());
        let called = ask(&house, client, false, &begin(client, false, "Please look."));
        let reply: Value = serde_json::from_slice(&called.body).unwrap();
        assert_eq!((client.go_on)(&mut request, &reply, "seen"), 1);
        let asked = house.log().len();
        let long = lengthened(&request.to_string(), &long);
        let path = (client.path)("anthropic/claude-sonnet-4-5", false);
        let answer = post(house.addr(), &path, "", long.as_bytes());
        let failure = find(client.dialect).unwrap().decode_error(answer.status, &answer.body);
        assert_eq!(failure.kind, FailureKind::TooLarge, "{} {}", client.dialect, answer.text());
        assert_eq!(house.log().len(), asked, "{}", client.dialect);
    }
}

/// Makes the argument `place` of a call longer, written as JSON or as a string that holds JSON.
fn lengthened(request: &str, long: &str) -> String {
    let marks = ["\\\"place\\\":\\\"", "\"place\":\""];
    let mark = marks.iter().find(|mark| request.contains(*mark)).unwrap();
    request.replace(mark, &format!("{mark}{long}"))
}

#[test]
fn a_reply_with_arguments_that_are_too_long() {
    let house = House::with(|config| config.limits.arguments = 2000);
    let place = "long ".repeat(500);
    let prompt = format!("sim:call=look sim:arguments={{\"place\":\"{place}\"}}");
    for client in CLIENTS {
        for provider in ["anthropic/claude-sonnet-4-5", "openai/gpt-5.5", "gemini/gemini-3-pro"] {
            for stream in [false, true] {
                let request = (client.begin)(provider, stream, &prompt).to_string();
                let path = (client.path)(provider, stream);
                let answer = post(house.addr(), &path, "", request.as_bytes());
                let outcome = judged(client, stream, &answer).unwrap();
                let pair = format!("{} {provider} {stream}", client.dialect);
                assert_eq!(outcome, Outcome::Failed, "{pair}: {}", answer.text());
                assert!(answer.text().contains("2000 bytes"), "{pair}: {}", answer.text());
            }
        }
    }
}

/// A house with one provider, which speaks the dialect `anthropic`.
fn house(at: SocketAddr, change: impl FnOnce(&mut Config)) -> House {
    let dialect = find("anthropic").unwrap();
    let provider = Provider::new("anthropic", dialect, format!("http://{at}").parse().unwrap());
    House::with(|config| {
        config.providers = vec![Arc::new(provider)];
        config.limits.retries = 0;
        change(config);
    })
}

#[test]
fn events_that_are_too_long() {
    let large = format!("{EVENTS}{BEGINNING}event: ping\ndata: \"{}\"\n\n", "x".repeat(9000));
    let lines = format!("{EVENTS}{BEGINNING}event: ping\n{}\n", "data:\n".repeat(600));
    for (says, words) in [(large, "larger than the limit"), (lines, "too many lines")] {
        let at = server(move |mut stream, _| stream.write_all(says.as_bytes()).unwrap());
        let house = house(at, |config| {
            config.limits.event = 8000;
            config.limits.event_lines = 500;
        });
        for client in CLIENTS {
            let answer = ask(&house, client, true, &begin(client, true, "Hi."));
            let said = answer.text();
            assert_eq!(judged(client, true, &answer), Ok(Outcome::Failed), "{said}");
            assert!(said.contains(words), "{}: {said}", client.dialect);
        }
    }
}

/// A provider that writes for as long as somebody reads: how much it has written, and its end.
fn endless() -> (SocketAddr, Arc<AtomicUsize>, Receiver<()>) {
    let written = Arc::new(AtomicUsize::new(0));
    let (tell, told) = channel();
    let counted = Arc::clone(&written);
    let at = server(move |mut stream, _| {
        stream.write_all(format!("{EVENTS}{BEGINNING}").as_bytes()).unwrap();
        let delta = json!({
            "type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": "x".repeat(4000)},
        });
        let event = format!("event: content_block_delta\ndata: {delta}\n\n");
        while stream.write_all(event.as_bytes()).is_ok() {
            counted.fetch_add(event.len(), Ordering::Relaxed);
        }
        let _ = tell.send(());
    });
    (at, written, told)
}

fn ask_and_read_nothing(house: &House) -> TcpStream {
    let mut stream = TcpStream::connect(house.addr()).unwrap();
    let body = begin(&CLIENTS[1], true, "Hi.").to_string();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\n\r\n{body}",
        house.addr(),
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

#[test]
fn a_client_that_reads_slowly_slows_its_provider() {
    let (at, written, told) = endless();
    let house = house(at, |config| config.limits.buffer = 4096);
    let mut client = ask_and_read_nothing(&house);
    // Until nothing more is taken: the rest is in the buffers of the system.
    let mut before = 0;
    let held = loop {
        std::thread::sleep(Duration::from_millis(400));
        let now = written.load(Ordering::Relaxed);
        if now == before && now > 0 {
            break now;
        }
        before = now;
    };
    assert!(held < 32 << 20, "{held} bytes were taken for nobody");
    let mut some = vec![0; 1 << 20];
    for _ in 0..20 {
        client.read_exact(&mut some).unwrap();
    }
    std::thread::sleep(Duration::from_millis(400));
    assert!(written.load(Ordering::Relaxed) > held, "it goes on when the client reads");
    drop(client);
    told.recv_timeout(Duration::from_secs(10)).unwrap();
}

#[test]
fn a_client_that_reads_nothing_is_left() {
    let (at, _, told) = endless();
    let house = house(at, |config| config.timeouts.write = Duration::from_millis(300));
    let client = ask_and_read_nothing(&house);
    told.recv_timeout(Duration::from_secs(20)).unwrap();
    drop(client);
}
