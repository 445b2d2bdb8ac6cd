//! Suggests the closest known name for a misspelt one.

/// The closest known name, if at most half of its characters differ.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let distances = known.into_iter().map(|candidate| (edit_distance(name, candidate), candidate));
    let (distance, closest) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= closest.chars().count() / 2).then_some(closest)
}

/// Levenshtein distance, ignoring case. A name that contains the other has distance 1.
fn edit_distance(a: &str, b: &str) -> usize {
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
