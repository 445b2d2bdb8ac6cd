//! AWS credentials for `SigV4`, from the environment or a profile.

mod profile;
mod sign;
#[cfg(test)]
mod tests;

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};

use crate::env::Env;

pub(crate) use profile::env_with_profile_region;
pub(crate) use sign::sign;

/// AWS credentials and the region of the signed requests.
#[derive(Clone)]
pub struct AwsCredentials {
    pub access_key_id: String,
    pub secret_access_key: SecretString,
    /// Session token of temporary credentials.
    pub session_token: Option<SecretString>,
    pub region: String,
}

impl AwsCredentials {
    /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or the profile
    /// `AWS_PROFILE` in the credentials file; `None` if there are no credentials.
    pub fn from_env(env: Env<'_>, region: &str) -> Option<Self> {
        let non_empty_var = |name: &str| {
            env(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let env_credentials =
            non_empty_var("AWS_ACCESS_KEY_ID").zip(non_empty_var("AWS_SECRET_ACCESS_KEY"));
        let (access_key, secret_key, session_token) = match env_credentials {
            Some((access_key, secret_key)) => {
                (access_key, secret_key, non_empty_var("AWS_SESSION_TOKEN"))
            }
            None => profile::profile_credentials(env)?,
        };
        Some(Self {
            access_key_id: access_key,
            secret_access_key: secret_key.into(),
            session_token: session_token.map(SecretString::from),
            region: region.to_owned(),
        })
    }

    fn to_sdk(&self) -> aws_credential_types::Credentials {
        aws_credential_types::Credentials::new(
            self.access_key_id.clone(),
            self.secret_access_key.expose_secret(),
            self.session_token.as_ref().map(|session| session.expose_secret().to_owned()),
            None,
            "interlingua",
        )
    }
}

impl fmt::Debug for AwsCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwsCredentials").field("region", &self.region).finish_non_exhaustive()
    }
}
