//! Which models of a provider are limited, and until when: who asks sooner is told so at once.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The models of one provider. What limits one of them need not limit another.
#[derive(Debug, Default)]
pub(crate) struct Limited(Mutex<HashMap<String, Instant>>);

impl Limited {
    /// Its provider asks that it be left alone for so long.
    pub(crate) fn rests(&self, model: &str, now: Instant, wait: Duration) {
        let Some(until) = now.checked_add(wait) else { return };
        let mut models = self.models();
        models.retain(|_, until| *until > now);
        let known = models.entry(model.to_owned()).or_insert(until);
        *known = until.max(*known);
    }

    /// How long it rests from now on, if it does.
    pub(crate) fn wait(&self, model: &str, now: Instant) -> Option<Duration> {
        let models = self.models();
        // Mostly there is none, and no name need be hashed.
        if models.is_empty() {
            return None;
        }
        let until = *models.get(model)?;
        until.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }

    fn models(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_model_rests_as_long_as_was_asked_and_alone() {
        let (limited, now) = (Limited::default(), Instant::now());
        limited.rests("large", now, SECOND * 7);
        limited.rests("large", now, SECOND * 2);
        assert_eq!(limited.wait("large", now + SECOND), Some(SECOND * 6), "the later one counts");
        assert_eq!(limited.wait("small", now), None);
        assert_eq!(limited.wait("large", now + SECOND * 7), None);
        limited.rests("small", now + SECOND * 8, SECOND);
        assert_eq!(limited.models().len(), 1, "what is over is forgotten");
    }
}
