//! Parses the command line of the runner.

use std::path::PathBuf;

pub(crate) const USAGE: &str = "Usage: cargo xtask fuzz [PROPERTY] [--seconds N] [--seed N]
       cargo xtask fuzz PROPERTY --replay FILE

  --seconds N    time for each property (60)
  --seed N       the same seed gives the same inputs in the same order (1)
  --keep-last    save each input in fuzz/crashes/PROPERTY-last before checking it
  --replay FILE  check one saved input";

#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) property: Option<String>,
    pub(crate) seconds: u64,
    pub(crate) seed: u64,
    pub(crate) keep_last: bool,
    pub(crate) replay: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments =
            Self { property: None, seconds: 60, seed: 1, keep_last: false, replay: None };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seconds" => arguments.seconds = number(&arg, args.next())?,
                "--seed" => arguments.seed = number(&arg, args.next())?,
                "--keep-last" => arguments.keep_last = true,
                "--replay" => {
                    let path = args.next().ok_or("--replay needs a file")?;
                    arguments.replay = Some(path.into());
                }
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}"));
                }
                _ => arguments.property = Some(arg),
            }
        }
        Ok(arguments)
    }
}

fn number(option: &str, value: Option<String>) -> Result<u64, String> {
    value
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| format!("{option} needs a whole number"))
}
