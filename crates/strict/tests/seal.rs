//! Seals report which claim changed.

use interlingua_strict::seal::{SealClaims, SealError, SealKey};

const FULL_CLAIMS: SealClaims<'static> = SealClaims {
    provider: "acme",
    model: "one",
    block_kind: "thinking",
    content: "Let me see.",
    position: 2,
    preceding_blocks: "text",
    prefix: Some("system"),
    previous_seal: Some("seal"),
};

#[test]
fn unchanged_claims_are_accepted() {
    let key = SealKey::default();
    assert_eq!(key.verify(&key.seal(&FULL_CLAIMS), &FULL_CLAIMS), Ok(()));
    let bare = SealClaims { content: "", prefix: None, previous_seal: None, ..FULL_CLAIMS };
    assert_eq!(key.verify(&key.seal(&bare), &bare), Ok(()));
}

#[test]
fn each_change_has_its_error() {
    let key = SealKey::default();
    let seal = key.seal(&FULL_CLAIMS);
    let changes = [
        (SealClaims { provider: "other", ..FULL_CLAIMS }, SealError::WrongProvider),
        (SealClaims { model: "two", ..FULL_CLAIMS }, SealError::WrongModel),
        (SealClaims { block_kind: "redacted", ..FULL_CLAIMS }, SealError::ContentChanged),
        (SealClaims { content: "Let me see!", ..FULL_CLAIMS }, SealError::ContentChanged),
        (SealClaims { content: "", ..FULL_CLAIMS }, SealError::ContentChanged),
        (SealClaims { position: 0, ..FULL_CLAIMS }, SealError::PositionChanged),
        (SealClaims { preceding_blocks: "tool", ..FULL_CLAIMS }, SealError::PositionChanged),
        (SealClaims { prefix: Some("system!"), ..FULL_CLAIMS }, SealError::PrefixChanged),
        (SealClaims { previous_seal: Some("other"), ..FULL_CLAIMS }, SealError::ChainBroken),
    ];
    for (changed, seal_error) in changes {
        assert_eq!(key.verify(&seal, &changed), Err(seal_error));
        assert_eq!(key.errors(&seal, &changed), [seal_error]);
    }
}

#[test]
fn all_errors_are_reported_the_most_specific_first() {
    let key = SealKey::default();
    let other = SealClaims { model: "two", content: "x", prefix: Some("y"), ..FULL_CLAIMS };
    let errors = key.errors(&key.seal(&FULL_CLAIMS), &other);
    assert_eq!(
        errors,
        [SealError::WrongModel, SealError::ContentChanged, SealError::PrefixChanged]
    );
    assert_eq!(key.verify(&key.seal(&FULL_CLAIMS), &other), Err(SealError::WrongModel));
}

#[test]
fn unbound_claims_are_not_checked() {
    let key = SealKey::default();
    let unbound = SealClaims { model: "", prefix: None, previous_seal: None, ..FULL_CLAIMS };
    let seal = key.seal(&unbound);
    assert_eq!(key.verify(&seal, &FULL_CLAIMS), Ok(()), "sealed without");
    let seal = key.seal(&FULL_CLAIMS);
    let partial = SealClaims { prefix: None, previous_seal: None, ..FULL_CLAIMS };
    assert_eq!(key.verify(&seal, &partial), Ok(()), "not verified");
    let partial = SealClaims { model: "", ..FULL_CLAIMS };
    assert_eq!(
        key.verify(&seal, &partial),
        Err(SealError::WrongModel),
        "the model is always verified"
    );
}

#[test]
fn seals_of_another_key_are_not_authentic() {
    let key = SealKey::default();
    let seal = key.seal(&FULL_CLAIMS);
    assert_eq!(SealKey::new("other").verify(&seal, &FULL_CLAIMS), Err(SealError::NotAuthentic));
    for garbage in ["", "EqQB", "not base64!", &seal[..seal.len() - 4], &format!("{seal}AAAA")] {
        assert_eq!(key.verify(garbage, &FULL_CLAIMS), Err(SealError::NotAuthentic), "{garbage}");
    }
}

#[test]
fn a_changed_character_anywhere_is_not_authentic() {
    let key = SealKey::default();
    let seal = key.seal(&FULL_CLAIMS);
    let padding = seal.find('=').unwrap_or(seal.len());
    for at in 0..padding {
        let other = if &seal[at..=at] == "A" { "B" } else { "A" };
        let mut changed = seal.clone();
        changed.replace_range(at..=at, other);
        assert_eq!(
            key.verify(&changed, &FULL_CLAIMS),
            Err(SealError::NotAuthentic),
            "character {at}"
        );
    }
}

#[test]
fn debug_output_hides_the_key() {
    assert_eq!(format!("{:?}", SealKey::new("secret")), "SealKey(…)");
}
