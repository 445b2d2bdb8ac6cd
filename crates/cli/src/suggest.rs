//! "Did you mean" messages.

use interlingua_gateway::config::suggest::nearest;

use crate::error::CommandError;

/// Message for an unknown name, with the nearest known one, or all.
pub(crate) fn unknown_name<'n>(
    kind: &str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> String {
    if let Some(near) = nearest(name, known.clone()) {
        return format!("there is no {kind} `{name}`; did you mean `{near}`?");
    }
    let names: Vec<_> = known.collect();
    format!("there is no {kind} `{name}`; there are {}", names.join(", "))
}

/// Error for a value of `--flavor` that is none of the dialect's.
pub(crate) fn unknown_flavor(name: &str, dialect: &str, flavors: &[&str]) -> CommandError {
    if flavors.is_empty() {
        let message = format!("--flavor {name}: {dialect} has no flavors");
        let hint = "A flavor belongs to the provider's side. Leave it out.";
        return CommandError::usage(message, hint);
    }
    let message = unknown_name("flavor", name, flavors.iter().copied());
    let hint = format!("The flavors of {dialect} are {}.", flavors.join(", "));
    CommandError::usage(format!("--flavor: {message}"), hint)
}
