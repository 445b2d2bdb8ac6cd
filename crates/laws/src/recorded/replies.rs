//! Recorded replies and streams: unchanged in their vendor's dialect, and whole in the others.

use bytes::Bytes;
use interlingua::{
    Dialect, ReplyContext, StreamTranslator, find_dialect, translate_reply, translate_request,
};
use serde_json::Value;

use super::disagreement::{Check, Disagreement};
use super::recording::Recording;
use super::reply_contents::{CallContents, ReplyContents, is_stream, read_contents};

pub(super) fn check_reply(recording: &Recording, disagreements: &mut Vec<Disagreement>) {
    let Some(response) = recording.response.as_ref().filter(|_| recording.is_accepted()) else {
        return;
    };
    let server = recording.server;
    let Some(expected) = read_contents(server.judge.dialect, response) else { return };
    for to in CLIENT_DIALECTS.iter().filter_map(|name| find_dialect(name)) {
        let is_same_dialect = to.id() == server.dialect.id();
        let cx = if is_same_dialect { reply_context(recording) } else { ReplyContext::default() };
        let mut disagree = |check, subject: &str, detail: String| {
            let subject = format!("{subject} from {} to {}", server.judge.dialect, to.id());
            disagreements.push(Disagreement::new(check, recording, subject, detail));
        };
        let written = match translate(response, server.dialect, to, &cx) {
            Ok(written) => written,
            Err(error) => {
                disagree(Check::ReplyLost, "error", error);
                continue;
            }
        };
        if is_same_dialect && server.flavor.is_none() && written != *response {
            let shape = if is_stream(response) { "stream" } else { "body" };
            disagree(Check::ReplyChanged, shape, describe_difference(response, &written));
        }
        let found = read_contents(to.id().0, &written).unwrap_or_default();
        for (subject, detail) in differences(&expected, &found) {
            disagree(Check::ReplyLost, subject, detail);
        }
    }
}

/// What the client's request says of its reply.
fn reply_context(recording: &Recording) -> ReplyContext {
    let request = recording.request.as_ref();
    let translated = request.and_then(|request| {
        let dialect = recording.server.dialect;
        translate_request(request.bytes.clone(), dialect, dialect, &recording.target()).ok()
    });
    let response = recording.response.as_deref().unwrap_or_default();
    ReplyContext {
        wants_json_array: response.starts_with(b"["),
        ..translated.map(|translated| *translated.reply_context).unwrap_or_default()
    }
}

fn translate(
    response: &Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    cx: &ReplyContext,
) -> Result<Bytes, String> {
    if !is_stream(response) {
        let translated = translate_reply(response.clone(), from, to, cx);
        return translated.map(|(body, _)| body).map_err(|error| error.to_string());
    }
    let (mut stream, mut written) = (StreamTranslator::new(from, to, cx), Vec::new());
    stream.push(response, &mut written);
    stream.finish(&mut written);
    Ok(written.into())
}

fn describe_difference(was: &[u8], is: &[u8]) -> String {
    let common = was.iter().zip(is).take_while(|(was, is)| was == is).count();
    let around = |body: &[u8]| {
        let part = &body[common.saturating_sub(30)..(common + 60).min(body.len())];
        String::from_utf8_lossy(part).into_owned()
    };
    format!("at byte {common}: {:?} became {:?}", around(was), around(is))
}

fn differences(was: &ReplyContents, is: &ReplyContents) -> Vec<(&'static str, String)> {
    let mut differences = Vec::new();
    for (subject, was, is) in
        [("text", &was.text, &is.text), ("reasoning", &was.reasoning, &is.reasoning)]
    {
        // Dialects separate several texts in different ways.
        if !was
            .split_whitespace()
            .flat_map(str::chars)
            .eq(is.split_whitespace().flat_map(str::chars))
        {
            differences.push((subject, format!("was {was:?}, became {is:?}")));
        }
    }
    let calls = |contents: &ReplyContents| -> Vec<(String, Value)> {
        let call = |call: &CallContents| (call.name.clone(), call.arguments.clone());
        contents.calls.iter().map(call).collect()
    };
    let (was, is) = (calls(was), calls(is));
    if was.len() != is.len() {
        differences.push(("calls", format!("was {was:?}, became {is:?}")));
    } else if was != is {
        differences.push(("arguments", format!("was {was:?}, became {is:?}")));
    }
    differences
}

/// The dialects in which the gateway serves clients.
const CLIENT_DIALECTS: &[&str] = &["anthropic", "openai-chat", "openai-responses", "gemini"];
