//! Forwards a model turn: from the client's request over attempts at providers to the client's response.

pub(crate) mod attempt;
pub(crate) mod call_provider;
pub(crate) mod compacted_reply;
pub(crate) mod compaction;
pub(crate) mod continue_turn;
pub(crate) mod count_tokens;
pub(crate) mod early_head;
pub(crate) mod foreign_fields;
pub(crate) mod heartbeat;
pub(crate) mod lesson_trial;
pub(crate) mod limits;
pub(crate) mod parse;
pub(crate) mod provider_error;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod request_log;
pub(crate) mod retry_plan;
pub(crate) mod stream_body;
pub(crate) mod try_routes;
pub(crate) mod turn;
