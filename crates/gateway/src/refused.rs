//! What a provider refuses, in words for the client that give nothing of ours away.

use std::time::Duration;

use bytes::Bytes;
use interlingua::Dialect;
use interlingua::model::Retry;
use interlingua_upstream::{Answer, retry};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;

use crate::attempt::Order;
use crate::config::{Route, To};
use crate::heard::heard;
use crate::refusal::Refusal;
use crate::tale::Tale;

impl Order<'_> {
    /// A provider's error, for the client: as it came where both speak one dialect.
    pub(crate) async fn refused(
        &self,
        route: &Route,
        answer: Answer,
        to: &dyn Dialect,
        tale: &mut Option<Tale>,
    ) -> Refusal {
        let Answer { status, headers, body } = answer;
        let patience = PATIENCE.min(self.config.timeouts.answer);
        let body = timeout(patience, body.whole(LARGEST)).await;
        let body = keyless(route, body.unwrap_or_else(|_| Ok(Bytes::new())).unwrap_or_default());
        heard(tale, &body);
        let mut failure = to.decode_error(status, &body);
        if let Some(wait) = retry::retry_after(&headers) {
            let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            failure.retry = Retry::AfterMillis(millis);
        }
        // A page of something on the way is in nobody's dialect.
        let same = to.id() == self.client.id() && failure.written.is_some();
        let as_it_came = same.then(|| Box::new((body, headers.content_type().cloned())));
        Refusal { as_it_came, ..failure.into() }
    }
}

/// Some providers repeat the key that they do not know: it is none of the client's.
fn keyless(route: &Route, body: Bytes) -> Bytes {
    let key = match &route.to {
        To::Simulated => None,
        To::Provider(provider) => provider.key.as_ref(),
    };
    let Some(key) = key.map(SecretString::expose_secret).filter(|key| key.len() >= SHORTEST) else {
        return body;
    };
    let text = String::from_utf8_lossy(&body);
    if text.contains(key) { text.replace(key, BLACK).into() } else { body }
}

/// An error is short: who cannot say it within this time has said enough.
const PATIENCE: Duration = Duration::from_secs(10);
const LARGEST: usize = 1024 * 1024;
/// What is shorter is no secret, and stands in many words.
const SHORTEST: usize = 6;
const BLACK: &str = "[the gateway's key]";
