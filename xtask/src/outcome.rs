//! How commands and steps end.

/// The error of a command or a step is a message with what happened and what to do.
pub(crate) type Outcome = Result<(), String>;

/// For commands that take no arguments.
pub(crate) fn expect_no_arguments(arguments: &[String]) -> Outcome {
    match arguments.first() {
        None => Ok(()),
        Some(extra) => Err(format!("unexpected argument '{extra}'")),
    }
}
