//! `/v1/responses/ID`: gets and deletes stored replies.

use http::Response;
use interlingua::{JsonString, RawJson};

use crate::http_util::body::ResponseBody;
use crate::http_util::endpoint::StoredResponseRequest;
use crate::http_util::error_response::ErrorResponse;
use crate::http_util::respond::json_response;
use crate::services::responses::{ResponseStore, stored_reply};

pub(crate) async fn handle(
    responses: &ResponseStore,
    owner: &str,
    request: &StoredResponseRequest,
) -> Result<Response<ResponseBody>, ErrorResponse> {
    let body = match request {
        StoredResponseRequest { delete: true, id, .. } => {
            responses.delete(owner, id).await?;
            deleted_json(id)
        }
        StoredResponseRequest { input_items: true, .. } => {
            input_items(responses, owner, request).await?
        }
        StoredResponseRequest { id, .. } => responses.get(owner, id).await?.response,
    };
    Ok(json_response(body.to_bytes()))
}

fn deleted_json(id: &str) -> RawJson {
    RawJson::object(|o| {
        o.json_string("id", &JsonString::new(id));
        o.static_str("object", "response");
        o.boolean("deleted", true);
    })
}

/// The input items of the reply, including its history.
async fn input_items(
    responses: &ResponseStore,
    owner: &str,
    request: &StoredResponseRequest,
) -> Result<RawJson, ErrorResponse> {
    let mut history = responses.history(owner, &request.id).await?;
    let last = history.pop();
    let items = history.iter().flat_map(stored_reply::StoredResponse::history_items);
    let items = items.chain(last.into_iter().flat_map(|last| last.input));
    let mut items: Vec<(String, RawJson)> = items
        .enumerate()
        .map(|(at, item)| stored_reply::with_item_id(&item, &request.id, at))
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
    }))
}

/// Items per page, as in `OpenAI`'s API.
const DEFAULT_PAGE_SIZE: usize = 20;
const MAX_PAGE_SIZE: usize = 100;
