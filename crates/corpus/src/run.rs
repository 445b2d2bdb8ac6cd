//! One case down the road, and what came of it.

use bytes::Bytes;
use interlingua::{
    Conversation, Failure, Framing, Json, Ledger, Recalled, ReplyError, Stream, Text, Told,
    TranslateError, Translated, find, model::Body, open_document, read_object, transcribe_request,
    translate_error, translate_reply,
};

use crate::{Case, Difference, Expect, Input, compare};

/// What came of a case.
#[derive(Debug)]
pub struct Verdict {
    pub expected: Json,
    /// The body as it left; of a stream, the whole reply it adds up to.
    pub got: Json,
    /// The stream as it left, if the case says how it should.
    pub got_stream: Option<String>,
    pub ledger: Ledger,
    pub differences: Vec<Difference>,
}

/// What left the road.
struct Outcome {
    bytes: Bytes,
    /// The whole reply a stream adds up to; the bytes where there is only one form.
    whole: Bytes,
    failure: Option<Failure>,
    ledger: Ledger,
}

pub fn run(case: &Case) -> Verdict {
    let outcome = match &case.input {
        Input::Request(body) => request(case, body),
        Input::Reply(body) => reply(case, body),
        Input::Stream(bytes) => stream(case, bytes),
        Input::Error { status, body } => error(case, *status, body),
    };
    let mut differences = Vec::new();
    match &case.expect {
        Some(Expect::Same) => same(case.input.bytes(), &outcome, &mut differences),
        Some(Expect::Json(json)) => {
            let native = case.to.id().0 == "native";
            differences.extend(compare(json, &as_json(&outcome.whole), native));
        }
        Some(Expect::Fail(kind)) => {
            let got = outcome.failure.as_ref().map_or_else(|| "no failure".into(), word);
            if *kind != got {
                differences.push(Difference::of_words("fail.kind", kind, &got));
            }
        }
        None => {}
    }
    let got_stream = case.expect_stream.as_ref().map(|expected| {
        let framed = case.to.framing() == Framing::Sse && !case.exchange.array;
        streams(expected, &outcome.bytes, framed, &mut differences);
        String::from_utf8_lossy(&outcome.bytes).into_owned()
    });
    names(&case.ledger, &outcome.ledger, &mut differences);
    let expected = match &case.expect {
        Some(Expect::Same) => as_json(case.input.bytes()),
        Some(Expect::Json(json)) => json.clone(),
        Some(Expect::Fail(kind)) => failed(kind),
        None => Json::NULL,
    };
    let got = match (&case.expect, &outcome.failure) {
        (Some(Expect::Fail(_)), Some(failure)) => failed(&word(failure)),
        _ => as_json(&outcome.whole),
    };
    Verdict { expected, got, got_stream, ledger: outcome.ledger, differences }
}

/// The request of a case as it leaves.
pub fn sent(case: &Case, body: &Bytes) -> Result<Translated, TranslateError> {
    if !case.repair {
        return transcribe_request(body.clone(), case.from, case.to, &case.target);
    }
    let opened = open_document(read_object(body.clone())?, case.from, case.to, &case.target);
    let told = told(case, opened.conversation());
    Ok(opened.translate(&Recalled { told, restored: case.restored.clone() }))
}

/// Every call that the model is to be told of.
fn told(case: &Case, conversation: &Conversation) -> Vec<Told> {
    let blocks = conversation.turns.iter().flat_map(|turn| &turn.blocks);
    let told = blocks.filter_map(|block| {
        let Body::ToolCall(call) = &block.body else { return None };
        let (_, message) = case.told.iter().find(|(id, _)| *id == call.id)?;
        Some(Told { call: call.clone(), message: message.clone() })
    });
    told.collect()
}

fn request(case: &Case, body: &Bytes) -> Outcome {
    match sent(case, body) {
        Ok(translated) => Outcome::whole(translated.body, translated.ledger),
        Err(error) => Outcome::refused(&error.to_string()),
    }
}

fn reply(case: &Case, body: &Bytes) -> Outcome {
    match translate_reply(body.clone(), case.from, case.to, &case.exchange) {
        Ok((body, ledger)) => Outcome::whole(body, ledger),
        Err(ReplyError::Unreadable(error)) => Outcome::refused(&error.to_string()),
        Err(ReplyError::Failed(failure)) => {
            let body: Bytes = case.to.encode_error(&failure).into();
            Outcome { failure: Some(*failure), ..Outcome::whole(body, Ledger::default()) }
        }
    }
}

fn error(case: &Case, status: u16, body: &Bytes) -> Outcome {
    let (_, body, failure) = translate_error(status, body.clone(), case.from, case.to);
    Outcome { failure: Some(failure), ..Outcome::whole(body, Ledger::default()) }
}

