//! `/api/sessions`: conversations stored by the gateway, so that a client sends only new turns.

mod json;

use std::sync::Arc;
use std::time::Duration;

use http::{Method, Response};
use interlingua::{ApiError, Dialect as _, JsonDoc, RawJson, Verbatim};
use interlingua_dialects::native;
use interlingua_model::{ApiErrorKind, Role, Turn};
use interlingua_store::{
    AppendTurns, BoxFuture, Cursor, NewSession, SessionContents, SessionError, SessionId,
    StoreError,
};
use interlingua_wire::JsonNode;
use tokio::time::{Instant, timeout_at};

use crate::client_name::{ModelName, SessionTitle};
use crate::http_util::body::ResponseBody;
use crate::http_util::endpoint::{PathParams, SessionRequest};
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::http_util::respond::json_response;
use crate::proxy::parse::{parse_body, parse_model_name};
use crate::proxy::request::{ClientRequest, RequestPermits};
use crate::services::recording::{DivergedReply, SessionRecorder};

impl ClientRequest<'_> {
    pub(crate) async fn handle_session(
        self,
        request: &SessionRequest,
        permits: RequestPermits,
    ) -> Response<ResponseBody> {
        let dialect = self.dialect;
        match self.dispatch_session(request, permits).await {
            Ok(response) => response,
            Err(error_response) => error_response.into_response(dialect),
        }
    }

    async fn dispatch_session(
        self,
        request: &SessionRequest,
        permits: RequestPermits,
    ) -> Result<Response<ResponseBody>, ErrorResponse> {
        let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
        let store = &self.gateway.store;
        let body = match (&request.method, path.as_slice()) {
            (&Method::GET, []) => self.list_sessions(request).await?,
            (&Method::POST, []) => self.create_session().await?,
            (&Method::GET, [id]) => {
                let id = parse_session_id(id)?;
                self.read_session(id).await?
            }
            (&Method::DELETE, [id]) => {
                let id = parse_session_id(id)?;
                store.delete(self.owner, id).await?;
                DivergedReply::remove_all(&**store, self.owner, id).await?;
                RawJson::object(|o| o.boolean("deleted", true))
            }
            (&Method::POST, [id, "turns"]) => self.append_turns(parse_session_id(id)?).await?,
            (&Method::POST, [id, "fork"]) => self.fork_session(parse_session_id(id)?).await?,
            (&Method::POST, [id, "continue"]) => {
                let id = parse_session_id(id)?;
                return self.continue_session(id, permits).await;
            }
            _ => {
                return Err(
                    failure(ApiErrorKind::NotFound, "there is nothing at this address").into()
                );
            }
        };
        Ok(json_response(body.to_bytes()))
    }

    /// A session with its turns, and the replies beside it.
    async fn read_session(&self, id: SessionId) -> Result<RawJson, SessionError> {
        let store = &*self.gateway.store;
        self.gateway.session_locks.wait_written(id).await?;
        let contents = store.read(self.owner, id, 0..u64::MAX).await?;
        let diverged = DivergedReply::read_all(store, self.owner, id).await?;
        Ok(json::session_with_turns(&contents, &diverged))
    }

    async fn list_sessions(&self, request: &SessionRequest) -> Result<RawJson, ErrorResponse> {
        let after = request.query.get("after").map(|text| text.parse::<Cursor>()).transpose();
        let after =
            after.map_err(|error| failure(ApiErrorKind::InvalidRequest, &error.to_string()))?;
        let limit = request
            .query
            .get("limit")
            .and_then(|limit| limit.parse().ok())
            .unwrap_or(DEFAULT_PAGE_SIZE);
        let page = self.gateway.store.list(self.owner, after, limit).await;
        Ok(json::page(&page?))
    }

    /// Creates a session, with turns in the native form or in another dialect.
    async fn create_session(&self) -> Result<RawJson, ErrorResponse> {
        let body = parse_body(&self.body, &self.config.limits)?;
        let text = |key: &str| body.root().get(key).map(|value| value.str_or_empty().into_owned());
        let metadata = body.root().get("metadata").filter(|value| value.is_object());
        let (turns, ledger) = json::decode_turns(&body, text("dialect").as_deref())?;
        let title = text("title").filter(|title| !title.is_empty());
        let title = title.map(|title| SessionTitle::parse(&title)).transpose();
        let title = title
            .map_err(|error| failure(ApiErrorKind::InvalidRequest, &format!("`title` {error}")))?;
        let model = text("model").filter(|model| !model.is_empty());
        let model = model.map(|model| parse_model_name(&model)).transpose()?;
        let draft = NewSession {
            title: title.unwrap_or_default().into_string(),
            metadata: metadata.map(|value| value.json().to_bytes()).unwrap_or_default(),
            model: model.unwrap_or_default().into_string(),
            turns,
        };
        let session = self.gateway.store.create(self.owner, draft).await;
        Ok(json::session(&session?, &ledger))
    }

    async fn append_turns(&self, id: SessionId) -> Result<RawJson, ErrorResponse> {
        let body = parse_body(&self.body, &self.config.limits)?;
        let Some(seen) = body.root().get("seen").and_then(JsonNode::as_u64) else {
            let message = "`seen` is required: the number of turns that the client knows";
            return Err(failure(ApiErrorKind::InvalidRequest, message).into());
        };
        let dialect = body.root().get("dialect").map(|value| value.str_or_empty().into_owned());
        let (turns, ledger) = json::decode_turns(&body, dialect.as_deref())?;
        let append = AppendTurns { expected_turns: seen, turns, model: None };
        let turns = self.gateway.store.append(self.owner, id, append).await;
        Ok(json::append_result(turns?, &ledger))
    }

    async fn fork_session(&self, id: SessionId) -> Result<RawJson, ErrorResponse> {
        let body = if self.body.is_empty() {
            None
        } else {
            Some(parse_body(&self.body, &self.config.limits)?)
        };
        let turns =
            body.as_ref().and_then(|body| body.root().get("turns")).and_then(JsonNode::as_u64);
        self.gateway.session_locks.wait_written(id).await?;
        let fork = self.gateway.store.fork(self.owner, id, turns.unwrap_or(u64::MAX)).await;
        Ok(json::session(&fork?, &interlingua::Ledger::default()))
    }

    /// Appends a user turn and returns the model's reply to the whole conversation.
    async fn continue_session(
        self,
        id: SessionId,
        permits: RequestPermits,
    ) -> Result<Response<ResponseBody>, ErrorResponse> {
        let store = self.gateway.store.clone();
        let session_guard = self.gateway.session_locks.lock(id).await;
        let deadline = Instant::now() + MAX_STORE_WAIT;
        self.gateway.session_locks.wait_written(id).await?;
        let new = parse_body(&self.body, &self.config.limits)?;
        let model = new.root().get("model").map(|model| parse_model_name(&model.str_or_empty()));
        let model = model.transpose()?;
        let contents = store.read(self.owner, id, 0..u64::MAX);
        let contents = await_store(deadline, contents).await?;
        let user_turn = user_turn(&new);
        let mut seen = contents.info.turn_count;
        if let Some(turn) = &user_turn {
            let turns =
                vec![interlingua_store::StoredTurn::complete(native::encode_turn(turn).to_bytes())];
            let append = AppendTurns { expected_turns: seen, turns, model: None };
            seen = await_store(deadline, store.append(self.owner, id, append)).await?;
        }
        let body = full_request(&new, &contents, user_turn.as_ref())?;
        let model = model.map_or_else(|| contents.info.model.clone(), ModelName::into_string);
        let path_params = PathParams {
            model: Some(model.clone()),
            stream: Some(new.root().get("stream").and_then(JsonNode::as_bool).unwrap_or(false)),
            ..PathParams::default()
        };
        let recorder = SessionRecorder {
            store,
            owner: self.owner.to_owned(),
            id,
            expected_turns: seen,
            model,
            guard: session_guard,
            writes: Arc::clone(&self.gateway.session_writes),
        };
        let client_request = ClientRequest { path_params, body: body.to_bytes(), ..self };
        Ok(client_request.run_turn(Some(recorder), permits).await)
    }
}

