//! How other servers of the Messages API differ from Anthropic's, as data: one row per server.

/// The quirks of one server. A quirk is a field here; no code compares flavor names.
#[derive(Debug)]
pub struct Flavor {
    pub name: &'static str,
    /// The server accepts thinking without a signature, and rejects foreign signatures.
    pub allows_unsigned_thinking: bool,
}

/// Finds the row of a server. Without a row, the original API's is used.
pub fn find(name: Option<&str>) -> &'static Flavor {
    FLAVORS.iter().find(|row| Some(row.name) == name).unwrap_or(&DEFAULT_FLAVOR)
}

pub const NAMES: &[&str] = &["deepseek"];

static DEFAULT_FLAVOR: Flavor = Flavor { name: "", allows_unsigned_thinking: false };
static FLAVORS: &[Flavor] = &[Flavor { name: "deepseek", allows_unsigned_thinking: true }];
