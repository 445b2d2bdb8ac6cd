//! Whatever goes wrong behind the gateway, the client gets an answer, or an error of its own dialect:
//! never silence, and never the clean end of a stream that broke.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::HeaderValue;
use interlingua::find;
use interlingua_gateway::config::{Pattern, Way};
use interlingua_upstream::Provider;
use serde_json::{Value, json};

use crate::client::{Answer, CLIENTS, Client, post};
use crate::house::House;
use crate::raw::{BEGINNING, EVENTS, REST, server};
use crate::stub::Stub;

/// How a turn may come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A complete answer.
    Answered,
    /// An error instead of an answer, or an error event after a part of one.
    Failed,
    /// Either, as long as it is clear which.
    Clear,
}

#[test]
fn a_kept_connection_that_was_closed_costs_nobody_an_answer() {
    let reply = json!({
        "id": "r1", "object": "chat.completion", "created": 0, "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": "done"}}],
    });
    let answer = Some((200, reply.to_string()));
    let stub = Stub::staying(vec![answer.clone(), None, answer.clone(), None, None]);
    let base = format!("http://{}", stub.addr).parse().unwrap();
    let mut provider = Provider::new("stub", find("openai-chat").unwrap(), base);
    provider.key = Some("key".into());
    let house = House::with(|config| {
        config.providers = vec![Arc::new(provider)];
        config.limits.retries = 0;
    });
    let ask = |words: &str| {
        let body = json!({"model": "stub/m", "max_tokens": 9, "messages": [
            {"role": "user", "content": words},
        ]});
        post(house.addr(), "/v1/messages", "", body.to_string().as_bytes())
    };
    for words in ["first", "second"] {
        assert_eq!(ask(words).status, 200, "{words}");
    }
    let asked = stub.asked();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[1], asked[2]);
    assert_eq!(asked[2]["messages"][0]["content"], "second");
    // Once more, and not again.
    assert_eq!(ask("third").status, 502);
    assert_eq!(stub.asked().len(), 5);
}

