//! "Did you mean" messages.

use interlingua_gateway::config::suggest::nearest;

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
