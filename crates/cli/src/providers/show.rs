//! Prints all facts about a provider as a part of a configuration.

use std::fmt::Write as _;

use clap::Args;
use interlingua::{Dialect, find_dialect};
use interlingua_gateway::config::{Config, Provider, suggest};
use interlingua_model::Lessons;
use interlingua_providers::PRESETS;
use interlingua_providers::facts::{FactKey, FactNode};
use interlingua_providers::preset::ProviderPreset;
use interlingua_providers::printed::{References, to_toml, trace};
use interlingua_providers::quirks::base_flavor;
use interlingua_upstream::ProviderFromEnv as _;

use crate::error::CommandError;
use crate::value_parsers::dialect_parser;
use crate::{gateway_config, output};

#[derive(Args)]
pub(crate) struct ShowArgs {
    /// A provider that is known or configured
    name: String,

    /// The model, on which some facts depend
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// One of the provider's dialects, if it has several
    #[arg(long, value_name = "D", value_parser = dialect_parser())]
    dialect: Option<&'static dyn Dialect>,
}

/// What the facts about a provider depend on.
struct ShownProvider {
    dialect: &'static dyn Dialect,
    flavor: Option<&'static str>,
    base_url: String,
}

pub(super) fn run(args: &ShowArgs, config: &Config) -> Result<(), CommandError> {
    let shown = find(args, config)?;
    let (id, model) = (shown.dialect.id(), args.model.as_deref());
    let Some(mut facts) = trace(id, shown.flavor, model, &Lessons::default()) else {
        return Err(CommandError::usage(format!("{} has no providers", id.0), ""));
    };
    References::new(id, model).shorten(&mut facts);
    let table = format!("providers.{}", FactKey::new(&args.name));
    let mut toml = String::new();
    let for_model = model.map(|model| format!(", for the model {model}")).unwrap_or_default();
    let _ = writeln!(toml, "# {} as {}{for_model}", args.name, id.0);
    let _ = writeln!(toml, "[{table}]\ndialect = {:?}", id.0);
    if let Some(like) = like(&args.name, &shown) {
        let _ = writeln!(toml, "like = {}", FactNode::text(like));
    }
    let _ = writeln!(toml, "base_url = {}", FactNode::text(&shown.base_url));
    toml += &to_toml(&format!("{table}.quirks"), &facts);
    output::print_text(&toml)
}

/// The known provider or flavor that has the other properties, such as how a key is sent.
fn like<'n>(name: &'n str, shown: &ShownProvider) -> Option<&'n str> {
    let preset = ProviderPreset::find(name).filter(|preset| preset.dialect == shown.dialect.id().0);
    base_flavor(shown.flavor).or(preset.map(|preset| preset.name))
}

fn find(args: &ShowArgs, config: &Config) -> Result<ShownProvider, CommandError> {
    let name = args.name.as_str();
    if let Some(provider) = config.provider(name) {
        return variant(provider, args);
    }
    let Some(preset) = ProviderPreset::find(name) else {
        let configured = config.providers.iter().map(|provider| provider.name.as_str());
        let known = PRESETS.iter().map(|preset| preset.name).chain(configured);
        let hint = match suggest::nearest(name, known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`interlingua providers` lists them.".into(),
        };
        return Err(CommandError::usage(format!("there is no provider `{name}`"), hint));
    };
    // A variable of the address that is not set does not change the facts.
    let env = |variable: &str| {
        let is_param = preset.url_params.iter().any(|param| param.env_vars.contains(&variable));
        gateway_config::env_var(variable).or_else(|| is_param.then(|| "NAME".to_owned()))
    };
    let provider = preset.provider(&env);
    let provider = provider.map_err(|error| CommandError::failed(error.to_string(), ""))?;
    variant(&provider, args)
}

/// The provider in the dialect of the command line, or in its first.
fn variant(provider: &Provider, args: &ShowArgs) -> Result<ShownProvider, CommandError> {
    let dialect = args.dialect.map_or(provider.dialect.id(), Dialect::id);
    let Some(provider) = provider.variant(dialect) else {
        let message = format!("{} does not support the dialect {}", args.name, dialect.0);
        return Err(CommandError::usage(message, "`interlingua providers` lists their dialects."));
    };
    let known = find_dialect(dialect.0).unwrap_or(provider.dialect);
    let base_url = provider.base_url.to_string();
    Ok(ShownProvider { dialect: known, flavor: provider.flavor, base_url })
}
