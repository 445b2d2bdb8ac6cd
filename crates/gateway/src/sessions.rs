//! `/api/sessions`: conversations that the gateway keeps, so that a client sends only what is new.

mod recording;
mod written;

use http::header::CONTENT_TYPE;
use http::{Method, Response, StatusCode};
use interlingua::model::{FailureKind, Role, Turn};
use interlingua::wire::Node;
use interlingua::{Dialect as _, Doc, Failure, Json, Text, Verbatim, native};
use interlingua_store::{Append, Cursor, Draft, Reading, SessionError, SessionId};

pub(crate) use self::recording::{Floors, Recording};
use crate::endpoint::{Asked, SessionAsk};
use crate::out::Out;
use crate::refusal::{JSON, Refusal, failure};
use crate::tale::Place;
use crate::turn::{Came, read};

impl Came<'_> {
    /// Answers what is asked about sessions.
    pub(crate) async fn session(self, ask: &SessionAsk, place: Place) -> Response<Out> {
        let dialect = self.dialect;
        match self.about(ask, place).await {
            Ok(response) => response,
            Err(refusal) => refusal.response(dialect),
        }
    }

    async fn about(self, ask: &SessionAsk, place: Place) -> Result<Response<Out>, Refusal> {
        let path: Vec<&str> = ask.path.iter().map(String::as_str).collect();
        let store = &self.gateway.store;
        let body = match (&ask.method, path.as_slice()) {
            (&Method::GET, []) => self.list(ask).await?,
            (&Method::POST, []) => self.create().await?,
            (&Method::GET, [id]) => {
                let id = known(id)?;
                self.gateway.floors.settled(id).await;
                let reading = store.read(self.owner, id, 0..u64::MAX).await;
                written::reading(&reading.map_err(|error| refused(&error))?)
            }
            (&Method::DELETE, [id]) => {
                store.delete(self.owner, known(id)?).await.map_err(|error| refused(&error))?;
                Json::object(|o| o.boolean("deleted", true))
            }
            (&Method::POST, [id, "turns"]) => self.append(known(id)?).await?,
            (&Method::POST, [id, "fork"]) => self.fork(known(id)?).await?,
            (&Method::POST, [id, "continue"]) => {
                let id = known(id)?;
                return self.go_on(id, place).await;
            }
            _ => {
                return Err(
                    failure(FailureKind::NotFound, "there is nothing at this address").into()
                );
            }
        };
        Ok(json(&body))
    }

    async fn list(&self, ask: &SessionAsk) -> Result<Json, Refusal> {
        let after = ask.query.value("after").map(|text| text.parse::<Cursor>()).transpose();
        let after = after.map_err(|no| failure(FailureKind::Shape, &no.to_string()))?;
        let most =
            ask.query.value("limit").and_then(|limit| limit.parse().ok()).unwrap_or(USUAL_PAGE);
        let page = self.gateway.store.list(self.owner, after, most).await;
        Ok(written::page(&page.map_err(|error| refused(&error))?))
    }

    /// Begins a session, perhaps with turns: our own, or messages of another dialect.
    async fn create(&self) -> Result<Json, Refusal> {
        let body = read(&self.body, &self.config.limits)?;
        let text = |key: &str| body.root().get(key).map(|said| said.word().into_owned());
        let metadata = body.root().get("metadata").filter(|said| said.is_object());
        let (turns, ledger) = written::turns_of(&body, text("dialect").as_deref())?;
        let draft = Draft {
            title: text("title").unwrap_or_default(),
            metadata: metadata.map(|said| said.json().to_bytes()).unwrap_or_default(),
            model: text("model").unwrap_or_default(),
            turns,
        };
        let session = self.gateway.store.create(self.owner, draft).await;
        let session = session.map_err(|error| refused(&error))?;
        Ok(written::session(&session, &ledger))
    }

    async fn append(&self, id: SessionId) -> Result<Json, Refusal> {
        let body = read(&self.body, &self.config.limits)?;
        let Some(seen) = body.root().get("seen").and_then(Node::count) else {
            let message = "`seen` says how many turns the session has, as far as you know";
            return Err(failure(FailureKind::Shape, message).into());
        };
        let dialect = body.root().get("dialect").map(|said| said.word().into_owned());
        let (turns, ledger) = written::turns_of(&body, dialect.as_deref())?;
        let append = Append { seen, turns, model: None };
        let turns = self.gateway.store.append(self.owner, id, append).await;
        Ok(written::appended(turns.map_err(|error| refused(&error))?, &ledger))
    }

    async fn fork(&self, id: SessionId) -> Result<Json, Refusal> {
        let body =
            if self.body.is_empty() { None } else { Some(read(&self.body, &self.config.limits)?) };
        let turns = body.as_ref().and_then(|body| body.root().get("turns")).and_then(Node::count);
        self.gateway.floors.settled(id).await;
        let fork = self.gateway.store.fork(self.owner, id, turns.unwrap_or(u64::MAX)).await;
        Ok(written::session(
            &fork.map_err(|error| refused(&error))?,
            &interlingua::Ledger::default(),
        ))
    }

    /// Says something new, and brings the model's answer to the whole conversation.
    async fn go_on(self, id: SessionId, place: Place) -> Result<Response<Out>, Refusal> {
        let store = self.gateway.store.clone();
        let floor = self.gateway.floors.floor(id).await;
        let new = read(&self.body, &self.config.limits)?;
        let reading = store.read(self.owner, id, 0..u64::MAX).await;
        let reading = reading.map_err(|error| refused(&error))?;
        let said = said(&new);
        let mut seen = reading.session.turns;
        if let Some(turn) = &said {
            let turns = vec![interlingua_store::Turn::whole(native::write_turn(turn).to_bytes())];
            let append = Append { seen, turns, model: None };
            seen = store.append(self.owner, id, append).await.map_err(|error| refused(&error))?;
        }
        let body = whole(&new, &reading, said.as_ref())?;
        let text = |key: &str| new.root().get(key).map(|said| said.word().into_owned());
        let model = text("model").unwrap_or_else(|| reading.session.model.clone());
        let asked = Asked {
            model: Some(model.clone()),
            stream: Some(new.root().get("stream").and_then(Node::boolean).unwrap_or(false)),
            array: false,
        };
        let recording = Recording { store, owner: self.owner.to_owned(), id, seen, model, floor };
        let came = Came { asked, body: body.to_bytes(), ..self };
        Ok(came.turn_of(Some(recording), place).await)
    }
}

