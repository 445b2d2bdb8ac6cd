//! Law 2: what the provider accepts as it is leaves as the bytes it came in, and nothing is noted.

use super::{Broken, Law, Sent, difference, judged};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let Sent { case, aim, translated, .. } = sent;
    if case.from.id() != aim.provider.to.id() {
        return;
    }
    // Another model changes the body. Where the address names the model, the body need not.
    let same_model = match case.named() {
        Some(named) => named == aim.model,
        None => ADDRESSED.contains(&aim.provider.judge.dialect),
    };
    if !same_model {
        return;
    }
    let same = translated.body == case.bytes;
    if same && translated.ledger.is_empty() {
        return;
    }
    let Some(body) = case.read() else { return };
    if !judged(body, aim).is_accepted() {
        return;
    }
    let entry = translated.ledger.entries.first();
    let rule = entry.map_or("unnoted", |entry| entry.rule);
    let (path, what) = if same {
        (String::new(), "noted, and nothing changed".into())
    } else {
        difference::first(&case.bytes, &translated.body)
    };
    let noted = entry.map_or(String::new(), |entry| format!("; {}", entry.what));
    broken.push(Broken::new(Law::Minimal, rule, path, what + &noted));
}

/// Dialects in which the model stands in the address.
const ADDRESSED: &[&str] = &["gemini", "bedrock"];
