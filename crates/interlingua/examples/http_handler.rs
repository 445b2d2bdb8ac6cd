//! An HTTP handler that serves clients of one dialect from a provider of another.
//!
//! ```sh
//! cargo run --example http_handler
//! curl 127.0.0.1:8080 -d '{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"Hi"}]}'
//! ```
//!
//! The server here is hyper's. [`handle`] takes any body, so that it serves axum, too:
//! `Router::new().route("/v1/messages", post(handle::<axum::body::Body>))`.
#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use std::convert::Infallible;
use std::error::Error;
use std::fmt::Display;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Body;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use interlingua::{
    ApiError, ApiErrorKind, Dialect, JsonString, ReplyError, Target, TranslatedRequest,
    find_dialect, translate_error, translate_reply, translate_request,
};
use tokio::net::TcpListener;

const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;

/// Answers a request of Anthropic's API with a provider of Chat Completions. Every error has the
/// form that the client's SDK expects.
async fn handle<B>(request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let (Some(client), Some(provider)) = (find_dialect("anthropic"), find_dialect("openai-chat"))
    else {
        return response(500, Bytes::new());
    };
    match reply(request, client, provider).await {
        Ok(body) => response(200, body),
        Err((status, body)) => response(status, body),
    }
}

async fn reply<B>(
    request: Request<B>,
    client: &dyn Dialect,
    provider: &dyn Dialect,
) -> Result<Bytes, (u16, Bytes)>
where
    B: Body<Error: Into<Box<dyn Error + Send + Sync>>>,
{
    let invalid = |error: &dyn Display| {
        let message = JsonString::new(&error.to_string());
        encode_error(client, &ApiError::new(ApiErrorKind::InvalidRequest, message))
    };
    let body = Limited::new(request.into_body(), MAX_BODY_BYTES).collect().await;
    let body = body.map_err(|error| invalid(&error))?.to_bytes();

    let target = Target { model: Some(JsonString::new("gpt-4.1")), ..Target::default() };
    let TranslatedRequest { body, reply_context, .. } =
        translate_request(body, client, provider, &target).map_err(|error| invalid(&error))?;
    let (status, body) = call_provider(body).await;
    if status != 200 {
        let (status, body, _) = translate_error(status, body, provider, client);
        return Err((status, body));
    }
    match translate_reply(body, provider, client, &reply_context) {
        Ok((body, _)) => Ok(body),
        // Some providers send an error with status 200.
        Err(ReplyError::Api(error)) => Err(encode_error(client, &error)),
        Err(error @ ReplyError::InvalidBody(_)) => {
            let message = JsonString::new(&error.to_string());
            Err(encode_error(client, &ApiError::new(ApiErrorKind::ServerError, message)))
        }
    }
}

fn encode_error(client: &dyn Dialect, error: &ApiError) -> (u16, Bytes) {
    (client.error_status(error), client.encode_error(error).into())
}

/// Here a program sends the body with its HTTP client.
async fn call_provider(_body: Bytes) -> (u16, Bytes) {
    let reply = r#"{"id":"c","object":"chat.completion","created":0,"model":"gpt-4.1",
        "choices":[{"index":0,"message":{"role":"assistant","content":"Hello!"},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":8,"completion_tokens":2,"total_tokens":10}}"#;
    std::future::ready((200, reply.into())).await
}

fn response(status: u16, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, json);
    response
}

async fn serve(listener: TcpListener) -> Result<(), Box<dyn Error>> {
    loop {
        let (connection, _) = listener.accept().await?;
        tokio::spawn(async move {
            let service = service_fn(async |request| Ok::<_, Infallible>(handle(request).await));
            let server = hyper::server::conn::http1::Builder::new();
            if let Err(error) = server.serve_connection(TokioIo::new(connection), service).await {
                println!("the connection failed: {error}");
            }
        });
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    println!("http://{}", listener.local_addr()?);
    serve(listener).await
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    async fn post(body: &str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut connection = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let exchange = async {
            let head = "POST /v1/messages HTTP/1.1\r\nhost: a\r\nconnection: close\r\n";
            let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
            connection.write_all(request.as_bytes()).await.unwrap();
            let mut response = String::new();
            connection.read_to_string(&mut response).await.unwrap();
            response
        };
        tokio::select! {
            response = exchange => response,
            ended = serve(listener) => panic!("the server ended: {ended:?}"),
        }
    }

    #[tokio::test]
    async fn clients_get_replies_and_errors_in_their_dialect() {
        let response =
            post(r#"{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"Hi"}]}"#)
                .await;
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        assert!(response.contains(r#""text":"Hello!""#), "{response}");

        let response = post("no JSON").await;
        assert!(response.starts_with("HTTP/1.1 400"), "{response}");
        assert!(response.contains("invalid_request_error"), "{response}");
    }
}
