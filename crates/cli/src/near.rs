//! Names that were perhaps meant.

use interlingua_gateway::config::near::nearest;

/// A sentence for a name nobody knows: the nearest one, or all.
pub(crate) fn unknown<'n>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> String {
    if let Some(near) = nearest(name, known.clone()) {
        return format!("there is no {what} `{name}`; did you mean `{near}`?");
    }
    let all: Vec<_> = known.collect();
    format!("there is no {what} `{name}`; there are {}", all.join(", "))
}
