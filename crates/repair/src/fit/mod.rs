//! Rules that ask what the target takes.

pub mod bad_arguments;
pub mod cache_lifetime;
pub mod cache_limit;
pub mod cache_place;
pub mod call_id;
pub mod empty_calls;
pub mod incomplete_call;
pub mod item_id;
pub mod missing_tools;
pub mod old_call;
pub mod opening_call;
pub mod pending_code;
pub mod repeated_field;
pub mod result_kind;
pub mod result_name;
pub mod result_order;
pub mod split_calls;
pub mod unknown_block;
pub mod unknown_field;
