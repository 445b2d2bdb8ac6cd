//! Providers of Chat Completions, each read from its file: what it accepts, and its error messages.
//!
//! A file has what differs from the provider that it is `like`. Tables are merged, other values
//! replaced. A provider has the rules for which it has an error message; `messages-of` takes them
//! from other providers, and `false` removes one.

use std::collections::BTreeMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use serde::Deserialize;
use toml::{Table, Value};

use super::profile::{ModelRow, Profile, merge};
use super::registry::FILES;
use crate::Request;

/// A provider's properties.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Provider {
    #[serde(skip)]
    pub name: &'static str,
    pub(super) error_format: ErrorFormat,
    /// The code in all errors, for formats with a fixed one.
    pub(super) error_code: Option<String>,
    #[serde(default)]
    traits: Vec<Trait>,
    pub(super) roles: Vec<String>,
    /// Known parameters, where the server rejects others.
    #[serde(default)]
    pub(super) parameters: Vec<String>,
    #[serde(default)]
    pub(super) extra_parameters: Vec<String>,
    /// Known fields by role, where the server rejects others.
    #[serde(default)]
    pub(super) message_fields: BTreeMap<String, Vec<String>>,
    /// Known types of content parts by role, or for any `other`. If empty, only the tool calls and
    /// results of other APIs are known to be rejected.
    #[serde(default)]
    pub(super) part_types: BTreeMap<String, Vec<String>>,
    /// Types of parameters that not all servers check.
    #[serde(default)]
    pub(super) types: BTreeMap<String, String>,
    /// The lists that must not be empty.
    pub(super) empty_arrays: Vec<String>,
    /// The response format that is rejected, if one is.
    pub(super) rejected_format: Option<String>,
    /// Prefixes of models that accept dots in tool names.
    #[serde(default)]
    pub(super) dotted_tool_names: Vec<String>,
    /// The providers behind a router, by prefix of the model's name; the first is the default.
    #[serde(default)]
    upstreams: Vec<Upstream>,
    /// Error messages by rule, or by `rule/case`.
    messages: BTreeMap<String, String>,
    pub(super) profile: Profile,
    #[serde(skip)]
    pub(super) models: Vec<ModelRow>,
    /// One model for each row of `models`, and one unknown model.
    sample_models: Vec<String>,
    pub replies: ReplyFormat,
}

/// How a provider's replies look, for the simulator.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub struct ReplyFormat {
    pub id_prefix: String,
    pub call_id_prefix: String,
    pub call_id_length: usize,
    /// Call ids are the name and the number of earlier calls.
    #[serde(default)]
    pub numbered_call_ids: bool,
    /// Where reasoning stands: a field, `details` (and the field `reasoning`) or `content-part`.
    pub reasoning: Option<String>,
    #[serde(default)]
    pub reasons: ReasoningSwitch,
    /// Usage is sent even without `stream_options.include_usage`.
    #[serde(default)]
    pub always_sends_usage: bool,
    /// A field of the last chunk in which usage is repeated.
    pub usage_extension: Option<String>,
    /// Calls are streamed whole, without an index, and the first is signed.
    #[serde(default)]
    pub signs_calls: bool,
    /// An invalid call of the model becomes an error.
    #[serde(default)]
    pub validates_calls: bool,
}

/// Whether a model reasons in a reply.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum ReasoningSwitch {
    /// If the request or the model's name asks for it.
    #[default]
    OnDemand,
    UnlessDisabled,
    /// As `OnDemand`, but the reasoning is not shown.
    InSecret,
}