/// It has said everything but that no more comes; or not even what it has cost.
#[test]
fn a_provider_that_stays_without_its_end_mark_leaves_nobody_without_one() {
    let told = format!("{WORDS}{COST}");
    let answer = ask_who_stays(told.clone(), &CLIENTS[1], true);
    assert_eq!(answer.text(), format!("{told}data: [DONE]\n\n"));
    std::thread::scope(|scope| {
        for (client, stream, end) in [
            (&CLIENTS[1], true, "data: [DONE]\n\n"),
            (&CLIENTS[0], true, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"),
            (&CLIENTS[1], false, "}"),
            (&CLIENTS[0], false, "}"),
        ] {
            scope.spawn(move || {
                let began = Instant::now();
                let answer = ask_who_stays(WORDS.to_owned(), client, stream);
                assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
                let text = answer.text();
                assert!(answer.status == 200 && text.contains("I look."), "{text}");
                assert!(text.ends_with(end) && !text.contains("error"), "{text}");
            });
        }
    });
}

/// The answer of a provider that says this, and stays.
fn ask_who_stays(says: String, client: &Client, stream: bool) -> Answer {
    let at = server(move |mut stream, _| {
        stream.write_all(format!("{EVENTS}{says}").as_bytes()).unwrap();
        std::mem::forget(stream);
    });
    let base = format!("http://{at}").parse().unwrap();
    let provider = Arc::new(Provider::new("stub", find("openai-chat").unwrap(), base));
    let house = House::with(|config| config.providers = vec![provider]);
    let request = (client.begin)("stub/m", stream, "Please look.").to_string();
    post(house.addr(), &(client.path)("stub/m", stream), "", request.as_bytes())
}

const WORDS: &str = concat!(
    r#"data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"#,
    r#""delta":{"role":"assistant","content":"I look."},"finish_reason":"stop"}]}"#,
    "\n\n",
);
const COST: &str = concat!(
    r#"data: {"id":"r1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"#,
    r#""usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}"#,
    "\n\n",
);

/// A text that is opened is nothing that the client has heard.
#[test]
fn a_stream_that_fails_before_its_first_word_is_asked_for_again() {
    for event in [
        "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
        "",
    ] {
        let tries = AtomicUsize::new(0);
        let at = server(move |mut stream, _| {
            let fails = tries.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
            let rest = if fails { event } else { REST };
            let _ = stream.write_all([EVENTS, BEGINNING, rest].concat().as_bytes());
        });
        let base = format!("http://{at}").parse().unwrap();
        let provider = Arc::new(Provider::new("stub", find("anthropic").unwrap(), base));
        let house = House::with(|config| config.providers = vec![provider]);
        for client in CLIENTS {
            let request = (client.begin)("stub/m", true, "Please look.").to_string();
            let path = (client.path)("stub/m", true);
            let answer = post(house.addr(), &path, "", request.as_bytes());
            let said = answer.text();
            assert_eq!(judged(client, true, &answer), Ok(Outcome::Answered), "{said}");
        }
    }
}

#[test]
fn every_fault_reaches_the_client_as_an_answer_or_as_an_error() {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let tried = |row: &'static (&str, Outcome)| scope.spawn(|| try_fault(row.0, row.1));
        let threads: Vec<_> = FAULTS.iter().map(tried).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// Every client and every dialect of providers; what came out otherwise than it should.
fn try_fault(fault: &str, expected: Outcome) -> Vec<String> {
    let house = house(fault, expected);
    let mut wrong = Vec::new();
    for client in CLIENTS {
        for provider in ["anthropic", "openai", "gemini", "bedrock", "codex"] {
            for stream in [false, true] {
                let began = Instant::now();
                let (got, answer) = outcome(&house, client, provider, stream);
                let took = began.elapsed();
                let fits = match (&got, expected) {
                    (Ok(_), Outcome::Clear) => true,
                    (Ok(got), expected) => *got == expected,
                    (Err(_), _) => false,
                };
                if !fits || took > Duration::from_secs(20) {
                    let pair = format!("{fault}: {} → {provider}, {stream}", client.dialect);
                    wrong.push(format!("{pair}: {got:?} after {took:?}: {}", answer.text()));
                }
            }
        }
    }
    wrong
}

fn outcome(
    house: &House,
    client: &Client,
    provider: &str,
    stream: bool,
) -> (Result<Outcome, String>, Answer) {
    let model = format!("{provider}/{}", model(provider));
    let request = (client.begin)(&model, stream, "Please look at the harbour.");
    let path = (client.path)(&model, stream);
    let answer = post(house.addr(), &path, "", request.to_string().as_bytes());
    (judged(client, stream, &answer), answer)
}

pub(crate) fn judged(client: &Client, stream: bool, answer: &Answer) -> Result<Outcome, String> {
    if !answer.whole {
        return Err(format!("cut: {} {}", answer.status, answer.text()));
    }
    if answer.status != 200 {
        let dialect = find(client.dialect).unwrap();
        let failure = dialect.decode_error(answer.status, &answer.body);
        let is_json = serde_json::from_slice::<Value>(&answer.body).is_ok();
        if failure.written.is_none() || !is_json {
            return Err(format!("no envelope: {}", answer.text()));
        }
        return Ok(Outcome::Failed);
    }
    if !stream {
        let reply: Value = serde_json::from_slice(&answer.body).map_err(|e| e.to_string())?;
        return if (client.text)(&reply).contains("look") {
            Ok(Outcome::Answered)
        } else {
            Err(format!("an empty answer: {reply}"))
        };
    }
    match client.folded(&answer.body) {
        Ok(_) => Ok(Outcome::Answered),
        Err(why) if why.contains("ended before the reply was complete") && !says_error(answer) => {
            Err(format!("a stream that just ends: {}", answer.text()))
        }
        Err(_) => Ok(Outcome::Failed),
    }
}

/// Whether the stream itself says that it failed.
fn says_error(answer: &Answer) -> bool {
    let text = answer.text();
    let last = text.trim_end().rsplit("\n\n").next().unwrap_or_default();
    last.contains("error") || text.contains("\"error\"")
}

/// Impatient, unless everybody is to be answered: a busy machine is silent at times, too.
fn house(fault: &str, expected: Outcome) -> House {
    House::with(|config| {
        if expected != Outcome::Answered {
            config.timeouts.answer = Duration::from_millis(400);
            config.timeouts.silence = Duration::from_millis(400);
        }
        config.timeouts.heartbeat = Duration::from_millis(100);
        let fault = HeaderValue::from_str(fault).unwrap();
        for provider in &mut config.providers {
            let mut faulty = (**provider).clone();
            faulty.headers.insert("x-sim-fault", fault.clone());
            *provider = Arc::new(faulty);
        }
    })
}

fn model(provider: &str) -> &'static str {
    match provider {
        "anthropic" => "claude-sonnet-4-5",
        "gemini" => "gemini-3-pro",
        "bedrock" => "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        _ => "gpt-5.5",
    }
}

#[test]
fn a_provider_that_fails_is_followed_by_the_next() {
    for fault in ["500", "reset", "html", "error-in-200", "529", "401", "429", "silent", "gzip"] {
        let house = House::with(|config| {
            if fault == "silent" {
                config.timeouts.answer = Duration::from_millis(400);
            }
            let fault = HeaderValue::from_str(fault).unwrap();
            for provider in config.providers.iter_mut().filter(|p| p.name == "openai") {
                let mut faulty = (**provider).clone();
                faulty.headers.insert("x-sim-fault", fault.clone());
                *provider = Arc::new(faulty);
            }
            let way = |provider: &str, model: &str| Way {
                provider: provider.into(),
                model: model.into(),
                weight: None,
            };
            let ways = vec![way("openai", "gpt-5.5"), way("anthropic", "claude-sonnet-4-5")];
            config.models.patterns = vec![Pattern { pattern: "best".into(), ways }];
        });
        for client in CLIENTS {
            // In a stream, the error comes before any content or the client has seen some already.
            for stream in [false, true] {
                if stream && fault == "error-in-200" {
                    continue;
                }
                let request = (client.begin)("best", stream, "Please look at the harbour.");
                let path = (client.path)("best", stream);
                let answer = post(house.addr(), &path, "", request.to_string().as_bytes());
                assert_eq!(answer.status, 200, "{fault}: {}", answer.text());
                assert_eq!(answer.header("x-interlingua-provider"), Some("anthropic"), "{fault}");
            }
        }
    }
}

#[test]
fn a_shape_error_is_the_clients_to_see() {
    let house = House::with(|config| {
        for provider in config.providers.iter_mut().filter(|p| p.name == "anthropic") {
            let mut faulty = (**provider).clone();
            let fault = HeaderValue::from_static("rule=invalid-signature");
            faulty.headers.insert("x-sim-fault", fault);
            *provider = Arc::new(faulty);
        }
    });
    let asked = house.log().len();
    let request = (CLIENTS[0].begin)("anthropic/claude-sonnet-4-5", false, "Hi.");
    let answer = post(house.addr(), "/v1/messages", "", request.to_string().as_bytes());
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("signature"), "{}", answer.text());
    assert_eq!(house.log().len(), asked + 1, "it is not tried again");
}

const FAULTS: &[(&str, Outcome)] = &[
    ("401", Outcome::Failed),
    ("429=3", Outcome::Failed),
    ("500", Outcome::Failed),
    ("500@1", Outcome::Clear),
    ("529", Outcome::Failed),
    ("html", Outcome::Failed),
    ("html=200", Outcome::Failed),
    ("error-in-200", Outcome::Failed),
    ("reset", Outcome::Failed),
    ("silent", Outcome::Failed),
    ("reset-midstream", Outcome::Failed),
    ("cut", Outcome::Failed),
    ("cut-character", Outcome::Failed),
    ("stall", Outcome::Failed),
    ("no-finish", Outcome::Clear),
    ("no-end", Outcome::Clear),
    ("garbage", Outcome::Clear),
    ("duplicate", Outcome::Clear),
    ("shuffle", Outcome::Clear),
    ("trailing", Outcome::Answered),
    ("gzip", Outcome::Failed),
    ("pieces=1", Outcome::Answered),
    ("bytes=3", Outcome::Answered),
];
