//! What is known of model providers, as data: addresses and keys, how each spells a dialect, and what
//! it accepts.
//!
//! [`resolve()`] answers what a target accepts. Nothing here reads or writes requests.

mod base;
mod custom_flavor;
pub mod endpoints;
pub mod facts;
mod families;
mod model_name;
mod prelude;
pub mod preset;
pub mod printed;
pub mod profile;
pub mod quirks;
mod registry;
mod relays;
mod resolve;
mod rule_set;
pub mod shape;
pub mod spelling;
mod target;
mod variant;

pub use model_name::ModelName;
pub use registry::{PRESETS, flavors};
pub use resolve::{Layer, PROVIDER_DIALECTS, resolve};
pub use rule_set::RuleSet;
pub use target::{StopFlag, Target};
pub use variant::{Base, ModelPatch, OwnApi, Patch, RelayedVendor, Variant};
