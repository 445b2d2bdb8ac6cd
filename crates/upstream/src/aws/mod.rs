//! Calls that are signed: credentials, and where they come from.

mod profile;
mod sign;
#[cfg(test)]
mod tests;

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};

use crate::Env;

pub(crate) use profile::with_profile;
pub(crate) use sign::sign;

/// Who signs, and for which region.
#[derive(Clone)]
pub struct Signer {
    pub access_key: String,
    pub secret: SecretString,
    /// Goes along with credentials that are lent for a time.
    pub session: Option<SecretString>,
    pub region: String,
}

impl Signer {
    /// From `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or from the profile
    /// `AWS_PROFILE` in the file of credentials; `None` if there are none.
    pub fn read(env: Env<'_>, region: &str) -> Option<Self> {
        let full = |name: &str| {
            env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let own = full("AWS_ACCESS_KEY_ID").zip(full("AWS_SECRET_ACCESS_KEY"));
        let (access_key, secret, session) = match own {
            Some((access_key, secret)) => (access_key, secret, full("AWS_SESSION_TOKEN")),
            None => profile::credentials(env)?,
        };
        Some(Self {
            access_key,
            secret: secret.into(),
            session: session.map(SecretString::from),
            region: region.to_owned(),
        })
    }

    fn credentials(&self) -> aws_credential_types::Credentials {
        aws_credential_types::Credentials::new(
            self.access_key.clone(),
            self.secret.expose_secret(),
            self.session.as_ref().map(|session| session.expose_secret().to_owned()),
            None,
            "interlingua",
        )
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signer").field("region", &self.region).finish_non_exhaustive()
    }
}
