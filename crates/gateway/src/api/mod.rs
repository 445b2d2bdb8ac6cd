//! Handlers of the endpoints that call no provider, and of stored sessions.

pub(crate) mod keys;
pub(crate) mod lessons;
pub(crate) mod models;
pub(crate) mod responses;
pub(crate) mod sessions;
pub(crate) mod turns;
pub(crate) mod ui;
pub(crate) mod usage;
