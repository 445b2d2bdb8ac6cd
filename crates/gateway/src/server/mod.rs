//! Accepts connections, spreads them over worker threads, and routes each request to its handler.

pub(crate) mod balance;
pub(crate) mod client_stream;
pub(crate) mod listener;
pub(crate) mod node_sync;
pub(crate) mod per_ip_limit;
pub(crate) mod router;
pub(crate) mod websocket;
