//! Compacts the conversation of a Responses client: at a provider that does so itself, else by a summary
//! that the model writes and the client carries as an encrypted item.
//!
//! Such an item is replaced by its summary before the request enters the pipeline, so that every
//! provider gets it. Items of providers stay as they are.

use bytes::Bytes;
use http::Response;
use interlingua::{Dialect, JsonDoc, JsonString, RawJson};
use interlingua_model::ApiErrorKind;
use interlingua_upstream::Operation;
use interlingua_wire::JsonNode;

use crate::config::{Backend, Route};
use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::ErrorResponse;
use crate::proxy::parse::parse_body;
use crate::proxy::request::{ClientRequest, Compaction, RoutedRequest};
use crate::proxy::request_log::RequestLog;
use crate::proxy::retry_plan::is_client_error;
use crate::services::compaction::CompactionCipher;
use crate::services::responses::ResponseChain;
use crate::services::responses::item_references::{COMPACTION_TRIGGER, is_compaction};
use crate::services::responses::stored_reply::{INPUT, input_items};

impl ClientRequest<'_> {
    /// Replaces the gateway's compaction items in the input and in referenced items.
    pub(crate) async fn expand_compactions(
        &mut self,
        body: JsonDoc,
        chain: &mut ResponseChain,
    ) -> Result<JsonDoc, ErrorResponse> {
        let cipher = &self.gateway.compaction_cipher;
        for (id, item) in chain.references.items_mut() {
            if let Some(message) = decrypt_item(cipher, item, || format!("item {id}")).await? {
                *item = message;
            }
        }
        let mut items = input_items(body.root().get(INPUT));
        let mut is_changed = false;
        for (at, item) in items.iter_mut().enumerate() {
            if let Some(message) = decrypt_item(cipher, item, || format!("input[{at}]")).await? {
                *item = message;
                is_changed = true;
            }
        }
        if !is_changed {
            return Ok(body);
        }
        self.body = with_fields(body.root(), &[], &items);
        parse_body(&self.body, &self.config.limits)
    }

    /// Whether the client wants its conversation compacted instead of continued.
    pub(crate) fn requests_compaction(&self, from: &dyn Dialect, chain: &ResponseChain) -> bool {
        let ends_with_trigger =
            chain.references.ends_with_trigger && from.id() == self.dialect.id();
        self.path_params.compacts || ends_with_trigger
    }

    /// Lets the first route's provider compact if it can; otherwise a model writes a summary.
    pub(crate) async fn compact(
        mut self,
        request: RoutedRequest<'_>,
        routes: Vec<Route>,
        mut body: JsonDoc,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, ErrorResponse> {
        let is_endpoint = self.path_params.compacts;
        let mut routes = routes;
        if routes.first().is_some_and(|route| can_compact(&request, route)) {
            let (compacting, others): (Vec<Route>, Vec<Route>) =
                routes.into_iter().partition(|route| can_compact(&request, route));
            let native = RoutedRequest {
                compaction: is_endpoint.then_some(&Compaction::ByProvider),
                ..request
            };
            let result = self.try_routes(&native, &compacting, body, log).await;
            let Err(error) = result else { return result };
            let kind = error.failure.kind;
            routes = match kind {
                // A server that has only the rest of the API.
                ApiErrorKind::NotFound if is_endpoint => compacting,
                _ if others.is_empty() || is_client_error(kind) => return Err(error),
                _ => others,
            };
            body = parse_body(&self.body, &self.config.limits)?;
        }
        if let Some(role) = &self.config.roles.compact
            && let Ok(summarizing) = self.config.resolve_with(role, || 0)
        {
            routes.splice(..0, summarizing);
        }
        let items = input_items(body.root().get(INPUT));
        let retained = retained_messages(&items);
        self.body = summary_request(body.root(), &items);
        let body = parse_body(&self.body, &self.config.limits)?;
        let chain = request.chain.restarted_with((!is_endpoint).then_some(&retained));
        let compaction = Compaction::BySummary { retained: is_endpoint.then_some(retained) };
        let request = RoutedRequest { chain: &chain, compaction: Some(&compaction), ..request };
        self.try_routes(&request, &routes, body, log).await
    }
}

/// Whether the route's provider compacts conversations itself.
fn can_compact(request: &RoutedRequest<'_>, route: &Route) -> bool {
    match &route.backend {
        Backend::Builtin => false,
        Backend::Provider(provider) => {
            request.provider_for_dialect(provider, &route.model).supports(Operation::Compact)
        }
    }
}

