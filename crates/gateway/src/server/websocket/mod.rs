//! Serves the Responses API over WebSocket: each `response.create` message is a turn, handled as a POST
//! request with the headers of the handshake, and each event of its reply is a text message.

mod budgeted_stream;
mod message;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use http::Response;
use http_body_util::{BodyExt as _, Collected};
use interlingua::{
    ApiError, Framing, JsonDoc, JsonLimits, JsonString, Ledger, Reply, ReplyContext,
    encode_reply_as_stream,
};
use interlingua_wire::FrameReader;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::{Instant, interval_at, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};
use uuid::Uuid;

use self::budgeted_stream::BudgetedStream;
use self::message::{
    CreateMessage, REPLY_EVENTS, connection_error_message, error_message, find_last_event,
    gateway_error_message,
};
use crate::config::Limits;
use crate::http_util::body::ResponseBody;
use crate::http_util::body_budget::BodyPermit;
use crate::http_util::error_response::body_too_large;
use crate::http_util::websocket_handshake::AcceptedUpgrade;
use crate::server::router::{self, ConnectionAddrs};
use crate::services::responses::{ConnectionReply, stored_reply};
use crate::state::Gateway;
use crate::telemetry::recent;

/// A connection whose client may send turns.
struct Session<'g, S> {
    socket: WebSocketStream<BudgetedStream<'g, S>>,
    gateway: &'g Arc<Gateway>,
    upgrade: &'g AcceptedUpgrade,
    headers: Arc<http::HeaderMap>,
    addrs: ConnectionAddrs,
    limits: Limits,
    /// The last reply that is not stored, with the memory that it takes.
    reply: Option<(Arc<ConnectionReply>, BodyPermit<'g>)>,
    /// A message that arrived at the end of the turn before.
    next_text: Option<Utf8Bytes>,
}

