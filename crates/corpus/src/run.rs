//! Runs a case through the translation and compares the output.

use bytes::Bytes;
use interlingua::{
    ApiError, BlockContent, Conversation, ConversationPatch, Framing, GuardAnswer, JsonString,
    Ledger, RawJson, ReplyError, StreamTranslator, TranslateError, TranslatedRequest,
    decode_request, find_dialect, parse_object, transcode_request, translate_error,
    translate_reply,
};

use crate::{Case, Difference, Expectation, Input, compare};

/// Result of running a case.
#[derive(Debug)]
pub struct CaseResult {
    pub expected: RawJson,
    /// The translated body; for a stream, the complete reply.
    pub actual: RawJson,
    /// The translated stream, if the case has an expected one.
    pub actual_stream: Option<String>,
    pub ledger: Ledger,
    pub differences: Vec<Difference>,
}

/// Output of the translation.
struct CaseOutput {
    bytes: Bytes,
    /// The complete reply of a stream; otherwise equal to `bytes`.
    folded_body: Bytes,
    error: Option<ApiError>,
    ledger: Ledger,
}

pub fn run_case(case: &Case) -> CaseResult {
    let output = match &case.input {
        Input::Request(body) => run_request(case, body),
        Input::Reply(body) => run_reply(case, body),
        Input::Stream(bytes) => run_stream(case, bytes),
        Input::Error { status, body } => run_error(case, *status, body),
    };
    let mut differences = Vec::new();
    match &case.expected {
        Some(Expectation::SameBytes) => {
            compare_bytes(case.input.bytes(), &output, &mut differences);
        }
        Some(Expectation::Json(json)) => {
            let native = case.to.id().0 == "native";
            differences.extend(compare(json, &to_json_or_string(&output.folded_body), native));
        }
        Some(Expectation::ErrorKind(kind)) => {
            let actual = output.error.as_ref().map_or_else(|| "no failure".into(), error_kind);
            if *kind != actual {
                differences.push(Difference::from_strings("fail.kind", kind, &actual));
            }
        }
        None => {}
    }
    let actual_stream = case.expected_stream.as_ref().map(|expected| {
        let framed = case.to.framing() == Framing::Sse && !case.exchange.wants_json_array;
        compare_streams(expected, &output.bytes, framed, &mut differences);
        String::from_utf8_lossy(&output.bytes).into_owned()
    });
    compare_ledger(&case.ledger, &output.ledger, &mut differences);
    let expected = match &case.expected {
        Some(Expectation::SameBytes) => to_json_or_string(case.input.bytes()),
        Some(Expectation::Json(json)) => json.clone(),
        Some(Expectation::ErrorKind(kind)) => error_json(kind),
        None => RawJson::NULL,
    };
    let actual = match (&case.expected, &output.error) {
        (Some(Expectation::ErrorKind(_)), Some(error)) => error_json(&error_kind(error)),
        _ => to_json_or_string(&output.folded_body),
    };
    CaseResult { expected, actual, actual_stream, ledger: output.ledger, differences }
}

/// Translates the request of a case.
pub fn translate_case(case: &Case, body: &Bytes) -> Result<TranslatedRequest, TranslateError> {
    if !case.with_repair {
        return transcode_request(body.clone(), case.from, case.to, &case.target);
    }
    let decoded_request =
        decode_request(parse_object(body.clone())?, case.from, case.to, &case.target);
    let answers = guard_answers(case, decoded_request.conversation());
    Ok(decoded_request.translate(&ConversationPatch {
        guard_answers: answers,
        restored_turns: case.restored_turns.clone(),
    }))
}

/// The guard's errors with their calls.
fn guard_answers(case: &Case, conversation: &Conversation) -> Vec<GuardAnswer> {
    let blocks = conversation.turns.iter().flat_map(|turn| &turn.blocks);
    let answers = blocks.filter_map(|block| {
        let BlockContent::ToolCall(call) = &block.content else { return None };
        let (_, message) = case.guard_answers.iter().find(|(id, _)| *id == call.id)?;
        Some(GuardAnswer { call: call.clone(), message: message.clone() })
    });
    answers.collect()
}

fn run_request(case: &Case, body: &Bytes) -> CaseOutput {
    match translate_case(case, body) {
        Ok(translated) => CaseOutput::body(translated.body, translated.ledger),
        Err(error) => CaseOutput::error(&error.to_string()),
    }
}

fn run_reply(case: &Case, body: &Bytes) -> CaseOutput {
    match translate_reply(body.clone(), case.from, case.to, &case.exchange) {
        Ok((body, ledger)) => CaseOutput::body(body, ledger),
        Err(ReplyError::InvalidBody(error)) => CaseOutput::error(&error.to_string()),
        Err(ReplyError::Api(api_error)) => {
            let body: Bytes = case.to.encode_error(&api_error).into();
            CaseOutput { error: Some(*api_error), ..CaseOutput::body(body, Ledger::default()) }
        }
    }
}

fn run_error(case: &Case, status: u16, body: &Bytes) -> CaseOutput {
    let (_, body, error) = translate_error(status, body.clone(), case.from, case.to);
    CaseOutput { error: Some(error), ..CaseOutput::body(body, Ledger::default()) }
}

