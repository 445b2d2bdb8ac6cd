//! Turns the reply to a request for compaction into the client's response: the provider's own as it is, or
//! one item with the encrypted summary.

use bytes::Bytes;
use http::Response;
use http::header::CONTENT_TYPE;
use interlingua::{
    JsonDoc, JsonLimits, JsonString, Ledger, RawJson, Reply, encode_reply, encode_reply_as_stream,
};
use interlingua_model::{ApiErrorKind, BlockContent, StopReason};

use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::failure;
use crate::http_util::respond::TEXT_EVENT_STREAM;
use crate::proxy::provider_error::AttemptError;
use crate::proxy::reply::ProviderReply;
use crate::proxy::request::Compaction;
use crate::proxy::request_log::RequestLog;
use crate::services::responses::stored_reply::with_item_id;

impl ProviderReply<'_> {
    /// Responds with a compacted conversation. `body` is the reply if it was sent whole.
    pub(crate) async fn forward_compaction(
        &mut self,
        compaction: &Compaction,
        body: Option<Bytes>,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, AttemptError> {
        let (reply, mut ledger) = match (compaction, body) {
            (Compaction::ByProvider, Some(body)) => {
                let decoded = self.read_with_continuations(body.clone(), log).await?;
                let reply = (&**decoded.reply, &[][..]);
                return Ok(self.finish_response(log, Some(body), &decoded.ledger, reply).await);
            }
            (_, Some(body)) => {
                let decoded = self.read_with_continuations(body, log).await?;
                (decoded.reply.into_value(), decoded.ledger)
            }
            (_, None) => {
                let (reply, ledger, _) = self.collect_reply(log).await?;
                (reply, ledger)
            }
        };
        let item = self.compaction_item(&reply).await?;
        let reply = self.compacted_reply(&reply, &item)?;
        let client = self.request.client_dialect;
        if self.request.stream {
            let events = encode_reply_as_stream(&reply, client, &self.exchange, &mut ledger);
            let mut response = self.finish_response(log, None, &ledger, (&reply, &[])).await;
            if response.status().is_success() {
                *response.body_mut() = ResponseBody::Full(events.into());
                response.headers_mut().insert(CONTENT_TYPE, TEXT_EVENT_STREAM);
            }
            return Ok(response);
        }
        let mut body: Bytes = encode_reply(&reply, client, &self.exchange, &mut ledger).into();
        if let Compaction::BySummary { retained: Some(retained) } = compaction {
            body = compacted_window(body, retained, &item)?;
        }
        Ok(self.finish_response(log, Some(body), &ledger, (&reply, &[])).await)
    }

    /// The item with the summary that the model wrote.
    async fn compaction_item(&mut self, reply: &Reply) -> Result<RawJson, AttemptError> {
        let mut summary = String::new();
        for block in &reply.turn.blocks {
            if let BlockContent::Text { text, .. } = &block.content {
                summary.push_str(&text.unescape());
            }
        }
        if summary.trim().is_empty() {
            let message = "the model wrote no summary of the conversation";
            return Err(failure(ApiErrorKind::ServerError, message).into());
        }
        if reply.stop.reason == StopReason::MaxTokens {
            summary.push_str(CUT_NOTE);
        }
        let encrypted = self.request.gateway.compaction_cipher.encrypt(&summary).await?;
        let id = self.exchange.fallback_id.as_ref().map(|id| format!("cmp_{}", id.raw()));
        Ok(RawJson::object(|o| {
            o.str("id", &id.unwrap_or_default());
            o.static_str("type", "compaction");
            o.json_string("encrypted_content", &JsonString::new(&encrypted));
        }))
    }

    /// The reply with this item in place of its blocks.
    fn compacted_reply(&self, reply: &Reply, item: &RawJson) -> Result<Reply, AttemptError> {
        let response = RawJson::object(|o| {
            o.static_str("object", "response");
            o.static_str("status", "completed");
            o.array("output", |a| a.item().json(item));
        });
        let (doc, mut ledger) = (response.to_doc(), Ledger::default());
        let client = self.request.client_dialect;
        let decoded = client.decode_reply(&doc, &self.exchange, &mut ledger);
        let mut compacted = decoded?.into_value();
        compacted.id.clone_from(&self.exchange.override_id);
        compacted.model.clone_from(&reply.model);
        compacted.usage = reply.usage.clone();
        Ok(compacted)
    }
}

/// The whole conversation after compaction, as `/responses/compact` responds.
fn compacted_window(
    body: Bytes,
    retained: &[RawJson],
    item: &RawJson,
) -> Result<Bytes, AttemptError> {
    let invalid = |_| failure(ApiErrorKind::ServerError, "the compacted conversation is no JSON");
    let doc = JsonDoc::from_bytes(body, JsonLimits::default()).map_err(invalid)?;
    let root = doc.root();
    let id = root.get("id").map(|id| id.str_or_empty().into_owned()).unwrap_or_default();
    let window = RawJson::object(|o| {
        o.str("id", &id);
        o.static_str("object", "response.compaction");
        if let Some(created) = root.get("created_at") {
            o.json("created_at", &created.json());
        }
        o.array("output", |a| {
            for (at, message) in retained.iter().enumerate() {
                a.item().json(&with_item_id(message, &id, at).1);
            }
            a.item().json(item);
        });
        if let Some(usage) = root.get("usage") {
            o.json("usage", &usage.json());
        }
    });
    Ok(window.to_bytes())
}

const CUT_NOTE: &str = "\n\n[The summary was cut off here: it reached the limit of output tokens.]";
