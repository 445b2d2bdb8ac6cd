//! Bodies and yardsticks for the benchmarks, the same in every run.

pub mod callgrind;
mod history;
pub mod load;
mod rounds;
mod stream;
mod stream_through_value;
mod through_value;
mod timing;
mod watch;
pub mod workout;

pub use history::{anthropic_history, healthy_model, in_dialect};
pub use rounds::{Rounds, is_wanted};
pub use stream::{anthropic_stream, stream_in};
pub use stream_through_value::{
    Convert, anthropic_event_to_chat, chat_event_to_anthropic, convert_through_value,
    relay_through_value,
};
pub use through_value::{convert, parse_and_write};
pub use timing::{Timed, best_of, process_time};
pub use watch::{SCHEMA, tools, watch};

/// What `Value` means here, for whoever reads the numbers.
pub const YARDSTICK: &str = "Value is serde_json's with the order of keys kept: a body whose keys are \
    sorted is another body, and breaks signatures and prompt caches.";

/// The dialects that providers speak; `native` is ours and is never on the hot path.
pub fn wire_dialects() -> impl Iterator<Item = &'static dyn interlingua::Dialect> {
    interlingua::ALL.iter().copied().filter(|dialect| dialect.id().0 != "native")
}
