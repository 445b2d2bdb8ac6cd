//! Law 2: what the provider accepts as it is leaves as the bytes it came in, and nothing is noted.

use super::{Broken, Law, Sent, difference, judged};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let Sent { case, aim, translated, .. } = sent;
    if case.from.id() != aim.provider.to.id() || case.model().is_some_and(|it| it != aim.model) {
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
    let (path, what) = match same {
        true => (String::new(), "noted, and nothing changed".into()),
        false => difference::first(&case.bytes, &translated.body),
    };
    let noted = entry.map_or(String::new(), |entry| format!("; {}", entry.what));
    broken.push(Broken::new(Law::Minimal, rule, path, what + &noted));
}