/// The session ends: with this close frame, or without one if the client is gone.
struct SessionEnd(Option<(CloseCode, &'static str)>);

/// Serves the connection until one side closes it. `shutdown` ends it after its current turn, and
/// `read_buffer` is what followed the handshake.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    (gateway, addrs): (&Arc<Gateway>, ConnectionAddrs),
    upgrade: &AcceptedUpgrade,
    (stream, read_buffer): (S, Bytes),
    shutdown: watch::Receiver<bool>,
) {
    tracing::info!(peer = %addrs.peer.ip(), "a WebSocket was opened");
    let config = gateway.config.load_full();
    let limits = config.limits.clone();
    let permit = gateway.body_budget.permit(&upgrade.owner, limits.in_flight);
    let stream = BudgetedStream::new(stream, permit, config.timeouts.body);
    drop(config);
    let socket_config = WebSocketConfig::default()
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .max_message_size(Some(limits.body))
        .max_frame_size(Some(limits.body));
    let (role, read_buffer) = (Role::Server, read_buffer.to_vec());
    let socket =
        WebSocketStream::from_partially_read(stream, read_buffer, role, Some(socket_config)).await;
    let headers = Arc::new(upgrade.headers.clone());
    let mut session =
        Session { socket, gateway, upgrade, headers, addrs, limits, reply: None, next_text: None };
    let end = match session.run(shutdown).await {
        Err(end) => end,
        Ok(never) => match never {},
    };
    session.close(end).await;
}

impl<S: AsyncRead + AsyncWrite + Unpin> Session<'_, S> {
    async fn run(
        &mut self,
        mut shutdown: watch::Receiver<bool>,
    ) -> Result<std::convert::Infallible, SessionEnd> {
        let started = Instant::now();
        let deadline = sleep_until(started + MAX_CONNECTION_AGE);
        tokio::pin!(deadline);
        let mut pings = interval_at(started + PING_INTERVAL, PING_INTERVAL);
        loop {
            if *shutdown.borrow() {
                return Err(SessionEnd(Some((CloseCode::Away, "the gateway stops"))));
            }
            if let Some(text) = self.next_text.take() {
                self.run_turn(text).await?;
                continue;
            }
            tokio::select! {
                biased;
                // An error means that the gateway has stopped.
                _ = shutdown.changed() => {}
                () = &mut deadline => {
                    let message = connection_error_message(LIMIT_CODE, LIMIT_MESSAGE);
                    self.send(message.into()).await?;
                    return Err(SessionEnd(Some((CloseCode::Normal, "60 minutes are over"))));
                }
                message = self.socket.next() => {
                    if let Some(text) = self.receive(message).await? {
                        self.run_turn(text).await?;
                    }
                }
                _ = pings.tick() => self.socket.send(Message::Ping(Bytes::new())).await?,
            }
        }
    }

    /// The text of a message. Control frames are answered by the protocol.
    async fn receive(
        &mut self,
        message: Option<Result<Message, Error>>,
    ) -> Result<Option<Utf8Bytes>, SessionEnd> {
        match message {
            Some(Ok(Message::Text(text))) => {
                let next =
                    self.gateway.body_budget.permit(&self.upgrade.owner, self.limits.in_flight);
                self.socket.get_mut().finish_message(next);
                Ok(Some(text))
            }
            Some(Ok(Message::Binary(_))) => {
                Err(SessionEnd(Some((CloseCode::Unsupported, "messages are JSON texts"))))
            }
            Some(Ok(Message::Ping(payload) | Message::Pong(payload))) => {
                self.socket.get_mut().finish_control_frame(payload.len());
                Ok(None)
            }
            // The reply to a close frame is sent by the next read.
            Some(Ok(Message::Close(_) | Message::Frame(_))) => Ok(None),
            Some(Err(error)) => Err(self.read_error(error).await),
            None => Err(SessionEnd(None)),
        }
    }

    async fn read_error(&mut self, error: Error) -> SessionEnd {
        if let Some(error) = self.socket.get_mut().error.take() {
            let code = if error.status == 408 { CloseCode::Policy } else { CloseCode::Again };
            let end = SessionEnd(Some((code, "the message could not be read")));
            return self.send_error(&error).await.map_or_else(|gone| gone, |()| end);
        }
        if let Error::Capacity(_) = error {
            let end = SessionEnd(Some((CloseCode::Size, "the message is too large")));
            let error = body_too_large(self.limits.body);
            return self.send_error(&error).await.map_or_else(|gone| gone, |()| end);
        }
        error.into()
    }

    /// While a turn runs, another message is rejected; a client that is gone ends the turn.
    async fn receive_during_turn(
        &mut self,
        message: Option<Result<Message, Error>>,
    ) -> Result<(), SessionEnd> {
        let is_closing = matches!(&message, Some(Ok(Message::Close(_))));
        if self.receive(message).await?.is_some() {
            self.send(connection_error_message(BUSY_CODE, BUSY_MESSAGE).into()).await?;
        }
        if is_closing { Err(SessionEnd(None)) } else { Ok(()) }
    }

    async fn run_turn(&mut self, text: Utf8Bytes) -> Result<(), SessionEnd> {
        let mut message = match CreateMessage::parse(&text.into(), &self.limits) {
            Ok(message) => message,
            Err(error) => return self.send_error(&error).await,
        };
        if !message.generates {
            return self.acknowledge_input(message).await;
        }
        let previous = self.previous_reply(message.previous_id.as_deref());
        let (gateway, headers) = (Arc::clone(self.gateway), Arc::clone(&self.headers));
        let turn = router::MessageTurn {
            dialect: self.upgrade.dialect,
            headers,
            body: std::mem::take(&mut message.body),
            previous,
        };
        let response = Box::pin(router::handle_message(gateway, self.addrs, turn));
        tokio::pin!(response);
        let response = loop {
            tokio::select! {
                response = &mut response => break response,
                message = self.socket.next() => self.receive_during_turn(message).await?,
            }
        };
        let last_event = self.forward(response).await?;
        if let Some(event) = last_event.filter(|_| message.is_unstored) {
            self.remember(message, event);
        }
        Ok(())
    }

    /// Sends the events of a response, only as fast as the client takes them; returns the last one with
    /// the whole reply. Dropping the response cancels the provider's call.
    async fn forward(
        &mut self,
        response: Response<ResponseBody>,
    ) -> Result<Option<Bytes>, SessionEnd> {
        let (head, mut body) = response.into_parts();
        if !head.status.is_success() {
            let body = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
            let message = error_message(head.status.as_u16(), &body, Some(&head.headers));
            return self.send(message.into()).await.map(|()| None);
        }
        let mut frames = FrameReader::new(Framing::Sse, usize::MAX);
        let (mut has_ended, mut reply_event) = (false, None);
        loop {
            let chunk = tokio::select! {
                frame = body.frame() => frame,
                message = self.socket.next() => {
                    if !has_ended {
                        self.receive_during_turn(message).await?;
                    } else if let Some(text) = self.receive(message).await? {
                        // The client has the end of the turn, though its provider may not have closed.
                        self.next_text = Some(text);
                        return Ok(reply_event);
                    }
                    continue;
                }
            };
            let Some(Ok(frame)) = chunk else { return Ok(reply_event) };
            let Ok(data) = frame.into_data() else { continue };
            frames.push(&data);
            while let Ok(Some(frame)) = frames.next() {
                let Some(data) = frame.data.filter(|data| *data != DONE_MARK) else { continue };
                let last_event = find_last_event(frame.event.as_deref(), &data);
                has_ended |= last_event.is_some();
                let data = data.into_bytes();
                if last_event.is_some_and(|event| REPLY_EVENTS.contains(&event)) {
                    reply_event = Some(data.clone());
                }
                let text = Utf8Bytes::try_from(data).unwrap_or_default();
                self.socket.feed(Message::Text(text)).await?;
            }
            self.socket.flush().await?;
        }
    }

    /// The reply with this id, if only this connection knows it.
    fn previous_reply(&self, id: Option<&str>) -> Option<Arc<ConnectionReply>> {
        let (reply, _) = self.reply.as_ref()?;
        (id == Some(&reply.id)).then(|| Arc::clone(reply))
    }

    /// Keeps a reply for the next turn, unless it takes too much memory.
    fn remember(&mut self, message: CreateMessage, last_event: Bytes) {
        let limits = JsonLimits { max_bytes: usize::MAX, ..JsonLimits::default() };
        let event = JsonDoc::from_bytes(last_event, limits).ok();
        let response = event.as_ref().and_then(|event| event.root().get("response"));
        let Some(response) = response.filter(|response| response.is_object()) else { return };
        let Some(id) = response.get("id").filter(|id| id.is_string()) else { return };
        let previous = self.previous_reply(message.previous_id.as_deref());
        let (mut input, stored_id) = match &previous {
            Some(reply) => (reply.history_items(), reply.stored_id.clone()),
            None => (Vec::new(), message.previous_id),
        };
        input.extend(message.input);
        let reply = ConnectionReply {
            id: id.str_or_empty().into_owned(),
            stored_id,
            input,
            output: stored_reply::input_items(response.get("output")),
        };
        // The memory of the reply before counts no more.
        self.reply = None;
        let (owner, max) = (&self.upgrade.owner, self.limits.in_flight);
        let mut permit = self.gateway.body_budget.permit(owner, max);
        let bytes = reply.bytes();
        if bytes <= self.limits.body && permit.reserve(bytes).is_ok() {
            self.reply = Some((Arc::new(reply), permit));
        }
    }

    /// Answers a message that only sends input ahead: a reply without content, which the next turn
    /// continues.
    async fn acknowledge_input(&mut self, message: CreateMessage) -> Result<(), SessionEnd> {
        let id = format!("resp_{}", Uuid::now_v7().simple());
        let reply = Reply {
            id: Some(JsonString::new(&id)),
            model: Some(JsonString::new(&message.model)),
            ..Reply::default()
        };
        let cx = ReplyContext { created_unix_secs: recent::unix_now(), ..ReplyContext::default() };
        let dialect = self.upgrade.dialect;
        let events = encode_reply_as_stream(&reply, dialect, &cx, &mut Ledger::default());
        let last_event = self.forward(Response::new(ResponseBody::Full(events.into()))).await?;
        if let Some(event) = last_event {
            self.remember(message, event);
        }
        Ok(())
    }

    async fn send(&mut self, text: Utf8Bytes) -> Result<(), SessionEnd> {
        Ok(self.socket.send(Message::Text(text)).await?)
    }

    async fn send_error(&mut self, error: &ApiError) -> Result<(), SessionEnd> {
        self.send(gateway_error_message(error, self.upgrade.dialect).into()).await
    }

    /// Sends the close frame, waits shortly for the client's, and closes the connection.
    async fn close(&mut self, end: SessionEnd) {
        if let SessionEnd(Some((code, reason))) = end {
            let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
            let closing = async {
                // An error means that the client is gone.
                let _ = self.socket.close(Some(frame)).await;
                while let Some(Ok(_)) = self.socket.next().await {}
            };
            let _ = timeout(CLOSE_TIMEOUT, closing).await;
        } else {
            let _ = timeout(CLOSE_TIMEOUT, self.socket.flush()).await;
        }
        let _ = self.socket.get_mut().shutdown().await;
    }
}

impl From<Error> for SessionEnd {
    fn from(error: Error) -> Self {
        Self(match error {
            Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
            Error::Protocol(_) => Some((CloseCode::Protocol, "the frame is not valid")),
            Error::Utf8(_) => Some((CloseCode::Invalid, "the text is not UTF-8")),
            Error::Capacity(_) => Some((CloseCode::Size, "the message is too large")),
            _ => None,
        })
    }
}

const BUFFER_BYTES: usize = 16 * 1024;
/// As `OpenAI`'s servers have it.
const MAX_CONNECTION_AGE: Duration = Duration::from_hours(1);
/// Keeps proxies from closing an idle connection. A client that runs a tool may be unable to answer, so no
/// answer is needed.
const PING_INTERVAL: Duration = Duration::from_secs(30);
/// For the client's close frame.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// The end of a stream of some servers; it is no event.
const DONE_MARK: &str = "[DONE]";
const LIMIT_CODE: &str = "websocket_connection_limit_reached";
/// Codex matches on the code, and shows this message of `OpenAI`'s servers.
const LIMIT_MESSAGE: &str = "Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.";
const BUSY_CODE: &str = "response_already_in_flight";
const BUSY_MESSAGE: &str =
    "a response is in progress on this connection; send the next message after its last event";
