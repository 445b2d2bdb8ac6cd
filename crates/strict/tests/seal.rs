//! Seals tell what was changed.

use interlingua_strict::seal::{Bound, Broken, Key};

const WHOLE: Bound<'static> = Bound {
    provider: "acme",
    model: "one",
    kind: "thinking",
    contents: "Let me see.",
    position: 2,
    neighbours: "text",
    prefix: Some("system"),
    previous: Some("seal"),
};

#[test]
fn what_is_unchanged_is_accepted() {
    let key = Key::default();
    assert_eq!(key.verify(&key.seal(&WHOLE), &WHOLE), Ok(()));
    let bare = Bound { contents: "", prefix: None, previous: None, ..WHOLE };
    assert_eq!(key.verify(&key.seal(&bare), &bare), Ok(()));
}

#[test]
fn each_change_has_its_reason() {
    let key = Key::default();
    let seal = key.seal(&WHOLE);
    let changes = [
        (Bound { provider: "other", ..WHOLE }, Broken::Provider),
        (Bound { model: "two", ..WHOLE }, Broken::Model),
        (Bound { kind: "redacted", ..WHOLE }, Broken::Contents),
        (Bound { contents: "Let me see!", ..WHOLE }, Broken::Contents),
        (Bound { contents: "", ..WHOLE }, Broken::Contents),
        (Bound { position: 0, ..WHOLE }, Broken::Place),
        (Bound { neighbours: "tool", ..WHOLE }, Broken::Place),
        (Bound { prefix: Some("system!"), ..WHOLE }, Broken::Prefix),
        (Bound { previous: Some("other"), ..WHOLE }, Broken::Chain),
    ];
    for (changed, broken) in changes {
        assert_eq!(key.verify(&seal, &changed), Err(broken));
        assert_eq!(key.faults(&seal, &changed), [broken]);
    }
}

#[test]
fn all_reasons_are_given_the_most_telling_first() {
    let key = Key::default();
    let other = Bound { model: "two", contents: "x", prefix: Some("y"), ..WHOLE };
    let faults = key.faults(&key.seal(&WHOLE), &other);
    assert_eq!(faults, [Broken::Model, Broken::Contents, Broken::Prefix]);
    assert_eq!(key.verify(&key.seal(&WHOLE), &other), Err(Broken::Model));
}

#[test]
fn what_is_not_bound_is_not_checked() {
    let key = Key::default();
    let unbound = Bound { model: "", prefix: None, previous: None, ..WHOLE };
    let seal = key.seal(&unbound);
    assert_eq!(key.verify(&seal, &WHOLE), Ok(()), "sealed without");
    let seal = key.seal(&WHOLE);
    let asked = Bound { prefix: None, previous: None, ..WHOLE };
    assert_eq!(key.verify(&seal, &asked), Ok(()), "not asked for");
    let asked = Bound { model: "", ..WHOLE };
    assert_eq!(key.verify(&seal, &asked), Err(Broken::Model), "the model is always asked for");
}

#[test]
fn what_another_key_made_is_foreign() {
    let key = Key::default();
    let seal = key.seal(&WHOLE);
    assert_eq!(Key::new("other").verify(&seal, &WHOLE), Err(Broken::Foreign));
    for garbage in ["", "EqQB", "not base64!", &seal[..seal.len() - 4], &format!("{seal}AAAA")] {
        assert_eq!(key.verify(garbage, &WHOLE), Err(Broken::Foreign), "{garbage}");
    }
}

#[test]
fn a_changed_character_anywhere_is_foreign() {
    let key = Key::default();
    let seal = key.seal(&WHOLE);
    let padding = seal.find('=').unwrap_or(seal.len());
    for at in 0..padding {
        let other = if &seal[at..=at] == "A" { "B" } else { "A" };
        let mut changed = seal.clone();
        changed.replace_range(at..=at, other);
        assert_eq!(key.verify(&changed, &WHOLE), Err(Broken::Foreign), "character {at}");
    }
}

#[test]
fn the_key_does_not_show_itself() {
    assert_eq!(format!("{:?}", Key::new("secret")), "Key(…)");
}
