//! `/v1/responses/ID`: gets and deletes stored replies.

use bytes::Bytes;
use http::Response;
use http::header::CONTENT_TYPE;
use interlingua::{ApiError, JsonString, RawJson};
use interlingua_model::ApiErrorKind;
use interlingua_store::RecordKind;

use super::{ChainError, ResponseStore, held, not_stored_yet, unreadable};
use crate::endpoint::StoredResponseRequest;
use crate::out::ResponseBody;
use crate::refusal::{APPLICATION_JSON, ErrorResponse, failure};

pub(crate) async fn handle(
    responses: &ResponseStore,
    owner: &str,
    request: &StoredResponseRequest,
) -> Result<Response<ResponseBody>, ErrorResponse> {
    let body = match request {
        StoredResponseRequest { delete: true, id, .. } => responses.delete(owner, id).await?,
        StoredResponseRequest { input_items: true, .. } => {
            responses.input_items(owner, request).await?
        }
        StoredResponseRequest { id, .. } => responses.get(owner, id).await?,
    };
    let mut response = Response::new(ResponseBody::Full(body));
    response.headers_mut().insert(CONTENT_TYPE, APPLICATION_JSON);
    Ok(response)
}

impl ResponseStore {
    async fn get(&self, owner: &str, id: &str) -> Result<Bytes, ErrorResponse> {
        let hits = self.store.try_find(RecordKind::Response, owner, &[id]).await;
        let hits = hits.map_err(|_| unreadable())?;
        let stored = hits.first().and_then(|hit| held::StoredResponse::decode(hit.body.clone()));
        Ok(stored.ok_or_else(|| self.not_found(owner, id))?.response.to_bytes())
    }

    async fn delete(&self, owner: &str, id: &str) -> Result<Bytes, ErrorResponse> {
        match self.store.remove(RecordKind::Response, Some(owner), Some(id)).await {
            Ok(0) => Err(self.not_found(owner, id)),
            Ok(_) => {
                self.deleted_ids.insert(owner, id);
                Ok(RawJson::object(|o| {
                    o.json_string("id", &JsonString::new(id));
                    o.static_str("object", "response");
                    o.boolean("deleted", true);
                })
                .to_bytes())
            }
            Err(error) => {
                tracing::error!(response = id, "a stored response could not be deleted: {error}");
                Err(failure(ApiErrorKind::Overloaded, "the store cannot be written at the moment")
                    .into())
            }
        }
    }

    fn not_found(&self, owner: &str, id: &str) -> ErrorResponse {
        if self.may_arrive(owner, id) { not_stored_yet(id) } else { response_not_found(id) }
    }

    /// The input items of the reply, including its history.
    async fn input_items(
        &self,
        owner: &str,
        request: &StoredResponseRequest,
    ) -> Result<Bytes, ErrorResponse> {
        let chain = self.load_chain(owner, &request.id, usize::MAX).await;
        let mut chain = chain.map_err(|error| match error {
            ChainError::UnknownId(id) => self.not_found(owner, &id),
            ChainError::Unreadable => unreadable(),
            ChainError::TooLong => response_not_found(&request.id),
        })?;
        let last = chain.pop();
        let items = chain.iter().flat_map(held::StoredResponse::history_items);
        let items = items.chain(last.into_iter().flat_map(|last| last.input));
        let mut items: Vec<(String, RawJson)> = items
            .enumerate()
            .map(|(at, item)| held::with_item_id(&item, &request.id, at))
            .collect();
        if request.query.get("order").as_deref() != Some("asc") {
            items.reverse();
        }
        let after = request.query.get("after");
        let from = after.and_then(|after| items.iter().position(|(id, _)| *id == after));
        items.drain(..from.map_or(0, |at| at + 1));
        let limit = request.query.get("limit").and_then(|limit| limit.parse().ok());
        let limit: usize = limit.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE);
        let has_more = items.len() > limit;
        items.truncate(limit);
        let id = |one: Option<&(String, RawJson)>| {
            one.map_or(RawJson::NULL, |(id, _)| RawJson::string(&JsonString::new(id)))
        };
        Ok(RawJson::object(|o| {
            o.static_str("object", "list");
            o.array("data", |a| items.iter().for_each(|(_, item)| a.item().json(item)));
            o.json("first_id", &id(items.first()));
            o.json("last_id", &id(items.last()));
            o.boolean("has_more", has_more);
        })
        .to_bytes())
    }
}

pub(super) fn response_not_found(id: &str) -> ErrorResponse {
    openai_error(404, &format!("Response with id '{id}' not found."), None, None)
}

/// An error in `OpenAI`'s envelope, with the codes that its clients match on.
pub(super) fn openai_error(
    status: u16,
    message: &str,
    param: Option<&'static str>,
    code: Option<&'static str>,
) -> ErrorResponse {
    let nullable = |nullable: Option<&'static str>| {
        nullable
            .map_or(RawJson::NULL, |nullable| RawJson::string(&JsonString::from_static(nullable)))
    };
    let body = RawJson::object(|o| {
        o.object("error", |o| {
            o.json_string("message", &JsonString::new(message));
            o.static_str("type", "invalid_request_error");
            o.json("param", &nullable(param));
            o.json("code", &nullable(code));
        });
    });
    let kind = if status == 404 { ApiErrorKind::NotFound } else { ApiErrorKind::InvalidRequest };
    let error = ApiError { status, ..failure(kind, message) };
    ErrorResponse { verbatim: Some(Box::new((body.to_bytes(), None))), ..error.into() }
}

/// Items per page, as in `OpenAI`'s API.
const DEFAULT_PAGE_SIZE: usize = 20;
const MAX_PAGE_SIZE: usize = 100;
