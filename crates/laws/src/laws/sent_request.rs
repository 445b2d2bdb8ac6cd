//! The translation of a request for one target.

use std::sync::OnceLock;

use bytes::Bytes;
use interlingua::{Dialect, TranslatedRequest, translate_request};
use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches, Verdict};
use serde_json::Value;

use super::law::{Breach, Law};
use crate::canary;
use crate::sample::SampleRequest;
use crate::targets::Destination;

/// The translation for one target, parsed once for all laws.
pub(super) struct SentRequest<'c> {
    pub(super) original: &'c SampleRequest,
    pub(super) destination: &'c Destination,
    pub(super) translated: TranslatedRequest,
    pub(super) parsed_body: Value,
    /// The numbers of the canaries in the translation, in order.
    pub(super) canaries: OnceLock<Vec<usize>>,
}

pub(super) fn translate_sample<'c>(
    case: &'c SampleRequest,
    destination: &'c Destination,
) -> Result<SentRequest<'c>, Breach> {
    let translated = translate(&case.bytes, case.dialect, destination)
        .map_err(|error| Breach::new(Law::Total, "refused", "", error))?;
    let value = (destination.provider.judge.parse(&translated.body))
        .map_err(|violation| Breach::new(Law::Sound, violation.rule, "", violation.message))?;
    Ok(SentRequest {
        original: case,
        destination,
        translated,
        parsed_body: value,
        canaries: OnceLock::new(),
    })
}

impl SentRequest<'_> {
    /// Whether the translation has the canary with this number.
    pub(super) fn has_canary(&self, number: usize) -> bool {
        let canaries = self.canaries.get_or_init(|| {
            let body = &self.translated.body;
            let mut canaries: Vec<usize> = canary::find_canaries(body).collect();
            canaries.extend(canary::find_in_base64(body));
            canaries.sort_unstable();
            canaries
        });
        canaries.binary_search(&number).is_ok()
    }
}

/// Translates a body for one target.
pub(crate) fn translate(
    body: &Bytes,
    from: &dyn Dialect,
    destination: &Destination,
) -> Result<TranslatedRequest, String> {
    translate_request(body.clone(), from, destination.provider.to, &destination.target())
        .map_err(|error| error.to_string())
}

/// Checks a body with the judge of the target, without verifying seals.
pub(super) fn judge_body(body: &Value, destination: &Destination) -> Verdict {
    judge_body_with_key(body, destination, None)
}

pub(super) fn judge_body_with_key(
    body: &Value,
    destination: &Destination,
    key: Option<&SealKey>,
) -> Verdict {
    let switches = Switches::default();
    let mut request = Request::new(body, destination.provider.flavor, &switches);
    request.model = &destination.model;
    request.seal_key = key;
    destination.provider.judge.check(&request)
}
