//! The headers that each provider sends.

use super::NOW_RFC3339;
use crate::api::Api;
use crate::seed::Seed;

/// Names and values.
pub type Headers = Vec<(String, String)>;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Json,
    /// Events in the API's own form.
    Stream,
    /// A JSON array that grows.
    Array,
}

pub fn headers(api: Api, flavor: &str, model: &str, form: Form, seed: &Seed) -> Headers {
    let mut headers: Headers = Vec::new();
    let mut set = |name: &str, value: String| headers.push((name.to_owned(), value));
    set("content-type", content_type(api, form).to_owned());
    if form != Form::Json {
        set("cache-control", "no-cache".to_owned());
    }
    match api {
        Api::Anthropic => {
            set("request-id", seed.id("req_01", 0, 22));
            set("anthropic-organization-id", ORGANIZATION.to_owned());
            for (kind, limit) in LIMITS {
                let name = |part: &str| format!("anthropic-ratelimit-{kind}-{part}");
                set(&name("limit"), limit.to_string());
                set(&name("remaining"), (limit - 1).to_string());
                set(&name("reset"), NOW_RFC3339.to_owned());
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
            if flavor == "openrouter" {
                set("x-generation-id", seed.id("gen-", 0, 29));
            }
            for (kind, limit) in &LIMITS[..2] {
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

fn content_type(api: Api, form: Form) -> &'static str {
    match (api, form) {
        (Api::Gemini, Form::Json | Form::Array) => "application/json; charset=UTF-8",
        (_, Form::Json | Form::Array) => "application/json",
        (Api::Bedrock, Form::Stream) => "application/vnd.amazon.eventstream",
        (Api::Anthropic | Api::Responses, Form::Stream) => "text/event-stream; charset=utf-8",
        (Api::Chat | Api::Gemini, Form::Stream) => "text/event-stream",
    }
}

const ORGANIZATION: &str = "00000000-0000-4000-8000-000000000000";

const LIMITS: &[(&str, u64)] = &[
    ("requests", 1000),
    ("tokens", 2_000_000),
    ("input-tokens", 1_000_000),
    ("output-tokens", 1_000_000),
];
