//! The request log, and responses to malformed and oversized bodies.

use serde_json::{Value, json};

use crate::client::{PROMPT, TestServer, request};

#[test]
fn the_log_has_every_request_with_its_outcome() {
    let server = TestServer::start();
    let (path, body) = request("anthropic", true, PROMPT);
    server.post(&path, &body);
    server.post_with_fault(&path, "429=1", &body);
    server.send("POST", "/openai/v1/chat/completions", "", b"{\"model\": ");
    let log = server.get("/sim/log").json();
    assert_eq!(log["seen"], 3);
    let requests = log["requests"].as_array().unwrap();
    let first = &requests[0];
    assert_eq!(first["number"], 1);
    assert_eq!(first["path"], "/anthropic/v1/messages");
    assert_eq!((&first["dialect"], &first["flavor"]), (&json!("anthropic"), &json!("anthropic")));
    assert_eq!((&first["model"], &first["status"]), (&json!("claude-opus-4-8"), &json!(200)));
    assert_eq!((&first["accepted"], &first["request"]), (&json!(true), &body));
    assert_eq!(first["reply"]["stop"], "calls");
    assert_eq!(first["reply"]["blocks"][3]["call"], "get_weather");
    assert_eq!((&requests[1]["status"], &requests[1]["faults"]), (&json!(429), &json!(["429=1"])));
    assert_eq!(requests[2]["accepted"], false);
    assert_eq!(requests[2]["violations"].as_array().unwrap().len(), 1);
    assert_eq!(requests[2]["reply"], Value::Null);
    let cleared = server.send("DELETE", "/sim/log", "", b"").json();
    assert_eq!(cleared, json!({"seen": 0, "requests": []}));
}

#[test]
fn malformed_json_gets_the_error_of_the_judge() {
    let server = TestServer::start();
    for judge in interlingua_strict::ALL {
        let api = match judge.dialect {
            "openai-chat" => "openai",
            "openai-responses" => "responses",
            other => other,
        };
        let (path, _) = request(api, false, PROMPT);
        let reply = server.send("POST", &path, "", b"{\"model\": ");
        let violation = judge.parse(b"{\"model\": ").unwrap_err();
        assert_eq!(reply.status, violation.status, "{api}");
        let mut envelope = (judge.envelope)(&violation, judge.flavors[0]);
        if api == "anthropic" {
            envelope["request_id"] = reply.json()["request_id"].clone();
        }
        assert_eq!(reply.json(), envelope, "{api}");
    }
}

#[test]
fn a_body_that_is_too_large_is_rejected() {
    let server = TestServer::start();
    let body = vec![b' '; 33 * 1024 * 1024];
    let head = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nanthropic-version: 2023-06-01\r\n";
    // The response may arrive before the body is read; a client that keeps writing may get a reset.
    let mut stream = std::net::TcpStream::connect(server.addr()).unwrap();
    let head = format!("{head}content-length: {}\r\n\r\n", body.len());
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let feed = std::thread::spawn(move || drop(std::io::Write::write_all(&mut writer, &body)));
    let mut start = [0; 12];
    std::io::Read::read_exact(&mut stream, &mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    drop(stream);
    feed.join().unwrap();
}
