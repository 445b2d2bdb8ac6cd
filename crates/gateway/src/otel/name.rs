//! The names of the conventions for generative AI, of which none is settled yet.

pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const CHAT: &str = "chat";
pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const REQUEST_MODEL: &str = "gen_ai.request.model";
pub(super) const REQUEST_STREAM: &str = "gen_ai.request.stream";
pub(super) const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub(super) const RESPONSE_ID: &str = "gen_ai.response.id";
pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub(super) const FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const CACHE_READ: &str = "gen_ai.usage.cache_read.input_tokens";
pub(super) const CACHE_WRITE: &str = "gen_ai.usage.cache_creation.input_tokens";
pub(super) const REASONING: &str = "gen_ai.usage.reasoning.output_tokens";
pub(super) const TOKEN_TYPE: &str = "gen_ai.token.type";
pub(super) const ERROR: &str = "error.type";
pub(super) const STATUS: &str = "http.response.status_code";
/// Not of the conventions: the dialect of who asked.
pub(super) const DIALECT: &str = "interlingua.dialect";
/// Marks what is counted together because there are too many kinds of it.
pub(super) const OVERFLOW: &str = "otel.metric.overflow";

pub(super) const DURATION: &str = "gen_ai.client.operation.duration";
pub(super) const TOKENS: &str = "gen_ai.client.token.usage";
pub(super) const TO_FIRST_CHUNK: &str = "gen_ai.client.operation.time_to_first_chunk";
pub(super) const SERVED: &str = "gen_ai.server.request.duration";
