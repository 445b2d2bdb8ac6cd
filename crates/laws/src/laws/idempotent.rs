//! Law 3: what left, sent again to the same target, leaves as it is and nothing is noted.

use super::{Broken, Law, Sent, difference, translate};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let Sent { aim, translated: first, .. } = sent;
    let again = match translate(&first.body, aim.provider.to, aim) {
        Ok(again) => again,
        Err(error) => return broken.push(Broken::new(Law::Idempotent, "refused", "", error)),
    };
    if again.body == first.body && again.ledger.is_empty() {
        return;
    }
    let rule = again.ledger.entries.first().map_or("unnoted", |entry| entry.rule);
    let (path, what) = if again.body == first.body {
        (String::new(), "noted, and nothing changed".into())
    } else {
        difference::first(&first.body, &again.body)
    };
    let noted =
        again.ledger.entries.first().map_or(String::new(), |entry| format!("; {}", entry.what));
    broken.push(Broken::new(Law::Idempotent, rule, path, what + &noted));
}