fn run_stream(case: &Case, bytes: &Bytes) -> CaseOutput {
    let mut stream = StreamTranslator::new(case.from, case.to, &case.exchange);
    let mut out = Vec::new();
    stream.push(bytes, &mut out);
    stream.finish(&mut out);
    let (reply, ledger) = stream.into_reply();
    // The complete reply records losses a second time; the ledger of the stream counts.
    let mut unused_ledger = Ledger::default();
    let (body, error) = match reply {
        Ok(reply) => (case.to.encode_reply(&reply, &case.exchange, &mut unused_ledger), None),
        Err(error) => (case.to.encode_error(&error), Some(error)),
    };
    CaseOutput { bytes: out.into(), folded_body: body.into(), error, ledger }
}

fn compare_bytes(input: &Bytes, output: &CaseOutput, differences: &mut Vec<Difference>) {
    if *input != output.bytes {
        let shared = input.iter().zip(&output.bytes).take_while(|(a, b)| a == b).count();
        let path = format!("byte {shared}");
        let (expected, actual) = (excerpt(input, shared), excerpt(&output.bytes, shared));
        differences.push(Difference::from_strings(&path, &expected, &actual));
    }
}

/// Text around a byte.
fn excerpt(bytes: &[u8], at: usize) -> String {
    let (start, end) = (at.saturating_sub(30).min(bytes.len()), (at + 50).min(bytes.len()));
    String::from_utf8_lossy(&bytes[start..end]).into_owned()
}

/// Compares line by line. The expected stream lacks the blank line behind the last event, the
/// actual one must have it.
fn compare_streams(
    expected: &Bytes,
    actual: &Bytes,
    events: bool,
    differences: &mut Vec<Difference>,
) {
    let mut expected = String::from_utf8_lossy(expected).trim_end_matches('\n').to_owned();
    if events {
        expected.push_str("\n\n");
    }
    let actual = String::from_utf8_lossy(actual);
    let (mut expected_lines, mut actual_lines) = (expected.split('\n'), actual.split('\n'));
    for line in 1.. {
        let (a, b) = (expected_lines.next(), actual_lines.next());
        if a.is_none() && b.is_none() {
            break;
        }
        if a != b {
            let end = "(the stream has ended)";
            let path = format!("stream line {line}");
            differences.push(Difference::from_strings(&path, a.unwrap_or(end), b.unwrap_or(end)));
            break;
        }
    }
}

fn compare_ledger(expected: &[String], ledger: &Ledger, differences: &mut Vec<Difference>) {
    let actual: Vec<&str> = ledger.entries.iter().map(|entry| entry.rule).collect();
    if actual != expected {
        let detail: Vec<_> =
            ledger.entries.iter().map(interlingua_model::LedgerEntry::to_json).collect();
        let actual = RawJson::array(|out| detail.iter().for_each(|entry| out.item().json(entry)));
        let expected = RawJson::array(|out| expected.iter().for_each(|name| out.item().str(name)));
        let path = "ledger".to_owned();
        differences.push(Difference { path, expected: Some(expected), actual: Some(actual) });
    }
}

/// The bytes as JSON, or as a string if they are not JSON.
fn to_json_or_string(bytes: &[u8]) -> RawJson {
    let text = String::from_utf8_lossy(bytes).into_owned();
    RawJson::parse(text.clone()).unwrap_or_else(|_| RawJson::string(&JsonString::new(&text)))
}

fn error_json(kind: &str) -> RawJson {
    RawJson::object(|out| out.object("fail", |fail| fail.str("kind", kind)))
}

/// Kind of an error in the native dialect.
fn error_kind(api_error: &ApiError) -> String {
    let body =
        find_dialect("native").map_or_else(Vec::new, |native| native.encode_error(api_error));
    let body = to_json_or_string(&body).to_doc();
    let kind = body.root().get("error").and_then(|error| error.get("kind"));
    kind.map_or_else(String::new, |kind| kind.str_or_empty().into_owned())
}

impl CaseOutput {
    fn body(bytes: Bytes, ledger: Ledger) -> Self {
        Self { folded_body: bytes.clone(), bytes, error: None, ledger }
    }

    /// Output for a body that cannot be translated; cases that expect a body fail with this
    /// message.
    fn error(message: &str) -> Self {
        Self::body(message.to_owned().into(), Ledger::default())
    }
}

impl CaseResult {
    pub fn passed(&self) -> bool {
        self.differences.is_empty()
    }

    pub fn to_json(&self) -> RawJson {
        RawJson::object(|out| {
            out.boolean("pass", self.passed());
            out.json("expected", &self.expected);
            out.json("got", &self.actual);
            if let Some(stream) = &self.actual_stream {
                out.str("got_stream", stream);
            }
            out.array("ledger", |list| {
                for entry in &self.ledger.entries {
                    list.item().json(&entry.to_json());
                }
            });
            if !self.passed() {
                out.array("differences", |list| {
                    for difference in &self.differences {
                        list.item().json(&difference.to_json());
                    }
                });
            }
        })
    }
}
