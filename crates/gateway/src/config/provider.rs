//! The providers that are known by name.

use std::fmt;

use interlingua::{Dialect, find};
use secrecy::SecretString;

/// A known provider.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    pub dialect: &'static str,
    pub flavor: Option<&'static str>,
    pub base_url: &'static str,
    pub auth: Auth,
    /// The names of environment variables that hold its key; the first that is filled counts.
    pub keys: &'static [&'static str],
    /// How names of its own models look.
    pub family: &'static [&'static str],
}

/// How a key is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    None,
    Bearer,
    XApiKey,
    GoogApiKey,
}

/// One configured provider.
#[derive(Clone)]
pub struct Provider {
    pub name: String,
    pub dialect: &'static dyn Dialect,
    pub flavor: Option<&'static str>,
    pub base: String,
    pub auth: Auth,
    pub key: Option<SecretString>,
}

impl Provider {
    /// A known provider with this key.
    pub fn of(row: &Row, key: Option<SecretString>) -> Self {
        Self {
            name: row.name.into(),
            dialect: find(row.dialect).unwrap_or(interlingua::ALL[0]),
            flavor: row.flavor,
            base: row.base_url.into(),
            auth: row.auth,
            key,
        }
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("name", &self.name)
            .field("dialect", &self.dialect.id().0)
            .field("flavor", &self.flavor)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

pub static PROVIDERS: &[Row] = &[
    Row {
        name: "anthropic",
        dialect: "anthropic",
        flavor: None,
        base_url: "https://api.anthropic.com",
        auth: Auth::XApiKey,
        keys: &["ANTHROPIC_API_KEY"],
        family: &["claude-*"],
    },
    Row {
        name: "openai",
        dialect: "openai-responses",
        flavor: None,
        base_url: "https://api.openai.com/v1",
        auth: Auth::Bearer,
        keys: &["OPENAI_API_KEY"],
        family: &["gpt-*", "o1*", "o3*", "o4*"],
    },
    Row {
        name: "openrouter",
        dialect: "openai-chat",
        flavor: Some("openrouter"),
        base_url: "https://openrouter.ai/api/v1",
        auth: Auth::Bearer,
        keys: &["OPENROUTER_API_KEY"],
        family: &[],
    },
    Row {
        name: "gemini",
        dialect: "gemini",
        flavor: None,
        base_url: "https://generativelanguage.googleapis.com",
        auth: Auth::GoogApiKey,
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        family: &["gemini-*"],
    },
];
