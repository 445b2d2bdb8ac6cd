//! A word that the target does not know is left out of the settings.
//!
//! Such as a service tier, how long the answer shall be, or how reasoning is shown. An id that is too
//! long is said in a shorter form, and one that is an address of mail as a hash.
//!
//! ## Why
//! > Invalid value: 'huge'. Supported values are: 'low', 'medium', and 'high'.
//!
//! > service_tier: Input should be 'auto' or 'standard_only'
//!
//! > metadata.user_id: user_id appears to contain an email address.
//!
//! ## Example
//! ```text
//! before   verbosity: huge
//! after    nothing is said of the verbosity
//! ```

use interlingua_model::{Place, derive_id};
use interlingua_wire::{Json, Text};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    let params = &work.profile.params;
    let settings = &work.conversation().settings;
    let strange = |word: Option<&Text>, known: Option<&[&str]>| {
        let (Some(word), Some(known)) = (word, known) else { return None };
        let word = word.contents();
        (!known.contains(&&*word)).then(|| word.into_owned())
    };
    // Words of another dialect are said in the target's by who writes them.
    let own = work.is_own();
    let tier = strange(settings.service_tier.as_ref().filter(|_| own), params.tiers);
    let verbosity = strange(settings.verbosity.as_ref(), params.verbosities);
    let shown = settings.reasoning.as_ref().and_then(|said| said.display.as_ref());
    let in_beta = |word: &&Text| params.beta_display.is_some_and(|(shown, _)| *word == shown);
    let display = strange(shown.filter(|word| own || in_beta(word)), params.displays);
    let asked = |word: &String| {
        let beta = params.beta_display.filter(|(shown, _)| shown == word);
        beta.is_some_and(|(_, beta)| work.profile.reading().lets_in(beta))
    };
    let display = display.filter(|word| !asked(word));
    if let Some(word) = tier {
        work.loss(Place::SETTINGS, format!("left out the service tier `{word}`: it is not known"));
        work.settings().service_tier = None;
    }
    if let Some(word) = verbosity {
        work.loss(Place::SETTINGS, format!("left out the verbosity `{word}`: it is not known"));
        work.settings().verbosity = None;
    }
    if let Some(word) = display {
        work.loss(Place::SETTINGS, format!("left out the display `{word}`: it is not known"));
        if let Some(said) = &mut work.settings().reasoning {
            said.display = None;
        }
    }
    long_ids(work);
    mailed_id(work);
}

/// Made of the address alone: who comes again is known again.
fn mailed_id(work: &mut Work<'_>) {
    let user = work.conversation().settings.user.as_ref();
    let mailed = user.filter(|_| !work.profile.params.mailed_user);
    let Some(user) = mailed.filter(|id| is_mail(&id.contents())).cloned() else { return };
    work.settings().user = Some(derive_id("user_", &user, 0));
    work.change(Place::SETTINGS, "the user's id is an address of mail: it is said as a hash");
}

/// Whether there is anything like `name@host.tld` in it.
fn is_mail(id: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%' | '+' | '-');
    let in_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let mut parts = id.split('@');
    let mut name = parts.next().unwrap_or_default();
    parts.any(|rest| {
        let named = std::mem::replace(&mut name, rest).ends_with(in_name);
        let host = rest.split(|c| !in_host(c)).next().unwrap_or_default();
        let ends = |at: usize| {
            let end = host[at + 1..].bytes().take_while(u8::is_ascii_alphabetic).count();
            at > 0 && end >= 2
        };
        named && host.match_indices('.').any(|(at, _)| ends(at))
    })
}

fn long_ids(work: &mut Work<'_>) {
    let params = &work.profile.params;
    let settings = &work.conversation().settings;
    let long = |id: Option<&Text>, most: usize| {
        id.filter(|id| id.raw().len() > most && id.contents().chars().count() > most).cloned()
    };
    // What is no word is not measured.
    let worded = |names: &[&str]| {
        let mut fields = work.conversation().fields.iter().filter(|_| work.is_own());
        !fields.any(|field| {
            names.contains(&&*field.key.contents())
                && field.value != Json::NULL
                && field.value.text().is_none()
        })
    };
    let key = long(settings.cache_key.as_ref(), params.longest_cache_key)
        .filter(|_| worded(&["prompt_cache_key"]));
    let user = long(settings.user.as_ref(), params.longest_user)
        .filter(|_| worded(&["user", "safety_identifier"]));
    let unwanted = params.longest_user == 0 && settings.user.is_some();
    if let Some(key) = key {
        work.settings().cache_key = Some(derive_id("cache_", &key, 0));
        work.change(Place::SETTINGS, "the cache key is too long: it is said in a shorter form");
    }
    if unwanted {
        work.loss(Place::SETTINGS, "left out the user's id: it is not taken");
        work.settings().user = None;
    } else if let Some(user) = user {
        work.settings().user = Some(derive_id("user_", &user, 0));
        work.change(Place::SETTINGS, "the user's id is too long: it is said in a shorter form");
    }
}
