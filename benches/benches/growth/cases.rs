//! The rows of the suite: a shape, the client and the provider.

use std::path::PathBuf;

use crate::generated::{self, Seed};
use crate::replies::ReplyShape;
use crate::requests::RequestShape;
use crate::spelling::short_request;
use crate::{CLIENTS, Exchange, PROVIDERS, recorded, replies, requests};

/// One row of the suite.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) client: &'static str,
    pub(crate) provider: &'static str,
    /// Whether the client asks for a stream.
    pub(crate) streams: bool,
    /// The request is not hostile: it is translated at every size.
    pub(crate) must_pass: bool,
    /// Builds the request, and the reply of the provider if it is not a short text.
    pub(crate) build: Box<dyn Fn(usize) -> Option<Exchange> + Send + Sync>,
}

/// Which cases run.
#[derive(Default)]
pub(crate) struct Selection {
    pub(crate) is_quick: bool,
    pub(crate) seed: u64,
    /// Number of generated shapes.
    pub(crate) generated: Option<u64>,
    /// A folder with recorded requests, one file per client.
    pub(crate) recorded: Option<PathBuf>,
    /// Parts of names; all cases if empty.
    pub(crate) filters: Vec<String>,
}

impl Case {
    pub(crate) fn title(&self) -> String {
        format!("{} {} -> {}", self.name, self.client, self.provider)
    }
}

/// Every client and provider for each shape; in a quick run each client and each provider once.
pub(crate) fn all(selection: &Selection) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let is_in_run = |shape: usize, client: usize, provider: usize| {
        !selection.is_quick || (shape + client) % PROVIDERS.len() == provider
    };
    for (number, shape) in requests::ALL.iter().enumerate() {
        for (at, client) in CLIENTS.iter().enumerate() {
            for (to, provider) in PROVIDERS.iter().enumerate() {
                if is_in_run(number, at, to) {
                    cases.push(request_case(shape, client, provider));
                }
            }
        }
    }
    for (number, shape) in replies::ALL.iter().enumerate() {
        for (at, client) in CLIENTS.iter().enumerate() {
            for (to, provider) in PROVIDERS.iter().enumerate() {
                if is_in_run(number, at, to)
                    || selection.is_quick && *provider == shape.worst_provider
                {
                    cases.push(reply_case(shape, client, provider));
                }
            }
        }
    }
    let default_count = if selection.is_quick { QUICK_GENERATED } else { FULL_GENERATED };
    for number in 0..selection.generated.unwrap_or(default_count) {
        cases.push(generated_case(Seed(selection.seed.wrapping_mul(SEED_STEP) + number)));
    }
    if let Some(folder) = &selection.recorded {
        for client in CLIENTS {
            let history = recorded::read(folder, client)?;
            cases.extend(PROVIDERS.iter().map(|provider| history_case(&history, client, provider)));
        }
    }
    let is_selected = |case: &Case| {
        let filters = &selection.filters;
        filters.is_empty() || filters.iter().any(|filter| case.title().contains(filter.as_str()))
    };
    cases.retain(is_selected);
    Ok(cases)
}

fn request_case(
    shape: &'static RequestShape,
    client: &'static str,
    provider: &'static str,
) -> Case {
    let build = move |bytes: usize| {
        let request = (shape.build)(client, bytes)?;
        Some(Exchange { request: request.into_bytes(), reply: None })
    };
    Case {
        name: format!("request {}", shape.name),
        client,
        provider,
        streams: false,
        must_pass: shape.name == "agent_history",
        build: Box::new(build),
    }
}

fn reply_case(shape: &'static ReplyShape, client: &'static str, provider: &'static str) -> Case {
    let build = move |bytes: usize| {
        let reply = (shape.build)(provider, bytes)?;
        let request = short_request(client, shape.streams).into_bytes();
        Some(Exchange { request, reply: Some(reply) })
    };
    Case {
        name: format!("reply {}", shape.name),
        client,
        provider,
        streams: shape.streams,
        must_pass: false,
        build: Box::new(build),
    }
}

/// A shape of the generator, for a client and a provider that the seed chooses.
fn generated_case(seed: Seed) -> Case {
    let client = CLIENTS[seed.below(20, CLIENTS.len())];
    let provider = PROVIDERS[seed.below(21, PROVIDERS.len())];
    if seed.below(22, 2) == 0 {
        let build = move |bytes: usize| {
            let request = generated::request(seed, client, bytes).into_bytes();
            Some(Exchange { request, reply: None })
        };
        return Case {
            name: format!("request generated-{}", seed.0),
            client,
            provider,
            streams: false,
            must_pass: false,
            build: Box::new(build),
        };
    }
    let streams = generated::streams(seed);
    let build = move |bytes: usize| {
        let reply = generated::reply(seed, provider, bytes);
        let request = short_request(client, streams).into_bytes();
        Some(Exchange { request, reply: Some(reply) })
    };
    Case {
        name: format!("reply generated-{}", seed.0),
        client,
        provider,
        streams,
        must_pass: false,
        build: Box::new(build),
    }
}

fn history_case(history: &recorded::History, client: &'static str, provider: &'static str) -> Case {
    let history = history.clone();
    let build = move |bytes: usize| {
        Some(Exchange { request: history.repeat(bytes).into_bytes(), reply: None })
    };
    Case {
        name: "request recorded_history".to_owned(),
        client,
        provider,
        streams: false,
        must_pass: true,
        build: Box::new(build),
    }
}

const QUICK_GENERATED: u64 = 60;
const FULL_GENERATED: u64 = 1000;
/// Distance between the shapes of two seeds.
const SEED_STEP: u64 = 1_000_000;
