//! Messages that say nothing.

use serde_json::Value;

use super::view::messages;
use super::words::{Refusal, Words, words};
use crate::rule::{Fields as _, Findings, string};
use crate::{Evidence, Request, Rule};

pub(super) const MOONSHOT_EMPTY: Rule = Rule {
    name: "moonshot-empty",
    status: 400,
    when: "An assistant message has neither text nor calls.",
    words: NOTHING.lines,
    evidence: Evidence::Seen,
    source: "public code, several repositories",
    check: moonshot_empty,
};
const NOTHING: Words = words! {
    &["moonshot"] => "Invalid request: the message at position {index} with role 'assistant' must not be empty",
};

pub(super) const XAI_EMPTY: Rule = Rule {
    name: "xai-empty",
    status: 400,
    when: "Nothing in the content of a message is more than an empty text. One with calls needs no content, and a tool may have nothing to say.",
    words: NO_ELEMENT.lines,
    evidence: Evidence::Seen,
    source: "AstrBot#6447 (assistant), cherry-studio#4941 (user), n8n#14797; calls beside an empty string: the xAI package of the Vercel AI SDK",
    check: xai_empty,
};
const NO_ELEMENT: Words = words! {
    &["xai"] => "Invalid request content: Each message must have at least one content element.",
};

fn moonshot_empty(request: &Request<'_>, findings: &mut Findings) {
    for message in messages(request) {
        if message.is("assistant") && message.is_empty() && !message.has_calls() {
            let index = message.index.to_string();
            let refusal =
                Refusal { path: message.path(), fills: &[("index", &index)], ..Refusal::default() };
            NOTHING.refuse(request, findings, &refusal);
        }
    }
}

fn xai_empty(request: &Request<'_>, findings: &mut Findings) {
    let blank = |part: &Value| {
        string(part, "type") == "text" && part.field("text").is_some_and(|text| text == "")
    };
    for message in messages(request) {
        let tells = message.is("tool") || message.is("assistant") && message.has_calls();
        let says = !message.is_empty()
            && (message.parts().is_empty() || !message.parts().iter().all(blank));
        if !tells && !says {
            let refusal = Refusal { path: message.path(), ..Refusal::default() };
            NO_ELEMENT.refuse(request, findings, &refusal);
        }
    }
}
