//! How servers that speak this dialect differ from its inventor, as data: one row per server.

/// The quirks of one server. A quirk is a field here, never a name asked for elsewhere.
#[derive(Debug)]
pub(super) struct Flavor {
    name: &'static str,
    /// Takes thinking that nobody signed, and nobody else's signatures.
    pub(super) unsigned: bool,
}

/// The row of a server; the inventor's if it has none.
pub(super) fn find(name: Option<&str>) -> &'static Flavor {
    FLAVORS.iter().find(|row| Some(row.name) == name).unwrap_or(&INVENTOR)
}

/// The names of the rows.
pub(super) const NAMES: &[&str] = &["deepseek"];

static INVENTOR: Flavor = Flavor { name: "", unsigned: false };
static FLAVORS: &[Flavor] = &[Flavor { name: "deepseek", unsigned: true }];