/// Behaviours that few providers have.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Trait {
    /// `OpenAI`, and Azure with the same models.
    FirstParty,
    AcceptsNullContent,
    /// Lists are rejected as content in all roles, not only in assistant and tool messages.
    StringContentInAllRoles,
    /// Replayed calls are not validated.
    UnvalidatedCalls,
    /// There must be as many results as calls.
    EqualCounts,
    PairsByPosition,
    /// Arguments may be empty.
    EmptyArguments,
    /// Arguments may be null.
    NullArguments,
    /// Arguments may be an object.
    ObjectArguments,
    /// The messages are sent to the Messages API: reasoning, a refusal and images are content, and the
    /// last message may be an assistant's without content.
    RelayedMessages,
    /// Of two token limits, only the newer one is checked.
    NewerLimitOnly,
}

/// The format of a server's error bodies.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ErrorFormat {
    /// `{"error": {message, type, param, code}}`
    Nested,
    /// As `Nested`, with `param` null and a fixed code.
    NestedFixedCode,
    /// `{"error": {message, type}}`
    MessageAndType,
    /// `{message, type, param, code}`
    Flat,
    /// `{"object": "error", message, type, param, code}`
    ObjectTagged,
    /// `{"error": {message, type, param, code}}` with the status as code.
    StatusAsCode,
    /// `{"error": {code, message, type}}` with the status as code.
    CodeMessageType,
    /// `{"error": {code, message}}`
    CodeAndMessage,
    /// `{"code": "Client specified an invalid argument", "error": "…"}`
    CodeAndErrorString,
    /// `{"error": "…"}`
    ErrorString,
    /// `[{"error": {code, message, status}}]`
    Array,
    /// `{"error": {message, code, metadata: {raw, provider_name}}}`
    WrappedUpstream,
}

/// A provider behind a router.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Upstream {
    prefix: String,
    name: String,
    /// The provider's file with its rules; the router's own if they are in `OpenAI`'s wording.
    rules: Option<String>,
}

/// All registered providers, and those that [`add_provider`] added.
static PROVIDERS: LazyLock<Vec<Provider>> = LazyLock::new(|| {
    #[expect(clippy::panic, reason = "the files are part of the program, and tests read them")]
    let parse = |(name, file): &(&'static str, &str)| {
        parse(name, file).unwrap_or_else(|error| panic!("{name}.toml: {error}"))
    };
    FILES.iter().map(parse).collect()
});
static ADDED_PROVIDERS: RwLock<Vec<&'static Provider>> = RwLock::new(Vec::new());

/// Adds a provider that is not part of the program.
pub fn add_provider(name: &'static str, file: &str) -> Result<(), String> {
    let provider: &'static Provider = Box::leak(Box::new(parse(name, file)?));
    ADDED_PROVIDERS.write().unwrap_or_else(PoisonError::into_inner).push(provider);
    Ok(())
}

/// The provider of this name.
pub fn find_provider(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name).or_else(|| {
        let added = ADDED_PROVIDERS.read().unwrap_or_else(PoisonError::into_inner);
        added.iter().rev().copied().find(|provider| provider.name == name)
    })
}

/// The provider of this name; unknown ones behave like `OpenAI`.
pub fn provider_or_vendor(name: &str) -> &'static Provider {
    find_provider(name).unwrap_or(&PROVIDERS[0])
}

