//! `/v1/responses/ID`: replies that are kept, to be looked at and forgotten.

use bytes::Bytes;
use http::Response;
use http::header::CONTENT_TYPE;
use interlingua::model::FailureKind;
use interlingua::{Failure, Json, Text};
use interlingua_store::Kind;

use super::{Gap, Responses, held};
use crate::endpoint::ResponseAsk;
use crate::out::Out;
use crate::refusal::{JSON, Refusal, failure};

/// Answers what is asked about a reply of this owner.
pub(crate) async fn shown(
    responses: &Responses,
    owner: &str,
    ask: &ResponseAsk,
) -> Result<Response<Out>, Refusal> {
    let body = match ask {
        ResponseAsk { forget: true, id, .. } => responses.forget(owner, id).await?,
        ResponseAsk { items: true, .. } => responses.items(owner, ask).await?,
        ResponseAsk { id, .. } => responses.one(owner, id).await?,
    };
    let mut response = Response::new(Out::Whole(body));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    Ok(response)
}

impl Responses {
    async fn one(&self, owner: &str, id: &str) -> Result<Bytes, Refusal> {
        let found = self.store.find(Kind::Response, owner, &[id]).await;
        let held = found.first().and_then(|found| held::Held::read(found.body.clone()));
        Ok(held.ok_or_else(|| missing(id))?.response.to_bytes())
    }

    async fn forget(&self, owner: &str, id: &str) -> Result<Bytes, Refusal> {
        match self.store.remove(Kind::Response, Some(owner), Some(id)).await {
            Ok(0) => Err(missing(id)),
            Ok(_) => Ok(Json::object(|o| {
                o.text("id", &Text::new(id));
                o.known("object", "response");
                o.boolean("deleted", true);
            })
            .to_bytes()),
            Err(trouble) => {
                tracing::error!(response = id, "a reply is not forgotten: {trouble}");
                Err(failure(FailureKind::Overloaded, "the store cannot be written at the moment")
                    .into())
            }
        }
    }

    /// Everything that the reply answers: what was said before it, too.
    async fn items(&self, owner: &str, ask: &ResponseAsk) -> Result<Bytes, Refusal> {
        let chain = self.chain(owner, &ask.id, usize::MAX).await;
        let mut chain = chain.map_err(|Gap(id)| missing(id.as_deref().unwrap_or(&ask.id)))?;
        let last = chain.pop();
        let items = chain.iter().flat_map(held::Held::items);
        let items = items.chain(last.into_iter().flat_map(|last| last.input));
        let mut items: Vec<(String, Json)> =
            items.enumerate().map(|(at, item)| held::named(&item, &ask.id, at)).collect();
        if ask.query.value("order").as_deref() != Some("asc") {
            items.reverse();
        }
        let after = ask.query.value("after");
        let from = after.and_then(|after| items.iter().position(|(id, _)| *id == after));
        items.drain(..from.map_or(0, |at| at + 1));
        let limit = ask.query.value("limit").and_then(|limit| limit.parse().ok());
        let limit: usize = limit.unwrap_or(USUAL).clamp(1, PAGE);
        let has_more = items.len() > limit;
        items.truncate(limit);
        let id = |one: Option<&(String, Json)>| {
            one.map_or(Json::NULL, |(id, _)| Json::string(&Text::new(id)))
        };
        Ok(Json::object(|o| {
            o.known("object", "list");
            o.array("data", |a| items.iter().for_each(|(_, item)| a.item().json(item)));
            o.json("first_id", &id(items.first()));
            o.json("last_id", &id(items.last()));
            o.boolean("has_more", has_more);
        })
        .to_bytes())
    }
}

pub(super) fn missing(id: &str) -> Refusal {
    refused(404, &format!("Response with id '{id}' not found."), None, None)
}

/// A refusal in the envelope of the dialect that has responses, with the words that its clients look for.
pub(super) fn refused(
    status: u16,
    message: &str,
    param: Option<&'static str>,
    code: Option<&'static str>,
) -> Refusal {
    let word = |word: Option<&'static str>| {
        word.map_or(Json::NULL, |word| Json::string(&Text::word(word)))
    };
    let body = Json::object(|o| {
        o.object("error", |o| {
            o.text("message", &Text::new(message));
            o.known("type", "invalid_request_error");
            o.json("param", &word(param));
            o.json("code", &word(code));
        });
    });
    let kind = if status == 404 { FailureKind::NotFound } else { FailureKind::Shape };
    let failure = Failure { status, ..failure(kind, message) };
    Refusal { as_it_came: Some(Box::new((body.to_bytes(), None))), ..failure.into() }
}

/// Items of a page, as its inventor has it.
const USUAL: usize = 20;
const PAGE: usize = 100;
