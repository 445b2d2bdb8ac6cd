//! The gateway between real sockets: clients of every dialect in front, the strict simulator behind.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod awaited;
mod captures;
mod catalogue;
mod client;
mod coming_and_going;
mod content_types;
mod contract;
mod conversations;
mod desk;
mod events;
mod faults;
mod guard;
mod house;
mod keys;
mod ladder;
mod ladder_of_chat;
mod limits;
mod matrix;
mod named_items;
mod paused;
mod postgres;
mod proxy;
mod raw;
mod refusals;
mod remembered;
mod responses;
mod search;
mod sessions;
mod stub;
mod telemetry;
mod threads;
mod unread_call;
mod vault;
