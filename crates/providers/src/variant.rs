//! A server's variant of a dialect: how it spells requests, and what it accepts.

use std::fmt;

use crate::profile::Profile;
use crate::spelling::{anthropic, openai_chat};

/// Changes facts of a target.
pub type Patch = fn(&mut Profile);

/// A server's variant of a dialect.
#[derive(Clone, Copy)]
pub struct Variant {
    pub dialect: &'static str,
    /// The name of the flavor; empty for targets without one.
    pub flavor: &'static str,
    /// From what it differs.
    pub base: Base,
    /// How it spells Chat Completions.
    pub chat: Option<&'static openai_chat::Flavor>,
    /// How it spells the Messages API.
    pub messages: Option<&'static anthropic::Flavor>,
    /// Whose models it serves, if it is a relay.
    pub vendors: &'static [RelayedVendor],
    /// How it differs from the base.
    pub profile: Patch,
    /// How models differ there: every patch of which a pattern matches, in this order.
    pub models: &'static [ModelPatch],
}

/// A vendor whose models relays serve.
#[derive(Clone, Copy, Debug)]
pub struct RelayedVendor {
    /// The names of its models, as patterns of [`ModelName`](crate::ModelName).
    pub models: &'static [&'static str],
    /// What holds in the relay's dialect.
    pub patch: Patch,
    /// The vendor's own API, if some of its facts hold behind the relay, too.
    pub api: Option<OwnApi>,
}

/// A vendor's own API.
#[derive(Clone, Copy, Debug)]
pub struct OwnApi {
    pub dialect: &'static str,
    pub flavor: Option<&'static str>,
    /// Carries facts of the model there over to the relay.
    pub carry: fn(&Profile, &mut Profile),
}

/// Patterns of [`ModelName`](crate::ModelName), and what differs for those models.
pub type ModelPatch = (&'static [&'static str], Patch);

/// From what a variant differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The API of the dialect's vendor, with its models.
    Vendor,
    /// A careful copy of that API, with models of anybody.
    Copy,
}

impl Variant {
    /// The vendor's own API, or one that passes requests on to it.
    pub(crate) const fn vendor(dialect: &'static str, flavor: &'static str) -> Self {
        Self {
            dialect,
            flavor,
            base: Base::Vendor,
            chat: None,
            messages: None,
            vendors: &[],
            profile: |_| {},
            models: &[],
        }
    }

    /// Another server of the dialect.
    pub(crate) const fn copy(dialect: &'static str, flavor: &'static str) -> Self {
        Self { base: Base::Copy, ..Self::vendor(dialect, flavor) }
    }

    /// Another server of Chat Completions.
    pub(crate) const fn chat(spelling: &'static openai_chat::Flavor) -> Self {
        Self { chat: Some(spelling), ..Self::copy("openai-chat", spelling.name) }
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.dialect, self.flavor)
    }
}
