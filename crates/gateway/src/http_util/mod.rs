//! HTTP without knowledge of turns: endpoints, request bodies, response bodies, errors, CORS.

pub(crate) mod access;
pub(crate) mod body;
pub(crate) mod body_budget;
pub(crate) mod client_api;
pub(crate) mod client_network;
pub(crate) mod content_coding;
pub(crate) mod cors;
pub(crate) mod endpoint;
pub(crate) mod error_response;
pub(crate) mod read_body;
pub(crate) mod respond;
pub(crate) mod websocket_handshake;
