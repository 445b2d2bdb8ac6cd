//! Questions about the conversation under repair that several rules ask; nothing is edited.

pub(crate) mod call_ids;
pub(crate) mod continued;
pub(crate) mod conversation;
pub(crate) mod describe;
pub(crate) mod earlier_calls;
pub(crate) mod empty_turn;
pub(crate) mod json_word;
pub(crate) mod media;
pub(crate) mod pairing;
pub(crate) mod preceding_calls;
pub(crate) mod reasoning;
pub(crate) mod rounds;
pub(crate) mod tool_choice;
pub(crate) mod unknown_block;
pub mod web_search;
pub(crate) mod written_calls;
