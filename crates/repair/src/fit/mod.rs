//! Rules that ask what the target takes.

pub mod aborted_turn;
pub mod alternation;
pub mod blank_between_reasoning;
pub mod cache_lifetime;
pub mod cache_limit;
pub mod cache_place;
pub mod developer_role;
pub mod empty_result;
pub mod empty_system;
pub mod empty_text;
pub mod empty_turn;
pub mod ends_with_assistant;
pub mod function_role;
pub mod missing_content;
pub mod missing_tools;
pub mod no_messages;
pub mod string_content;
pub mod system_placement;
pub mod trailing_whitespace;
pub mod unknown_block;
pub mod unknown_field;
pub mod user_after_results;
pub mod user_first;
pub mod words_after_call;
pub mod words_with_calls;