/// The provider whose rules apply: the request's, or behind a router the upstream one.
pub(super) fn provider_of(request: &Request<'_>) -> &'static Provider {
    let provider = provider_or_vendor(request.flavor);
    let rules = provider.upstream(request.model).and_then(|upstream| upstream.rules.as_deref());
    rules.and_then(find_provider).unwrap_or(provider)
}

/// The name of the upstream provider, behind a router.
pub(super) fn upstream_name(request: &Request<'_>) -> Option<&'static str> {
    let upstream = provider_or_vendor(request.flavor).upstream(request.model)?;
    Some(&upstream.name)
}

/// All different error messages of providers for a rule, in the order of the registry.
pub(super) fn messages_for(rule: &str) -> Vec<&'static str> {
    let mut messages = Vec::new();
    for provider in PROVIDERS.iter() {
        let is_of_rule = |key: &str| key.split('/').next() == Some(rule);
        for (_, message) in provider.messages.iter().filter(|(key, _)| is_of_rule(key)) {
            if !messages.contains(&message.as_str()) {
                messages.push(message);
            }
        }
    }
    messages
}

impl Profile {
    pub(super) fn for_request(request: &Request<'_>) -> &'static Self {
        let provider = provider_of(request);
        let name = request.model.rsplit('/').next().unwrap_or_default();
        let row = provider.models.iter().find(|row| row.is_for(name));
        row.map_or(&provider.profile, |row| &row.profile)
    }
}

impl Provider {
    /// Whether the error bodies are those of Mistral.
    pub fn tags_errors(&self) -> bool {
        self.error_format == ErrorFormat::ObjectTagged
    }

    /// Whether it relays requests to other providers.
    pub fn is_router(&self) -> bool {
        !self.upstreams.is_empty()
    }

    /// Whether it is `OpenAI`, or serves its models.
    pub fn is_first_party(&self) -> bool {
        self.has(Trait::FirstParty)
    }

    pub(super) fn has(&self, property: Trait) -> bool {
        self.traits.contains(&property)
    }

    pub(super) fn has_rule(&self, rule: &str) -> bool {
        self.messages.contains_key(rule)
    }

    /// The error message for a rule.
    pub(super) fn message(&self, rule: &str) -> Option<&str> {
        self.messages.get(rule).map(String::as_str)
    }

    /// Models that differ in the requests that they accept.
    pub fn sample_models(&self) -> impl Iterator<Item = &str> {
        self.sample_models.iter().map(String::as_str)
    }

    fn upstream(&self, model: &str) -> Option<&Upstream> {
        let upstream = self.upstreams.iter().find(|upstream| model.starts_with(&upstream.prefix));
        upstream.or(self.upstreams.first())
    }
}

fn parse(name: &'static str, file: &str) -> Result<Provider, String> {
    let mut table = resolve(file)?;
    let rows = match table.remove("models") {
        Some(Value::Array(rows)) => rows,
        _ => Vec::new(),
    };
    if let Some(messages) = table.get_mut("messages").and_then(Value::as_table_mut) {
        messages.retain(|_, message| message.is_str());
    }
    let profile = table.get("profile").cloned();
    let provider: Provider = table.try_into().map_err(|error| error.to_string())?;
    let rows = rows.into_iter().map(|row| ModelRow::parse(profile.as_ref(), row));
    Ok(Provider { name, models: rows.collect::<Result<_, _>>()?, ..provider })
}

/// A provider's table, merged over those that it refers to.
fn resolve(file: &str) -> Result<Table, String> {
    let mut table: Table = file.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let registered = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        let file = FILES.iter().find(|(registered, _)| *registered == name);
        resolve(file.ok_or_else(|| format!("there is no provider `{name}`"))?.1)
    };
    let mut base = match table.remove("like") {
        Some(name) => registered(&name)?,
        None => Table::new(),
    };
    if let Some(name) = table.remove("parameters-of") {
        base.extend(registered(&name)?.remove_entry("parameters"));
    }
    for (name, rules) in table.remove("messages-of").iter().flat_map(entries) {
        let other = registered(&Value::String(name.clone()))?;
        for rule in rules.as_array().into_iter().flatten().filter_map(Value::as_str) {
            let message = other.get("messages").and_then(|messages| messages.get(rule));
            let message = message.ok_or_else(|| format!("{name} has no message for {rule}"))?;
            let merged = Table::from_iter([(rule.to_owned(), message.clone())]);
            merge(&mut base, Table::from_iter([("messages".to_owned(), Value::Table(merged))]));
        }
    }
    merge(&mut base, table);
    Ok(base)
}

fn entries(table: &Value) -> impl Iterator<Item = (&String, &Value)> {
    table.as_table().into_iter().flatten()
}
