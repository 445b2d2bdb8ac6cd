//! Inputs, baselines and measurement for the benchmarks; the inputs are the same in every run.

mod guard;
mod history;
pub mod load;
mod paired_runs;
mod stream;
mod timing;
mod value_baseline;
pub mod workload;

pub use guard::{TOOL_SCHEMA, call_checker, tools};
pub use history::{anthropic_history, history_in, model_without_repairs};
pub use paired_runs::{PairedRuns, is_selected};
pub use stream::{anthropic_stream, stream_in};
pub use timing::{BestTimes, best_of, process_cpu_time};
pub use value_baseline::stream::{
    Convert, anthropic_event_to_chat, chat_event_to_anthropic, convert_through_value,
    relay_through_value,
};
pub use value_baseline::{convert, parse_and_write};

/// A note for the reports on the configuration of `Value`.
pub const VALUE_NOTE: &str = "Value is serde_json's with preserve_order, because sorted keys break \
    signatures and prompt caches.";

/// The dialects of providers; `native` is the project's own and never on the hot path.
pub fn wire_dialects() -> impl Iterator<Item = &'static dyn interlingua::Dialect> {
    interlingua::DIALECTS.iter().copied().filter(|dialect| dialect.id().0 != "native")
}
