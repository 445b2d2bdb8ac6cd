//! Tests the comparison of parts.

use interlingua::RawJson;
use interlingua_transcript::{FileLocation, PartChange, RequestPart, diff};

/// One part per word of the form `turn:text`.
fn parts(words: &str) -> Vec<RequestPart> {
    let part = |word: &str| {
        let (turn, text) = word.split_once(':').unwrap();
        let json =
            RawJson::parse(format!(r#"{{"type":"{}","text":"{text}"}}"#, &text[..1])).unwrap();
        let turn = turn.parse().unwrap();
        let location = Some(FileLocation { line: 1, record: 0, index: 0 });
        RequestPart { turn, block: None, role: "user".into(), json, offset: 0, location }
    };
    words.split_whitespace().map(part).collect()
}

#[test]
fn equal_parts_have_no_edits() {
    assert!(diff(&parts("0:a 0:a 1:b"), &parts("0:a 0:a 1:b")).is_empty());
    assert!(diff(&[], &[]).is_empty());
}

#[test]
fn the_second_of_equal_parts_is_removed() {
    let edits = diff(&parts("0:a 1:b 2:a 3:c"), &parts("0:a 1:b 2:c"));
    assert_eq!(
        edits.changes,
        [PartChange::Unchanged, PartChange::Unchanged, PartChange::Removed, PartChange::Unchanged]
    );
    assert!(edits.insertions.is_empty());
}

#[test]
fn a_part_of_the_same_type_in_the_same_position_is_rewritten() {
    let after = parts("0:a 1:bx 2:c");
    let edits = diff(&parts("0:a 1:b 2:c"), &after);
    assert_eq!(edits.changes[1], PartChange::Rewritten(after[1].json.clone()));
    let edits = diff(&parts("0:a 1:b 2:c"), &parts("0:a 1:x 2:c"));
    assert_eq!(edits.changes[1], PartChange::Removed);
    assert_eq!(edits.insertions.len(), 1);
}

#[test]
fn a_new_part_knows_its_neighbours() {
    let edits = diff(&parts("0:a 1:b"), &parts("0:a 1:n 1:b"));
    let [insert] = &edits.insertions[..] else { panic!("{edits:?}") };
    assert_eq!((insert.previous, insert.next, insert.sibling), (Some(0), Some(1), Some(1)));
    let edits = diff(&parts("0:a 1:b"), &parts("0:n 1:a 2:b"));
    let [insert] = &edits.insertions[..] else { panic!("{edits:?}") };
    assert_eq!((insert.previous, insert.next, insert.sibling), (None, Some(0), None));
}

#[test]
fn a_moved_part_is_removed_and_inserted() {
    let edits = diff(&parts("0:a 1:b 2:c 3:d"), &parts("0:a 1:c 2:d 3:b"));
    assert_eq!(
        edits.changes,
        [PartChange::Unchanged, PartChange::Removed, PartChange::Unchanged, PartChange::Unchanged]
    );
    assert_eq!(edits.insertions[0].previous, Some(3));
}
