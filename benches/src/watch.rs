//! The tools of an agent, and the guard that watches over calls of them.

use std::sync::Arc;

use interlingua::guard::{Limits, Modes, Offer, Takes, Watch};
use interlingua::{Json, Text};

/// The names of an agent's tools, one of which the replies call.
pub fn tools() -> impl Iterator<Item = String> {
    (0..30).map(|n| format!("tool_{n}")).chain(["search".to_owned()])
}

/// Watches over a reply that may call them.
pub fn watch() -> Watch {
    let takes = Takes::Object(Json::parse(SCHEMA).ok());
    let tools = tools().map(|name| (Text::new(&name), takes.clone())).collect();
    Watch {
        offer: Offer { tools, open: false },
        modes: Modes::default(),
        limits: Limits::default(),
        schemas: Arc::default(),
    }
}

/// What each of them takes.
pub const SCHEMA: &str = r#"{"type":"object","properties":{"query":{"type":"string","minLength":1},
    "paths":{"type":"array","items":{"type":"string"}},"limit":{"type":"integer","minimum":1}},
    "required":["query"],"additionalProperties":false}"#;
