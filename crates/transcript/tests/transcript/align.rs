//! Which parts stayed, changed, went or came.

use interlingua::Json;
use interlingua_transcript::{Fate, Origin, Unit, align};

/// One unit for each word: the turn is its first letter's place, the rest its text.
fn units(words: &str) -> Vec<Unit> {
    let unit = |word: &str| {
        let (turn, text) = word.split_once(':').unwrap();
        let json = Json::parse(format!(r#"{{"type":"{}","text":"{text}"}}"#, &text[..1])).unwrap();
        let turn = turn.parse().unwrap();
        let origin = Some(Origin { line: 1, record: 0, slot: 0 });
        Unit { turn, block: None, role: "user".into(), json, at: 0, origin }
    };
    words.split_whitespace().map(unit).collect()
}

#[test]
fn nothing_changed() {
    assert!(align(&units("0:a 0:a 1:b"), &units("0:a 0:a 1:b")).is_empty());
    assert!(align(&[], &[]).is_empty());
}

#[test]
fn the_second_of_equals_went() {
    let edits = align(&units("0:a 1:b 2:a 3:c"), &units("0:a 1:b 2:c"));
    assert_eq!(edits.fates, [Fate::Kept, Fate::Kept, Fate::Removed, Fate::Kept]);
    assert!(edits.inserts.is_empty());
}

#[test]
fn the_same_kind_in_the_same_place_is_rewritten() {
    let after = units("0:a 1:bx 2:c");
    let edits = align(&units("0:a 1:b 2:c"), &after);
    assert_eq!(edits.fates[1], Fate::Rewritten(after[1].json.clone()));
    let edits = align(&units("0:a 1:b 2:c"), &units("0:a 1:x 2:c"));
    assert_eq!(edits.fates[1], Fate::Removed);
    assert_eq!(edits.inserts.len(), 1);
}

#[test]
fn a_new_part_knows_its_neighbours() {
    let edits = align(&units("0:a 1:b"), &units("0:a 1:n 1:b"));
    let [insert] = &edits.inserts[..] else { panic!("{edits:?}") };
    assert_eq!((insert.after, insert.before, insert.beside), (Some(0), Some(1), Some(1)));
    let edits = align(&units("0:a 1:b"), &units("0:n 1:a 2:b"));
    let [insert] = &edits.inserts[..] else { panic!("{edits:?}") };
    assert_eq!((insert.after, insert.before, insert.beside), (None, Some(0), None));
}

#[test]
fn a_part_that_moved_went_and_came() {
    let edits = align(&units("0:a 1:b 2:c 3:d"), &units("0:a 1:c 2:d 3:b"));
    assert_eq!(edits.fates, [Fate::Kept, Fate::Removed, Fate::Kept, Fate::Kept]);
    assert_eq!(edits.inserts[0].after, Some(3));
}
