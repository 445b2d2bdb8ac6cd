//! Prints a table of all providers.

use std::fmt::Write as _;

use interlingua_gateway::config::{Config, Provider};
use interlingua_providers::PRESETS;
use interlingua_providers::endpoints::AuthScheme;
use interlingua_providers::preset::ProviderPreset;

use crate::error::CommandError;
use crate::terminal_text::escape_line;
use crate::{gateway_config, output};

/// A line of the table.
struct ProviderLine {
    name: String,
    dialects: Vec<&'static str>,
    key: String,
}

pub(super) fn run(config: &Config) -> Result<(), CommandError> {
    let configured = |name: &str| config.provider(name).map(|provider| &**provider);
    let presets =
        PRESETS.iter().map(|preset| ProviderLine::from_preset(preset, configured(preset.name)));
    let others =
        config.providers.iter().filter(|other| ProviderPreset::find(&other.name).is_none());
    let lines: Vec<_> =
        presets.chain(others.map(|other| ProviderLine::from_config(other))).collect();
    output::print_text(&format_table(&lines))
}

impl ProviderLine {
    fn from_preset(preset: &ProviderPreset, configured: Option<&Provider>) -> Self {
        let alternates = preset.alternates.iter().map(|alternate| alternate.dialect);
        let dialects = [preset.dialect].into_iter().chain(alternates).collect();
        Self { name: preset.name.into(), dialects, key: describe_preset_key(preset, configured) }
    }

    fn from_config(provider: &Provider) -> Self {
        let alternates = provider.alternates.iter().map(|alternate| alternate.dialect.id().0);
        let dialects = [provider.dialect.id().0].into_iter().chain(alternates).collect();
        let key = if has_key(provider) { "configured, with a key" } else { "configured, no key" };
        Self { name: provider.name.clone(), dialects, key: key.into() }
    }
}

fn describe_preset_key(preset: &ProviderPreset, configured: Option<&Provider>) -> String {
    let is_set =
        |name: &&&str| gateway_config::env_var(name).is_some_and(|value| !value.trim().is_empty());
    let is_signed = preset.auth == AuthScheme::SigV4;
    if let Some(name) = preset.key_vars.iter().find(is_set) {
        let is_used = configured.is_some() || !preset.has_shared_key;
        let hint =
            if is_used { String::new() } else { format!("; add [providers.{}]", preset.name) };
        format!("{name} is set{hint}")
    } else if configured.is_some_and(has_key) {
        if is_signed { "AWS credentials found" } else { "configured, with a key" }.into()
    } else if preset.key_vars.is_empty() {
        "needs none".into()
    } else {
        let variables = preset.key_vars.join(" or ");
        let credentials = if is_signed { ", or have AWS credentials" } else { "" };
        format!("set {variables}{credentials}")
    }
}

fn has_key(provider: &Provider) -> bool {
    provider.api_key.is_some() || provider.aws_credentials.is_some()
}

fn format_table(lines: &[ProviderLine]) -> String {
    let width = |text: fn(&ProviderLine) -> String| {
        lines.iter().map(|line| text(line).chars().count()).max().unwrap_or_default()
    };
    let dialects = |line: &ProviderLine| line.dialects.join(", ");
    let (name_width, dialect_width) = (width(|line| line.name.clone()), width(dialects));
    let mut table = String::new();
    for line in lines {
        let _ = writeln!(
            table,
            "{:name_width$}  {:dialect_width$}  {}",
            escape_line(&line.name),
            dialects(line),
            line.key
        );
    }
    table
}
