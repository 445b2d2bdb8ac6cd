//! End-to-end tests over sockets: clients of every dialect, the gateway, and the strict simulator
//! as provider.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod access_bypass;
mod black_holes;
mod captures;
mod catalogue;
mod circuit;
mod client;
mod client_names;
mod compaction;
mod compressed_bodies;
mod content_types;
mod continue_turn;
mod contract;
mod conversations;
mod damaged_store;
mod disconnect_and_shutdown;
mod early_responses;
mod events;
mod exact_limits;
mod faults;
mod guard;
mod harness;
mod heartbeat;
mod hostile_replies;
mod item_references;
mod key_policy;
mod keys;
mod kills;
mod large;
mod lessons;
mod lessons_chat;
mod lessons_of_keys;
mod limits;
mod made_up_provider;
mod malformed_call;
mod matrix;
mod mutated_requests;
mod postgres;
mod provider_errors;
mod provider_secrets;
mod proxy;
mod raw_server;
mod responses;
mod router;
mod session_commits;
mod sessions;
mod store;
mod stored_data;
mod stub_provider;
mod telemetry;
mod tenants;
mod vault;
mod web_search;
mod worker_threads;
