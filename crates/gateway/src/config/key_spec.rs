//! Describes a key of the configuration file: how it is read, documented and reloaded.

use super::Config;

/// A key of the configuration file.
#[derive(Clone, Copy, Debug)]
pub struct KeySpec {
    pub name: &'static str,
    pub value_type: ValueType,
    /// As written in TOML, but without quotes; empty for a key without a fixed default.
    pub default: &'static str,
    /// The key's description in `docs/CONFIGURATION.md`; empty for a section, which has its own
    /// heading there.
    pub doc: &'static str,
    /// For a key that takes effect at the next start: whether it is the same in both
    /// configurations.
    pub is_unchanged: Option<fn(&Config, &Config) -> bool>,
}

/// How the value of a key is written.
#[derive(Clone, Copy, Debug)]
pub enum ValueType {
    /// Bytes: `"64MiB"`.
    Size,
    /// Bytes of a buffer in memory, at most 4 GiB.
    MemorySize,
    /// `"30s"`
    Duration,
    /// A whole number within these bounds.
    Number {
        min: u64,
        max: u64,
    },
    Flag,
    /// A string that is one of these words.
    Word(fn() -> Vec<&'static str>),
    /// Another string, described for the page.
    Text(&'static str),
    /// A table or list that its own code reads, described for the page.
    Other(&'static str),
    /// Anything: the key is accepted with a warning, and has no effect.
    Ignored,
    /// A table with these keys.
    Section(&'static [KeySpec]),
    /// A table whose keys are names that the user chooses, each of a table with these keys.
    Named(&'static [KeySpec]),
    /// A list whose items can be tables with these keys.
    List(&'static [KeySpec]),
}

/// A key, or a section if it gets no [`KeySpec::doc`].
pub(super) const fn key(
    name: &'static str,
    value_type: ValueType,
    default: &'static str,
) -> KeySpec {
    KeySpec { name, value_type, default, doc: "", is_unchanged: None }
}

impl KeySpec {
    pub(super) const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    /// The key takes effect at the next start.
    pub(super) const fn at_next_start(self, is_unchanged: fn(&Config, &Config) -> bool) -> Self {
        Self { is_unchanged: Some(is_unchanged), ..self }
    }

    /// The full name of a key, or the header of a section.
    pub fn display_name(&self, path: &str) -> String {
        match self.value_type {
            ValueType::Section(_) => format!("[{path}]"),
            _ => path.to_owned(),
        }
    }

    /// The default as it is written in a file.
    pub fn default_toml(&self) -> Option<String> {
        use ValueType::{Duration, MemorySize, Size, Text, Word};
        let is_string = matches!(self.value_type, Size | MemorySize | Duration | Word(_) | Text(_));
        let toml = if is_string { format!("{:?}", self.default) } else { self.default.to_owned() };
        (!self.default.is_empty()).then_some(toml)
    }
}

impl ValueType {
    /// The keys of the table, or of each table in it.
    pub fn keys(self) -> &'static [KeySpec] {
        match self {
            Self::Section(keys) | Self::Named(keys) | Self::List(keys) => keys,
            _ => &[],
        }
    }
}
