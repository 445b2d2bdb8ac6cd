//! Names that were perhaps meant.

/// A sentence for a name nobody knows: the nearest one, or all.
pub(crate) fn unknown<'n>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str> + Clone,
) -> String {
    let nearest = known.clone().min_by_key(|one| distance(name, one));
    let all: Vec<_> = known.collect();
    match nearest {
        Some(near) if distance(name, near) <= near.len() / 2 => {
            format!("there is no {what} `{name}`; did you mean `{near}`?")
        }
        _ => format!("there is no {what} `{name}`; there are {}", all.join(", ")),
    }
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