/// The message in place of an item that this gateway wrote.
async fn decrypt_item(
    cipher: &CompactionCipher,
    item: &RawJson,
    position: impl Fn() -> String,
) -> Result<Option<RawJson>, ErrorResponse> {
    let doc = item.to_doc();
    let encrypted = doc.root().get("encrypted_content").filter(|_| is_compaction(doc.root()));
    let Some(encrypted) = encrypted.filter(|text| text.is_string()) else { return Ok(None) };
    let summary = cipher.decrypt(&encrypted.str_or_empty()).await;
    let summary = summary.map_err(|error| error.into_api_error(&position()))?;
    Ok(summary.map(|summary| user_message(&format!("{SUMMARY_INTRODUCTION}{summary}"))))
}

/// The request for a summary: the same conversation, so that the provider's prompt cache holds its
/// beginning, with a prompt in place of the trigger.
fn summary_request(root: JsonNode<'_>, items: &[RawJson]) -> Bytes {
    let is_trigger = |item: &&RawJson| {
        let doc = item.to_doc();
        doc.root().get("type").is_some_and(|kind| kind.str_or_empty() == COMPACTION_TRIGGER)
    };
    let mut items: Vec<RawJson> = items.iter().filter(|item| !is_trigger(item)).cloned().collect();
    items.push(user_message(SUMMARY_PROMPT));
    with_fields(root, &DROPPED_FIELDS, &items)
}

/// The request without some fields and with this input. A summary calls no tools, but the calls of the
/// history need their declarations.
fn with_fields(root: JsonNode<'_>, dropped: &[&str], input: &[RawJson]) -> Bytes {
    let is_summary = !dropped.is_empty();
    let request = RawJson::object(|o| {
        for field in root.fields() {
            if !field.key_is(INPUT) && !dropped.iter().any(|key| field.key_is(key)) {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
        if is_summary && root.get("tools").is_some_and(|tools| !tools.is_empty()) {
            o.static_str("tool_choice", "none");
        }
        o.array(INPUT, |a| input.iter().for_each(|item| a.item().json(item)));
    });
    request.to_bytes()
}

/// The messages that stay beside a summary: instructions, and the newest messages of the user. Earlier
/// summaries are part of the new one.
fn retained_messages(items: &[RawJson]) -> Vec<RawJson> {
    let mut user_bytes = 0;
    let mut newest_first: Vec<RawJson> = items
        .iter()
        .rev()
        .filter(|item| {
            let doc = item.to_doc();
            let text = |key: &str| doc.root().get(key).map(JsonNode::str_or_empty);
            if text("type").is_some_and(|kind| kind != "message") {
                return false;
            }
            match text("role").as_deref() {
                Some("system" | "developer") => true,
                Some("user") if !is_summary_message(doc.root()) => {
                    user_bytes += item.as_str().len();
                    user_bytes <= MAX_RETAINED_BYTES
                }
                _ => false,
            }
        })
        .cloned()
        .collect();
    newest_first.reverse();
    newest_first
}

fn is_summary_message(message: JsonNode<'_>) -> bool {
    let part = message.get("content").and_then(|content| content.items().next());
    let text = part.and_then(|part| part.get("text"));
    text.is_some_and(|text| text.str_or_empty().starts_with(SUMMARY_INTRODUCTION))
}

fn user_message(text: &str) -> RawJson {
    RawJson::object(|o| {
        o.static_str("type", "message");
        o.static_str("role", "user");
        o.array("content", |a| {
            a.object(|o| {
                o.static_str("type", "input_text");
                o.json_string("text", &JsonString::new(text));
            });
        });
    })
}

/// Fields that would limit or format the summary.
const DROPPED_FIELDS: [&str; 6] =
    ["tool_choice", "max_output_tokens", "text", "context_management", "stop", "max_tool_calls"];
/// As much as the 64,000 tokens of user messages that `/responses/compact` retains by default, according
/// to `RETAINED_MESSAGE_TOKEN_BUDGET` in Codex.
const MAX_RETAINED_BYTES: usize = 256 * 1024;
const SUMMARY_PROMPT: &str = "\
The conversation above has become too long and will be replaced by a summary that you write now. Whoever \
continues sees only this summary and some of the user's messages, and must be able to go on without asking \
anything again. Write down, as far as it applies:
- what the user wants, with every requirement, constraint and preference that was stated;
- what was done and decided, and why;
- facts that were found: files, names, identifiers, values, commands, error messages, each exactly as it was;
- the state of the work now, and what remains to be done, in order.
Call no tools. Reply with the summary only.";
const SUMMARY_INTRODUCTION: &str = "\
The conversation before this point was compacted. This summary of it was written by the assistant; continue \
from it:\n\n";
