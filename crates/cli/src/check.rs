//! `interlingua check`: whether a provider would accept a request.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use interlingua_strict::seal::SealKey;
use interlingua_strict::{ALL, Judge, Request, Switches, Verdict, Violation, find};

use crate::error::CommandError;
use crate::terminal_text::escape_line;
use crate::{input, output, suggest};

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// The API that the request is for
    #[arg(long = "for", value_name = "D", value_parser = judge_parser())]
    judge: &'static Judge,

    /// The provider, if several have this API, such as openrouter or deepseek
    #[arg(long, value_name = "F")]
    flavor: Option<String>,

    /// The model, if the request does not contain it
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// The version of the API, as sent in the header
    #[arg(long, value_name = "V")]
    api_version: Option<String>,

    /// A beta feature from the header; may be given several times
    #[arg(long, value_name = "B")]
    beta: Vec<String>,

    /// A behaviour for which the evidence differs, as NAME=VALUE (docs/STRICT.md); may be given
    /// several times
    #[arg(long, value_name = "SWITCH", value_parser = parse_switch)]
    switch: Vec<String>,

    /// Verify the seals of reasoning from the simulator
    #[arg(long)]
    seals: bool,

    /// The request; stdin if missing or -
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub(crate) fn run(args: &CheckArgs) -> Result<(), CommandError> {
    let flavor = resolve_flavor(args)?;
    let body = input::read(args.file.as_deref())?;
    let verdict = verdict(args, flavor, &body);
    let Some(first) = verdict.violations.first() else { return Ok(()) };
    let lines: String = verdict.violations.iter().map(format_violation).collect();
    match output::print_text(&lines) {
        // The verdict is reported even if the reader of stdout has closed it.
        Ok(()) | Err(CommandError::OutputClosed) => {}
        Err(error) => return Err(error),
    }
    let message = format!("the provider rejects this with status {}", first.status);
    let others = verdict.violations.len() - 1;
    Err(CommandError::failed(
        message,
        match others {
            0 => String::new(),
            _ => {
                format!("It would report only the first violation; fix the other {others} as well.")
            }
        },
    ))
}

fn verdict(args: &CheckArgs, flavor: &str, body: &[u8]) -> Verdict {
    let body = match args.judge.parse(body) {
        Ok(body) => body,
        Err(violation) => return Verdict { violations: vec![violation] },
    };
    // Validated when the arguments were parsed.
    let switches = Switches::parse(&args.switch).unwrap_or_default();
    let betas: Vec<&str> = args.beta.iter().map(String::as_str).collect();
    let key = args.seals.then(SealKey::default);
    let mut request = Request::new(&body, flavor, &switches);
    if let Some(model) = &args.model {
        request.model = model;
    }
    request.version = args.api_version.as_deref();
    request.betas = &betas;
    request.seal_key = key.as_ref();
    args.judge.check(&request)
}

/// Rule, path and message, separated by tabs, on one line.
fn format_violation(violation: &Violation) -> String {
    let Violation { rule, path, message, .. } = violation;
    let path = if path.is_empty() { "-" } else { path };
    let [path, message] = [path, message].map(|text| escape_line(text));
    format!("{rule}\t{path}\t{message}\n")
}

fn resolve_flavor(args: &CheckArgs) -> Result<&str, CommandError> {
    let flavors = args.judge.flavors;
    let Some(name) = args.flavor.as_deref() else {
        return Ok(flavors.first().copied().unwrap_or_default());
    };
    if flavors.contains(&name) {
        return Ok(name);
    }
    Err(suggest::unknown_flavor(name, args.judge.dialect, flavors))
}

/// Validates a NAME=VALUE switch.
pub(crate) fn parse_switch(text: &str) -> Result<String, String> {
    Switches::parse(&[text]).map(|_| text.to_owned())
}

/// Names come from the registry, so that help and suggestions list every judge.
fn judge_parser() -> impl TypedValueParser<Value = &'static Judge> {
    let names = PossibleValuesParser::new(ALL.iter().map(|judge| judge.dialect));
    names.try_map(|name| find(&name).ok_or("there is no such judge"))
}

pub(crate) const ABOUT: &str = "\
Check whether a provider would accept a request.

One line per violation is written to stdout: the rule, the path in the request, and the provider's \
error message, separated by tabs. The provider would report the first one. An accepted request prints \
nothing.";

pub(crate) const HELP: &str = "\
Examples:
  interlingua check --for anthropic request.json
  interlingua check --for openai-chat --flavor deepseek < request.json

Exit codes: 0 the request is accepted; 1 it is rejected; 2 wrong usage.";
