//! What the runner is asked to do.

use std::path::PathBuf;

pub(crate) const USAGE: &str = "Usage: cargo xtask fuzz [PROPERTY] [--seconds N] [--seed N]
       cargo xtask fuzz PROPERTY --replay FILE

  --seconds N    how long each property is tried (60)
  --seed N       the same seed tries the same inputs in the same order (1)
  --keep-last    keep each input in fuzz/crashes/PROPERTY-last before trying it
  --replay FILE  try one saved input";

#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) property: Option<String>,
    pub(crate) seconds: u64,
    pub(crate) seed: u64,
    pub(crate) keep_last: bool,
    pub(crate) replay: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments =
            Self { property: None, seconds: 60, seed: 1, keep_last: false, replay: None };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--seconds" => arguments.seconds = number(&word, words.next())?,
                "--seed" => arguments.seed = number(&word, words.next())?,
                "--keep-last" => arguments.keep_last = true,
                "--replay" => {
                    let path = words.next().ok_or("--replay needs a file")?;
                    arguments.replay = Some(path.into());
                }
                option if option.starts_with('-') => {
                    return Err(format!("unknown option {option}"));
                }
                _ => arguments.property = Some(word),
            }
        }
        Ok(arguments)
    }
}

fn number(option: &str, word: Option<String>) -> Result<u64, String> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| format!("{option} needs a whole number"))
}
