//! What several dialects share.

pub(crate) mod char_offsets;
pub(crate) mod dropped_extras;
pub(crate) mod freeform;
pub(crate) mod lenient_media;
pub(crate) mod media_types;
pub(crate) mod name_set;
pub(crate) mod stop_notice;
pub(crate) mod tool_args;
pub(crate) mod tool_output;
pub(crate) mod top_fields;
pub(crate) mod turn_list;
pub(crate) mod unanswered_calls;