/// Waits for the store while the model's provider is not called yet.
async fn await_store<T>(
    deadline: Instant,
    work: BoxFuture<'_, Result<T, SessionError>>,
) -> Result<T, ErrorResponse> {
    let result = timeout_at(deadline, work).await.unwrap_or_else(|_| {
        Err(SessionError::Store(StoreError("the store does not answer in time".to_owned())))
    });
    Ok(result?)
}

/// The next user turn; `None` if the last reply is to be generated again.
fn user_turn(new: &JsonDoc) -> Option<Verbatim<Turn>> {
    if let Some(turn) = new.root().get("turn").filter(|turn| turn.is_object()) {
        return Some(native::Native.decode_turn(turn, &mut interlingua::Ledger::default()));
    }
    let text = new.root().get("say").and_then(JsonNode::json_string)?;
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(interlingua_model::Block::text(text).into());
    Some(turn.into())
}

/// The request with all turns of the session.
fn full_request(
    new: &JsonDoc,
    contents: &SessionContents,
    user_turn: Option<&Verbatim<Turn>>,
) -> Result<RawJson, ErrorResponse> {
    let mut turns: Vec<RawJson> = contents
        .turns
        .iter()
        .filter_map(|stored| {
            RawJson::parse(String::from_utf8_lossy(&stored.turn.body).into_owned()).ok()
        })
        .collect();
    turns.extend(user_turn.map(native::encode_turn));
    if turns.is_empty() {
        return Err(failure(
            ApiErrorKind::InvalidRequest,
            "`say` or `turn` is required: the next turn of the user",
        )
        .into());
    }
    Ok(RawJson::object(|o| {
        o.number("interlingua", 1);
        o.array("turns", |a| turns.iter().for_each(|turn| a.item().json(turn)));
        for key in ["system", "tools", "settings"] {
            if let Some(value) = new.root().get(key) {
                o.json(key, &value.json());
            }
        }
    }))
}

fn parse_session_id(id: &str) -> Result<SessionId, ApiError> {
    id.parse().map_err(|_| failure(ApiErrorKind::NotFound, "there is no such session"))
}

/// For reading the history and appending the user's turn together.
const MAX_STORE_WAIT: Duration = Duration::from_secs(2);
const DEFAULT_PAGE_SIZE: usize = 50;
