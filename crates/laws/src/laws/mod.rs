//! The laws of translation, one file each, and their breaches.

mod chat_template;
mod deterministic;
mod difference;
mod idempotent;
mod kept_content;
mod law;
mod minimal;
mod no_silent_loss;
mod pieces;
mod prefix_stable;
mod seal_integrity;
mod sent_request;
mod sound;
mod transcoding;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub use crate::sample::{SampleRequest, SealIssuer};
pub(crate) use difference::first_difference;
pub(crate) use kept_content::find_lost_content;
pub use law::{Breach, Law};
pub(crate) use sent_request::translate;
pub use transcoding::{check_decoding, check_stored, check_transcoding};

use self::sent_request::{SentRequest, translate_sample};
use crate::targets::Destination;

type LawCheck = fn(&SentRequest<'_>, &mut Vec<Breach>);

/// Translates a request for one target and checks the given laws.
pub fn check_laws(
    case: &SampleRequest,
    destination: &Destination,
    laws: &[Law],
    breaches: &mut Vec<Breach>,
) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut found = Vec::new();
        match translate_sample(case, destination) {
            Ok(sent_request) => {
                for law in laws {
                    check_of(*law)(&sent_request, &mut found);
                }
            }
            Err(breach) if laws.contains(&breach.law) => found.push(breach),
            Err(_) => {}
        }
        found
    }));
    match outcome {
        Ok(found) => breaches.extend(found),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message =
                message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
            breaches.push(Breach::new(Law::Total, "panic", "", message));
        }
    }
}

fn check_of(law: Law) -> LawCheck {
    match law {
        // `translate_sample` reports these breaches.
        Law::Total => |_, _| {},
        Law::Sound => sound::check,
        Law::Minimal => minimal::check,
        Law::Idempotent => idempotent::check,
        Law::PrefixStable => prefix_stable::check,
        Law::NoSilentLoss => no_silent_loss::check,
        Law::SealIntegrity => seal_integrity::check,
        Law::Deterministic => deterministic::check,
    }
}
