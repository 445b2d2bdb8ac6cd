//! The patterns of `[models]`, and how a name is matched with them.

/// Model name patterns and their targets; the first pattern that matches wins.
#[derive(Clone, Debug, Default)]
pub struct ModelRoutes {
    pub rules: Vec<RouteRule>,
}

/// A pattern with any number of `*`, each of which matches any text.
#[derive(Clone, Debug)]
pub struct RouteRule {
    pub pattern: String,
    pub targets: Vec<WeightedTarget>,
}

#[derive(Clone, Debug)]
pub struct WeightedTarget {
    /// `sim` or the name of a provider.
    pub provider: String,
    /// `*` alone is the requested name. Within other text, `*` is the text that the pattern's `*`
    /// matched; so is `{*}` anywhere.
    pub model_template: String,
    /// Adjacent targets with weights share the requests.
    pub weight: Option<u32>,
}

/// The text that each `*` of the pattern matches, if the name matches. Earlier ones match as little
/// as possible.
pub(super) fn match_pattern<'m>(pattern: &str, name: &'m str) -> Option<Vec<&'m str>> {
    let mut parts = pattern.split('*');
    let mut rest = name.strip_prefix(parts.next()?)?;
    let mut stars = Vec::new();
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty().then_some(stars);
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            stars.push(rest.strip_suffix(part)?);
            break;
        }
        let at = rest.find(part)?;
        stars.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    Some(stars)
}

pub(super) fn fill_template(template: &str, requested: &str, stars: &[&str]) -> String {
    if template == "*" {
        return requested.into();
    }
    let template = template.replace("{*}", "*");
    let mut parts = template.split('*');
    let mut model = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        model.push_str(stars.get(at).copied().unwrap_or_default());
        model.push_str(part);
    }
    model
}

/// The targets in the order in which they are tried: in each run of weighted ones, one is drawn to
/// the front.
pub(super) fn order_targets(targets: &[WeightedTarget], draw: u64) -> Vec<&WeightedTarget> {
    let mut ordered = Vec::with_capacity(targets.len());
    for run in targets.chunk_by(|a, b| a.weight.is_some() && b.weight.is_some()) {
        let mut run: Vec<_> = run.iter().collect();
        let total: u64 = run.iter().filter_map(|target| target.weight).map(u64::from).sum();
        let mut remaining = if total == 0 { 0 } else { splitmix64(draw) % total };
        let drawn = run.iter().position(|target| {
            let weight = target.weight.map_or(0, u64::from);
            let hit = remaining < weight;
            remaining = remaining.saturating_sub(weight);
            hit
        });
        if let Some(at) = drawn {
            run[..=at].rotate_right(1);
        }
        ordered.append(&mut run);
    }
    ordered
}

/// Spreads adjacent numbers (splitmix64).
fn splitmix64(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
