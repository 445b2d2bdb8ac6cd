//! The response headers of each provider.

use interlingua_strict::openai_chat::provider_or_vendor;

use super::context::FIXED_RFC3339_TIME;
use crate::response::Headers;
use crate::route::Api;
use crate::seed::IdSeed;

/// The format of a response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyFormat {
    Json,
    /// Events in the API's own format.
    Stream,
    /// A stream as one JSON array.
    Array,
}

pub fn response_headers(
    api: Api,
    flavor: &str,
    model: &str,
    format: BodyFormat,
    seed: &IdSeed,
) -> Headers {
    let mut headers: Headers = Vec::new();
    let mut set = |name: &str, value: String| headers.push((name.to_owned(), value));
    set("content-type", content_type(api, format).to_owned());
    if format != BodyFormat::Json {
        set("cache-control", "no-cache".to_owned());
    }
    match api {
        Api::Anthropic => {
            set("request-id", seed.id("req_01", 0, 22));
            set("anthropic-organization-id", ORGANIZATION.to_owned());
            for (kind, limit) in RATE_LIMITS {
                let name = |part: &str| format!("anthropic-ratelimit-{kind}-{part}");
                set(&name("limit"), limit.to_string());
                set(&name("remaining"), (limit - 1).to_string());
                set(&name("reset"), FIXED_RFC3339_TIME.to_owned());
            }
        }
        Api::Chat | Api::Responses => {
            set("x-request-id", seed.id("req_", 0, 32));
            if flavor == "openai" {
                set("openai-organization", "org-simulated".to_owned());
                set("openai-processing-ms", "1".to_owned());
                set("openai-version", "2020-10-01".to_owned());
                set("openai-model", model.chars().filter(char::is_ascii_graphic).collect());
            }
            if provider_or_vendor(flavor).is_router() {
                set("x-generation-id", seed.id("gen-", 0, 29));
            }
            for (kind, limit) in &RATE_LIMITS[..2] {
                set(&format!("x-ratelimit-limit-{kind}"), limit.to_string());
                set(&format!("x-ratelimit-remaining-{kind}"), (limit - 1).to_string());
                set(&format!("x-ratelimit-reset-{kind}"), "6ms".to_owned());
            }
        }
        Api::Gemini => set("server-timing", "gfet4t7; dur=1".to_owned()),
        Api::Bedrock => set("x-amzn-requestid", seed.uuid("request")),
    }
    headers
}

fn content_type(api: Api, format: BodyFormat) -> &'static str {
    match (api, format) {
        (Api::Gemini, BodyFormat::Json | BodyFormat::Array) => "application/json; charset=UTF-8",
        (_, BodyFormat::Json | BodyFormat::Array) => "application/json",
        (Api::Bedrock, BodyFormat::Stream) => "application/vnd.amazon.eventstream",
        (Api::Anthropic | Api::Responses, BodyFormat::Stream) => "text/event-stream; charset=utf-8",
        (Api::Chat | Api::Gemini, BodyFormat::Stream) => "text/event-stream",
    }
}

const ORGANIZATION: &str = "00000000-0000-4000-8000-000000000000";

const RATE_LIMITS: &[(&str, u64)] = &[
    ("requests", 1000),
    ("tokens", 2_000_000),
    ("input-tokens", 1_000_000),
    ("output-tokens", 1_000_000),
];