/// What the user says next; nothing where the last answer is to be tried again.
fn said(new: &Doc) -> Option<Verbatim<Turn>> {
    if let Some(turn) = new.root().get("turn").filter(|turn| turn.is_object()) {
        return Some(native::Native.decode_turn(turn, &mut interlingua::Ledger::default()));
    }
    let words = new.root().get("say").and_then(Node::text)?;
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(interlingua::model::Block::text(words).into());
    Some(turn.into())
}

/// The request that a client without a session would send.
fn whole(new: &Doc, reading: &Reading, said: Option<&Verbatim<Turn>>) -> Result<Json, Refusal> {
    let mut turns: Vec<Json> = reading
        .turns
        .iter()
        .filter_map(|one| Json::parse(String::from_utf8_lossy(&one.turn.body).into_owned()).ok())
        .collect();
    turns.extend(said.map(native::write_turn));
    if turns.is_empty() {
        return Err(failure(FailureKind::Shape, "`say` or `turn` is what the user says").into());
    }
    Ok(Json::object(|o| {
        o.number("interlingua", 1);
        o.array("turns", |a| turns.iter().for_each(|turn| a.item().json(turn)));
        for key in ["system", "tools", "settings"] {
            if let Some(given) = new.root().get(key) {
                o.json(key, &given.json());
            }
        }
    }))
}

fn known(id: &str) -> Result<SessionId, Failure> {
    id.parse().map_err(|_| failure(FailureKind::NotFound, "there is no such session"))
}

/// Why the store did not do it, for a client.
pub(crate) fn refused(error: &SessionError) -> Refusal {
    let (kind, status) = match error {
        SessionError::Missing | SessionError::Off => (FailureKind::NotFound, 404),
        SessionError::Conflict { .. } => (FailureKind::Shape, 409),
        SessionError::TooLarge { .. } => (FailureKind::TooLarge, 413),
        SessionError::Trouble(_) => (FailureKind::Upstream, 503),
    };
    let failure = Failure::new(kind, Text::new(&error.to_string()));
    Failure { status, ..failure }.into()
}

fn json(body: &Json) -> Response<Out> {
    let mut response = Response::new(Out::Whole(body.to_bytes()));
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

const USUAL_PAGE: usize = 50;