fn stream(case: &Case, bytes: &Bytes) -> Outcome {
    let mut stream = Stream::new(case.from, case.to, &case.exchange);
    let mut out = Vec::new();
    stream.push(bytes, &mut out);
    stream.finish(&mut out);
    let (reply, ledger) = stream.into_reply();
    // What cannot be said is noted while the stream is written; the whole says it again.
    let mut again = Ledger::default();
    let (whole, failure) = match reply {
        Ok(reply) => (case.to.encode_reply(&reply, &case.exchange, &mut again), None),
        Err(failure) => (case.to.encode_error(&failure), Some(failure)),
    };
    Outcome { bytes: out.into(), whole: whole.into(), failure, ledger }
}

fn same(input: &Bytes, outcome: &Outcome, differences: &mut Vec<Difference>) {
    if *input != outcome.bytes {
        let shared = input.iter().zip(&outcome.bytes).take_while(|(a, b)| a == b).count();
        let path = format!("byte {shared}");
        let (expected, got) = (excerpt(input, shared), excerpt(&outcome.bytes, shared));
        differences.push(Difference::of_words(&path, &expected, &got));
    }
}

/// What stands around a byte.
fn excerpt(bytes: &[u8], at: usize) -> String {
    let (start, end) = (at.saturating_sub(30).min(bytes.len()), (at + 50).min(bytes.len()));
    String::from_utf8_lossy(&bytes[start..end]).into_owned()
}

/// Line by line; the blank line after the last event is taken for granted in the case, not in what
/// was written.
fn streams(expected: &Bytes, got: &Bytes, events: bool, differences: &mut Vec<Difference>) {
    let mut expected = String::from_utf8_lossy(expected).trim_end_matches('\n').to_owned();
    if events {
        expected.push_str("\n\n");
    }
    let got = String::from_utf8_lossy(got);
    let (mut wanted, mut lines) = (expected.split('\n'), got.split('\n'));
    for line in 1.. {
        let (a, b) = (wanted.next(), lines.next());
        if a.is_none() && b.is_none() {
            break;
        }
        if a != b {
            let end = "(the stream has ended)";
            let path = format!("stream line {line}");
            differences.push(Difference::of_words(&path, a.unwrap_or(end), b.unwrap_or(end)));
            break;
        }
    }
}

fn names(expected: &[String], ledger: &Ledger, differences: &mut Vec<Difference>) {
    let got: Vec<&str> = ledger.entries.iter().map(|entry| entry.rule).collect();
    if got != expected {
        let detail: Vec<_> =
            ledger.entries.iter().map(interlingua::model::Entry::to_json).collect();
        let got = Json::array(|out| detail.iter().for_each(|entry| out.item().json(entry)));
        let expected = Json::array(|out| expected.iter().for_each(|name| out.item().string(name)));
        let path = "ledger".to_owned();
        differences.push(Difference { path, expected: Some(expected), got: Some(got) });
    }
}

/// The bytes as JSON; as a string if they are not.
fn as_json(bytes: &[u8]) -> Json {
    let text = String::from_utf8_lossy(bytes).into_owned();
    Json::parse(text.clone()).unwrap_or_else(|_| Json::string(&Text::new(&text)))
}

fn failed(kind: &str) -> Json {
    Json::object(|out| out.object("fail", |fail| fail.word("kind", kind)))
}

/// The native dialect's word for the failure's kind.
fn word(failure: &Failure) -> String {
    let body = find("native").map_or_else(Vec::new, |native| native.encode_error(failure));
    let body = as_json(&body).doc();
    let kind = body.root().get("error").and_then(|error| error.get("kind"));
    kind.map_or_else(String::new, |kind| kind.word().into_owned())
}

impl Outcome {
    fn whole(bytes: Bytes, ledger: Ledger) -> Self {
        Self { whole: bytes.clone(), bytes, failure: None, ledger }
    }

    /// The road refuses the body; a case that expects anything else fails on this sentence.
    fn refused(why: &str) -> Self {
        Self::whole(why.to_owned().into(), Ledger::default())
    }
}

impl Verdict {
    pub fn pass(&self) -> bool {
        self.differences.is_empty()
    }

    pub fn to_json(&self) -> Json {
        Json::object(|out| {
            out.boolean("pass", self.pass());
            out.json("expected", &self.expected);
            out.json("got", &self.got);
            if let Some(stream) = &self.got_stream {
                out.word("got_stream", stream);
            }
            out.array("ledger", |list| {
                for entry in &self.ledger.entries {
                    list.item().json(&entry.to_json());
                }
            });
            if !self.pass() {
                out.array("differences", |list| {
                    for difference in &self.differences {
                        list.item().json(&difference.to_json());
                    }
                });
            }
        })
    }
}
