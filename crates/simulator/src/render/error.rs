//! Provider errors that no rule of the judge covers, with each provider's message and envelope.

use interlingua_strict::openai_chat::provider_or_vendor;
use serde_json::{Value, json};

use super::bedrock;
use super::context::{Frame, FrameRole};
use crate::render::openai_responses::stream;
use crate::route::Api;
use crate::seed::IdSeed;

/// An error at the provider, or about the key, the path or the body size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderError {
    Unauthorized,
    NotFound,
    TooLarge,
    RateLimit,
    Internal,
    Overloaded,
}

impl ProviderError {
    pub fn status(self, api: Api) -> u16 {
        match self {
            Self::Unauthorized if api == Api::Bedrock => 403,
            // Gemini reports a bad key as `INVALID_ARGUMENT`.
            Self::Unauthorized if api == Api::Gemini => 400,
            Self::Unauthorized => 401,
            Self::NotFound => 404,
            Self::TooLarge => 413,
            Self::RateLimit => 429,
            Self::Internal => 500,
            Self::Overloaded if api == Api::Anthropic => 529,
            Self::Overloaded => 503,
        }
    }

    fn code_and_message(self, api: Api) -> (&'static str, &'static str) {
        match api {
            Api::Anthropic => match self {
                Self::Unauthorized => ("authentication_error", "invalid x-api-key"),
                Self::NotFound => ("not_found_error", "Not found"),
                Self::TooLarge => ("request_too_large", "Request exceeds the maximum size"),
                Self::RateLimit => (
                    "rate_limit_error",
                    "This request would exceed your organization's rate limit. Please reduce the prompt length or the maximum tokens requested, or try again later.",
                ),
                Self::Internal => ("api_error", "Internal server error"),
                Self::Overloaded => ("overloaded_error", "Overloaded"),
            },
            Api::Chat | Api::Responses => match self {
                Self::Unauthorized => (
                    "invalid_api_key",
                    "Incorrect API key provided: sk-fake. You can find your API key at https://platform.openai.com/account/api-keys.",
                ),
                Self::NotFound => ("not_found", "Invalid URL"),
                Self::TooLarge => ("request_too_large", "The request is too large."),
                Self::RateLimit => (
                    "rate_limit_exceeded",
                    "Rate limit reached for requests. Please try again in 1s.",
                ),
                Self::Internal => (
                    "server_error",
                    "The server had an error while processing your request. Sorry about that!",
                ),
                Self::Overloaded => (
                    "server_is_overloaded",
                    "The engine is currently overloaded, please try again later",
                ),
            },
            Api::Gemini => match self {
                Self::Unauthorized => {
                    ("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
                }
                Self::NotFound => ("NOT_FOUND", "Requested entity was not found."),
                Self::TooLarge => {
                    ("INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes.")
                }
                Self::RateLimit => (
                    "RESOURCE_EXHAUSTED",
                    "You exceeded your current quota, please check your plan and billing details.",
                ),
                Self::Internal => (
                    "INTERNAL",
                    "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
                ),
                Self::Overloaded => {
                    ("UNAVAILABLE", "The model is overloaded. Please try again later.")
                }
            },
            Api::Bedrock => match self {
                Self::Unauthorized => (
                    "AccessDeniedException",
                    "The security token included in the request is invalid.",
                ),
                Self::NotFound => (
                    "ResourceNotFoundException",
                    "Could not resolve the foundation model from the provided model identifier.",
                ),
                Self::TooLarge => ("ValidationException", "Input is too long for requested model."),
                Self::RateLimit => {
                    ("ThrottlingException", "Too many requests, please wait before trying again.")
                }
                Self::Internal => (
                    "InternalServerException",
                    "The system encountered an unexpected error during processing. Try your request again.",
                ),
                Self::Overloaded => (
                    "ServiceUnavailableException",
                    "The service is temporarily unavailable. Try again later.",
                ),
            },
        }
    }

    /// The name of the error; Bedrock also sends it in a header.
    pub fn code(self, api: Api) -> &'static str {
        self.code_and_message(api).0
    }

    pub fn body(self, api: Api, flavor: &str, seed: &IdSeed) -> Value {
        let (name, message) = self.code_and_message(api);
        let status = self.status(api);
        match api {
            Api::Anthropic => json!({
                "type": "error",
                "error": {"type": name, "message": message},
                "request_id": seed.id("req_01", 0, 22),
            }),
            Api::Gemini => {
                json!({"error": {"code": status, "message": message, "status": name}})
            }
            Api::Bedrock => json!({"message": message}),
            Api::Chat | Api::Responses => self.openai_body(flavor, status, name, message),
        }
    }

    fn openai_body(self, flavor: &str, status: u16, name: &str, message: &str) -> Value {
        let kind = match self {
            Self::Unauthorized | Self::NotFound | Self::TooLarge => "invalid_request_error",
            Self::RateLimit => "requests",
            Self::Internal | Self::Overloaded => "server_error",
        };
        let provider = provider_or_vendor(flavor);
        if provider.tags_errors() {
            json!({"object": "error", "message": message, "type": kind, "param": null, "code": null})
        } else if provider.is_router() {
            json!({"error": {"message": message, "code": status}})
        } else {
            json!({"error": {"message": message, "type": kind, "param": null, "code": name}})
        }
    }

    /// The error as an event after a stream has started.
    pub fn stream_frame(
        self,
        api: Api,
        flavor: &str,
        model: &str,
        array: bool,
        seed: &IdSeed,
    ) -> Frame {
        let (name, message) = self.code_and_message(api);
        let body = self.body(api, flavor, seed);
        match api {
            Api::Anthropic => {
                let error = json!({"type": "error", "error": body["error"]});
                Frame::named_event(&error, FrameRole::Content)
            }
            Api::Responses => {
                let id = seed.id("resp_", 0, 48);
                let event = stream::failed_event(&id, model, name, message);
                Frame::named_event(&event, FrameRole::Content)
            }
            Api::Chat if provider_or_vendor(flavor).is_router() => {
                let mut chunk = json!({"object": "chat.completion.chunk", "error": body["error"]});
                chunk["id"] = seed.id("gen-", 0, 29).into();
                chunk["choices"] =
                    json!([{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]);
                Frame::data_event(&chunk, FrameRole::Content)
            }
            Api::Chat => Frame::data_event(&body, FrameRole::Content),
            Api::Gemini if array => Frame::new(format!(",\r\n{body}"), FrameRole::Content),
            Api::Gemini => Frame::new(format!("data: {body}\r\n\r\n"), FrameRole::Content),
            Api::Bedrock => {
                // In a stream, exception names begin with a lowercase letter.
                let mut camel_case = name.to_owned();
                if let Some(first) = camel_case.get_mut(..1) {
                    first.make_ascii_lowercase();
                }
                bedrock::exception_frame(&camel_case, &body)
            }
        }
    }
}
