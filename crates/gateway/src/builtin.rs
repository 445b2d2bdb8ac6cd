//! The models that are built in: the simulator, asked without a network.

use bytes::Bytes;
use http::{Method, Request};
use interlingua::model::FailureKind;
use interlingua::{Dialect, Failure, find};
use interlingua_simulator::Simulator;
use interlingua_upstream::{Answer, Ask, Body};

use crate::config::SIMULATED;
use crate::refusal::failure;

/// The simulator, in the dialect that can say most.
pub(crate) struct Builtin {
    simulator: Simulator,
    pub(crate) dialect: &'static dyn Dialect,
}

impl Default for Builtin {
    fn default() -> Self {
        let dialect = find(DIALECT).unwrap_or(interlingua::ALL[0]);
        Self { simulator: Simulator::default(), dialect }
    }
}

impl Builtin {
    /// The name under which the simulator knows a model.
    pub(crate) fn model(name: &str) -> String {
        format!("{SIMULATED}/{name}")
    }

    pub(crate) async fn call(&self, ask: Ask, body: Bytes) -> Result<Answer, Failure> {
        let path = match ask {
            Ask::Turn { .. } => "/anthropic/v1/messages",
            Ask::Count => "/anthropic/v1/messages/count_tokens",
            Ask::Models => "/anthropic/v1/models",
        };
        let request = Request::builder()
            .method(if ask == Ask::Models { Method::GET } else { Method::POST })
            .uri(path)
            .header("x-api-key", "built-in")
            .header("anthropic-version", "2023-06-01")
            .body(body)
            .map_err(|error| failure(FailureKind::Upstream, &error.to_string()))?;
        let answered = self.simulator.respond(&request).await;
        let (head, body) = answered
            .map_err(|error| failure(FailureKind::Upstream, &error.to_string()))?
            .into_parts();
        let status = head.status.as_u16();
        Ok(Answer { status, headers: head.headers.into(), body: Body::new(body) })
    }
}

const DIALECT: &str = "anthropic";

/// The models that are there without any provider, each with what it does.
pub(crate) const MODELS: &[(&str, &str)] =
    &[("sim/agent", "thinks, calls tools, reads results"), ("sim/echo", "says what it hears")];
