//! Removes and inserts many items of a list in one pass.

/// Removes the items at sorted indices from a list and returns them.
pub(crate) fn take_indices<T>(list: &mut Vec<T>, indices: &[usize]) -> Vec<T> {
    let (Some(first), Some(last)) = (indices.first().copied(), indices.last().copied()) else {
        return Vec::new();
    };
    let mut selected = indices.iter().copied().peekable();
    let mut taken = Vec::with_capacity(indices.len());
    let mut rest = Vec::new();
    let end = (last + 1).min(list.len());
    for (at, item) in (first..).zip(list.drain(first.min(end)..end)) {
        if selected.next_if_eq(&at).is_some() {
            taken.push(item);
        } else {
            rest.push(item);
        }
    }
    list.splice(first.min(list.len())..first.min(list.len()), rest);
    taken
}

/// Inserts each item before the item that is at its index now; sorted by index.
pub(crate) fn insert_at_indices<T>(list: &mut Vec<T>, new: Vec<(usize, T)>) {
    let index_of = |item: Option<&(usize, T)>| item.map(|(at, _)| (*at).min(list.len()));
    let (Some(first), Some(last)) = (index_of(new.first()), index_of(new.last())) else { return };
    let mut merged = Vec::with_capacity(new.len() + last - first);
    let mut new = new.into_iter().peekable();
    for (at, item) in (first..).zip(list.drain(first..last)) {
        while let Some((_, item)) = new.next_if(|(index_of, _)| *index_of <= at) {
            merged.push(item);
        }
        merged.push(item);
    }
    merged.extend(new.map(|(_, item)| item));
    list.splice(first..first, merged);
}
