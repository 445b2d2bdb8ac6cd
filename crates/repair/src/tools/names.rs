//! Derives tool names that a target accepts.

use std::collections::HashMap;

use interlingua_model::{Tool, Verbatim, derive_id};
use interlingua_wire::JsonString;

use interlingua_providers::profile::tools::{NameFormat, ToolProfile};

/// A name that the target accepts: the accepted characters of the old one and eight digits derived
/// from it, so that long names with the same beginning stay distinct. Deterministic. `word`
/// replaces a name without accepted characters.
pub(crate) fn alias(
    name: &JsonString,
    fallback: &str,
    rules: &NameFormat,
    number: usize,
) -> JsonString {
    let max_chars =
        rules.max_chars.map_or(MAX_NAME_CHARS, |max_chars| max_chars.min(MAX_NAME_CHARS))
            - HASH_DIGITS
            - 1;
    let punctuation = rules.punctuation.unwrap_or("_-");
    let is_accepted = |c: char| c.is_ascii_alphanumeric() || punctuation.contains(c);
    let contents = name.unescape();
    let replaced = contents.chars().map(|c| if is_accepted(c) { c } else { '_' });
    let mut alias: String = replaced.take(max_chars).collect();
    if alias.trim_matches('_').is_empty() {
        fallback.clone_into(&mut alias);
    }
    if rules.starts_with_letter && !alias.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    {
        alias.insert(0, '_');
        alias.truncate(max_chars);
    }
    let digits = derive_id("", name, number);
    alias.push('_');
    alias.extend(digits.unescape().chars().take(HASH_DIGITS));
    JsonString::new(&alias)
}

/// Names in use, for new aliases.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    /// Number of tools with each name.
    uses: HashMap<String, usize>,
    /// The first number not yet tried for each name.
    next_number: HashMap<String, usize>,
}

impl NameTable {
    pub(crate) fn from_tools(tools: &[Verbatim<Tool>]) -> Self {
        let mut name_table = Self::default();
        for tool in tools {
            name_table.insert(&tool.name);
        }
        name_table
    }

    /// As [`alias`], but not in use. The caller must pass it to [`NameTable::rename`].
    pub(crate) fn unused_alias(&mut self, name: &JsonString, rules: &NameFormat) -> JsonString {
        let next = self.next_number.entry(name.unescape().into_owned()).or_default();
        loop {
            let alias = alias(name, "tool", rules, *next);
            if !self.uses.contains_key(&*alias.unescape()) {
                return alias;
            }
            *next += 1;
        }
    }

    /// Records that a tool was renamed.
    pub(crate) fn rename(&mut self, from: &JsonString, to: &JsonString) {
        if let Some(count) = self.uses.get_mut(&*from.unescape()) {
            *count -= 1;
            if *count == 0 {
                self.uses.remove(&*from.unescape());
            }
        }
        self.insert(to);
    }

    fn insert(&mut self, name: &JsonString) {
        *self.uses.entry(name.unescape().into_owned()).or_default() += 1;
    }
}

/// The tool's name for the target: without its namespace, where the target has namespaces.
pub(crate) fn target_name(tool: &Tool, profile: &ToolProfile) -> JsonString {
    match &tool.namespace {
        Some(namespace) if profile.has_namespaces => strip_namespace(namespace, &tool.name),
        _ => tool.name.clone(),
    }
}

/// The name without its namespace.
pub(crate) fn strip_namespace(namespace: &JsonString, name: &JsonString) -> JsonString {
    let namespace = namespace.unescape();
    let rest = name.strip_prefix(namespace.strip_suffix(SEPARATOR).unwrap_or(&namespace));
    let rest = rest.and_then(|rest| {
        rest.strip_prefix(SEPARATOR).or_else(|| rest.strip_prefix(COLLISION_SEPARATOR))
    });
    rest.unwrap_or_else(|| name.clone())
}

/// The name with its namespace.
pub(crate) fn with_namespace(namespace: &JsonString, name: &JsonString) -> JsonString {
    if namespace.is_empty() || namespace.raw().ends_with(SEPARATOR) {
        JsonString::concat([namespace, name])
    } else {
        JsonString::join([namespace, name], SEPARATOR)
    }
}

const SEPARATOR: &str = "__";
/// Separator if the name would otherwise collide with another one.
const COLLISION_SEPARATOR: &str = ".";
const HASH_DIGITS: usize = 8;
/// Calls may have shorter names than tools: aliases are short enough for both.
const MAX_NAME_CHARS: usize = 64;
