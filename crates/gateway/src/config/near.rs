//! Names that were perhaps meant.

/// The nearest of the names that are known, if one is near enough to have been meant.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let rated = known.into_iter().map(|one| (distance(name, one), one));
    let (steps, near) = rated.min_by_key(|(steps, _)| *steps)?;
    (steps <= near.chars().count() / 2).then_some(near)
}

/// How many letters must be put, taken or changed to make one of the other. A name that is part of
/// the other is one step away.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    if a.len() > 2 && (a.contains(&b) || b.contains(&a)) {
        return usize::from(a != b);
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
