//! Runs rules on a request: rules by phase, the conversation under repair with its source map, and
//! what is known about it.

mod call_index;
mod normalize;
mod output;
mod reasoning_request;
pub(crate) mod rule;
pub(crate) mod run;
mod settings_cache;
mod source_map;
mod survey;
mod work;

pub(crate) use self::call_index::CallIndex;
pub use self::output::{Renames, RepairOutput};
pub use self::source_map::SourceMap;
pub use self::survey::Feature;
pub use self::work::Work;
pub(crate) use self::work::bulk::{DetachedBlock, DetachedTurns, Removals};
